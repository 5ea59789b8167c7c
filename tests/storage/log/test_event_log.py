"""EventLog: one sequence and one writer for all files, and permanent ids."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.domain.errors import StorageFailed, StorageLocked
from memory_core.storage.log.event_log import EventLog, LogPosition
from memory_core.storage.log.events import EventType, NewEvent
from tests.builders import append


def draft(log: str = "", text: str = "hello") -> NewEvent:
    return NewEvent(
        op=EventType.ADD if log else EventType.NOTE, ts=None, fields={"user": text}, log=log
    )


@pytest.fixture
def event_log(tmp_path: Path) -> Iterator[EventLog]:
    opened = EventLog(tmp_path / "space")
    yield opened
    opened.close()


def test_seq_rises_by_one_over_all_files(event_log: EventLog) -> None:
    logs = ["monday", "", "tuesday", "monday", ""]
    assert [append(event_log, draft(log)).events[0].seq for log in logs] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("last", ["monday", "", "tuesday"])
def test_seq_continues_after_the_last_process(event_log: EventLog, last: str) -> None:
    for log in ("monday", "", "tuesday", last):
        append(event_log, draft(log, "x" * 9000))
    event_log.close()
    assert append(EventLog(event_log.folder), draft("monday")).events[0].seq == 5


def test_new_ids_are_unique_and_given_ids_are_kept(event_log: EventLog) -> None:
    made = {append(event_log, draft()).events[0].id for _ in range(50)}
    assert len(made) == 50
    assert append(event_log, NewEvent(op=EventType.PIN, ts=None, id="mine")).events[0].id == "mine"


def test_events_written_together_have_consecutive_ids(event_log: EventLog) -> None:
    (run,) = event_log.append_all([draft("talk") for _ in range(3)])
    first, *others = (int(event.id, 16) for event in run.events)
    assert others == [(first + 1) % (1 << 64), (first + 2) % (1 << 64)]
    assert {len(event.id) for event in run.events} == {16}


def test_logs_lists_every_file_with_its_size(event_log: EventLog) -> None:
    append(event_log, draft("monday"))
    append(event_log, draft(""))
    assert event_log.logs() == {log: event_log.path(log).stat().st_size for log in ("", "monday")}


def test_missing_log_reads_as_empty(event_log: EventLog) -> None:
    assert event_log.read("absent").events == []


def test_eight_threads_get_different_seqs(event_log: EventLog) -> None:
    seqs: list[int] = []

    def write() -> None:
        seqs.extend(append(event_log, draft("monday")).events[0].seq for _ in range(10))

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seqs) == list(range(1, 81))
    assert sorted(event.seq for event in event_log.read("monday").events) == sorted(seqs)


OTHER_PROCESS = """
import sys
from pathlib import Path
from memory_core.domain.errors import StorageLocked
from memory_core.storage.log.events import NewEvent, EventType
from memory_core.storage.log.event_log import EventLog

log = EventLog(Path(sys.argv[1]))
read = len(log.read("monday").events)
try:
    list(log.append_all([NewEvent(op=EventType.ADD, ts=None, log="monday")]))
    written = "written"
except StorageLocked:
    written = "locked"
sys.stdout.write(f"{read} {written}")
"""


def in_another_process(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", OTHER_PROCESS, str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_a_second_process_reads_but_does_not_write(event_log: EventLog) -> None:
    append(event_log, draft("monday"))
    assert in_another_process(event_log.folder) == "1 locked"


def test_close_releases_the_lock(event_log: EventLog) -> None:
    append(event_log, draft("monday"))
    event_log.close()
    assert in_another_process(event_log.folder) == "1 written"
    assert append(event_log, draft("monday")).events[0].seq == 3


def test_a_lock_refused_costs_no_sequence_number(event_log: EventLog) -> None:
    append(event_log, draft("monday"))
    other = EventLog(event_log.folder)
    with pytest.raises(StorageLocked):
        append(other, draft("monday"))
    event_log.close()
    assert append(other, draft("monday")).events[0].seq == 2
    other.close()


def test_unopenable_lock_file_raises_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / ".lock").mkdir()
    with pytest.raises(StorageFailed, match=r"\.lock"):
        append(EventLog(tmp_path), draft())


def test_logs_read_to_their_ends_are_not_read_again(event_log: EventLog) -> None:
    for log in ("monday", "tuesday", "", "tuesday"):
        append(event_log, draft(log))
    ends = event_log.logs()
    append(event_log, draft("monday"))
    event_log.close()
    again = EventLog(event_log.folder)
    again.lock_for_writing(LogPosition(seq=4, ends=ends))
    assert append(again, draft("monday")).events[0].seq == 6
    again.close()
    again.lock_for_writing(LogPosition(seq=40, ends=ends))
    assert append(again, draft("monday")).events[0].seq == 41


def test_rewritten_log_is_continued_at_its_new_end(event_log: EventLog) -> None:
    first = append(event_log, draft("monday", "x" * 100)).events[0]
    whole = event_log.path("monday").read_bytes()
    append(event_log, draft("monday"))
    event_log.rewrite("monday", whole)
    last = append(event_log, draft("monday")).events[0]
    assert event_log.read("monday").events == [first, last]
    assert last.seq == 3
