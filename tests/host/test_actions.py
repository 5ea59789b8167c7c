"""The effect of each user action on the chat file, and so on the memories."""

import json

import pytest

from memory_core.host.chat.turn_request import ChatRef
from tests.host.saved_chats import CAST, MIRA, SavedChats

GREETING = ("<|BEGIN-VISIBLE-CHAT|>", "Hello, I am Mira.")
A, B = ("I keep bees", "Lovely"), ("My cat is Tom", "Aw")
Rows = list[tuple[str, str]]

ACTIONS: dict[str, tuple[Rows, Rows, Rows]] = {
    "send": ([A], [A, B], [A, B]),
    "the first message behind a greeting": ([GREETING], [GREETING, A], [A]),
    "regenerate": ([A, B], [A, (B[0], "Sweet")], [A, (B[0], "Sweet")]),
    "continue": ([A], [(A[0], "Lovely, how many?")], [(A[0], "Lovely, how many?")]),
    "start with": ([], [(A[0], "Sure: Lovely")], [(A[0], "Sure: Lovely")]),
    "stop within the answer": ([A], [A, (B[0], "A")], [A, (B[0], "A")]),
    "stop within the thoughts": ([A], [A, (B[0], "<think>She has a")], [A, (B[0], "")]),
    "page closed before the answer": ([A], [A, (B[0], "")], [A, (B[0], "")]),
    "edit of the user's words": ([A, B], [("I keep sheep", A[1]), B], [("I keep sheep", A[1]), B]),
    "edit of the character's words": ([A, B], [(A[0], "Nice"), B], [(A[0], "Nice"), B]),
    "remove last": ([A, B], [A], [A]),
    "remove everything": ([A, B], [GREETING], []),
    "dummy message": ([A], [A, ("Note this", "")], [A, ("Note this", "")]),
    "dummy reply": ([A, (B[0], "")], [A, (B[0], "As you say")], [A, (B[0], "As you say")]),
    "an answer to nobody": ([A], [A, ("", "Anyway.")], [(A[0], "Lovely"), ("", "Anyway.")]),
    "html escapes": ([], [("a < b & c", "<b>&amp;</b>")], [("a < b & c", "<b>&amp;</b>")]),
}


@pytest.mark.parametrize(("before", "after", "kept"), ACTIONS.values(), ids=ACTIONS)
def test_memory_equals_the_chat_after_each_action(tmp_path, before, after, kept):
    chats = SavedChats(tmp_path)
    chats.talk("one", *before)
    chats.save("one", *after)
    chats.settle()
    assert chats.stored("one") == kept


def test_swipe_back_and_forth_leaves_one_memory_with_one_id(tmp_path):
    chats = SavedChats(tmp_path)
    chats.talk("one", A)
    (first,) = chats.runtime.memory.conversation(MIRA, "one", 9)
    for answer in ("Sweet", "Lovely"):
        chats.save("one", (A[0], answer))
        chats.settle()
        (now,) = chats.runtime.memory.conversation(MIRA, "one", 9)
        assert (now.id, now.exchange.assistant) == (first.id, answer)


def test_tool_loop_is_one_exchange_with_its_last_answer(tmp_path):
    chats = SavedChats(tmp_path)
    path = chats.save("one")
    meta = {"tool_sequence": [{"content": "<tool_call>{}</tool_call>"}, {"result": "sunny"}]}
    saved = {
        "internal": [["Weather?", '<tool_call>{"name": "w"}</tool_call>\n\nIt is sunny.']],
        "visible": [["Weather?", "It is sunny.<audio src='x.wav'></audio>"]],
        "metadata": {"assistant_0": meta},
    }
    path.write_text(json.dumps(saved), encoding="utf-8")
    chats.settler.watch(path, chat_of("one"))
    chats.settle()
    assert chats.stored("one") == [("Weather?", "It is sunny.")]


def test_oldest_chat_format_is_stored(tmp_path):
    chats = SavedChats(tmp_path)
    path = chats.save("one")
    path.write_text(json.dumps({"data": [A, B], "data_visible": [A, B]}), encoding="utf-8")
    chats.settler.watch(path, chat_of("one"))
    chats.settle()
    assert chats.stored("one") == [A, B]


def chat_of(name):
    return ChatRef(namespace=MIRA, conversation=name, speakers=CAST)
