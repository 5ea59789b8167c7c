"""The card that tells what is being imported, in every state and language."""

import re
from pathlib import Path
from typing import Any

from memory_core.admin.exporters.restore import RestoreResult
from memory_core.admin.exporters.restore_plan import ListedMemory, NamespacePlan, RestorePlan
from memory_core.admin.importers.dropped_files import UNNAMED
from memory_core.admin.importers.engine import ImportProgress, ImportResult
from memory_core.admin.importers.source import ImportFailure
from memory_core.admin.importers.survey import OriginCounts, Survey
from memory_core.admin.intake import IntakePhase, IntakeStatus
from memory_core.domain.namespaces import Namespace
from memory_core.text.locales import LANGUAGES, tab_words
from memory_core.ui.tab.transfer.intake_html import intake_html
from memory_core.ui.tab.transfer.intake_view import IntakeView, duration_text
from memory_core.ui.tab.transfer.restore_html import confirmation
from tests.cases import for_each

EN = tab_words("en")
MIRA, REI = Namespace("ana", "Mira"), Namespace("ana", "Rei")
EVIL = "<img src=x onerror=alert(1)>"
FOUND = Survey(
    chats=3,
    exchanges=1600,
    undated=20,
    notes=2,
    elapsed_s=30.0,
    first_ts=1_700_000_000.0,
    last_ts=1_790_000_000.0,
    namespaces={Namespace("ana", UNNAMED): 1600},
    origins={
        "export.zip": OriginCounts(
            chats=3, exchanges=1600, notes=2, namespaces={Namespace("ana", UNNAMED)}
        )
    },
)
PLAN = RestorePlan(
    path=Path("all.zip"),
    made_at=1_790_000_000.0,
    parts=[
        NamespacePlan(
            source=MIRA,
            target=MIRA,
            new=2,
            known=5,
            only_here=1,
            new_memories=[ListedMemory(ts=1_700_000_000.0, text=EVIL)],
            lost_memories=[ListedMemory(ts=None, text="My boat is Ida")],
        )
    ],
)


def card(phase: IntakePhase, *, language: str = "en", **more: Any) -> str:
    names = ("export.zip",) if phase is not IntakePhase.EMPTY else ()
    of_status = {key: more.pop(key) for key in list(more) if key in IntakeStatus.__slots__}
    status = IntakeStatus(phase=phase, **({"names": names} | of_status))
    return intake_html(IntakeView(words=tab_words(language), status=status, **more))


@for_each("language", LANGUAGES.values())
@for_each("phase", IntakePhase)
def test_every_state_has_words_in_every_language(phase: IntakePhase, language: str) -> None:
    result = ImportResult(exchanges=6, added=5, new_ids={MIRA: ["a"] * 4, REI: ["b"]})
    text = card(
        phase,
        language=language,
        survey=FOUND,
        result=result,
        plan=PLAN,
        restored=(RestoreResult(namespace=MIRA, memories=2, backup=Path("b.zip")),),
    )
    assert bool(text) is (phase is not IntakePhase.EMPTY)
    assert UNNAMED not in text
    assert "<img" not in text


def test_survey_says_how_much_from_when_and_asks_whose_it_becomes() -> None:
    text = card(
        IntakePhase.CHATS_FOUND,
        survey=FOUND,
        embedding_s=120.0,
        characters=["Mira", EVIL],
        chosen="Mira",
    )
    assert "1,600 messages with their answers in 3 chats. 2 notes." in text
    assert re.search(r"From 14 November 2023 to 2\d September 2026\.", text)
    assert "20 have no dates of their own" in text
    assert "about 2 min" in text
    assert 'value="Mira"' in text
    assert "<img" not in text


def test_survey_of_files_that_name_their_characters_asks_nothing() -> None:
    found = Survey(chats=1, exchanges=2, namespaces={MIRA: 1, REI: 1})
    text = card(IntakePhase.CHATS_FOUND, survey=found)
    assert "They become memories of Mira, Rei." in text
    assert "<input" not in text


