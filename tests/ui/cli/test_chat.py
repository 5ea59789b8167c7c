"""The command `chat` as a program: lines in, answers out, memories on disk."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.storage.contract import Page
from tests.builders import open_memory
from tests.loopback import hangs, serve
from tests.programs import Program, run
from tests.server.chatmemory_client import wait_for
from tests.server.live_server import Scripted
from tests.ui.cli.conftest import Ended, RunCommand

PROJECT = Path(__file__).resolve().parents[3]
ENVIRON = {**os.environ, "LTM_EMBEDDER__KIND": "none"}
HVAR = "We spent last summer on the island of Hvar with my sister Jelena."


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    folder = tmp_path / "memories"
    folder.mkdir()
    return folder


Talk = Callable[..., Ended]


@pytest.fixture
def talk(run_command: RunCommand, storage: Path, monkeypatch: pytest.MonkeyPatch) -> Talk:
    """Runs the chat in this process, with these lines as what is typed."""

    def run(lines: str | io.StringIO, *args: str, **environ: str) -> Ended:
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        typed = io.StringIO(lines) if isinstance(lines, str) else lines
        monkeypatch.setattr(sys, "stdin", typed)
        return run_command("chat", *args, "--storage", storage)

    return run


def command(storage: Path, *args: str) -> list[str]:
    return [sys.executable, "-m", "memory_core", "chat", *args, "--storage", str(storage)]


def test_a_chat_is_remembered_and_recalled_in_the_next_conversation(
    storage: Path, tmp_path: Path
) -> None:
    with serve(Scripted()) as backend:
        lines = f"{HVAR}\n/stream\n/clear\nWhere did we spend last summer with my sister?\n/exit\n"
        options = ("--base-url", backend.url, "--model", "m")
        done = run(command(storage, "ana", "Mira", *options), env=ENVIRON, text=lines)
    assert (done.returncode, done.stdout.count("All right.")) == (0, 2), done.stderr
    assert "Hvar" in str(backend.asked[-1].body["messages"])
    assert [asked.body.get("stream", False) for asked in backend.asked] == [True, False]
    found = open_memory(tmp_path).latest(Namespace("ana", "Mira"), Page(limit=9))
    assert len({memory.conversation for memory in found}) == 2


@pytest.mark.parametrize(("action", "told"), [("ask", "held back"), ("skip", "not stored")])
def test_message_that_the_guard_keeps_out_is_reported(talk: Talk, action: str, told: str) -> None:
    with serve(Scripted()) as backend:
        lines = "My card is 4111 1111 1111 1111.\nI like tea.\n/exit\n"
        options = ("ana", "Mira", "--base-url", backend.url, "--model", "m")
        done = talk(lines, *options, LTM_GUARD__CARDS=action)
    assert done.stderr.count(f"note: {told}") == 1, done.stderr
    assert "a card number (guard.cards)" in done.stderr
    assert "4111" not in done.stderr


def test_operations_work_under_memoryscopes_names(talk: Talk, tmp_path: Path) -> None:
    config = tmp_path / "memoryscope.yaml"
    config.write_text("global:\n  human_name: ana\n  assistant_name: Mira\n  es_url: http://x\n")
    lines = (
        "/help\n/add_memory query=Ana is allergic to nuts\n/list_memory\n"
        '/delete_memory query="Ana is allergic to nuts"\n/list_memory\n/nonsense\n/delete_all\nno\n'
    )
    with serve(Scripted()) as backend:
        url = ("--base-url", backend.url)
        done = talk(lines, "--config-path", str(config), *url)
    assert done.returncode == 1, "/nonsense failed"
    assert "knowledge  Ana is allergic to nuts" in done.stdout
    assert "forgotten: " in done.stdout
    assert "there are no memories" in done.stdout
    assert "nothing was forgotten" in done.stdout
    assert "/nonsense is no command" in done.stderr
    assert "es_url has no effect" in done.stderr


def test_used_command_lists_the_memories_of_the_last_answer_and_its_faults(talk: Talk) -> None:
    lines = f"/used\n{HVAR}\n/clear\nWhere did we spend last summer with my sister?\n/used\n"
    with serve(Scripted()) as backend:
        done = talk(lines, "ana", "Mira", "--base-url", backend.url)
    assert done.returncode == 0
    before, *_, used = done.stdout.strip().splitlines()
    assert before == "the last answer got no memories"
    assert "Hvar" in used
    assert "note: no embedding model: words only" in done.stderr


def test_names_are_memoryscopes_own_with_its_arguments(talk: Talk, tmp_path: Path) -> None:
    with serve(Scripted()) as backend:
        done = talk("Hi\n", "--argument", "language=en", "--base-url", backend.url, "--model", "m")
    assert done.returncode == 0, done.stderr
    assert open_memory(tmp_path).latest(Namespace("user", "AI"), Page(limit=9))


class TypedLines(io.StringIO):
    """What a person types."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("typed", "code"), [(io.StringIO, 1), (TypedLines, 0)])
