"""Texts that go round in circles, and texts that only look like it."""

import pytest

from memory_core.text.endless_repetition import repeats_itself

FACT = '{"text": "Clara visits Ana every second weekend.", "about": "Clara", "status": "fact"}, '


@pytest.mark.parametrize(
    "text",
    [
        '{"summary": "' + "and I'm happy in Lisbon, " * 20,
        '{"facts": [' + FACT * 5,
        "我很高兴住在里斯本，" * 40,
        "a" * 400,
    ],
)
def test_text_that_goes_round_in_circles_is_recognised(text: str) -> None:
    assert repeats_itself(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ha " * 60,
        '{"facts": [' + FACT * 2,
        '{"facts": [' + "".join(FACT.replace("Clara", f"Clara{n}") for n in range(9)),
        " ".join(map(str, range(500))),
    ],
)
def test_text_that_only_looks_alike_is_not(text: str) -> None:
    assert not repeats_itself(text)
