"""Requests that still run when the server stops are answered, and write nothing afterwards."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from memory_core.server.app import create_app
from memory_core.server.running_requests import RunningRequests
from memory_core.server.security.request_filter import RequestFilter
from tests.server.conftest import MakeRuntime
from tests.server.live_server import ANA

CHATS = 3000


def exported() -> str:
    row = {"kind": "exchange", "namespace_scope": "character", "assistant": "I see."}
    row |= {"namespace_user": "x", "namespace_character": "Mira", "ts": 1.7e9}
    rows = (
        {**row, "id": f"{n:016x}", "conversation": f"c{n}", "user": f"It is {n}."}
        for n in range(CHATS)
    )
    return "\n".join(map(json.dumps, rows))


def test_import_ends_between_chats_when_no_time_is_left(make_runtime: MakeRuntime) -> None:
    runtime, requests = make_runtime(), RunningRequests()
    memory = runtime.memory

    async def stop_during_import() -> httpx.Response:
        transport = httpx.ASGITransport(create_app(runtime, requests=requests))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            params = {"user_id": "ana", "filename": "a.jsonl"}
            importing = asyncio.create_task(
                client.post("/import", params=params, content=exported())
            )
            while not (importing.done() or memory.shared.namespaces.last_written_at(ANA)):
                await asyncio.sleep(0.01)
            requests.cancel()
            return await importing

    answer = asyncio.run(stop_during_import())
    assert answer.status_code == 503, answer.text
    assert "the server is stopping" in answer.json()["error"]["message"]
    assert 0 < memory.counts(ANA)["live"] < CHATS


def test_request_that_is_killed_is_told_that_the_server_stops(make_runtime: MakeRuntime) -> None:
    sent: list[Any] = []
    begun = asyncio.Event()

    async def never_answers(*_: object) -> None:
        begun.set()
        await asyncio.Event().wait()

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(event: Any) -> None:
        sent.append(event)

    async def kill() -> None:
        request_filter = RequestFilter(
            never_answers, runtime=make_runtime(), checks_host=False, requests=RunningRequests()
        )
        running = asyncio.create_task(
            request_filter({"type": "http", "headers": []}, receive, send)
        )
        await begun.wait()
        running.cancel()
        await running

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(kill())
    assert [event.get("status") for event in sent] == [503, None]
    assert b"the server is stopping" in sent[1]["body"]
