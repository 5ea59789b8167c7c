"""Chats in the stand-in host: their memories, and the files that stay unchanged."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.admin.administration import destroy
from memory_core.config.model_settings import BackendSettings
from memory_core.domain.errors import LLMUnavailable
from memory_core.domain.namespaces import Namespace
from memory_core.host.chat_sync.deletions import DeletedChatStats
from memory_core.storage.contract import Page
from memory_core.ui.demo.demo_host import DemoHost
from memory_core.ui.demo.page import messages
from memory_core.ui.demo.session import Session, SharedParts

from .chatting import MIRA, USER, BreaksOff, Clock, NoMemory, Place, Says, again, say

SPACE = Namespace(USER, "Mira")
FACT = "My canoe is called Marguerite and leaks at the stern."


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.close()


def remembered(place: Place) -> list[str]:
    found = place.runtime.memory.latest(SPACE, Page(limit=100))
    return [memory.exchange.user for memory in reversed(found) if memory.exchange]


def test_a_fact_told_thirty_turns_and_a_new_chat_ago_is_in_the_prompt(place: Place) -> None:
    chat = place.chat()
    chat.new_chat()
    say(chat, FACT)
    for n in range(30):
        say(chat, f"Today I counted {n} sparrows on the roof.")
    place.settle()
    later, responder = place.chat(), Says()
    later.new_chat()
    say(later, "What did I name the canoe?", responder)
    assert FACT in responder.prompt
    assert "sparrows" not in responder.asked[-1][-1]["content"]


def test_a_fact_told_a_moment_ago_is_in_the_first_prompt_of_a_new_chat(place: Place) -> None:
    say(place.chat(), FACT)
    later, responder = place.chat(), Says()
    say(later, "What did I name the canoe?", responder)
    assert FACT in responder.prompt


def test_a_busy_synchronizer_does_not_keep_a_new_chat_waiting(place: Place) -> None:
    say(place.chat(), FACT)
    later, responder = place.chat(), Says()
    with place.hooks.synchronizer.transferring(Namespace("x", "y"), Namespace("x", "z")):
        say(later, "What did I name the canoe?", responder)
    assert FACT not in responder.prompt


def test_exchange_older_than_the_recent_turns_is_recalled_in_its_chat(place: Place) -> None:
    chat, responder = place.chat(), Says()
    say(chat, FACT)
    for n in range(BackendSettings().recent_turns):
        say(chat, f"Today I counted {n} sparrows on the roof.")
    place.settle()
    say(chat, "Rain again.", responder)
    assert FACT not in responder.prompt
    say(chat, "What did I name the canoe?", responder)
    assert FACT in responder.prompt


def test_exchange_still_in_the_prompt_is_not_recalled(place: Place) -> None:
    chat, responder = place.chat(), Says()
    say(chat, FACT)
    place.settle()
    say(chat, "What did I name the canoe?", responder)
    assert responder.prompt.count("Marguerite") == 1


def test_regenerating_leaves_one_exchange_with_the_last_answer(place: Place) -> None:
    chat = place.chat()
    say(chat, FACT, Says("A leaky name."))
    place.settle()
    assert again(chat, Says("She floats, then?")) == "She floats, then?"
    place.settle()
    found = place.runtime.memory.latest(SPACE, Page(limit=10))
    assert [memory.exchange.assistant for memory in found if memory.exchange] == [
        "She floats, then?"
    ]


def test_removing_the_last_exchange_removes_its_memory_and_gives_the_text_back(
    place: Place,
) -> None:
    chat = place.chat()
    say(chat, FACT)
    say(chat, "And my bicycle is called Otto.")
    place.settle()
    assert chat.remove_last() == "And my bicycle is called Otto."
    place.settle()
    assert remembered(place) == [FACT]
    assert chat.history["metadata"].keys() == {"user_0", "assistant_0"}


def test_the_greeting_is_shown_escaped_and_neither_remembered_nor_removed(place: Place) -> None:
    chat = place.chat()
    chat.new_chat()
    assert chat.history["visible"] == [["", "Hello &lt;you&gt;."]]
    assert chat.remove_last() == ""
    assert list(chat.regenerate(Says())) == []
    place.settle()
    assert len(chat.history["internal"]) == 1
    assert place.runtime.memory.namespaces() == []


def test_a_restart_keeps_chats_and_memories(tmp_path: Path) -> None:
    first = Place(tmp_path)
    chat = first.chat()
    say(chat, FACT)
    first.settle()
    first.close()
    second, responder = Place(tmp_path), Says()
    assert second.chat(chat.unique_id).history == chat.history
    say(second.chat(), "What did I name the canoe?", responder)
    second.close()
    assert FACT in responder.prompt


def test_a_failed_answer_takes_the_message_back_and_nothing_is_remembered(place: Place) -> None:
    chat = place.chat()
    say(chat, FACT)
    place.settle()
    with pytest.raises(LLMUnavailable):
        list(chat.send("Will you answer?", BreaksOff()))
    place.settle()
    assert [row[0] for row in chat.history["internal"]] == [FACT]
    assert remembered(place) == [FACT]


def test_a_failed_new_answer_leaves_the_old_one(place: Place) -> None:
    chat = place.chat()
    say(chat, FACT, Says("A leaky name."))
    with pytest.raises(LLMUnavailable):
        list(chat.regenerate(BreaksOff()))
    assert place.chat(chat.unique_id).history["internal"] == [[FACT, "A leaky name."]]


def test_nothing_is_settled_while_an_answer_is_being_written(place: Place) -> None:
    chat = place.chat()
    growing = chat.send(FACT, Says())
    next(growing)
    assert place.host.is_generating()
    growing.close()
    assert not place.host.is_generating()


def test_two_chats_begun_in_one_second_get_different_ids(tmp_path: Path) -> None:
    frozen = Clock()()
    host = DemoHost(tmp_path)
    parts = SharedParts(
        hooks=NoMemory(host), host=host, settings=BackendSettings(), clock=lambda: frozen
    )
    chats = [Session(parts, MIRA, user=USER) for _ in range(2)]
    for chat in chats:
        chat.new_chat()
    assert chats[0].unique_id != chats[1].unique_id
    assert sorted(chats[0].conversations()) == sorted(chat.unique_id for chat in chats)


def run(session: Session) -> None:
    session.new_chat()
    for n in range(12):
        say(session, f"{FACT} Or {n}?", Says(f"<i>Reply</i> {n}"))
    again(session, Says("Another & last one."))
    session.remove_last()
    say(session, "What did I name the canoe?", Says("Marguerite."))


def test_chat_files_are_byte_for_byte_those_of_a_host_without_memory(tmp_path: Path) -> None:
    with_memory, without = tmp_path / "with", tmp_path / "without"
    place = Place(with_memory, clock=Clock())
    run(place.chat())
    place.settle()
    run(place.chat())
    place.close()
    host, clock = DemoHost(without), Clock()
    parts = SharedParts(hooks=NoMemory(host), host=host, settings=BackendSettings(), clock=clock)
    run(Session(parts, MIRA, user=USER))
    run(Session(parts, MIRA, user=USER))
    assert files(with_memory) == files(without)
    assert len(files(without)) == 2


def files(folder: Path) -> dict[str, bytes]:
    logs = folder / "logs"
    return {str(path.relative_to(logs)): path.read_bytes() for path in logs.rglob("*.json")}


def test_a_destroyed_character_does_not_come_back_from_the_chat_that_is_open(
    place: Place,
) -> None:
    chat = place.chat()
    say(chat, FACT)
    place.settle()
    chat.remove_last()  # the file has changed since: the next tick would look at it
    say(chat, FACT)
    saved = destroy(place.hooks, SPACE)
    place.settle()
    assert saved.exists()
    assert place.runtime.memory.namespaces() == []
    assert place.runtime.traces.latest(SPACE) == []


def test_a_forgotten_memory_leaves_no_trace_and_no_prompt(place: Place) -> None:
    say(place.chat(), FACT)
    place.settle()
    say(place.chat(), "What did I name the canoe?")
    place.settle()
    fact = next(
        memory
        for memory in place.runtime.memory.latest(SPACE, Page(limit=10))
        if memory.exchange and memory.exchange.user == FACT
    )
    place.hooks.runtime.forget(SPACE, [fact.id])
    responder = Says()
    say(place.chat(), "What did I name the canoe?", responder)
    assert "Marguerite" not in responder.prompt
    traces = place.runtime.traces.latest(SPACE)
    assert [found.is_redacted for found in traces] == [False, True]
    assert "Marguerite" not in repr(traces)


def test_a_message_of_markup_is_shown_as_it_was_typed(place: Place) -> None:
    chat = place.chat()
    say(chat, "1 < 2 <img src=x>", Says("<b>yes</b>"))
    texts = [message["content"] for message in messages(chat.history)][-2:]
    assert texts == ["1 &lt; 2 &lt;img src=x&gt;", "&lt;b&gt;yes&lt;/b&gt;"]


def test_chats_are_saved_in_the_hosts_format(place: Place) -> None:
    chat = place.chat()
    say(chat, "a < b", Says("c & d"))
    path = place.host.chat_path(USER, "Mira", chat.unique_id)
    saved = json.loads(path.read_bytes())
    assert saved["internal"] == [["a < b", "c & d"]]
    assert saved["visible"] == [["a &lt; b", "c &amp; d"]]
    assert saved["metadata"]["user_0"] == {"timestamp": "Mar 01, 2026 08:02"}
    assert saved["metadata"].keys() == {"user_0", "assistant_0"}


def test_editing_the_last_message_replaces_it_and_its_answer(place: Place) -> None:
    chat = place.chat()
    say(chat, "Hello.", Says("Hi."))
    say(chat, "My canoe is grey.", Says("A grey one."))
    for _ in chat.edit_last(FACT, Says("A leaky one.")):
        pass
    place.settle()
    assert chat.history["internal"] == [["Hello.", "Hi."], [FACT, "A leaky one."]]
    assert remembered(place) == ["Hello.", FACT]


def test_removing_the_only_exchange_of_a_chat_removes_its_memory(place: Place) -> None:
    chat = place.chat()
    say(chat, FACT)
    place.settle()
    chat.remove_last()
    place.settle()
    assert remembered(place) == []
    assert place.hooks.synchronizer.deleted_chat_stats(SPACE) == DeletedChatStats()


def test_only_message_of_a_chat_is_remembered_as_it_was_edited(place: Place) -> None:
    chat = place.chat()
    say(chat, "My canoe is called Margarita.", Says("Margarita?"))
    place.settle()
    for _ in chat.edit_last(FACT, Says("Marguerite, I see.")):
        pass
    place.settle()
    assert remembered(place) == [FACT]


def test_failed_answer_to_an_edit_leaves_message_and_answer(place: Place) -> None:
    chat = place.chat()
    say(chat, FACT, Says("A leaky name."))
    with pytest.raises(LLMUnavailable):
        list(chat.edit_last("Something else.", BreaksOff()))
    assert chat.history["internal"] == [[FACT, "A leaky name."]]
    assert chat.last_message() == FACT


def test_chat_without_a_message_has_nothing_to_edit(place: Place) -> None:
    chat = place.chat()
    chat.new_chat()
    assert chat.last_message() == ""
    assert list(chat.edit_last("Hello?", Says())) == []


def test_earlier_message_is_changed_where_it_stands_and_in_memory(place: Place) -> None:
    chat = place.chat()
    chat.new_chat()
    say(chat, FACT)
    say(chat, "Rain again.")
    place.settle()
    row = min(chat.messages())
    chat.edit_earlier(row, "My canoe is called <Odile>.")
    place.settle()
    assert list(chat.messages().values()) == ["My canoe is called <Odile>.", "Rain again."]
    assert chat.history["visible"][row][0] == "My canoe is called &lt;Odile&gt;."
    assert remembered(place) == ["My canoe is called <Odile>.", "Rain again."]


def test_message_that_is_not_there_is_not_changed(place: Place) -> None:
    chat = place.chat()
    chat.new_chat()
    say(chat, FACT)
    before = chat.history
    chat.edit_earlier(7, "Something else.")
    chat.edit_earlier(0, "Not the greeting.")
    assert chat.history == before
