"""The commands `serve` and `keys` as programs."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from memory_core.storage.contract import Page
from tests.builders import open_memory
from tests.loopback import Answer, Asked, hangs, serve, streams
from tests.programs import Program
from tests.server.live_server import ANA, Scripted, chat, chunk, events
from tests.stress import kills_of
from tests.ui.cli.conftest import RunCommand

PROJECT = Path(__file__).resolve().parents[3]
ENVIRON = {**os.environ, "LTM_EMBEDDER__KIND": "none"}


def command(*args: object) -> list[str]:
    return [sys.executable, "-m", "memory_core", *map(str, args)]


def test_key_is_shown_once_listed_by_name_and_removed(
    run_command: RunCommand, tmp_path: Path
) -> None:
    storage = ("--storage", tmp_path)
    made = run_command("keys", "add", "bot", "--user", "ana", *storage, "--json")
    assert json.loads(made.stdout)["key"].startswith("ltm-")
    assert run_command("keys", "add", "bot", "--all-users", *storage).returncode == 2
    assert run_command("keys", "list", *storage).stdout == "bot: ana\n"
    assert run_command("keys", "remove", "bot", *storage).returncode == 0
    assert run_command("keys", "remove", "bot", *storage).returncode == 2


@pytest.mark.parametrize("user", ["*", "", " "])
def test_key_for_every_user_needs_its_own_option(
    run_command: RunCommand, tmp_path: Path, user: str
) -> None:
    storage = ("--storage", tmp_path)
    refused = run_command("keys", "add", "bot", "--user", "ana", f"--user={user}", *storage)
    assert refused.returncode == 2
    assert "user" in refused.stderr
    assert run_command("keys", "list", *storage).stdout == "there are no keys\n"


def test_keys_of_a_missing_folder_are_an_error(run_command: RunCommand, tmp_path: Path) -> None:
    storage = ("--storage", tmp_path / "mistyped")
    for action in (("list",), ("remove", "bot")):
        done = run_command("keys", *action, *storage)
        assert (done.returncode, done.stdout) == (2, "")
        assert "mistyped does not exist" in done.stderr


def test_other_machines_are_not_served_without_a_key(
    run_command: RunCommand, tmp_path: Path
) -> None:
    done = run_command("serve", "--host", "0.0.0.0", "--storage", tmp_path)  # noqa: S104
    assert done.returncode == 2
    assert "keys add" in done.stderr


@pytest.mark.parametrize("port", ["99999", "0", "-1", "web"])
def test_bad_port_is_refused_by_its_option(
    run_command: RunCommand, tmp_path: Path, port: str
) -> None:
    done = run_command("serve", f"--port={port}", "--storage", tmp_path)
    assert done.returncode == 2
    assert f"--port: {port} is no port" in done.stderr


@pytest.mark.parametrize("address", ["localhost:8000", "https://api.openai.com/v1"])
def test_address_that_no_chat_could_reach_is_refused_at_the_start(
    run_command: RunCommand, tmp_path: Path, address: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:  # so that it cannot start in any case
        port = ("--port", taken.getsockname()[1])
        done = run_command("serve", "--backend", address, *port, "--storage", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: --backend")


def test_port_in_use_is_refused_with_the_option_that_helps(
    run_command: RunCommand, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run_command("serve", "--port", taken.getsockname()[1], "--storage", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--port" in done.stderr
    assert "Serving" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="sockets are no files there")
def test_program_says_at_its_start_that_it_may_open_too_few_files(tmp_path: Path) -> None:
    many = {"LTM_SERVER__PARALLEL_REQUESTS": "1000000000"}
    with serve(Scripted()) as backend, serving(tmp_path, backend.url, **many):
        assert "fewer than the 2,000,001,000 that server.parallel_requests" in (
            tmp_path / "log"
        ).read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_program_serves_and_ends_cleanly(tmp_path: Path, end: signal.Signals) -> None:
    with serve(Scripted()) as backend, serving(tmp_path, backend.url) as (program, client):
        assert chat(client, "I have a cat.").json()["retrieved"]["stored"] is True
        program.send_signal(end)
        out, _ = program.communicate(timeout=60)
    assert (program.returncode, f":{client.base_url.port}/v1" in out) == (0, True)
    assert list((tmp_path / "memories").glob("*/_instruct/conversations/*.jsonl"))


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_program_ends_in_time_although_the_model_hangs(tmp_path: Path) -> None:
    """What a stream has brought by then is stored as a partial answer, with an error at its end."""
    said = {"role": "user", "content": "Where is my stream?"}
    body = {"model": "m", "user": "ana", "messages": [said], "stream": True}
    limits = {"LTM_SERVER__STOP_GRACE_S": "0.2", "LTM_LLM__MODEL": "m"}
    with serve(hang_after_a_piece) as backend, ThreadPoolExecutor() as threads:
        limits["LTM_LLM__BASE_URL"] = backend.url
        with serving(tmp_path, backend.url, **limits) as (program, client):
            client.post("/memories", json={"user_id": "ana", "text": "My dog is Bruno."})
            whole = threads.submit(chat, client, "Where is my answer?")
            question = {"user_id": "ana", "question": "What is my dog called?"}
            answered = threads.submit(client.post, "/answer", json=question)
            with client.stream("POST", "/v1/chat/completions", json=body) as response:
                pieces = response.iter_lines()
                assert "It is" in next(pieces)
                await_condition(lambda: len(backend.asked) == 4)
                program.terminate()
                program.communicate(timeout=30)
                assert "the server is stopping" in list(pieces)[-2]
        assert program.returncode == 0
        assert (whole.result().status_code, answered.result().status_code) == (503, 503)
    with closing(open_memory(tmp_path)) as memory:
        found = memory.latest(ANA, Page(limit=9))
    kept = [one.exchange for one in found if one.exchange]
    assert [(one.assistant, one.metadata) for one in kept] == [("It is", {"partial": True})]


def hang_after_a_piece(asked: Asked) -> Answer:
    if asked.path.endswith("/models"):
        return Scripted()(asked)
    return streams([chunk("It is")], then_hangs=True) if asked.body.get("stream") else hangs()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_program_gives_running_answers_time_to_end(tmp_path: Path) -> None:
    goes_on = threading.Event()

    def end_late(asked: Asked) -> Answer:
        if not asked.path.endswith("/models"):
            assert goes_on.wait(60)
        return Scripted()(asked)

    with (
        serve(end_late) as backend,
        ThreadPoolExecutor() as threads,
        serving(tmp_path, backend.url, LTM_SERVER__STOP_GRACE_S="60") as (program, client),
    ):
        answered = threads.submit(chat, client, "I have a cat.")
        await_condition(lambda: len(backend.asked) == 2)
        program.terminate()
        await_condition(lambda: refuses_connections(client))
        goes_on.set()
        program.communicate(timeout=60)
        assert answered.result().json()["retrieved"]["stored"] is True


def refuses_connections(client: httpx.Client) -> bool:
    try:
        httpx.get(client.base_url, trust_env=False)
    except httpx.ConnectError:
        return True
    except (httpx.ReadError, httpx.RemoteProtocolError):
        return False  # connected just before the port was closed
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_program_does_background_work_when_it_is_switched_on(tmp_path: Path) -> None:
    with serve(Scripted()) as backend:
        wanted = {
            "LTM_LLM__BASE_URL": backend.url,
            "LTM_LLM__MODEL": "m",
            "LTM_CONSOLIDATION__ENABLED": "true",
            "LTM_CONSOLIDATION__QUIET_S": "0",
        }
        with serving(tmp_path, backend.url, **wanted) as (program, client):
            message = "I moved to Lisbon last spring, with my dog Bruno."
            chat(client, message)
            end = time.monotonic() + 60
            while not any(quotes(asked.body, message) for asked in backend.asked):
                paths = [asked.path for asked in backend.asked]
                assert time.monotonic() < end, f"no background work within a minute: {paths}"
                time.sleep(0.05)
            program.terminate()
            program.communicate(timeout=60)


def quotes(body: Any, message: str) -> bool:
    """Returns whether this request quotes the message without being that message."""
    return message in str(body) and body["messages"][-1]["content"] != message


def test_request_above_the_limit_is_refused_and_logged_with_its_time(tmp_path: Path) -> None:
    limits = {"LTM_SERVER__PARALLEL_REQUESTS": "1"}
    body = {"messages": [{"role": "user", "content": "Wait."}], "stream": True}
    with (
        serve(hang_after_a_piece) as backend,
        serving(tmp_path, backend.url, **limits) as (_, client),
        client.stream("POST", "/v1/chat/completions", json=body) as first,
    ):
        pieces = first.iter_lines()
        next(pieces)
        second = httpx.get(f"{client.base_url}/health", trust_env=False)
        assert (second.status_code, second.headers["retry-after"]) == (503, "1")
        assert "server.parallel_requests" in second.json()["error"]["message"]
    (refused,) = re.findall(r"(?m)^(.+) WARNING a request", (tmp_path / "log").read_text("utf-8"))
    assert datetime.fromisoformat(refused)


@pytest.mark.parametrize("flags", [(), ("--verbose",)], ids=["quiet", "verbose"])
def test_verbose_serve_logs_each_call_without_its_text(
    tmp_path: Path, flags: tuple[str, ...]
) -> None:
    with serve(Scripted()) as backend, serving(tmp_path, backend.url, *flags) as (program, client):
        chat(client, "I moved to Lisbon last spring.", metadata={"character": "Mira"})
        chat(client, "Where did I move?", metadata={"character": "Mira"})
        client.get("/memories", params={"user_id": "ana", "q": "Lisbon"})
        program.terminate()
        program.communicate(timeout=60)
    log = (tmp_path / "log").read_text(encoding="utf-8")
    assert log.count("POST '/v1/chat/completions' by key '-'") == (2 if flags else 0)
    assert log.count("Long-term memory: recalled ") == (2 if flags else 0)
    assert "Lisbon" not in log


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    "kills", [2, pytest.param(kills_of(200), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_kill_loses_no_exchange_that_was_acknowledged(tmp_path: Path, kills: int) -> None:
    acknowledged = set()
    with serve(Scripted()) as backend:
        for kill in range(kills):
            with serving(tmp_path, backend.url) as (program, client):
                acknowledged |= stream_until_killed(client, program, kill)
    with closing(open_memory(tmp_path)) as memory:
        kept = {
            found.exchange.user
            for found in memory.latest(ANA, Page(limit=10_000))
            if found.exchange
        }
    assert acknowledged
    assert acknowledged <= kept


@contextmanager
def serving(
    folder: Path, backend: str, *flags: str, **environ: str
) -> Iterator[tuple["subprocess.Popen[str]", httpx.Client]]:
    """Runs the program, with a client of its own; kills it at the end of the block.

    Its log is in the folder's file `log`.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = ("--port", port, "--backend", backend, "--storage", folder / "memories")
    with (folder / "log").open("ab") as log:
        program = Program(
            command("serve", *options, *flags),
            cwd=PROJECT,
            env=ENVIRON | environ,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        with httpx.Client(base_url=address, trust_env=False, timeout=60) as client:
            await_port(client)
            yield program, client
    finally:
        program.kill()
        program.communicate()


def stream_until_killed(
    client: httpx.Client, program: "subprocess.Popen[str]", kill: int
) -> set[str]:
    """Streams chats while the program is killed; returns the messages whose end arrived."""
    acknowledged = set()
    killer = threading.Timer(0.01 * (kill % 20), program.kill)
    with suppress(httpx.HTTPError):
        for number in range(10_000):
            text = f"Message {number} of round {kill}"
            last = events(chat(client, text, stream=True, metadata={"conv_id": str(kill)}))[-2]
            if last["retrieved"]["stored"]:
                acknowledged.add(text)
            if number == 0:
                killer.start()
    killer.join()
    return acknowledged


def await_condition(is_met: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_met():
        assert time.monotonic() < end
        time.sleep(0.02)


def await_port(client: httpx.Client) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            client.get("/v1/models")
            return
        except httpx.ConnectError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
