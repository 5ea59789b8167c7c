"""Four servers on one database: each user has its own memories, and all that was acknowledged."""

import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.programs import Program
from tests.scale.servers import HOST, Server

PROJECT = Path(__file__).resolve().parents[2]
PROCESSES, USERS, ROUNDS = 4, 6, 4
START_S = 90.0


class Service:
    """Processes of `serve` over one storage folder and one database."""

    def __init__(self, stack: ExitStack, root: Path, dsn: str) -> None:
        self.clients: list[httpx.Client] = []
        self.programs: list[subprocess.Popen[bytes]] = []
        chosen = {"LTM_STORE__BACKEND": "postgres", "LTM_STORE__DSN": dsn}
        environ = {**os.environ, "LTM_EMBEDDER__KIND": "none", "PYTHONPATH": str(PROJECT), **chosen}
        for _ in range(PROCESSES):
            port = free_port()
            options = ("--port", str(port), "--storage", str(root))
            command = [sys.executable, "-m", "memory_core", "serve", *options]
            program = Program(command, cwd=PROJECT, env=environ, stdout=subprocess.DEVNULL)
            stack.callback(program.wait)
            stack.callback(program.kill)
            client = httpx.Client(base_url=f"http://{HOST}:{port}", trust_env=False, timeout=60)
            self.programs.append(program)
            self.clients.append(stack.enter_context(client))
        for client in self.clients:
            wait_for(client)


def free_port() -> int:
    with socket.create_server((HOST, 0)) as free:
        return int(free.getsockname()[1])


def wait_for(client: httpx.Client) -> None:
    until = time.monotonic() + START_S
    while True:
        try:
            assert client.get("/health").status_code == 200
            return
        except httpx.TransportError:
            assert time.monotonic() < until, "the server does not answer"
            time.sleep(0.1)


@pytest.fixture(scope="module")
def service(primary: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with ExitStack() as stack:
        yield Service(stack, tmp_path_factory.mktemp("service") / "memories", primary.dsn())


def write(client: httpx.Client, user: str, text: str) -> bool:
    """Stores one exchange; returns whether the server acknowledged it."""
    messages = [{"role": "user", "content": text}, {"role": "assistant", "content": "I see."}]
    body = {"user_id": user, "messages": messages, "conversation_id": f"talk of {user}"}
    try:
        return client.post("/memories", json=body).status_code == 200
    except httpx.TransportError:
        return False


def stored(client: httpx.Client, user: str) -> list[str]:
    answer = client.get("/memories", params={"user_id": user, "limit": 100})
    assert answer.status_code == 200, answer.text
    return [memory["user"] for memory in answer.json()["results"]]


def write_rounds(clients: Sequence[httpx.Client], user: str, told: list[str]) -> None:
    chance = random.Random(user)
    for number in range(ROUNDS):
        text = f"Sentence {number} of {user} alone."
        if write(chance.choice(clients), user, text):
            told.append(text)


def write_by_all(clients: Sequence[httpx.Client], users: Sequence[str]) -> dict[str, list[str]]:
    """Writes for all users at once; returns what was acknowledged to each."""
    told: dict[str, list[str]] = {user: [] for user in users}
    threads = [
        threading.Thread(target=write_rounds, args=(clients, user, told[user])) for user in users
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


def test_every_process_shows_each_user_its_own_memories_alone(service: Service) -> None:
    users = [f"u{number}" for number in range(USERS)]
    told = write_by_all(service.clients, users)
    assert all(len(texts) == ROUNDS for texts in told.values())
    for user in users:
        for client in service.clients:
            assert sorted(stored(client, user)) == sorted(told[user])


def test_a_memory_forgotten_by_one_process_is_gone_in_all(service: Service) -> None:
    assert write(service.clients[0], "forgetful", "My secret is pomegranate.")
    found = service.clients[1].get("/memories", params={"user_id": "forgetful"}).json()["results"]
    deleted = service.clients[2].delete(
        f"/memories/{found[0]['id']}", params={"user_id": "forgetful"}
    )
    assert deleted.status_code == 200, deleted.text
    assert [stored(client, "forgetful") for client in service.clients] == [[]] * PROCESSES


def test_a_killed_process_loses_nothing_acknowledged(service: Service) -> None:
    users, told = [f"k{number}" for number in range(USERS)], dict[str, list[str]]()
    killer = threading.Timer(0.3, service.programs[-1].kill)
    killer.start()
    told = write_by_all(service.clients, users)
    killer.join()
    service.programs[-1].wait()
    for user in users:
        for client in service.clients[:-1]:
            found = stored(client, user)
            assert set(told[user]) <= set(found)
            assert len(found) == len(set(found))
            assert all(f"of {user} alone" in text for text in found)
