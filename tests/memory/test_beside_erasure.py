"""Reads and writes during an erasure: nothing waits, and nothing gets lost."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from memory_core.admin.doctor import index_check
from memory_core.domain.errors import StorageFailed, WordsErased
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.contract import Page
from memory_core.storage.index.catalog import writes as rewriting
from memory_core.storage.index.catalog.database import Database
from memory_core.storage.index.fulltext.compaction import PostingCompactor
from memory_core.storage.index.local import LocalStore
from tests.builders import (
    SPACE,
    Clock,
    asked,
    derive_all,
    open_memory,
    opened_namespace,
    recalled,
    said,
    user_sides,
)
from tests.forensics import holding
from tests.meanwhile import PATIENCE_S

SECRET = "quetzalcoatlus"
Check = Callable[[LongTermMemory], None]

# The places at which the erasing thread is stopped, in the order in which it reaches them.
PHASES: dict[str, tuple[type | ModuleType, str]] = {
    "the logs are done": (LocalStore, "erase"),
    "the vectors are done": (PostingCompactor, "forget"),
    "the catalog is copied": (rewriting, "erase_words"),
    "the new catalog is written": (rewriting, "sync_to_disk"),
}


@pytest.fixture
def erased(tmp_path: Path) -> Iterator[LongTermMemory]:
    """Opens a memory with one exchange forgotten a moment ago."""
    memory = open_memory(tmp_path, embedder=FakeEmbedder())
    gone = memory.remember(SPACE, "old", said(f"I keep a {SECRET}"))
    for number in range(3):
        memory.remember(SPACE, "old", said(f"fact {number}"))
    derive_all(memory)
    memory.forget(SPACE, [gone])
    yield memory
    assert holding(memory.root, SECRET.encode()) == []


@pytest.fixture(params=PHASES)
def phase(request: pytest.FixtureRequest) -> tuple[type | ModuleType, str]:
    return PHASES[request.param]


@contextmanager
def stopped(
    memory: LongTermMemory, place: tuple[type | ModuleType, str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Erases in another thread, which stops at this place within the block."""
    owner, name = place
    has_come, goes_on = threading.Event(), threading.Event()
    was_let_go: list[bool] = []
    original = getattr(owner, name)

    def stop(*args: Any, **kwargs: Any) -> Any:
        has_come.set()
        was_let_go.append(goes_on.wait(PATIENCE_S))
        return original(*args, **kwargs)

    monkeypatch.setattr(owner, name, stop)
    thread = threading.Thread(target=partial(memory.erase_all_forgotten, SPACE))
    thread.start()
    assert has_come.wait(PATIENCE_S)
    try:
        yield
    finally:
        monkeypatch.setattr(owner, name, original)
        goes_on.set()
        thread.join(PATIENCE_S)
    assert was_let_go == [True], "something waited for the erasure"


def latest(memory: LongTermMemory) -> list[str]:
    return user_sides(memory.latest(SPACE, Page(limit=99)))


def remember(memory: LongTermMemory) -> Check:
    memory.remember(SPACE, "new", said("my parrot is called Ara"))

    def check(memory: LongTermMemory) -> None:
        assert "my parrot is called Ara" in latest(memory)
        assert recalled(memory.recall(SPACE, asked("my parrot")))[0] == "my parrot is called Ara"

    return check


def reconcile(memory: LongTermMemory) -> Check:
    """Edits an answer, removes one exchange and adds one; the forgotten one is still shown."""
    shown = [said(f"I keep a {SECRET}"), said("fact 0", "No."), said("fact 2"), said("fact 3")]
    memory.reconcile(SPACE, "old", shown, whole=True)

    def check(memory: LongTermMemory) -> None:
        found = [
            entry.exchange for entry in memory.conversation(SPACE, "old", 99) if entry.exchange
        ]
        pairs = [("fact 0", "No."), ("fact 2", "I see."), ("fact 3", "I see.")]
        assert [(entry.user, entry.assistant) for entry in found] == pairs
        assert not memory.compare(SPACE, "old", shown, whole=True)

    return check


def pin(memory: LongTermMemory) -> Check:
    new = memory.remember(SPACE, "new", said("my pin is red"))
    memory.pin(SPACE, new)
    return lambda memory: _equal(user_sides(memory.always_in_prompt(SPACE)), ["my pin is red"])


def note(memory: LongTermMemory) -> Check:
    memory.add_note(SPACE, "Ana sails", kind=MemoryKind.KNOWLEDGE, pinned=False)
    return lambda memory: _equal(user_sides(memory.always_in_prompt(SPACE)), ["Ana sails"])


def edit(memory: LongTermMemory) -> Check:
    new = memory.remember(SPACE, "new", said("my cat is grey"))
    memory.edit(SPACE, new, {"user": "my cat is black"})
    return lambda memory: _equal("my cat is black" in latest(memory), True)


def forget_at_once(memory: LongTermMemory) -> Check:
    new = memory.remember(SPACE, "new", said("my debts are large"))
    assert memory.forget(SPACE, [new]) == [new]
    return lambda memory: _equal("my debts are large" in latest(memory), False)


