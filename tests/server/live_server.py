"""A server on a real socket of loopback, in front of a scripted backend."""

import asyncio
import json
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.memory.runtime import Runtime
from memory_core.server.app import create_app
from memory_core.server.stopping_server import open_listener
from memory_core.storage.contract import Page
from tests.loopback import Answer, Asked, Reply, says_json, streams

_POLL_S = 0.001

ANA = Namespace.instruct("api:ana")


class ImmediateServer(uvicorn.Server):
    """Tells when it listens, and ends at once: uvicorn itself looks ten times a second."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listens = threading.Event()
        self._ends = asyncio.Event()

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            super().run(sockets)
        finally:
            self.listens.set()  # a failed start must not keep its test waiting

    async def main_loop(self) -> None:
        await self.on_tick(0)
        self._loop = asyncio.get_running_loop()
        self.listens.set()
        await self._ends.wait()

    def end(self) -> None:
        """Ends the server from another thread, without its connections, once it listens."""
        self._loop.call_soon_threadsafe(self._ends.set)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in self.servers:
            listener.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        while self.server_state.connections or self.server_state.tasks:
            await asyncio.sleep(_POLL_S)
        await self.lifespan.shutdown()


@contextmanager
def live(runtime: Runtime, *, key: str = "") -> Iterator[httpx.Client]:
    """Serves the runtime, and returns a client with the key, if one is given."""
    listener = open_listener("127.0.0.1", 0)
    server = ImmediateServer(uvicorn.Config(create_app(runtime), log_config=None, lifespan="on"))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    server.listens.wait()
    port = listener.getsockname()[1]
    headers = {"authorization": f"Bearer {key}"} if key else {}
    client = httpx.Client(
        base_url=f"http://127.0.0.1:{port}",
        headers=headers,
        trust_env=False,
        timeout=60,  # machines are busy
        verify=False,  # noqa: S501  (plain HTTP; reading the certificates takes 20 ms)
    )
    try:
        with client:
            yield client
    finally:
        server.end()
        thread.join()
        listener.close()


def completion(text: str, **message: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": text, **message}
    choice = {"index": 0, "message": said, "finish_reason": "stop"}
    return {"id": "c-1", "object": "chat.completion", "model": "m", "choices": [choice]}


def chunk(text: str | None = None, *, end: str | None = None, **delta: Any) -> str:
    said = {**({} if text is None else {"content": text}), **delta}
    choice = {"index": 0, "delta": said, "finish_reason": end}
    event = {"id": "c-1", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}
    return f"data: {json.dumps(event)}"


def streamed(*pieces: str) -> Answer:
    """Returns a whole streamed answer of these pieces."""
    return streams([*map(chunk, pieces), chunk(end="stop"), "data: [DONE]"])


class Scripted:
    """A backend that gives these answers in order, then echoes; keeps what it was asked."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)

    def __call__(self, asked: Asked) -> Answer:
        if asked.path.endswith("/models"):
            return says_json({"object": "list", "data": [{"id": "m", "object": "model"}]})
        if self._answers:
            return self._answers.pop(0)
        wants_stream = isinstance(asked.body, dict) and asked.body.get("stream")
        return streamed("All ", "right.") if wants_stream else says_json(completion("All right."))


Backend = Scripted | Reply | Answer


def chat(client: httpx.Client, *texts: str, user: str = "ana", **fields: Any) -> httpx.Response:
    """Sends messages of the user and the assistant in turn."""
    messages = [
        {"role": "assistant" if index % 2 else "user", "content": text}
        for index, text in enumerate(texts)
    ]
    body = {"model": "m", "messages": messages, "user": user, **fields}
    return client.post("/v1/chat/completions", json=body)


def events(response: httpx.Response) -> list[Any]:
    """Returns the events of a stream, the last one as text if it is [DONE]."""
    found = []
    for line in response.text.split("\n"):
        if line.startswith("data: "):
            data = line.removeprefix("data: ")
            found.append(data if data == "[DONE]" else json.loads(data))
    return found


def stored(runtime: Runtime, namespace: Namespace = ANA) -> list[Exchange]:
    """Returns the exchanges on disk, newest first."""
    found = runtime.memory.latest(namespace, Page(limit=1000))
    return [memory.exchange for memory in found if memory.exchange]


def sides(exchanges: Sequence[Exchange]) -> list[tuple[str, str]]:
    return [(exchange.user, exchange.assistant) for exchange in exchanges]
