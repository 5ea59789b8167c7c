"""Texts that repeat themselves, and texts that only seem to."""

from memory_core.text.endless_repetition import repeats_itself
from tests.cases import for_each

FACT = '{"text": "Clara visits Ana every second weekend.", "about": "Clara", "status": "fact"}, '


@for_each(
    "text",
    [
        '{"summary": "' + "and I'm happy in Lisbon, " * 20,
        '{"facts": [' + FACT * 5,
        "我很高兴住在里斯本，" * 40,
        "a" * 400,
    ],
)
def test_text_that_repeats_itself_is_recognised(text: str) -> None:
    assert repeats_itself(text)


@for_each(
    "text",
    [
        "",
        "ha " * 60,
        '{"facts": [' + FACT * 2,
        '{"facts": [' + "".join(FACT.replace("Clara", f"Clara{n}") for n in range(9)),
        " ".join(map(str, range(500))),
    ],
)
def test_text_with_similar_parts_is_not_taken_for_a_repetition(text: str) -> None:
    assert not repeats_itself(text)