def test_survey_of_files_of_which_some_name_a_character_asks_for_the_rest_alone() -> None:
    nobody = Namespace("ana", UNNAMED)
    counts = OriginCounts(chats=2, exchanges=4, namespaces={MIRA, nobody})
    found = Survey(
        chats=2, exchanges=4, namespaces={MIRA: 1, nobody: 1}, origins={"export.zip": counts}
    )
    text = card(IntakePhase.CHATS_FOUND, survey=found)
    assert "Chats that name Mira become memories of Mira." in text
    assert "Whose memories does the rest become?" in text
    assert "They become" not in text


def test_progress_tells_the_time_left_and_can_be_cancelled() -> None:
    progress = ImportProgress(
        exchanges=200, chats=1, total_exchanges=600, total_chats=3, elapsed_s=60.0
    )
    text = card(IntakePhase.IMPORTING, survey=FOUND, progress=progress)
    assert "200 of 600 messages, 1 of 3 chats. About 2 min left." in text
    assert 'max="600" value="200"' in text
    assert 'data-ltm="cancel"' in text
    assert 'data-ltm="cancel"' not in card(
        IntakePhase.IMPORTING, survey=FOUND, progress=progress, is_cancelling=True
    )


def test_result_counts_and_lists_what_was_left_out_without_markup() -> None:
    failures = [f"{EVIL} is damaged"] * 60
    result = ImportResult(exchanges=600, added=500, changed=1, removed=3, new_ids={MIRA: ["a"]})
    text = card(
        IntakePhase.IMPORTED,
        result=result,
        failures=failures,
    )
    assert "Mira has 1 new memory" in text
    assert "99 messages were already known" in text
    assert "3 messages are no longer in their chats" in text
    assert "60 files or chats are left out" in text
    assert "and 10 more" in text
    assert text.count("&lt;img") == 50
    assert "<img" not in text


def test_import_that_brought_nothing_new_offers_no_undo() -> None:
    text = card(IntakePhase.IMPORTED, result=ImportResult(exchanges=5))
    assert EN["imported_none"] in text
    assert 'data-ltm="take_back"' not in text


def test_wrong_file_is_named_with_the_formats_that_work() -> None:
    text = card(
        IntakePhase.FAILED,
        unknown=("holiday.png",),
        refused=(ImportFailure(source=Path("a"), reason="a is empty"),),
        failures=["a is empty"],
    )
    assert "holiday.png: files of this kind cannot be imported" in text
    assert "a is empty" in text
    assert EN["format_chatgpt"] in text


def test_backup_offers_to_add_first_and_to_replace_only_with_a_typed_name() -> None:
    text = card(IntakePhase.BACKUP_FOUND, plan=PLAN)
    assert text.index('data-ltm="merge"') < text.index('data-ltm="replace"')
    assert "Add the 2 missing memories" in text
    assert ">Mira: 2 new, 5 already here, 1 only here" in text
    assert "My boat is Ida" in text
    assert "To confirm, type: Mira" in text
    assert confirmation(PLAN, EN) == "Mira"


def test_backup_that_holds_nothing_new_cannot_be_added() -> None:
    part = NamespacePlan(source=MIRA, target=MIRA, new=0, known=5, only_here=0)
    plan = RestorePlan(path=Path("a.zip"), made_at=0.0, parts=[part, part])
    text = card(IntakePhase.BACKUP_FOUND, plan=plan)
    assert EN["backup_nothing_new"] in text
    assert 'data-ltm="merge"' not in text
    assert confirmation(plan, EN) == "replace"


def test_backup_lists_no_character_without_memories_and_names_users_of_several() -> None:
    hers = Namespace("bob", "Mira")
    parts = [
        NamespacePlan(source=MIRA, target=MIRA, new=1, known=0, only_here=0),
        NamespacePlan(source=hers, target=hers, new=0, known=3, only_here=0),
        NamespacePlan(source=REI, target=REI, new=0, known=0, only_here=0),
    ]
    text = card(
        IntakePhase.BACKUP_FOUND, plan=RestorePlan(path=Path("a.zip"), made_at=0.0, parts=parts)
    )
    assert "ana / Mira: 1 new" in text
    assert "bob / Mira: 0 new, 3 already here" in text
    assert "Rei" not in text


@for_each(("seconds", "text"), [(0.1, "1 s"), (59, "59 s"), (90, "2 min"), (5400, "1.5 h")])
def test_durations_are_short(seconds: float, text: str) -> None:
    assert duration_text(seconds, EN) == text