def test_a_server_that_is_away_ends_the_answer_but_not_the_chat(
    talk: Talk, typed: type[io.StringIO], code: int
) -> None:
    lines = typed("Hello\n/read_message\n")
    away = ("--base-url", "http://127.0.0.1:9/v1")
    done = talk(lines, "ana", "Mira", *away, LTM_LLM__RETRIES="0")
    assert done.returncode == code, "a script has to notice, a person has read it"
    assert "error: " in done.stderr
    assert "there are no memories" in done.stdout


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (["ana"], "chat USER CHARACTER"),
        (["ana", "Mira"], "--base-url"),
        (["ana", "Mira", "--argument", "human_nam=x"], "human_name"),
        (["ana", "Mira", "--config-path", "/nowhere.yaml"], "/nowhere.yaml"),
    ],
)
def test_a_refused_chat_names_the_option_that_helps(
    run_command: RunCommand, storage: Path, args: list[str], named: str
) -> None:
    done = run_command("chat", *args, "--storage", storage)
    assert done.returncode == 2
    assert named in done.stderr


def test_a_missing_storage_folder_is_an_error(run_command: RunCommand, tmp_path: Path) -> None:
    typo = ("--storage", tmp_path / "typo")
    done = run_command("chat", "ana", "Mira", "--base-url", "http://127.0.0.1:9/v1", *typo)
    assert (done.returncode, "--storage" in done.stderr) == (2, True)
    assert not (tmp_path / "typo").exists()


def interrupt_until_ended(program: "subprocess.Popen[str]") -> int:
    """Presses Ctrl-C, and again after a while, as a person would; returns the exit code.

    Python looks for signals before it reads from a pipe, but not in the instant between looking
    and reading: what comes then waits for the line.
    """
    for _ in range(4):
        program.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return program.wait(30)
    raise AssertionError("Ctrl-C does not end the chat")


def test_interrupt_ends_the_chat_as_done(storage: Path) -> None:
    with Program(
        command(storage, "ana", "Mira", "--base-url", "http://127.0.0.1:9/v1"),
        cwd=PROJECT,
        env=ENVIRON,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as chat:
        assert chat.stderr is not None
        assert "/help" in chat.stderr.readline()
        assert interrupt_until_ended(chat) == 0


def test_interrupt_stops_an_answer_but_not_the_chat(storage: Path) -> None:
    with (
        serve(hangs()) as backend,
        Program(
            command(storage, "ana", "Mira", "--base-url", backend.url, "--model", "m"),
            cwd=PROJECT,
            env=ENVIRON,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as chat,
    ):
        assert chat.stdin is not None
        chat.stdin.write("Tell me a long story\n")
        chat.stdin.flush()
        wait_for(lambda: bool(backend.asked))
        chat.send_signal(signal.SIGINT)
        output, _ = chat.communicate("/read_message\n/exit\n", timeout=60)
    assert (chat.returncode, "there are no memories" in output) == (0, True)
