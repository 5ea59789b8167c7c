"""Forgetting all that came through one channel, and bringing it back."""

import io
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.domain.namespaces import Namespace
from tests.builders import NOW, Clock, open_memory, said
from tests.ui.cli.conftest import Ended, RunCommand

ANA = ("ana", "Mira")


@pytest.fixture
def storage(tmp_path: Path) -> str:
    memory = open_memory(tmp_path, clock=Clock(NOW))
    for user in ("ana", "ben"):
        for channel, texts in {"voice": ["bees", "cello"], "web": ["boats", "bees"]}.items():
            for text in texts:
                exchange = replace(said(text, ts=NOW), channel=channel)
                memory.remember(Namespace(user, "Mira"), channel, exchange)
    memory.close()
    return f"--storage={memory.root}"


def count(run_command: RunCommand, storage: str, *of: str, user: str = "ana") -> int:
    done = run_command("list", user, "Mira", storage, "--json", *of)
    return int(json.loads(done.stdout)["total"])


def answer_with(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(line))


def forget(run_command: RunCommand, storage: str, *options: str) -> Ended:
    return run_command("forget", *ANA, "--channel", "voice", storage, *options)


def test_forgotten_channel_takes_nothing_of_other_channels_and_users(
    storage: str, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, "voice\n")
    done = forget(run_command, storage)
    assert (done.returncode, done.stdout) == (0, "forgotten: 2 memories\n")
    assert "This forgets 2 memories of ana / Mira. Type voice to go on:" in done.stderr
    assert count(run_command, storage, "--channel", "voice") == 0
    assert count(run_command, storage) == 2
    assert count(run_command, storage, user="ben") == 4


@pytest.mark.parametrize("typed", ["", "Voice\n", "yes\n"])
def test_channel_is_kept_unless_its_name_is_typed(
    typed: str, storage: str, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, typed)
    assert forget(run_command, storage).returncode == 2
    assert count(run_command, storage) == 4


def test_forgotten_channel_can_be_brought_back(storage: str, run_command: RunCommand) -> None:
    assert forget(run_command, storage, "--confirm", "voice").returncode == 0
    back = json.loads(forget(run_command, storage, "--undo", "--json").stdout)
    assert len(back["brought_back"]) == 2
    assert count(run_command, storage, "--channel", "voice") == 2
    again = forget(run_command, storage, "--undo")
    assert again.returncode == 2
    assert "no forgotten memories" in again.stderr


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--channel", "vioce"], "no memories of the channel vioce; `sessions` shows"),
        ([], "name ids of memories, or one channel"),
        (["--channel", ""], "name ids of memories, or one channel"),
        (["0123", "--channel", "voice"], "name ids of memories, or one channel"),
        (["0123", "--confirm", "voice"], "--confirm is for"),
    ],
)
def test_forget_names_its_wrong_arguments(
    words: list[str], fault: str, storage: str, run_command: RunCommand
) -> None:
    done = run_command("forget", *ANA, *words, storage)
    assert done.returncode == 2
    assert fault in done.stderr
    assert count(run_command, storage) == 4
