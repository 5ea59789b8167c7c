"""The demo quotes the memories of a real prompt as recall ordered them."""

from pathlib import Path

from memory_core.recall.results import DropReason
from memory_core.ui.demo.responder import MemoryResponder
from memory_core.ui.demo.traced_memories import TracedMemories, traces_of

from .chatting import Place, Says, say


def answer_in_a_new_chat(folder: Path, message: str, *told: str) -> str:
    """Returns the demo's answer to a message, after others were said in an earlier chat."""
    place = Place(folder)
    try:
        earlier = place.chat()
        for text in told:
            say(earlier, text)
        place.settle()
        chat = place.chat()
        *_, history = chat.send(message, MemoryResponder(given=TracedMemories(place.hooks, chat)))
        return str(history["internal"][-1][1])
    finally:
        place.close()


def test_question_of_an_overview_quotes_the_newest_version_of_a_fact_first(tmp_path: Path) -> None:
    answer = answer_in_a_new_chat(
        tmp_path,
        "what do I do for work",
        "I work at the post office now",
        "I quit my job at the post office, I'm a gardener now",
    )
    assert "you told me: “I quit my job at the post office, I'm a gardener now”" in answer


def test_memory_that_an_earlier_answer_repeats_is_quoted_again(tmp_path: Path) -> None:
    told = "I'm Alex, and I work in the city archive."
    place = Place(tmp_path)
    for text in (told, *(f"Puffin {number} has the name Sir Puffin" for number in range(6))):
        earlier = place.chat()
        earlier.new_chat()
        say(earlier, text)
    place.settle()
    chat = place.chat()
    chat.new_chat()
    say(chat, "Good evening!", Says(f"{told} I see."))
    answer = say(chat, "what's my name", MemoryResponder(given=TracedMemories(place.hooks, chat)))
    dropped = traces_of(place.hooks, chat)[0].dropped
    place.close()
    assert DropReason.SHOWN in {drop.reason for drop in dropped}
    assert f"you told me: “{told}" in answer


def test_wish_quotes_what_limits_it(tmp_path: Path) -> None:
    answer = answer_in_a_new_chat(
        tmp_path,
        "I'm hungry",
        "I'm allergic to peanuts",
        "the meat was cheap today, we had a barbecue",
    )
    assert "“I'm allergic to peanuts”" in answer
