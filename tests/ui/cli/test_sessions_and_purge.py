"""The commands that list sessions, filter memories, delete all of somebody, and show models."""

import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_core.admin.backup.rolling import RollingBackup
from memory_core.config.schema import RollingBackupSettings
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.storage.log.event_log import EventLog
from memory_core.ui.cli.main import discard_output, main
from tests.builders import DAY, NOW, Clock, open_memory, said
from tests.forensics import leaks, words_needles
from tests.loopback import says, serve
from tests.server.live_server import Scripted
from tests.ui.cli.json_commands import run

pytestmark = pytest.mark.usefixtures("no_models")


@pytest.fixture
def storage(tmp_path: Path) -> str:
    memory = open_memory(tmp_path, clock=Clock(NOW))
    ana = Namespace("ana", "Mira")
    memory.remember(ana, "old", replace(said("bees", ts=NOW - 9 * DAY), channel="web"))
    memory.remember(ana, "new", replace(said("cello", ts=NOW), channel="voice"))
    memory.add_note(ana, "Ana plays the cello", kind=MemoryKind.KNOWLEDGE, pinned=False)
    memory.remember(Namespace("ben", "Mira"), "b", said("boats", ts=NOW - DAY))
    memory.close()
    return f"--storage={memory.root}"


def names(found: dict[str, Any]) -> list[str]:
    return [row["conversation"] for row in found["sessions"]]


