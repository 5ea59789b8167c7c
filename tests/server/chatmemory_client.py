"""Calls of ChatMemory's endpoints, as its clients make them."""

import json
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import httpx

from tests.loopback import Answer
from tests.server.live_server import streamed


def message(role: str, content: str, at: datetime | None = None, **extra: Any) -> dict[str, Any]:
    when = {"created_at": at.isoformat()} if at else {}
    return {"role": role, "content": content, **when, **extra}


def post_history(
    client: httpx.Client, session: str, *messages: dict[str, Any], user: str = "ana", **fields: Any
) -> None:
    body = {"user_id": user, "session_id": session, "messages": list(messages), **fields}
    answer = client.post("/history", json=body)
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def say(client: httpx.Client, session: str, text: str, **fields: Any) -> None:
    post_history(client, session, message("user", text), message("assistant", "OK."), **fields)


def history(client: httpx.Client, **params: Any) -> list[dict[str, Any]]:
    answer = client.get("/history", params=params)
    assert answer.status_code == 200
    found: list[dict[str, Any]] = answer.json()["messages"]
    return found


def get(client: httpx.Client, path: str, **params: Any) -> Any:
    answer = client.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def wait_for(is_reached: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_reached():
        assert time.monotonic() < end
        time.sleep(0.01)


def summary_with(client: httpx.Client, word: str, **params: Any) -> dict[str, Any]:
    """Waits for the only summary, which is made after the answer to the caller, and returns it."""
    found: list[dict[str, Any]] = []

    def is_there() -> bool:
        found[:] = get(client, "/summary", user_id="ana", **params)["summaries"]
        return [word in summary["summary"] for summary in found] == [True]

    wait_for(is_there)
    return found[0]


def retrieved(client: httpx.Client, **body: Any) -> str:
    sent = {"user_id": "ana", "include_retrieved_data": True, **body}
    answer = client.post("/search", json=sent)
    assert answer.status_code == 200, answer.text
    found: str = answer.json()["result"]["retrieved_data"]
    return found


def summary_reply(text: str) -> Answer:
    return streamed(json.dumps({"summary": text, "keywords": ["soba", "unicorn"]}))
