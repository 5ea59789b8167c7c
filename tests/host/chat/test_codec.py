import copy
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.domain.errors import HostError
from memory_core.host.chat.codec import HostDict, from_host, to_host
from memory_core.prompt.plan import insert_replays
from memory_core.prompt.window import ChatRow
from memory_core.text.names import ASSISTANT, USER, name_or_role

STATE = {
    "mode": "chat",
    "name1": "Ana",
    "name2": "Bot",
    "context": "c",
    "custom_system_message": "",
}
texts = st.text(max_size=5)
metas = st.dictionaries(
    st.sampled_from(["timestamp", "attachments"]),
    st.lists(st.dictionaries(texts, texts), max_size=2),
)
cells = st.tuples(texts, texts).map(list) | st.tuples(
    texts, texts, texts, st.dictionaries(texts, texts, max_size=2)
).map(list)


@st.composite
def histories(draw: st.DrawFn) -> HostDict:
    rows = draw(st.lists(cells, min_size=1, max_size=5))
    keys = st.builds("{}_{}".format, st.sampled_from(["user", "assistant"]), st.integers(0, 8))
    return {
        "internal": rows,
        "visible": copy.deepcopy(rows),
        "metadata": draw(st.dictionaries(keys | texts, metas, max_size=6)),
    }


@given(histories(), st.booleans())
def test_window_converts_back_to_the_hosts_dicts(history: HostDict, continuing: bool) -> None:
    window = from_host(history["internal"][-1][0], STATE, history, continuing)
    user_input, state, new = to_host(window, STATE, history)
    assert user_input == history["internal"][-1][0]
    assert new["internal"] == history["internal"]
    assert new["metadata"] == history["metadata"]
    assert len(new["visible"]) == len(new["internal"])
    assert {**state, "history": None} == {**STATE, "history": None}


@given(histories(), st.booleans())
def test_mutable_values_are_not_shared_with_the_host(history: HostDict, continuing: bool) -> None:
    before = copy.deepcopy(history)
    given_state = {**STATE, "history": history, "tools": [{"a": ["b"]}]}
    window = from_host("x", given_state, history, continuing)
    _, state, new = to_host(window, given_state, history)
    scribble(state)
    scribble(new)
    assert history == before
    assert given_state["tools"] == [{"a": ["b"]}]


def scribble(value: dict[str, Any] | list[Any]) -> None:
    inner = list(value.values()) if isinstance(value, dict) else list(value)
    for item in inner:
        if isinstance(item, dict | list):
            scribble(item)
    value.clear()


def test_inserted_rows_take_no_metadata_of_other_rows() -> None:
    rows = [["a", "b"], ["c", "d"]]
    history = {
        "internal": rows,
        "visible": rows,
        "metadata": {"user_1": {"of": "c"}, "assistant_1": {"of": "d"}, "user_2": {"of": "now"}},
    }
    window = insert_replays(from_host("now", STATE, history, False), [("q", "r")] * 2, 1)
    _, _, new = to_host(window, STATE, history)
    assert [row[0] for row in new["internal"]] == ["a", "q", "q", "c"]
    assert new["metadata"] == {
        "user_3": {"of": "c"}, "assistant_3": {"of": "d"}, "user_4": {"of": "now"}
    }  # fmt: skip


def test_stale_metadata_of_a_removed_row_passes_to_no_other_row() -> None:
    history = {"internal": [["a", "b"]], "visible": [["a", "b"]], "metadata": {"user_2": {"x": 1}}}
    window = insert_replays(from_host("now", STATE, history, False), [("q", "r")] * 2, 1)
    _, _, new = to_host(window, STATE, history)
    assert new["metadata"] == {}


def test_history_without_metadata_and_state_with_a_lock_are_accepted() -> None:
    event = threading.Event()
    history = {"internal": [["a", "b", "", {}]], "visible": [["a", "b", "", {}]], "messages": [{}]}
    window = from_host("now", {**STATE, "stop_event": event}, history, False)
    _, state, new = to_host(window, {**STATE, "stop_event": event}, history)
    assert state["stop_event"] is event
    assert new["messages"] == [{}]
    assert window.rows == (ChatRow(user="a", assistant="b", extra=("", {})),)


def test_unknown_mode_raises_host_error() -> None:
    with pytest.raises(HostError, match="roleplay"):
        from_host("now", {"mode": "roleplay"}, {"internal": []}, False)


def test_window_of_an_instruct_chat_has_no_names_of_another_chats_speakers() -> None:
    instruct = from_host("now", {**STATE, "mode": "instruct"}, {"internal": []}, False)
    names = instruct.name1, instruct.name2
    roles = [name_or_role(*one) for one in zip(names, (USER, ASSISTANT), strict=True)]
    assert roles == ["the user", "the assistant"]
    chat = from_host("now", STATE, {"internal": []}, False)
    assert (chat.name1, chat.name2) == ("Ana", "Bot")
