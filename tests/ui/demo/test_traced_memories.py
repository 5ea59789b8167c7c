"""The demo quotes the memories of a real prompt as recall ordered them."""

from pathlib import Path

from memory_core.ui.demo.responder import MemoryResponder
from memory_core.ui.demo.traced_memories import TracedMemories

from .chatting import Place, say


def test_question_of_an_overview_quotes_the_newest_version_of_a_fact_first(tmp_path: Path) -> None:
    place = Place(tmp_path)
    try:
        told = place.chat()
        say(told, "I work at the post office now")
        say(told, "I quit my job at the post office, I'm a gardener now")
        place.settle()

        asked = place.chat()
        responder = MemoryResponder(given=TracedMemories(place.hooks, asked))
        *_, history = asked.send("what do I do for work", responder)

        answer = str(history["internal"][-1][1])
        assert "you told me: “I quit my job at the post office, I'm a gardener now”" in answer
    finally:
        place.close()


def test_wish_quotes_what_limits_it(tmp_path: Path) -> None:
    place = Place(tmp_path)
    try:
        told = place.chat()
        say(told, "I'm allergic to peanuts")
        say(told, "the meat was cheap today, we had a barbecue")
        place.settle()

        asked = place.chat()
        responder = MemoryResponder(given=TracedMemories(place.hooks, asked))
        *_, history = asked.send("I'm hungry", responder)

        assert "“I'm allergic to peanuts”" in str(history["internal"][-1][1])
    finally:
        place.close()
