"""The notation of phrases becomes regular expressions with its lists, accents and alternatives."""

import re

from memory_core.text.commands.phrases import as_pattern
from tests.cases import for_each

_WORDS = {"NO": "do n't|never", "SAVE": "save|note( THIS)? down", "THIS": "this|that"}


@for_each(
    ("phrases", "text"),
    [
        ("NO SAVE", "do n’t save"),
        ("NO SAVE THIS", "never note that down this"),
        ("n'écris pas", "necris pas"),
        ("(ab)?speichern", "speichern"),
        ("我[说讲]的话", "我說的話"),
        ("\n    one\n    NO two\n", "never two"),
        (" ?later", "later"),
    ],
)
def test_phrase_matches_its_words_in_other_spellings(phrases: str, text: str) -> None:
    assert re.fullmatch(as_pattern(phrases, _WORDS), text)


@for_each(
    ("phrases", "text"),
    [
        ("NO SAVE", "NO SAVE"),
        ("[é]t", "et"),
        ("NO|SAVE", "never save"),
        ("\n  one\n  two\n", "onetwo"),
    ],
)
def test_phrase_does_not_match_other_words(phrases: str, text: str) -> None:
    assert not re.fullmatch(as_pattern(phrases, _WORDS), text)
