"""Two users who try to read and change each other's memories by every endpoint."""

import json
from typing import Any

import httpx
import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.server.security.keys import KeyFile
from tests.builders import said
from tests.server.conftest import Served, ServeWith
from tests.server.live_server import chat, live, stored

SECRET = "whale tattoo"
OPEN = {("GET", "/health"), ("GET", "/health/embed"), ("GET", "/health/llm"), ("GET", "/v1/models")}
OPEN |= {("GET", "/v1/models/{model}")}
OPEN |= {("POST", "/v1/embeddings"), ("GET", "/namespaces")}  # name no user


def samples(user: str, memory_id: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Returns a request of this user for every endpoint that names a user."""
    own = {"params": {"user_id": user}}
    named = {"params": {"user_id": user, "conversation_id": "one"}}
    told = {"user_id": user, "session_id": "new", "messages": [{"role": "user", "content": "x"}]}
    asked = {"messages": [{"role": "user", "content": f"My {SECRET}?"}], "user": user}
    one = f"/memories/{memory_id}"
    return {
        ("POST", "/v1/chat/completions"): {"json": asked},
        ("POST", "/memories"): {"json": {"user_id": user, "text": "x"}},
        ("GET", "/memories"): own,
        ("DELETE", "/memories"): named,
        ("POST", "/memories/search"): {"json": {"user_id": user, "query": SECRET}},
        ("GET", "/memories/{memory_id}"): {"url": one, **own},
        ("PATCH", "/memories/{memory_id}"): {"url": one, "json": {"user_id": user, "text": "x"}},
        ("PUT", "/memories/{memory_id}"): {"url": one, "json": {"user_id": user, "text": "x"}},
        ("DELETE", "/memories/{memory_id}"): {"url": one, **own},
        ("POST", "/memories/{memory_id}/restore"): {"url": f"{one}/restore", **own},
        ("GET", "/memories/{memory_id}/history"): {"url": f"{one}/history", **own},
        ("POST", "/answer"): {"json": {"user_id": user, "question": SECRET}},
        ("GET", "/export"): own,
        ("POST", "/import"): {**own, "content": b'{"user": "x", "assistant": "y"}'},
        ("POST", "/history"): {"json": told},
        ("GET", "/history"): own,
        ("DELETE", "/history"): own,
        ("GET", "/history/session_ids"): own,
        ("GET", "/history/sessions"): own,
        ("POST", "/summary/create"): own,
        ("GET", "/summary"): own,
        ("DELETE", "/summary"): own,
        ("POST", "/knowledge"): {"json": {"user_id": user, "knowledge": "x"}},
        ("GET", "/knowledge"): own,
        ("DELETE", "/knowledge"): own,
        ("POST", "/diary"): {"json": {"user_id": user, "diary_date": "2025-01-01", "content": "x"}},
        ("GET", "/diary"): own,
        ("DELETE", "/diary"): own,
        ("POST", "/search"): {"json": {"user_id": [user], "query": SECRET}},
    }


@pytest.fixture
def served(serve_with: ServeWith) -> Served:
    """A server with memories of ana that hold the secret, in every form."""
    served = serve_with()
    client = served.client
    chat(client, f"I have a {SECRET} on my arm.", metadata={"conv_id": "one"})
    own = {"user_id": "ana"}
    client.post("/knowledge", json={**own, "knowledge": f"Ana has a {SECRET}."})
    day = {"diary_date": "2025-01-01", "content": f"Got a {SECRET}."}
    client.post("/diary", json={**own, **day})
    client.post("/summary/create", params={**own, "session_id": "one"})
    return served


def send(client: httpx.Client, key: tuple[str, str], request: dict[str, Any]) -> httpx.Response:
    method, path = key
    return client.request(method, **{"url": path, **request})


def operations(client: httpx.Client) -> set[tuple[str, str]]:
    paths = client.get("/openapi.json").json()["paths"]
    return {(method.upper(), path) for path, found in paths.items() for method in found}


def snapshot(client: httpx.Client) -> list[Any]:
    params = {"user_id": "ana"}
    listed = client.get("/memories", params=params).json()["results"]
    return [
        sorted(listed, key=lambda memory: str(memory["id"])),
        client.get("/diary", params=params).json(),
    ]


def test_every_endpoint_has_a_sample(served: Served) -> None:
    assert operations(served.client) == samples("ana", "x").keys() | OPEN


def test_key_of_one_user_neither_reads_nor_changes_anothers_memories(served: Served) -> None:
    before = snapshot(served.client)
    memory_id = before[0][0]["id"]
    keys = KeyFile(served.runtime.memory.root)
    whole, bobs = keys.add("all", ["*"]), keys.add("bob", ["bob"])
    with live(served.runtime, key=bobs) as client:
        for operation, request in samples("ana", memory_id).items():
            answer = send(client, operation, request)
            assert answer.status_code == 403, operation
            assert SECRET not in answer.text, operation
        for operation, request in samples("bob", memory_id).items():
            answer = send(client, operation, request)
            assert answer.status_code in (200, 404), (operation, answer.text)
            assert SECRET not in answer.text.replace(f"My {SECRET}?", ""), operation
            if answer.status_code == 200 and "chat" in operation[1]:
                assert SECRET not in json.dumps(served.sent_messages[:-1])
        assert "ana" not in client.get("/namespaces").text
    with live(served.runtime, key=whole) as client:
        assert snapshot(client) == before


def test_session_of_another_user_is_not_found_by_its_name_alone(served: Served) -> None:
    key = KeyFile(served.runtime.memory.root).add("bob", ["bob"])
    with live(served.runtime, key=key) as client:
        for path in ("/history", "/summary"):
            answer = client.get(path, params={"session_id": "one"})
            assert SECRET not in answer.text
            client.delete(path, params={"session_id": "one"})
    assert SECRET in json.dumps([e.user for e in stored(served.runtime)])


def test_list_of_users_needs_the_right_to_each(served: Served) -> None:
    key = KeyFile(served.runtime.memory.root).add("bob", ["bob"])
    with live(served.runtime, key=key) as client:
        answer = client.post("/search", json={"user_id": ["bob", "ana"], "query": SECRET})
    assert answer.status_code == 403


def test_memories_of_the_hosts_own_page_are_out_of_reach(serve_with: ServeWith) -> None:
    served = serve_with()
    for user in ("default", "ana", "user:ana"):
        served.runtime.memory.remember(Namespace.instruct(user), "c", said(f"My {SECRET}."))
    for user in ("default", "ana", "user:ana", "api:ana", "../ana", ""):
        for operation, request in samples(user, "x").items():
            answer = send(served.client, operation, request)
            assert SECRET not in answer.text.replace(f"My {SECRET}?", ""), (user, operation)
    assert served.client.get("/namespaces").text.count("default") == 1  # api:default, made above
