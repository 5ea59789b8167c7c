"""A chat goes on while the database is away, says so, and is remembered again afterwards."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.loopback import serve
from tests.programs import Program
from tests.scale.servers import HOST, Server, cluster
from tests.scale.test_serve import PROJECT, free_port, stored, wait_for
from tests.server.live_server import Scripted, chat

BACK_S = 30.0


@pytest.fixture
def server() -> Iterator[Server]:
    with cluster() as servers:
        yield servers.servers[0]


@pytest.fixture
def client(server: Server, tmp_path: Path) -> Iterator[httpx.Client]:
    with chatting(server.dsn(), tmp_path) as opened:
        yield opened


@contextmanager
def chatting(dsn: str, folder: Path) -> Iterator[httpx.Client]:
    """Yields a client of a server in front of a scripted model, with memories in the database."""
    chosen = {"LTM_STORE__BACKEND": "postgres", "LTM_STORE__DSN": dsn}
    environ = {**os.environ, "LTM_EMBEDDER__KIND": "none", **chosen}
    port = free_port()
    with serve(Scripted()) as backend:
        options = ("--port", str(port), "--backend", backend.url)
        command = [sys.executable, "-m", "memory_core", "serve", *options]
        storage = ["--storage", str(folder / "memories")]
        program = Program([*command, *storage], cwd=PROJECT, env=environ)
        try:
            url = f"http://{HOST}:{port}"
            with httpx.Client(base_url=url, trust_env=False, timeout=60) as opened:
                wait_for(opened)
                yield opened
        finally:
            program.kill()
            program.wait()


def test_a_chat_goes_on_while_the_database_is_away(server: Server, client: httpx.Client) -> None:
    assert chat(client, "I have a cat called Biscuit.").json()["retrieved"]["stored"] is True
    server.kill()
    began = time.monotonic()
    answer = chat(client, "I have a dog called Rex.")
    assert answer.status_code == 200
    assert time.monotonic() - began < BACK_S
    assert answer.json()["choices"][0]["message"]["content"]
    assert answer.json()["retrieved"]["stored"] is False
    assert client.get("/memories", params={"user_id": "ana"}).status_code >= 500
    server.start()
    until = time.monotonic() + BACK_S
    while not chat(client, "I have a fish called Bubbles.").json()["retrieved"]["stored"]:
        assert time.monotonic() < until, "the database was not found again"
    assert "I have a cat called Biscuit." in stored(client, "ana")
    assert "I have a fish called Bubbles." in stored(client, "ana")