def forget_all_of_the_same_words(memory: LongTermMemory) -> Check:
    """Forgets an older memory, a new one and an edited one, all with equal text."""
    first = memory.latest(SPACE, Page(limit=99, words=("fact", "1")))[0].id
    second = memory.remember(SPACE, "new", said("fact 1"))
    third = memory.remember(SPACE, "new", said("fact one"))
    memory.edit(SPACE, third, {"user": "fact 1"})
    assert sorted(memory.forget(SPACE, [first])) == sorted([first, second, third])
    return lambda memory: _equal(sorted(latest(memory)), ["fact 0", "fact 2"])


def forget_and_bring_back(memory: LongTermMemory) -> Check:
    """Forgets and restores memories with equal text, one of them only just written."""
    first = memory.latest(SPACE, Page(limit=99, words=("fact", "1")))[0].id
    second = memory.remember(SPACE, "new", said("fact 1"))
    memory.forget(SPACE, [first])
    memory.unforget(SPACE, second)
    return lambda memory: _equal(sorted(latest(memory)), ["fact 0", "fact 1", "fact 1", "fact 2"])


def make_anew(memory: LongTermMemory) -> Check:
    memory.remember(SPACE, "new", said("something new"))
    memory.rebuild(SPACE)
    everything = ["fact 0", "fact 1", "fact 2", "something new"]
    return lambda memory: _equal(sorted(latest(memory)), everything)


def _equal(found: object, wanted: object) -> None:
    assert found == wanted


DEEDS = [
    remember,
    reconcile,
    pin,
    note,
    edit,
    forget_at_once,
    forget_all_of_the_same_words,
    forget_and_bring_back,
    make_anew,
]


@pytest.mark.parametrize("do", DEEDS)
def test_writes_during_an_erasure_take_effect_at_once_and_last(
    erased: LongTermMemory,
    phase: tuple[type | ModuleType, str],
    do: Callable[[LongTermMemory], Check],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with stopped(erased, phase, monkeypatch):
        check = do(erased)
        check(erased)
    check(erased)
    derive_all(erased)
    opened = opened_namespace(erased, SPACE)
    sizes = opened.event_log.logs()
    assert index_check.compare_with_log(opened.store, opened.event_log, sizes) == []
    erased.close()
    check(erased)
    assert erased.problems() == []


def test_unforget_refuses_a_memory_that_is_being_erased(
    erased: LongTermMemory,
    phase: tuple[type | ModuleType, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (gone,) = (entry.memory.id for entry in erased.forgotten(SPACE))
    with stopped(erased, phase, monkeypatch):
        with pytest.raises(WordsErased, match="its words are erased"):
            erased.unforget(SPACE, gone)
        assert erased.forgotten(SPACE) == []
    with pytest.raises(WordsErased, match="its words are erased"):
        erased.unforget(SPACE, gone)
    assert sorted(latest(erased)) == ["fact 0", "fact 1", "fact 2"]


def test_failed_erasure_refuses_unforget_and_is_repeated_at_the_next_try(
    erased: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    (gone,) = (entry.memory.id for entry in erased.forgotten(SPACE))

    def fails(*_: object) -> bool:
        raise StorageFailed("the disk is full")

    monkeypatch.setattr(Database, "replace_file", fails)
    with pytest.raises(StorageFailed, match="the disk is full"):
        erased.erase_all_forgotten(SPACE)
    monkeypatch.undo()
    erased.remember(SPACE, "new", said("something new"))
    with pytest.raises(WordsErased):
        erased.unforget(SPACE, gone)
    assert erased.erase_all_forgotten(SPACE) == 1
    assert sorted(latest(erased)) == ["fact 0", "fact 1", "fact 2", "something new"]


def test_log_that_could_not_be_rewritten_loses_nothing_and_is_rewritten_later(
    erased: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = opened_namespace(erased, SPACE)
    rewrite = opened.event_log.rewrite

    def fails(log: str, content: bytes) -> None:
        rewrite(log, content)
        raise StorageFailed("the disk does not answer")

    monkeypatch.setattr(opened.event_log, "rewrite", fails)
    with pytest.raises(StorageFailed, match="does not answer"):
        erased.erase_all_forgotten(SPACE)
    monkeypatch.undo()
    erased.remember(SPACE, "old", said("something new"))
    assert sorted(latest(erased)) == ["fact 0", "fact 1", "fact 2", "something new"]
    assert erased.erase_all_forgotten(SPACE) == 1


def test_many_adjacent_memories_erased_together_leave_nothing(
    tmp_path: Path,
) -> None:
    memory = open_memory(tmp_path, clock=Clock())
    ids = [
        memory.remember(SPACE, "talk", said(f"{SECRET} {number} " + f"w{number:03} " * 60))
        for number in range(120)
    ]
    derive_all(memory)
    for memory_id in ids[::3]:
        memory.edit(SPACE, memory_id, {"user": f"{SECRET} grew " * 90})
    derive_all(memory)
    memory.forget(SPACE, ids)
    assert memory.erase_all_forgotten(SPACE) == len(ids)
    assert holding(memory.root, SECRET.encode()) == []
