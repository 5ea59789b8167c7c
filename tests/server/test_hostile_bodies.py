"""Requests that no honest client sends: each gets a clear answer and breaks nothing later."""

import json
from typing import Any

import httpx
import pytest

from tests.server.conftest import Served, ServeWith

_LISTS = ("/memories", "/history", "/diary", "/knowledge", "/summary")
_OWN = {"user_id": "ana"}


def nested(depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {"a": 1}
    for _ in range(depth):
        found = {"a": found}
    return found


def bodies(metadata: dict[str, Any]) -> dict[str, dict[str, Any]]:
    message = {"role": "user", "content": "Hi", "metadata": metadata}
    return {
        "/memories": {**_OWN, "messages": [message]},
        "/history": {**_OWN, "session_id": "s", "messages": [message]},
        "/diary": {**_OWN, "diary_date": "2025-01-01", "content": "x", "metadata": metadata},
    }


def assert_readable(client: httpx.Client) -> None:
    for path in _LISTS:
        assert client.get(path, params=_OWN).status_code == 200, path


def test_deeply_nested_metadata_is_refused_and_leaves_the_lists_readable(
    serve_with: ServeWith,
) -> None:
    client = serve_with().client
    for path, body in bodies(nested(300)).items():
        answer = client.post(path, json=body)
        assert answer.status_code == 422, path
        assert "nested" in answer.text
    assert_readable(client)


def test_numbers_and_letters_that_json_cannot_hold_are_stored_as_texts(
    serve_with: ServeWith,
) -> None:
    client = serve_with().client
    for path, body in bodies({"b": "\ud800"}).items():
        text = json.dumps(body).replace('"b"', '"c": 1e999, "b"')
        headers = {"content-type": "application/json"}
        assert client.post(path, content=text, headers=headers).status_code == 200, path
    assert_readable(client)


@pytest.mark.parametrize(
    "name", ["..", ".", "\x00", "字" * 120 + ".jsonl", "😀" * 99, "a/../..", "con."]
)
def test_file_name_of_an_import_cannot_leave_its_folder_or_break_it(
    serve_with: ServeWith, name: str
) -> None:
    served = serve_with()
    params = {**_OWN, "filename": name}
    answer = served.client.post("/import", params=params, content=b'{"user": "x"}\n')
    assert answer.status_code in (200, 400), answer.text
    assert served.runtime.problems() == []


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"a":' * 50_000, b"\xff\xfe", b"1e999", b"NaN"])
def test_unreadable_body_is_refused_as_the_callers_fault(plain_server: Served, body: bytes) -> None:
    client = plain_server.client
    headers = {"content-type": "application/json"}
    for path in ("/v1/chat/completions", "/v1/embeddings", "/memories", "/history", "/search"):
        answer = client.post(path, content=body, headers=headers)
        assert 400 <= answer.status_code < 500, (path, answer.text)


def test_body_without_content_type_is_refused_with_advice(serve_with: ServeWith) -> None:
    found = serve_with().client.post("/memories", content=b'{"user_id": "ana", "text": "tea"}')
    assert found.status_code == 422
    assert "content-type: application/json" in found.json()["error"]["message"]
