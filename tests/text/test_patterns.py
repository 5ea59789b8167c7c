"""Searches for any of many words."""

from memory_core.text.patterns import one_of
from tests.cases import for_each

WORDS = r"new|no longer|(?:put|moved) (?:off|back)|any ?more|a?far|n(?:e |').{1,5} plus|\w+ed up"
TEXTS = {
    "a new one": "new",
    "it is no longer there": "no longer",
    "they moved back": "moved back",
    "put off again": "put off",
    "not anymore": "anymore",
    "so far": "far",
    "afar": "afar",
    "je ne sais plus": "ne sais plus",
    "it turned up": "turned up",
    "renew": None,
    "news": None,
    "no": None,
    "off": None,
    "moved": None,
    "": None,
}


@for_each("text", TEXTS)
def test_one_of_finds_each_alternative_as_a_whole_word(text: str) -> None:
    found = one_of(WORDS).search(text)
    assert (found[0] if found else None) == TEXTS[text]
