"""The contract of the event log, over files and over tables: positions and bytes are the same."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_core.storage.log.contract import Log
from memory_core.storage.log.erasure import purge_content
from memory_core.storage.log.event_log import EventLog
from memory_core.storage.log.events import EventType, NewEvent, pack
from tests.builders import append
from tests.scale.conftest import MakeLog

OpenLog = Callable[[], Log]


def draft(log: str = "", text: str = "hello") -> NewEvent:
    return NewEvent(
        op=EventType.ADD if log else EventType.NOTE, ts=None, fields={"user": text}, log=log
    )


@pytest.fixture(params=["files", "tables"])
def open_log(
    request: pytest.FixtureRequest, tmp_path: Path, table_log: MakeLog
) -> Iterator[OpenLog]:
    opened: list[Log] = []

    def open_one() -> Log:
        while opened:
            opened.pop().close()
        opened.append(EventLog(tmp_path / "space") if request.param == "files" else table_log())
        return opened[-1]

    yield open_one
    while opened:
        opened.pop().close()


def test_seq_rises_by_one_over_all_logs_and_openings(open_log: OpenLog) -> None:
    first = open_log()
    assert [append(first, draft(log)).events[0].seq for log in ("monday", "", "friday")] == [
        1,
        2,
        3,
    ]
    assert append(open_log(), draft("monday")).events[0].seq == 4


def test_events_written_together_have_consecutive_ids(open_log: OpenLog) -> None:
    (run,) = open_log().append_all([draft("talk") for _ in range(3)])
    first, *others = (int(event.id, 16) for event in run.events)
    assert others == [(first + 1) % (1 << 64), (first + 2) % (1 << 64)]


def test_offsets_are_those_of_the_lines_bytes(open_log: OpenLog) -> None:
    log, end = open_log(), 0
    for text in ("a", "ünï", "天気\n\r\0"):
        appended = append(log, draft("monday", text))
        assert appended.start == end
        end += len(pack(appended.events[0]))
        assert appended.end == end
    assert log.logs() == {"monday": end}


def test_events_are_read_back_from_any_line(open_log: OpenLog) -> None:
    log = open_log()
    written = [append(log, draft("monday", text)) for text in ("a", "b\n", "c\ud800")]
    whole, rest = log.read("monday"), log.read("monday", written[1].start)
    assert whole.events == [event for run in written for event in run.events]
    assert (whole.offsets, whole.end) == ([run.start for run in written], written[-1].end)
    assert (rest.events, rest.end) == (whole.events[1:], whole.end)
    assert log.read("monday", last=2).events == whole.events[:2]
    assert log.read_again("monday", [written[2].start, 10**6]) == {
        (written[2].start, 3): whole.events[2]
    }


def test_nothing_is_read_behind_the_end_or_of_a_missing_log(open_log: OpenLog) -> None:
    log = open_log()
    end = append(log, draft("monday")).end
    assert (log.read("monday", end).events, log.read("monday", end).end) == ([], end)
    assert (log.read("absent").events, log.read("absent").end) == ([], 0)
    assert (log.has_log("monday"), log.has_log("absent")) == (True, False)


def test_line_ends_are_known(open_log: OpenLog) -> None:
    log = open_log()
    first, second = append(log, draft("monday")), append(log, draft("monday"))
    ends = [0, first.end, first.end - 1, second.end]
    assert [log.is_line_end("monday", end) for end in ends] == [True, True, False, True]


def test_secrets_are_those_of_the_log_in_their_order(open_log: OpenLog) -> None:
    log = open_log()
    assert log.secrets() == []
    for secret in ("cd" * 16, "ab" * 16, "cd" * 16):
        append(log, NewEvent(op=EventType.INIT, ts=None, fields={"secret": secret}))
        append(log, draft(""))
    assert log.secrets() == open_log().secrets() == ["cd" * 16, "ab" * 16]


def test_eight_threads_get_different_seqs(open_log: OpenLog) -> None:
    log = open_log()
    seqs: list[int] = []

    def write() -> None:
        seqs.extend(append(log, draft("monday")).events[0].seq for _ in range(10))

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seqs) == list(range(1, 81))
    assert [event.seq for event in log.read("monday").events] == sorted(seqs)


def test_a_rewritten_log_has_other_bytes_and_goes_on_behind_them(open_log: OpenLog) -> None:
    log = open_log()
    first, second = (append(log, draft("monday", text)).events[0] for text in ("secret", "kept"))
    log.rewrite("monday", purge_content(log.read("monday"), [first.id]))
    third = append(log, draft("monday", "new")).events[0]
    found = log.read("monday").events
    assert [event.fields["user"] for event in found] == ["", "kept", "new"]
    assert (found[1:], third.seq) == ([second, third], 3)
    assert log.logs() == {"monday": sum(len(pack(event)) for event in found)}


def test_damaged_lines_keep_their_bytes_and_are_reported(open_log: OpenLog) -> None:
    log = open_log()
    content = b"no line\n" + pack(append(log, draft("monday")).events[0]) + b"\r\n"
    log.rewrite("monday", content)
    found = log.read("monday")
    assert (len(found.events), found.offsets, len(found.problems)) == (1, [8], 2)
    assert log.logs() == {"monday": len(content)}


def test_the_lock_can_be_tried_and_is_free_again(open_log: OpenLog) -> None:
    log = open_log()
    append(log, draft("monday"))
    with log.try_locked() as is_alone:
        assert is_alone
        assert append(log, draft("monday")).events[0].seq == 2
    log.close()
    with open_log().try_locked() as is_alone:
        assert is_alone
