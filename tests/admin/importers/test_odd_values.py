"""A file with an odd value anywhere is read, or refused with ImportFailed."""

import copy
import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.admin.importers.formats import READERS
from memory_core.domain.errors import ImportFailed
from tests.admin.importers.foreign import OWNER, write, write_json, write_lines
from tests.admin.importers.test_chatgpt import chain, conversation, message
from tests.admin.importers.test_chatmemory import history
from tests.admin.importers.test_csv_jsonl import AS_PAIRS, AS_TURNS
from tests.admin.importers.test_mem0 import fact
from tests.admin.importers.test_open_persistent_memory import known, pair
from tests.admin.importers.test_sillytavern import HEADER, by_char, by_user
from tests.fuzzing import examples

TALK = conversation(
    chain(
        message("user", "a", {"text": "b"}, create_time=1.7e9, metadata={}),
        message("assistant", "c", recipient="all", channel="final"),
    )
)
TAVERN = [
    HEADER,
    by_user("a", send_date="x", extra={"type": ""}),
    by_char("", swipes=["b"], swipe_id=0, send_date=1),
]
FILES: dict[str, tuple[str, Any]] = {
    "chatgpt": ("conversations.json", [TALK]),
    "sillytavern": ("a.jsonl", TAVERN),
    "openpersistentmemory": ("a.jsonl", [pair(1, "a")]),
    "chatmemory": ("h.json", {"user_id": "u", "messages": history()}),
    "mem0": ("m.json", {"results": [fact("a"), fact("b", agent_id="x")]}),
    "plain": ("a.jsonl", [*AS_PAIRS, {"conversation": "c", "messages": AS_TURNS}]),
}

odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2)
    ),
    max_leaves=4,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Returns the path of keys to each nested value."""
    inside = value.items() if isinstance(value, dict) else ()
    inside = enumerate(value) if isinstance(value, list) else inside

    found = [inner for key, child in inside for inner in places(child, (*path, key))]
    return [path, *found] if path else found


def replaced(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    changed = copy.deepcopy(value)
    parent = changed
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = by
    return changed


def read_or_refuse(name: str, path: Path) -> None:
    with suppress(ImportFailed):
        list(READERS[name].read(path, OWNER))


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=examples(75))
@given(data=st.data())
def test_an_odd_value_anywhere_is_survived(name: str, data: st.DataObject) -> None:
    file, value = FILES[name]
    place = data.draw(st.sampled_from(places(value)))
    changed = replaced(value, place, data.draw(odd))
    with TemporaryDirectory() as folder:
        save = write_lines if file.endswith("l") else write_json
        read_or_refuse(name, save(Path(folder, file), changed))


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=examples(50))
@given(data=st.data())
def test_a_byte_changed_or_lost_anywhere_is_survived(name: str, data: st.DataObject) -> None:
    file, value = FILES[name]
    rows = value if file.endswith("l") else [value]
    raw = "\n".join(map(json.dumps, rows)).encode()
    offset = data.draw(st.integers(0, len(raw) - 1))
    new = data.draw(st.binary(max_size=2))
    with TemporaryDirectory() as folder:
        path = write(Path(folder, file), "x")
        path.write_bytes(raw[:offset] + new + raw[offset + 1 :])
        read_or_refuse(name, path)


def test_odd_values_in_meta_are_survived(tmp_path: Path) -> None:
    row = pair(1, "a")
    meta = known("ana", "c1", row)
    log = write_lines(tmp_path / "u" / "conversations" / "c1.jsonl", [row])
    for key in meta:
        write_lines(tmp_path / "u" / "meta.jsonl", [meta | {key: [None]}])
        read_or_refuse("openpersistentmemory", log)
