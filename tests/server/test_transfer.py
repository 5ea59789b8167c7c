"""Conversations keep their names when they move to another server over REST."""

import json
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from memory_core.domain.records import MemoryKind
from tests.server.conftest import ServeWith
from tests.server.live_server import ANA, chat

HOLIDAYS = {"conversation_id": "holidays 2026/Hvar"}
CAT, DOG = "I have a cat.", "I have a dog."


def move(
    source: httpx.Client, target: httpx.Client, form: str, *, to: Mapping[str, str]
) -> dict[str, Any]:
    exported = source.get("/export", params={"user_id": "ana", "format": form})
    params = {**to, "filename": f"memories.{form}"}
    done = target.post("/import", params=params, content=exported.content)
    assert (done.status_code, done.json()["failures"]) == (200, [])
    found: dict[str, Any] = done.json()
    return found


def conversations(client: httpx.Client, user: str = "ana") -> dict[str, set[str]]:
    """Returns the user's messages by the names of their conversations."""
    found = client.get("/memories", params={"user_id": user}).json()["results"]
    names: dict[str, set[str]] = {}
    for memory in found:
        names.setdefault(memory["conversation_id"], set()).add(memory["user"])
    return names


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_conversations_keep_their_names_on_another_server(serve_with: ServeWith, form: str) -> None:
    one, other = (serve_with(storage_dir=name).client for name in ("one", "other"))
    chat(one, CAT, metadata=HOLIDAYS)
    chat(one, DOG)
    before = conversations(one)
    assert before["holidays 2026/Hvar"] == {CAT}
    assert move(one, other, form, to={"user_id": "ana"})["added"] == 2
    assert conversations(other) == before
    assert move(one, other, form, to={"user_id": "ana"})["added"] == 0
    chat(other, CAT, "All right.", "She is called Mia.", metadata=HOLIDAYS)
    assert conversations(other)["holidays 2026/Hvar"] == {CAT, "She is called Mia."}


def test_conversation_whose_name_is_taken_gets_another_one(serve_with: ServeWith) -> None:
    one, other = (serve_with(storage_dir=name).client for name in ("one", "other"))
    chat(one, CAT, metadata=HOLIDAYS)
    chat(other, DOG, metadata=HOLIDAYS)
    for added in (1, 0):
        assert move(one, other, "jsonl", to={"user_id": "ana"})["added"] == added
    found = conversations(other)
    assert found.pop("holidays 2026/Hvar") == {DOG}
    assert list(found.values()) == [{CAT}]


@pytest.mark.parametrize("shared", ["", "Hi"], ids=["greeting", "same words at another time"])
def test_chats_that_share_one_exchange_stay_apart(serve_with: ServeWith, shared: str) -> None:
    client = serve_with().client
    row = {"kind": "exchange", "conversation": "c", "namespace_scope": "character"}
    row |= {"namespace_user": "x", "namespace_character": "Mira", "assistant": "Hello."}
    for day, text in enumerate((CAT, DOG)):
        start = {**row, "id": f"{day}" * 16, "ts": 1.7e9 + 86_400 * day, "user": shared}
        told = {**row, "id": f"{day}a" * 8, "ts": 1.7e9 + 86_400 * day + 9, "user": text}
        content = "\n".join(map(json.dumps, (start, told)))
        for _ in range(2):
            params = {"user_id": "ana", "filename": "a.jsonl"}
            done = client.post("/import", params=params, content=content)
            assert (done.status_code, done.json()["failures"]) == (200, [])
    found = conversations(client)
    assert sorted(said - {shared} == {DOG} for said in found.values()) == [False, True]
    assert found["c"] == {shared, CAT}


def test_conversations_of_two_owners_in_one_file_stay_apart(serve_with: ServeWith) -> None:
    client = serve_with().client
    row = {"id": "0123456789abcdef", "kind": "exchange", "ts": 1.7e9, "conversation": "c"}
    row |= {"assistant": "I see.", "namespace_scope": "character", "namespace_user": "x"}
    mira = {**row, "namespace_character": "Mira", "user": CAT}
    tom = {**row, "id": "f" * 16, "namespace_character": "Tom", "user": DOG}
    content = "\n".join(map(json.dumps, (mira, tom)))
    client.post("/import", params={"user_id": "ana", "filename": "a.jsonl"}, content=content)
    found = conversations(client)
    assert found.pop("c") == {CAT}
    assert list(found.values()) == [{DOG}]


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_note_for_one_conversation_follows_it(serve_with: ServeWith, form: str) -> None:
    one, other = (serve_with(storage_dir=name) for name in ("one", "other"))
    for served in (one, other):  # the name of the second chat is taken there
        chat(served.client, f"{served.runtime.memory.root.name} is here.", metadata=HOLIDAYS)
    for name in (HOLIDAYS["conversation_id"], "empty"):
        kind = MemoryKind.KNOWLEDGE
        text = f"Only in {name}"
        one.runtime.memory.add_note(ANA, text, kind=kind, pinned=False, conversation=name)
    assert move(one.client, other.client, form, to={"user_id": "ana"})["notes"] == 2
    names = conversations(other.client).keys()
    (moved,) = names - {HOLIDAYS["conversation_id"], "empty"}
    shown = {
        name: [note.text for note in other.runtime.memory.always_in_prompt(ANA, name)]
        for name in names
    }
    assert shown == {
        HOLIDAYS["conversation_id"]: [],
        "empty": ["Only in empty"],
        moved: [f"Only in {HOLIDAYS['conversation_id']}"],
    }
    assert move(one.client, other.client, form, to={"user_id": "ana"})["notes"] == 0
