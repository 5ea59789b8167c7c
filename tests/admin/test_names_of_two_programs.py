"""Two programs that change names at the same time lose neither name."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.file_calls import CountCalls, met
from memory_core.admin import names
from memory_core.domain.errors import StorageLocked
from memory_core.domain.namespaces import Namespace
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.aliases import lock_aliases
from memory_core.storage.contract import Page
from tests.builders import merge, open_memory, rename, said, user_sides

KAI, ZOE, KIM, ZIA = (Namespace("ana", name) for name in ("kai", "zoe", "kim", "zia"))
_BESIDE_S = 20.0  # machines are busy
_REPLACEMENTS = 3  # of a rename: twice the aliases, and the manifest


class HearWaiting(logging.Handler):
    """Sets the event once filelock logs that the current thread waits for a lock."""

    def __init__(self, waits: threading.Event) -> None:
        super().__init__()
        self._waits = waits
        self._thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread == self._thread and "waiting" in record.msg:
            self._waits.set()


@contextmanager
def hearing_waits(waits: threading.Event) -> Iterator[None]:
    logger, hear = logging.getLogger("filelock"), HearWaiting(waits)
    level = logger.level
    logger.addHandler(hear)
    logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(hear)


class RunBeside(CountCalls):
    """Lets another program work before the call with this number, until it ends or waits."""

    def __init__(self, number: int, work: Callable[[], None]) -> None:
        super().__init__()
        self._number = number
        self._work = work
        self._ends_or_waits = threading.Event()
        self.other = threading.Thread(target=self._run)

    def __call__(self, name: str) -> None:
        if len(self.names) == self._number:
            self.other.start()
            assert self._ends_or_waits.wait(_BESIDE_S)
        super().__call__(name)

    def _run(self) -> None:
        try:
            with hearing_waits(self._ends_or_waits):
                self._work()
        finally:
            self._ends_or_waits.set()


@pytest.fixture
def one(tmp_path: Path) -> LongTermMemory:
    memory = open_memory(tmp_path)
    for space in (KAI, ZOE):
        memory.remember(space, "talk", said(f"I am with {space.character}"))
    memory.close()
    return memory


@pytest.mark.parametrize("number", range(_REPLACEMENTS))
@pytest.mark.parametrize("change", [rename, names.add_alias, merge])
def test_names_given_at_the_same_time_both_hold(
    one: LongTermMemory, tmp_path: Path, number: int, change: Callable[..., object]
) -> None:
    other = open_memory(tmp_path)
    new = KIM if change is merge else ZIA
    if change is merge:
        other.remember(KIM, "talk", said("I am with kim"))
        other.close()
    args = (ZIA, ZOE) if change is names.add_alias else (ZOE, new)
    beside = RunBeside(number, lambda: change(other, *args))
    with met(("replace",), beside):
        rename(one, KAI, Namespace("ana", "kay"))
    beside.other.join()
    fresh = open_memory(tmp_path)
    assert fresh.resolve(KAI) == Namespace("ana", "kay")
    assert fresh.resolve(args[0]) == args[1]
    for space in (KAI, ZOE):
        found = user_sides(fresh.latest(space, Page(limit=9)))
        assert f"I am with {space.character}" in found


def test_name_cannot_be_changed_while_another_program_changes_one(
    one: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory_core.storage.aliases._TIMEOUT_S", 0.0)
    with lock_aliases(one.root), pytest.raises(StorageLocked, match="changes names"):
        rename(one, KAI, KIM)
    rename(one, KAI, KIM)
    assert one.resolve(KAI) == KIM
