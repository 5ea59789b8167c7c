"""A greeting tells the demo nothing that it could promise to remember."""

from memory_core.ui.demo.message_matcher import MessageMatcher
from tests.cases import for_each


@for_each("message", ["hi mira", "good evening mira", "hello mira!", "hello", "嗨"])
def test_greeting_is_a_pleasantry_with_the_name_of_the_character(message: str) -> None:
    assert MessageMatcher(message).is_pleasantry


@for_each("message", ["hi tom died", "hi i moved", "mira?", "I am vegan"])
def test_statement_behind_a_greeting_is_none(message: str) -> None:
    assert not MessageMatcher(message).is_pleasantry
