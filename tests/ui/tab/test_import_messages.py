"""The messages of the tab's panel for past chats."""

from pathlib import Path

import pytest

from memory_core.admin.importers.engine import ImportFailure, ImportProgress, ImportResult
from memory_core.admin.importers.job import ImportPhase, ImportStatus
from memory_core.admin.importers.survey import Survey
from memory_core.text.locales import LANGUAGES, Words, tab_words
from memory_core.ui.tab.transfer.import_messages import duration_text, status_html

EN = tab_words("en")
LOOKED = Survey(chats=3, exchanges=600, undated=20, texts=1200, elapsed_s=1.0)


def test_import_status_is_empty_before_an_import_starts() -> None:
    assert status_html(ImportStatus(), EN) == ""


def test_survey_text_names_amount_and_duration() -> None:
    text = status_html(
        ImportStatus(phase=ImportPhase.SURVEYED, survey=LOOKED, embedding_s=120.0), EN
    )
    assert "600 exchanges in 3 chats" in text
    assert "20 have no dates of their own" in text
    assert "about 2 min" in text


def test_import_status_shows_progress_and_remaining_time() -> None:
    progress = ImportProgress(
        exchanges=200, chats=1, total_exchanges=600, total_chats=3, elapsed_s=60.0
    )
    status = ImportStatus(
        phase=ImportPhase.IMPORTING, survey=LOOKED, progress=progress, embedding_s=0.0
    )
    text = status_html(status, EN)
    assert "200 of 600 exchanges, 1 of 3 chats" in text
    assert "About 2 min left" in text


@pytest.mark.parametrize("words", [*map(tab_words, LANGUAGES.values())], ids=LANGUAGES)
def test_import_result_lists_skipped_files_without_markup(words: Words) -> None:
    failures = [ImportFailure(source=Path("a"), reason="<b>broken")] * 12
    result = ImportResult(exchanges=600, added=500, changed=1, cancelled=True, failures=failures)
    text = status_html(
        ImportStatus(phase=ImportPhase.DONE, survey=LOOKED, result=result, embedding_s=None), words
    )
    assert words["import_cancelled"] in text
    assert text.count("&lt;b&gt;broken") == 10
    assert words("import_more", count=2) in text
    assert "500" in text
    assert "99" in text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.1, "1 s"), (59, "59 s"), (90, "2 min"), (5400, "1.5 h")]
)
def test_durations_are_short(seconds: float, text: str) -> None:
    assert duration_text(seconds, EN) == text
