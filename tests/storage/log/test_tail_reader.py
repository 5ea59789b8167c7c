"""Events read while another program writes never refer to an event that was not read."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_core.storage.log.event_log import EventLog
from memory_core.storage.log.events import Event, EventType, NewEvent
from memory_core.storage.log.log_file import LogSlice
from memory_core.storage.log.tail_reader import UnreadEvents, read_unread
from tests.builders import append


class Watched(EventLog):
    """A log that grows after each look at the sizes."""

    def __init__(self, folder: Path, meanwhile: Callable[[], None]) -> None:
        super().__init__(folder)
        self._meanwhile = meanwhile

    def logs(self) -> dict[str, int]:
        found = super().logs()
        self._meanwhile()
        return found


class Hurried(EventLog):
    """A log that grows after each read."""

    def __init__(self, folder: Path, meanwhile: Callable[[], None]) -> None:
        super().__init__(folder)
        self._meanwhile = meanwhile

    def read(self, log: str, start: int = 0, *, last: int | None = None) -> LogSlice:
        found = super().read(log, start, last=last)
        self._meanwhile()
        return found


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[EventLog]:
    made = EventLog(tmp_path)
    yield made
    made.close()


def say_and_forget(writer: EventLog, name: str) -> None:
    text = {"user": name, "assistant": "I see."}
    append(writer, NewEvent(op=EventType.ADD, id=name, log="talk", ts=None, fields=text))
    append(writer, NewEvent(op=EventType.FORGET, id=name, ts=None))


def events_of(found: UnreadEvents) -> list[Event]:
    return [line for lines, _ in found.batches(2) for line in lines]


def test_forget_event_is_never_read_without_its_exchange(writer: EventLog) -> None:
    names = iter(["two", "three", "four"])
    say_and_forget(writer, "one")
    reader = Watched(writer.folder, lambda: say_and_forget(writer, next(names)))
    found = read_unread(reader, {}, reader.logs())
    assert [(event.op, event.id) for event in events_of(found)] == [
        *((EventType.ADD, "one"), (EventType.FORGET, "one")),
        *((EventType.ADD, "two"), (EventType.FORGET, "two")),
    ]
    rest = read_unread(reader, found.ends, writer.logs())
    assert [event.id for event in events_of(rest)] == ["three", "three"]


def test_lines_after_the_first_reads_last_seq_are_left_for_later(
    writer: EventLog,
) -> None:
    names = iter(["two", "three", "four", "five"])
    say_and_forget(writer, "one")
    reader = Hurried(writer.folder, lambda: say_and_forget(writer, next(names)))
    found = read_unread(reader, {}, reader.logs())
    lines = [(event.seq, event.op, event.id) for event in events_of(found)]
    assert lines == [
        (1, EventType.ADD, "one"),
        (2, EventType.FORGET, "one"),
        (3, EventType.ADD, "two"),
    ]


@pytest.mark.parametrize(("most", "sizes"), [(2, [2, 2]), (3, [3, 1]), (4, [4])])
def test_offsets_come_with_the_last_batch(writer: EventLog, most: int, sizes: list[int]) -> None:
    for name in ("one", "two"):
        say_and_forget(writer, name)
    steps = list(read_unread(writer, {}, writer.logs()).batches(most))
    assert [len(lines) for lines, _ in steps] == sizes
    assert [dict(ends) for _, ends in steps] == [*[{}] * (len(sizes) - 1), writer.logs()]
    assert list(read_unread(writer, writer.logs(), writer.logs()).batches(3)) == []


def test_offsets_advance_even_if_every_line_is_damaged(writer: EventLog) -> None:
    say_and_forget(writer, "one")
    path = writer.path("talk")
    path.write_bytes(path.read_bytes().replace(b"one", b"eno"))
    found = read_unread(writer, {"": writer.logs()[""]}, writer.logs())
    assert len(found.problems) == 1
    assert list(found.batches(3)) == [([], {"talk": path.stat().st_size})]


def test_events_of_several_logs_come_in_the_order_of_their_seq(
    writer: EventLog,
) -> None:
    for n in range(30):
        draft = NewEvent(
            op=EventType.ADD, id=f"{n}", log=f"talk{n % 7}", ts=None, fields={"user": "é"}
        )
        append(writer, draft)
    assert [event.id for event in events_of(read_unread(writer, {}, writer.logs()))] == [
        f"{n}" for n in range(30)
    ]


def test_lines_around_a_damaged_newline_are_both_read(writer: EventLog) -> None:
    say_and_forget(writer, "one")
    say_and_forget(writer, "two")
    path = writer.path("talk")
    path.write_bytes(path.read_bytes().replace(b"}\n{", b"}?{"))
    found = events_of(read_unread(writer, {}, writer.logs()))
    assert [(event.op, event.id) for event in found if event.op is EventType.ADD] == [
        (EventType.ADD, "one"),
        (EventType.ADD, "two"),
    ]


def test_log_rewritten_before_its_batch_ends_the_reading(writer: EventLog) -> None:
    for name in ("one", "two", "three"):
        say_and_forget(writer, name)
    found = read_unread(writer, {}, writer.logs())
    steps = found.batches(2)
    assert [event.id for event in next(steps)[0]] == ["one", "one"]
    path = writer.path("talk")
    path.write_bytes(b"\n" + path.read_bytes())
    assert list(steps) == []
    assert not found.is_complete
