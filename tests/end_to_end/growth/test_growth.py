"""Functions that receive foreign text take time in proportion to its length, however nasty.

python -m tests.end_to_end.growth measures this at 100,000 letters and more.
"""

import pytest

from .foreign_text import FOREIGN
from .measuring import growth, seconds
from .nasty_texts import NASTY

pytestmark = pytest.mark.slow

_LETTERS = 1_000
_MILLION = 1_000_000
_CEILING_S = 60.0


@pytest.mark.parametrize("function", FOREIGN)
def test_time_grows_with_the_length_of_the_text_and_not_with_its_square(function: str) -> None:
    found = {text: growth(function, text, _LETTERS) for text in NASTY}
    assert {text: rate for text, rate in found.items() if not rate.is_linear} == {}


@pytest.mark.parametrize(
    ("function", "text"),
    [
        ("prompt_fence.escape_control_tokens", "memories nested in pairs"),
        ("prompt_fence.fence", "memories nested in pairs"),
        ("search_terms.terms", "combining marks against their order"),
        ("quoted_sentences.with_texts", "marks in two halves"),
    ],
)
def test_a_million_letters_that_once_took_hours_are_read(function: str, text: str) -> None:
    assert seconds(function, text, _MILLION) < _CEILING_S
