"""Logs in tables: many writers at once, namespaces kept apart, failures that say so."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from memory_core.domain.errors import StorageFailed, StorageLocked
from memory_core.storage.log.events import Event, EventType, NewEvent
from memory_core.storage.postgres.claims import Claims
from memory_core.storage.postgres.database import Database
from memory_core.storage.postgres.table_log import TableLog
from tests.builders import append
from tests.programs import Program
from tests.scale.conftest import MakeLog
from tests.scale.servers import Server, cluster

WRITER = """
import sys
from pathlib import Path
from memory_core.storage.log.events import EventType, NewEvent
from memory_core.storage.postgres.claims import Claims
from memory_core.storage.postgres.database import Database
from memory_core.storage.postgres.table_log import TableLog

dsn, namespace, name, number = sys.argv[1:]
log = TableLog(Database(dsn), namespace, Path("none"))
for n in range(int(number)):
    draft = NewEvent(op=EventType.ADD, ts=None, log="talk", fields={"user": f"{name} {n}"})
    list(log.append_all([draft]))
    print(f"{name} {n}", flush=True)
"""


def note(text: str) -> NewEvent:
    return NewEvent(op=EventType.NOTE, ts=None, fields={"text": text})


def start_writer(server: Server, namespace: str, name: str, number: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WRITER, server.dsn(), namespace, name, str(number)]
    return Program(command, stdout=subprocess.PIPE, text=True)


def acknowledged(writers: Sequence["subprocess.Popen[str]"]) -> set[str]:
    return {line.strip() for writer in writers for line in writer.communicate()[0].splitlines()}


def test_four_processes_append_to_one_log_and_nothing_is_lost(
    primary: Server, database: Database
) -> None:
    writers = [start_writer(primary, "user/four", f"w{n}", 50) for n in range(4)]
    told = acknowledged(writers)
    found = TableLog(database, "user/four", Path("none")).read("talk")
    assert len(told) == 200
    assert sorted(str(event.fields["user"]) for event in found.events) == sorted(told)
    assert [event.seq for event in found.events] == list(range(1, 201))
    assert found.problems == []


def test_a_killed_process_loses_nothing_acknowledged_and_frees_the_lock(
    primary: Server, database: Database
) -> None:
    writer = start_writer(primary, "user/killed", "w", 100_000)
    assert writer.stdout is not None
    told = [writer.stdout.readline().strip() for _ in range(20)]
    writer.kill()
    told += [line.strip() for line in writer.communicate()[0].splitlines()]
    log = TableLog(database, "user/killed", Path("none"))
    append(log, note("after the kill"))
    found = [str(event.fields["user"]) for event in log.read("talk").events]
    assert found[: len(told)] == told
    assert len(found) - len(told) in (0, 1)  # the last one may be stored without an answer


def test_a_program_sees_that_another_one_appended(table_log: MakeLog) -> None:
    mine, other = table_log(), table_log()
    seq = append(mine, note("mine")).events[0].seq
    assert not mine.is_ahead_of(seq)
    append(other, note("theirs"))
    assert mine.is_ahead_of(seq)


def test_nobody_else_is_alone_inside_an_exclusive_block(table_log: MakeLog) -> None:
    mine, other = table_log(), table_log()
    with mine.exclusive(), mine.exclusive(), other.try_locked() as is_alone:
        assert not is_alone
        append(mine, note("inside"))
    with other.try_locked() as is_alone:
        assert is_alone


def test_background_work_of_a_namespace_is_done_by_one_program(database: Database) -> None:
    claims = [Claims(database) for _ in range(2)]
    mine, other = (TableLog(database, "user/jobs", Path("none"), own) for own in claims)
    mine.acquire_lock()
    mine.acquire_lock()
    with pytest.raises(StorageLocked, match="another program"):
        other.acquire_lock()
    append(other, note("writing is free"))
    mine.close()
    other.acquire_lock()
    for own in claims:
        own.close()


def test_row_level_security_hides_other_namespaces_from_a_wrong_query(
    table_log: MakeLog, database: Database
) -> None:
    append(table_log(), note("private"))
    for table in ("log_heads", "log_ends", "log_lines"):
        assert database.rows("user/other", f"SELECT * FROM {table}") == []  # noqa: S608
    with pytest.raises(StorageFailed, match="row-level security"):
        database.rows("user/other", "INSERT INTO log_heads VALUES ('user/mine', 9) RETURNING seq")


def test_a_server_that_is_gone_fails_clearly_and_is_found_again(tmp_path: Path) -> None:
    with cluster() as servers:
        (server,) = servers.servers
        database = Database(server.dsn())
        log = TableLog(database, "user/gone", tmp_path)
        append(log, note("before"))
        server.kill()
        with pytest.raises(StorageFailed, match=f"127.0.0.1:{server.port}"):
            append(log, note("lost"))
        server.start()
        assert _append_when_back(log).seq == 2
        database.close()


def _append_when_back(log: TableLog) -> Event:
    until = time.monotonic() + 60
    while True:
        try:
            return append(log, note("after")).events[0]
        except StorageFailed:
            assert time.monotonic() < until, "the server was not found again"
            time.sleep(0.1)
