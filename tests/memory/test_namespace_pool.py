"""The pool of open namespaces: few at a time, and none waits for another."""

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_core.domain.errors import StorageFailed
from memory_core.domain.namespaces import Namespace
from memory_core.memory.namespace_memory import NamespaceMemory
from memory_core.memory.namespace_pool import NamespacePool
from memory_core.storage.aliases import Aliases
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.event_log import EventLog
from tests.builders import said

ANA, BOB, EVE = (Namespace(name, "mira") for name in ("ana", "bob", "eve"))
PATIENCE_S = 20.0


@pytest.fixture
def spaces(tmp_path: Path) -> Iterator[NamespacePool]:
    opened = NamespacePool(tmp_path, open_store=LocalStore, max_open=2)
    yield opened
    opened.close()


def remember(spaces: NamespacePool, namespace: Namespace, text: str = "hello") -> NamespaceMemory:
    with spaces.open_namespace(namespace) as opened:
        opened.remember("talk", said(text))
        return opened


def live(spaces: NamespacePool, namespace: Namespace) -> int:
    return spaces.query(namespace, lambda store: store.counts())["live"]


def test_namespace_whose_beginning_fails_is_not_kept_from_other_programs(tmp_path: Path) -> None:
    def begin(opened: NamespaceMemory) -> None:
        opened.event_log.lock_for_writing()
        raise StorageFailed("the disk does not answer")

    spaces = NamespacePool(tmp_path, open_store=LocalStore, begin=begin)
    with pytest.raises(StorageFailed) as caught:
        remember(spaces, ANA)
    other = EventLog(ANA.folder(tmp_path))
    assert other.lock_for_writing().holds_lock, caught
    other.close()
    spaces.close()


def test_pool_closes_the_least_recently_used_namespace(spaces: NamespacePool) -> None:
    first = {it: remember(spaces, it) for it in (ANA, BOB)}
    assert live(spaces, ANA) == 1
    remember(spaces, EVE)
    with spaces.open_namespace(ANA) as ana:
        assert ana is first[ANA]
    with spaces.open_namespace(BOB) as bob:
        assert bob is not first[BOB]
    assert spaces.open_count == 2


def test_closed_namespace_has_lost_nothing_and_is_unlocked(
    spaces: NamespacePool,
) -> None:
    for number in range(6):
        remember(spaces, Namespace(f"user {number}", "mira"))
    other = NamespaceMemory(Namespace("user 0", "mira").folder(spaces.root), open_store=LocalStore)
    other.remember("talk", said("from another program"))
    other.close()
    assert live(spaces, Namespace("user 0", "mira")) == 2


def test_counting_opens_only_a_namespace_whose_index_lacks_events(spaces: NamespacePool) -> None:
    remember(spaces, ANA)
    spaces.close()
    assert spaces.count_memories(ANA) == (1, 1)
    assert spaces.open_count == 0
    shutil.rmtree(ANA.folder(spaces.root) / "index")
    assert spaces.count_memories(ANA) == (1, 1)
    assert spaces.open_count == 1
    remember(spaces, ANA)
    assert spaces.count_memories(ANA) == (2, 1)


def test_closing_a_surplus_namespace_leaves_its_index_for_later(tmp_path: Path) -> None:
    followed: list[str] = []

    class Following(LocalStore):
        def apply(self, *given: Any, **more: Any) -> bool:
            followed.append(self.folder.parts[-3])
            return super().apply(*given, **more)

        def __init__(self, folder: Path) -> None:
            self.folder = folder
            super().__init__(folder)

    spaces = NamespacePool(tmp_path, open_store=Following, max_open=1)
    remember(spaces, ANA)
    remember(spaces, BOB)
    assert spaces.open_count == 1
    assert followed == []
    assert live(spaces, ANA) == 1
    assert followed == ["ana"]
    spaces.close()


def test_namespace_in_use_stays_open_beyond_the_limit(spaces: NamespacePool) -> None:
    with spaces.open_namespace(ANA) as ana, spaces.open_namespace(BOB), spaces.open_namespace(EVE):
        assert spaces.open_count == 3
        ana.remember("talk", said("hello"))
    assert spaces.open_count == 2


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="this system does not list them")
def test_many_users_need_few_open_files(spaces: NamespacePool) -> None:
    for space in (ANA, BOB, EVE):
        remember(spaces, space)
    before = len(os.listdir("/proc/self/fd"))
    for number in range(40):
        remember(spaces, Namespace(f"user {number}", "mira"))
    assert len(os.listdir("/proc/self/fd")) <= before


def test_slow_opening_of_one_namespace_delays_no_other(tmp_path: Path) -> None:
    goes_on, opening = threading.Event(), threading.Event()

    def slow(folder: Path) -> LocalStore:
        if ANA.folder(tmp_path) in folder.parents:
            opening.set()
            assert goes_on.wait(PATIENCE_S)
        return LocalStore(folder)

    spaces = NamespacePool(tmp_path, open_store=slow)
    thread = threading.Thread(target=remember, args=(spaces, ANA))
    thread.start()
    assert opening.wait(PATIENCE_S)
    remember(spaces, BOB)
    assert live(spaces, BOB) == 1
    goes_on.set()
    thread.join(PATIENCE_S)
    assert live(spaces, ANA) == 1
    spaces.close()


def test_slow_write_in_one_namespace_delays_no_other(spaces: NamespacePool) -> None:
    with spaces.open_namespace(ANA) as ana, ana._lock:  # as while the disk is syncing
        thread = threading.Thread(target=remember, args=(spaces, BOB))
        thread.start()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
        assert live(spaces, ANA) == 0  # nor is a reader of the same one


