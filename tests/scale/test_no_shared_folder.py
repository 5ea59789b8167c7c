"""Four servers with four empty storage folders and one database behave as one."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from memory_core.domain.namespaces import API_PREFIX
from tests import programs
from tests.programs import Program
from tests.scale.servers import HOST, Server
from tests.scale.test_serve import PROJECT, free_port, stored, wait_for, write
from tests.server.test_two_users import samples

PROCESSES = 4
PATIENCE_S = 60.0


class Machines:
    """Programs that have nothing in common but the database."""

    def __init__(self, stack: ExitStack, folder: Path, dsn: str) -> None:
        chosen = {"LTM_STORE__BACKEND": "postgres", "LTM_STORE__DSN": dsn}
        self._environ = {
            **os.environ,
            "LTM_EMBEDDER__KIND": "none",
            "PYTHONPATH": os.pathsep.join([str(PROJECT), os.environ.get("PYTHONPATH", "")]),
            **chosen,
        }
        self._folder = folder
        self.clients = [self._start(stack, number) for number in range(PROCESSES)]
        for client in self.clients:
            wait_for(client)

    def _start(self, stack: ExitStack, number: int) -> httpx.Client:
        port = free_port()
        command = self._command(number, "serve", "--port", str(port))
        output = subprocess.DEVNULL
        program = Program(command, cwd=PROJECT, env=self._environ, stdout=output)
        stack.callback(program.wait)
        stack.callback(program.kill)
        client = httpx.Client(base_url=f"http://{HOST}:{port}", trust_env=False, timeout=60)
        return stack.enter_context(client)

    def _command(self, number: int, *words: str) -> list[str]:
        storage = self._folder / f"machine-{number}" / "memories"
        return [sys.executable, "-m", "memory_core", *words, "--storage", str(storage)]

    def run(self, number: int, *words: str) -> str:
        """Runs a command on one of the machines; returns its output."""
        command = self._command(number, *words)
        done = programs.run(command, env=self._environ)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def machines(primary: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    primary.execute("CREATE DATABASE machines")
    with ExitStack() as stack:
        yield Machines(stack, tmp_path_factory.mktemp("machines"), primary.dsn("machines"))


def wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < until, "that did not come about"
        time.sleep(0.05)


def test_each_server_shows_what_another_one_wrote_and_hides_what_a_third_one_forgot(
    machines: Machines,
) -> None:
    one, other, third, fourth = machines.clients
    assert write(one, "ana", "My cat is called Biscuit.")
    assert write(one, "ana", "My secret is pomegranate.")
    found = other.get("/memories", params={"user_id": "ana"}).json()["results"]
    secret = next(memory["id"] for memory in found if "pomegranate" in memory["user"])
    assert third.delete(f"/memories/{secret}", params={"user_id": "ana"}).status_code == 200
    for client in machines.clients:
        assert stored(client, "ana") == ["My cat is called Biscuit."]
    body = {"query": "What is my cat called?", "user_id": "ana"}
    assert "Biscuit" in fourth.post("/search", json=body).text


def test_a_name_given_on_one_machine_is_known_to_all(machines: Machines) -> None:
    assert write(machines.clients[0], "bea", "My parrot is called Coco.")
    machines.run(1, "names", "alias", f"{API_PREFIX}Beatrice", "--of", f"{API_PREFIX}bea")
    for client in machines.clients:
        wait_until(lambda client=client: len(stored(client, "Beatrice")) == 1)  # type: ignore[misc]
    assert "Beatrice means" in machines.run(2, "names", "list")


def test_commands_of_an_empty_machine_find_the_memories_of_the_others(machines: Machines) -> None:
    assert write(machines.clients[0], "cleo", "My horse is called Comet.")
    assert "cleo" in machines.run(3, "names", "list")
    assert "Comet" in machines.run(3, "list", f"{API_PREFIX}cleo", "_instruct")


def test_every_endpoint_is_answered_by_some_machine_for_what_another_one_wrote(
    machines: Machines,
) -> None:
    first = machines.clients[0]
    assert write(first, "dora", "My goat is called Nimbus.")
    listed = first.get("/memories", params={"user_id": "dora"}).json()["results"]
    failed = {}
    for number, ((method, path), request) in enumerate(samples("dora", listed[0]["id"]).items()):
        if path == "/v1/chat/completions":  # no model answers here
            continue
        client = machines.clients[number % PROCESSES]
        answer = client.request(method, **{"url": path, **request})
        if answer.status_code >= 500:
            failed[method, path] = answer.text
    assert failed == {}


def test_a_key_made_on_one_machine_is_refused_by_all_once_another_one_removes_it(
    machines: Machines,
) -> None:
    # The last test: a server that had a key once is closed to calls without one.
    made = json.loads(machines.run(0, "keys", "add", "bot", "--all-users", "--json"))
    known = {"Authorization": f"Bearer {made['key']}"}
    params = {"user_id": "ana"}
    try:
        for client in machines.clients:
            assert client.get("/memories", params=params).status_code == 401
            assert client.get("/memories", params=params, headers=known).status_code == 200
    finally:
        machines.run(3, "keys", "remove", "bot")
    for client in machines.clients:
        assert client.get("/memories", params=params, headers=known).status_code == 401
