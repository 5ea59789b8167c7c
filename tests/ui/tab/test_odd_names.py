"""The tab shows names from a disk or from JSON even if they are not valid text."""

import json
from functools import partial

import pytest

from memory_core.admin.importers.engine import ImportResult
from memory_core.admin.intake import IntakePhase, IntakeStatus
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.memory.traces import Injected, Trace
from memory_core.recall.results import Candidate, Form, Recall, Recalled
from memory_core.text.locales import tab_words
from memory_core.ui.tab.answer import trace_rows
from memory_core.ui.tab.common import status, visible_namespaces
from memory_core.ui.tab.common.actions import button_html
from memory_core.ui.tab.memories.cards import CardParts, card
from memory_core.ui.tab.transfer.intake_html import intake_html
from memory_core.ui.tab.transfer.intake_view import IntakeView

ODD = "caf\udce9"  # how Python reads a name in Latin-1
WORDS = tab_words("en")
SPACE = Namespace(ODD, ODD)
MEMORY = Memory(
    id="m1",
    kind=MemoryKind.EXCHANGE,
    text="t",
    conversation=ODD,
    exchange=Exchange(user="u", assistant="a"),
)
PARTS = CardParts(words=WORDS, button=partial(button_html, "field"))
CANDIDATE = Candidate(memory=MEMORY, score=0.5)
TRACE = Trace(
    ts=1.0,
    user=ODD,
    character=ODD,
    conversation=ODD,
    query=ODD,
    recall=Recall(kept=(Recalled(candidate=CANDIDATE, form=Form.LINE),)),
    injected=(
        Injected(memory_id="m1", form="line", text=ODD, tokens=1),
        Injected(memory_id="m2", form="line", text=ODD, tokens=1),
    ),
    notes=(ODD,),
)
BROKEN = IntakeView(
    words=WORDS,
    status=IntakeStatus(
        phase=IntakePhase.IMPORTED, names=(ODD,), unknown=(ODD,), result=ImportResult()
    ),
    failures=[f"{ODD} is bad"],
)


@pytest.mark.parametrize(
    "shown",
    [
        pytest.param(visible_namespaces.namespace_label(SPACE, WORDS), id="label"),
        pytest.param(visible_namespaces.namespace_key(SPACE), id="key"),
        pytest.param(status.paragraph(ODD), id="line"),
        pytest.param(status.banner_html([ODD], [(ODD, ODD)], WORDS), id="banner"),
        pytest.param(intake_html(BROKEN), id="import"),
        pytest.param(card(MEMORY, 0, PARTS), id="card"),
        pytest.param(trace_rows.trace_choices([TRACE, TRACE], WORDS), id="turns"),
        pytest.param(trace_rows.outcome_text(TRACE, WORDS), id="happened"),
        pytest.param(trace_rows.injected_rows(TRACE, WORDS), id="injected"),
    ],
)
def test_odd_name_in_the_tab_is_shown_as_valid_text(shown: object) -> None:
    assert json.dumps(shown, ensure_ascii=False).encode()


def test_namespace_with_an_odd_name_is_found_by_its_key() -> None:
    others = [Namespace(ODD, "caf?"), Namespace(ODD, "caf\udcea"), SPACE]
    assert (
        visible_namespaces.namespace_by_key(others, visible_namespaces.namespace_key(SPACE))
        == SPACE
    )
