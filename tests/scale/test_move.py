"""Memories move from files into the database and back, with their bytes."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from memory_core.admin.copy_logs import copy_logs
from memory_core.domain.errors import StorageFailed, StorageLocked
from memory_core.domain.namespaces import Namespace
from memory_core.infra.durable_files import make_folder
from memory_core.server.security.keys import KeyFile
from memory_core.storage.engine import Engine, postgres_engine
from memory_core.storage.log.event_log import EventLog
from memory_core.storage.log.events import EventType, NewEvent
from memory_core.storage.manifest import list_namespaces, write_manifest
from memory_core.storage.pauses import ChatPauses, PauseState
from tests.builders import append
from tests.scale.servers import Server
from tests.ui.cli.conftest import RunCommand, no_models, run_command

__all__ = ["no_models", "run_command"]
_NUMBERS = count()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "memories"


@pytest.fixture
def engine(primary: Server, root: Path) -> Iterator[Engine]:
    opened = postgres_engine(primary.dsn(), root, time_limit_s=30)
    yield opened
    opened.close()


def fill(root: Path, user: str) -> Namespace:
    """Makes a namespace with three logs, one with a damaged line."""
    space = Namespace(user, "mira")
    folder = space.folder(root)
    log = EventLog(folder)
    for number in range(20):
        name = ("", "monday", "天".encode().hex())[number % 3]
        op = EventType.ADD if name else EventType.NOTE
        append(log, NewEvent(op=op, ts=None, log=name, fields={"user": f"Sentence {number} 天"}))
    append(log, NewEvent(op=EventType.INIT, ts=None, fields={"secret": "ab" * 16}))
    log.rewrite("monday", log.content("monday") + b"no line\n")
    log.close()
    write_manifest(space, folder)
    return space


def bytes_of(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*.jsonl"))
    }


def test_logs_come_back_from_the_database_with_the_same_bytes(
    root: Path, engine: Engine, tmp_path: Path, primary: Server
) -> None:
    spaces = [fill(root, f"there and back {next(_NUMBERS)}") for _ in range(2)]
    copied = list(copy_logs(root, list_namespaces(root), source=EventLog, target=engine.open_log))
    assert len(copied) == 6
    assert sum(log.events for log in copied) == 42
    other = tmp_path / "other"
    for space in spaces:
        make_folder(space.folder(other))
        write_manifest(space, space.folder(other))
    back = postgres_engine(primary.dsn(), other, time_limit_s=30)
    again = list(copy_logs(other, list_namespaces(other), source=back.open_log, target=EventLog))
    back.close()
    assert bytes_of(other) == bytes_of(root)
    assert [log.sha256 for log in again] == [log.sha256 for log in copied]


def test_a_copy_that_was_cut_off_goes_on(root: Path, engine: Engine) -> None:
    space = fill(root, f"cut off {next(_NUMBERS)}")
    copies = copy_logs(root, list_namespaces(root), source=EventLog, target=engine.open_log)
    next(copies)
    copies.close()
    assert [
        log.is_new
        for log in copy_logs(root, list_namespaces(root), source=EventLog, target=engine.open_log)
    ] == [
        False,
        True,
        True,
    ]
    log = EventLog(space.folder(root))
    append(log, NewEvent(op=EventType.NOTE, ts=None, fields={"text": "later"}))
    log.close()
    again = list(copy_logs(root, list_namespaces(root), source=EventLog, target=engine.open_log))
    assert [(log.log, log.is_new) for log in again if log.is_new] == [("", True)]


def test_other_lines_in_the_target_are_never_replaced(root: Path, engine: Engine) -> None:
    space = fill(root, f"taken {next(_NUMBERS)}")
    taken = engine.open_log(space.folder(root))
    append(taken, NewEvent(op=EventType.ADD, ts=None, log="monday", fields={"user": "other"}))
    with pytest.raises(StorageFailed, match="other lines in monday"):
        list(copy_logs(root, list_namespaces(root), source=EventLog, target=engine.open_log))
    assert [event.fields["user"] for event in taken.read("monday").events] == ["other"]


def test_nothing_is_copied_while_another_program_writes(root: Path, engine: Engine) -> None:
    space = fill(root, f"written {next(_NUMBERS)}")
    writer = EventLog(space.folder(root))
    append(writer, NewEvent(op=EventType.NOTE, ts=None, fields={"text": "now"}))
    with pytest.raises(StorageLocked):
        list(copy_logs(root, list_namespaces(root), source=EventLog, target=engine.open_log))
    writer.close()


def test_the_command_moves_both_ways(
    root: Path, own_dsn: str, run_command: RunCommand, tmp_path: Path
) -> None:
    space = fill(root, f"command {next(_NUMBERS)}")
    ChatPauses(root).set_pause(space, "monday", PauseState(is_writing_paused=True))
    key = KeyFile(root).add("bot", ["ana"])
    there = run_command("move", "--to", own_dsn, "--storage", root)
    assert (there.returncode, "21 events in 3 logs" in there.stdout) == (0, True), there.stderr
    other = tmp_path / "other"
    other.mkdir()
    back = run_command("move", "--to", "local", "--dsn", own_dsn, "--storage", other)
    assert back.returncode == 0, back.stderr
    assert bytes_of(root).items() <= bytes_of(other).items()
    assert ChatPauses(other).is_writing_paused(space, "monday")
    assert KeyFile(other).find(key) is not None
    again = run_command("move", "--to", "local", "--dsn", own_dsn, "--storage", other)
    assert "; 0 of the logs were copied" in again.stdout, again.stderr


def test_a_move_without_a_database_says_what_is_missing(
    root: Path, run_command: RunCommand
) -> None:
    fill(root, "nowhere")
    done = run_command("move", "--to", "store", "--storage", root)
    assert (done.returncode, "no database is named" in done.stderr) == (2, True)
