"""The demo answers with the correction of a message, not with what was corrected."""

from memory_core.ui.demo.message_matcher import MessageMatcher
from tests.cases import for_each


@for_each(
    ("told", "corrected", "asked"),
    [
        ("my dentist is on monday", "sorry, tuesday", "when is my dentist"),
        ("my locker is 14", "wait no 41", "which locker is mine"),
        ("my cousin is called Anna", "Hanna, not Anna", "what is my cousin called"),
    ],
)
def test_correction_answers_in_place_of_the_message_before(
    told: str, corrected: str, asked: str
) -> None:
    typed = ["hello", told, corrected, "see you on friday at 5"]
    assert MessageMatcher(asked).best_chat_message(typed, ()) == corrected
