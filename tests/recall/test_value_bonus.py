"""Tests of the preference for memories with a time or an amount."""

from memory_core.domain.records import Memory, MemoryKind
from memory_core.recall.query import Query
from memory_core.recall.results import Candidate
from memory_core.recall.value_bonus import add_value_bonus
from tests.builders import said
from tests.cases import for_each

ASKED = [
    ("when do we paint the fence", "the fence makes me smile", "fence painting is on May 3rd"),
    ("wann streichen wir den Zaun", "der Zaun ist schön", "den Zaun streichen wir am Dienstag"),
    ("cuánto cuesta la valla", "la valla es bonita", "la valla cuesta 80 euros"),
    ("combien coûte la clôture", "la clôture est jolie", "la clôture coûte 80 euros"),
    ("сколько стоит забор", "забор красивый", "забор стоит 80 евро"),
    ("篱笆几号刷漆", "篱笆真好看", "五月三号刷篱笆"),
    ("フェンスはいつ塗るの", "フェンスがきれい", "フェンスは火曜に塗る"),
]


def first(asked: str, *texts: str) -> str:
    """Returns the text that comes first if each scores a little less than the one before."""
    candidates = [
        Candidate(
            memory=Memory(id=text, kind=MemoryKind.EXCHANGE, text=text, exchange=said(text)),
            score=1.0 - 0.05 * place,
        )
        for place, text in enumerate(texts)
    ]
    ordered = add_value_bonus(candidates) if Query(text=asked).wants_a_value else candidates
    return ordered[0].memory.text


@for_each(("asked", "without", "with_value"), ASKED)
def test_question_for_a_value_prefers_a_memory_that_has_one(
    asked: str, without: str, with_value: str
) -> None:
    assert first(asked, without, with_value) == with_value


def test_question_for_no_value_keeps_the_order() -> None:
    _, without, with_value = ASKED[0]
    assert first("who paints the fence", without, with_value) == without


def test_question_about_the_past_keeps_the_order() -> None:
    _, without, with_value = ASKED[0]
    assert first("when did we paint the fence", without, with_value) == without