def test_exclusive_waits_for_users_and_keeps_others_waiting(spaces: NamespacePool) -> None:
    told: list[str] = []
    is_alone, goes_on = threading.Event(), threading.Event()

    def take() -> None:
        with spaces.exclusive(ANA):
            told.append("alone")
            is_alone.set()
            goes_on.wait(PATIENCE_S)

    def use() -> None:
        remember(spaces, ANA)
        told.append("used")

    taking, using = threading.Thread(target=take), threading.Thread(target=use)
    with spaces.open_namespace(ANA):
        taking.start()
        assert told == []
    assert is_alone.wait(PATIENCE_S)
    using.start()
    using.join(0.05)
    assert told == ["alone"]
    goes_on.set()
    for thread in (taking, using):
        thread.join(PATIENCE_S)
    assert told == ["alone", "used"]


def test_folder_of_a_closed_namespace_can_be_exchanged(spaces: NamespacePool) -> None:
    remember(spaces, ANA)
    with spaces.closed([ANA, BOB]):
        ANA.folder(spaces.root).parent.rename(BOB.folder(spaces.root).parent)
    assert (live(spaces, ANA), live(spaces, BOB)) == (0, 1)


def test_namespace_that_failed_to_open_can_be_opened_later(tmp_path: Path) -> None:
    tries: list[Path] = []

    def fails_first(folder: Path) -> LocalStore:
        tries.append(folder)
        if len(tries) == 1:
            raise StorageFailed("no space left")
        return LocalStore(folder)

    spaces = NamespacePool(tmp_path, open_store=fails_first)
    with pytest.raises(StorageFailed, match="no space left"):
        remember(spaces, ANA)
    remember(spaces, ANA)
    spaces.close()


def test_damage_is_reported_after_the_namespace_was_closed(spaces: NamespacePool) -> None:
    remember(spaces, ANA, "first")
    remember(spaces, ANA, "second")
    spaces.close()
    log = ANA.folder(spaces.root) / "conversations" / "talk.jsonl"
    log.write_bytes(log.read_bytes().replace(b"first", b"fists"))
    (ANA.folder(spaces.root) / "index" / "catalogue.sqlite").unlink()
    assert live(spaces, ANA) == 1
    spaces.close()
    (problem,) = spaces.problems()
    assert "talk.jsonl, byte 0" in problem


def test_visible_until_seq_is_that_of_the_first_opening(spaces: NamespacePool) -> None:
    remember(spaces, ANA)
    spaces.close()
    other = NamespacePool(spaces.root, open_store=LocalStore, max_open=1)
    remember(other, ANA)
    remember(other, BOB)
    remember(other, ANA)
    assert other.visible_until[ANA] == 1
    other.close()


def test_namespace_with_a_deleted_folder_starts_empty_and_reports_it(spaces: NamespacePool) -> None:
    remember(spaces, ANA, "the old life")
    shutil.rmtree(ANA.folder(spaces.root))
    assert live(spaces, ANA) == 0
    remember(spaces, ANA, "the new life")
    remember(spaces, ANA, "goes on")
    assert live(spaces, ANA) == 2
    assert spaces.visible_until[ANA] == 0
    (problem,) = spaces.problems()
    assert "was deleted or exchanged while in use" in problem
    spaces.close()
    assert live(spaces, ANA) == 2


def test_namespace_with_a_restored_folder_shows_the_restored_memories(
    spaces: NamespacePool,
) -> None:
    remember(spaces, ANA, "first")
    folder = ANA.folder(spaces.root)
    folder.rename(spaces.root / "elsewhere")
    assert live(spaces, ANA) == 0
    shutil.rmtree(folder)
    (spaces.root / "elsewhere").rename(folder)
    remember(spaces, ANA, "second")
    assert live(spaces, ANA) == 2


def test_index_rebuilt_by_another_program_is_opened_again(spaces: NamespacePool) -> None:
    other = NamespaceMemory(ANA.folder(spaces.root), open_store=LocalStore)
    other.remember("talk", said("from another program"))
    assert live(spaces, ANA) == 1
    other.rebuild()
    other.remember("talk", said("and more"))
    assert other.query(lambda store: store.counts())["live"] == 2
    assert live(spaces, ANA) == 2
    other.close()


def test_replaced_namespace_stays_open_while_it_is_used(spaces: NamespacePool) -> None:
    remember(spaces, ANA)
    assert live(spaces, ANA) == 1
    with spaces.open_namespace(ANA) as ana:
        shutil.rmtree(ANA.folder(spaces.root))
        with spaces.open_namespace(ANA) as still:
            assert still is ana
            assert live(spaces, ANA) == 1
    with spaces.open_namespace(ANA) as again:
        assert again is not ana


def test_an_open_namespace_follows_its_name_once_the_aliases_change(tmp_path: Path) -> None:
    known = [Aliases()]
    pool = NamespacePool(tmp_path, open_store=LocalStore, aliases=lambda: known[-1])
    with pool.open_namespace(ANA) as before:
        assert pool.resolve(ANA) == ANA
    known.append(Aliases(namespaces={ANA: BOB}))
    assert pool.resolve(ANA) == BOB
    with pool.open_namespace(ANA) as after:
        assert after.folder == BOB.folder(tmp_path) != before.folder
    known.append(Aliases())
    assert pool.resolve(ANA) == ANA
    pool.close()
