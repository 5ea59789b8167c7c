"""The writer's thread lets prompts go first, unless somebody waits for the writer."""

import errno
import threading
from collections.abc import Iterator

import pytest

from memory_core.infra.deadlines import time_limit
from memory_core.memory import writer_thread as writer_module
from memory_core.memory.writer_thread import Writer

LONG_S = 60.0
MOMENT_S = 0.2


class Reports:
    def __init__(self) -> None:
        self.told: dict[str, str] = {}
        self.cleared: set[str] = set()

    def report(self, part: str, problem: str) -> None:
        self.told[part] = problem

    def clear(self, part: str) -> None:
        self.told.pop(part, None)
        self.cleared.add(part)

    def report_bug(self, event: str, exc: Exception) -> None:
        self.told["bug"] = f"{event}: {type(exc).__name__}"


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch) -> Writer:
    """Returns a writer that waits for prompts without a time limit."""
    monkeypatch.setattr(writer_module, "_YIELD_S", LONG_S)
    return Writer(Reports())


@pytest.fixture
def start(writer: Writer) -> Iterator[threading.Thread]:
    stopping = threading.Event()
    thread = threading.Thread(target=writer.run, args=(stopping,))
    yield thread
    stopping.set()
    writer.jobs.wake()
    thread.join(LONG_S)


def test_job_waits_for_prompts_unless_somebody_waits_for_it(
    writer: Writer, start: threading.Thread
) -> None:
    ordinary, wanted = threading.Event(), threading.Event()
    with time_limit(LONG_S):
        writer.jobs.submit(ordinary.set, "ana")
        writer.jobs.submit(wanted.set, "bob")
        writer.jobs.prioritise("bob")
        start.start()
        assert wanted.wait(LONG_S)
        assert not ordinary.wait(MOMENT_S)
    assert ordinary.wait(LONG_S)


def test_job_waits_for_no_prompt_once_much_waits(
    writer: Writer, start: threading.Thread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "_MAX_WAITING_TO_YIELD", 1)
    done = threading.Event()
    with time_limit(LONG_S):
        writer.jobs.submit(done.set, "ana")
        start.start()
        assert done.wait(LONG_S)


def test_duty_goes_on_while_one_of_them_fails(writer: Writer, start: threading.Thread) -> None:
    looked = threading.Event()

    def failing() -> None:
        raise PermissionError(13, "Permission denied", "chat.json")

    writer.duties.append(failing)
    writer.duties.append(looked.set)
    start.start()
    assert looked.wait(LONG_S)


def test_problem_of_one_duty_is_reported_once_while_others_succeed() -> None:
    reports, second = Reports(), threading.Event()
    rounds = iter((lambda: None, second.set))

    def failing() -> None:
        raise OSError(errno.EROFS, "Read-only file system", "chat.jsonl")

    writer = Writer(reports)
    writer.duties.append(failing)
    writer.duties.append(lambda: next(rounds, lambda: None)())
    stopping = threading.Event()
    thread = threading.Thread(target=writer.run, args=(stopping,))
    thread.start()
    assert second.wait(LONG_S)
    stopping.set()
    writer.jobs.wake()
    thread.join(LONG_S)
    assert not reports.cleared.intersection(reports.told)
    assert list(reports.told.values()) == [
        "not remembered yet: chat.jsonl: Read-only file system "
        "(make the disk writable, or choose a folder on another one)"
    ]
