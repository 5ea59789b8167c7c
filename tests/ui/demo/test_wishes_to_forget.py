"""A wish to forget is no answer of the demo: it would quote what is to be forgotten."""

from memory_core.ui.demo.responder import MemoryResponder
from tests.cases import for_each
from tests.ui.demo.test_responder import turn


@for_each("wish", ["forget what i said about milo", "forget that i told you about milo"])
def test_wish_to_forget_is_not_quoted_as_just_said(wish: str) -> None:
    chat = [turn("user", wish), turn("assistant", "Done."), turn("user", "how old is milo?")]
    assert "forget" not in "".join(MemoryResponder().reply(chat))