def test_sessions_are_listed_latest_first(storage: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert names(run(capsys, "sessions", storage)) == ["new", "b", "old"]
    assert names(run(capsys, "sessions", "ana", "Mira", storage)) == ["new", "old"]
    assert names(run(capsys, "sessions", "ben", storage)) == ["b"]
    assert names(run(capsys, "sessions", storage, "--latest")) == ["new", "b"]
    assert names(run(capsys, "sessions", storage, "--channel", "web")) == ["old"]
    assert names(run(capsys, "sessions", storage, "--until", "2026-09-14")) == ["old"]
    assert main(["sessions", storage, "--limit", "1"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("ana / Mira  new  ")
    assert "1 of 3 conversations" in shown


def texts(found: dict[str, Any]) -> list[str]:
    return [row.get("user", row["text"]) for row in found["memories"]]


def test_list_keeps_to_kind_channel_conversation_and_days(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ana = ("list", "ana", "Mira", storage)
    assert texts(run(capsys, *ana, "--kind", "knowledge")) == ["Ana plays the cello"]
    assert texts(run(capsys, *ana, "--channel", "voice")) == ["cello"]
    assert texts(run(capsys, *ana, "--conversation", "old")) == ["bees"]
    assert texts(run(capsys, *ana, "--until", "2026-09-14", "--utc-offset", "0")) == ["bees"]
    assert run(capsys, *ana, "--kind", "exchange", "--limit", "1")["total"] == 2


def test_purge_deletes_after_the_name_was_typed(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["purge", "ana", storage, "--confirm", "Ana"]) == 2
    assert "type ana" in capsys.readouterr().err
    found = run(capsys, "purge", "ana", storage, "--confirm", "ana")
    assert found["deleted"] == ["ana / Mira"]
    assert Path(found["backups"][0]).is_file()
    assert names(run(capsys, "sessions", storage)) == ["b"]


def test_purge_of_everybody_can_leave_no_backup(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(capsys, "purge", "--all", storage, "--confirm", "everything", "--no-backup")
    assert (len(found["deleted"]), found["backups"]) == (2, [])
    assert list(Path(storage.partition("=")[2]).parent.rglob("*.zip")) == []
    assert names(run(capsys, "sessions", storage)) == []


def test_purge_takes_the_words_out_of_the_rolling_backups(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copies = tmp_path / "copies"
    RollingBackup(Path(storage.partition("=")[2]), copies, RollingBackupSettings()).run_due(NOW)
    assert leaks(copies, words_needles(["cello"])) != []
    run(capsys, "purge", "ana", storage, "--confirm", "ana", "--no-backup")
    assert leaks(copies, words_needles(["cello"])) == []
    assert leaks(copies, words_needles(["boats"])) != []


def test_purge_names_a_rolling_backup_that_it_cannot_clean(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copies = tmp_path / "copies"
    RollingBackup(Path(storage.partition("=")[2]), copies, RollingBackupSettings()).run_due(NOW)
    [copy] = copies.glob("*.zip")
    copy.write_bytes(b"no zip")
    assert main(["purge", "ana", storage, "--confirm", "ana"]) == 1
    shown = capsys.readouterr()
    assert "deleted: ana / Mira" in shown.out
    assert copy.name in shown.err


def test_purge_says_what_it_left_because_another_program_writes_there(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    log = EventLog(Namespace("ana", "Mira").folder(Path(storage.partition("=")[2])))
    log.lock_for_writing()
    assert main(["purge", "--all", storage, "--confirm", "everything"]) == 1
    log.close()
    shown = capsys.readouterr()
    assert "deleted: ben / Mira" in shown.out
    assert "deleted: ana" not in shown.out
    assert "ana / Mira was not deleted: another program writes" in shown.err
    assert "nothing else can be written there" in shown.err


@pytest.mark.parametrize("arguments", [[], ["ana", "--all"], ["nobody"]])
def test_purge_refuses_what_names_nobody(
    storage: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["purge", *arguments, storage, "--confirm", "nobody"]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_models_that_answer_are_shown(
    storage: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(Scripted()) as backend:
        monkeypatch.setenv("LTM_LLM__BASE_URL", backend.url)
        rows = run(capsys, "models", storage)["models"]
    assert [row["part"] for row in rows] == ["embedder", "reranker", "language model"]
    assert rows[0]["state"] == "not configured"
    assert rows[2]["state"].startswith("answers in ")


def test_models_reports_a_failing_model_by_its_exit_code(
    storage: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(says("{}", status=500)) as backend:
        monkeypatch.setenv("LTM_LLM__BASE_URL", backend.url)
        rows = run(capsys, "models", storage, code=1)["models"]
    assert rows[2]["state"].startswith("does not answer: ")


def test_search_covers_the_users_that_are_named(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("search", "ana", "Mira", "boats, cello or bees?", storage)
    assert "boats" not in texts(run(capsys, *words))
    assert {"boats", "cello"} <= set(texts(run(capsys, *words, "--also-user", "ben")))
    assert main([*words, "--also-user", "carla"]) == 2
    assert "carla" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["jsonl", "csv", "markdown"])
def test_export_writes_to_standard_output(
    storage: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "ana", "Mira", storage, "--format", form, "-o", "-"]) == 0
    shown = capsys.readouterr()
    assert "bees" in shown.out
    assert "boats" not in shown.out
    assert shown.err == "3 memories written to standard output\n"


@pytest.mark.parametrize("form", ["jsonl", "csv", "markdown"])
def test_export_of_all_writes_to_standard_output(
    storage: str,
    form: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", "--all", storage, "--format", form, "-o", "-"]) == 0
    shown = capsys.readouterr()
    assert {"bees", "boats"} <= set(re.findall(r"\w+", shown.out))
    assert shown.err.endswith("memories written to standard output\n")
    assert not (tmp_path / "-").exists()


def test_a_backup_to_standard_output_is_refused(
    storage: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["backup", storage, "-o", "-"]) == 2
    assert "name a file" in capsys.readouterr().err
    assert not (tmp_path / "-").exists()


def test_export_to_a_reader_that_has_ended_is_reported_by_the_exit_code(
    storage: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as output:
        monkeypatch.setattr(sys, "stdout", output)
        assert main(["export", "ana", "Mira", storage, "--format", "csv", "-o", "-"]) == 141
        discard_output()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("command", [["export", "ana", "Mira"], ["backup"]])
def test_export_overwrites_no_file_without_force(
    storage: str, command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.zip"
    path.write_text("mine")
    assert main([*command, storage, "-o", str(path)]) == 2
    assert "--force" in capsys.readouterr().err
    assert path.read_text() == "mine"
    assert main([*command, storage, "-o", str(path), "--force"]) == 0
    assert path.read_bytes()[:2] == b"PK"
