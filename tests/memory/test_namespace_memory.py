"""Derived files can be lost at any time, and erased memories are gone."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from memory_core.domain.errors import StorageFailed, StorageLocked, UnknownMemory
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.namespace_memory import NamespaceMemory
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.index.local import LocalStore
from memory_core.storage.index.vectors.segment_list import ChunkSizes
from memory_core.storage.log.events import EventType, NewEvent
from tests.builders import (
    NOW,
    SPACE,
    Clock,
    asked,
    derive_all,
    destroy,
    open_memory,
    opened_namespace,
    recalled,
    said,
    user_sides,
)
from tests.conftest import OpenMemory

QUESTIONS = ["What is my dog called?", "nuts", "我的狗叫什么名字", "Where do I work?"]
SECRET = "quetzalcoatlus"


def fill(memory: LongTermMemory) -> None:
    """Writes two conversations and notes, in turns."""
    memory.remember(SPACE, "monday", said("My dog is called Bruno", ts=NOW))
    memory.remember(SPACE, "tuesday", said("I work as a beekeeper", ts=NOW + 1))
    note = memory.add_note(SPACE, "Ana must not eat nuts", kind=MemoryKind.KNOWLEDGE, pinned=False)
    memory.remember(SPACE, "monday", said("我的狗叫小黑", ts=NOW + 2))
    memory.pin(SPACE, note)
    first = memory.get_records(
        SPACE, [exchange.id for exchange in memory.conversation(SPACE, "tuesday", 1)]
    )
    memory.edit(SPACE, next(iter(first)), {"user": "I work as a beekeeper in Graz"})
    gone = memory.remember(SPACE, "tuesday", said(f"I keep a {SECRET}", ts=NOW + 3))
    memory.forget(SPACE, [gone])
    derive_all(memory)


def answers(memory: LongTermMemory) -> list[list[tuple[str, float]]]:
    """Returns the recalled texts for every question, with their scores."""
    return [
        [(recalled.memory.text, round(recalled.candidate.score, 4)) for recalled in found.kept]
        for found in (memory.recall(SPACE, asked(text)) for text in QUESTIONS)
    ]


def disk(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.fixture
def reopened(opened: OpenMemory) -> OpenMemory:
    """Returns a function that opens the folder again, with all vectors made."""

    def reopen() -> LongTermMemory:
        again = opened(embedder=FakeEmbedder())
        derive_all(again)
        return again

    return reopen


@pytest.fixture
def whole(opened: OpenMemory) -> tuple[Path, list[list[tuple[str, float]]]]:
    """Returns a closed folder, and the answers recalled from it."""
    store = partial(LocalStore, sizes=ChunkSizes(chunk=4))  # so that rows reach zarr
    memory = opened(embedder=FakeEmbedder(), open_store=store)
    fill(memory)
    found = answers(memory)
    memory.close()
    assert found[0][0][0].startswith("Ana: My dog is called Bruno")
    return SPACE.folder(memory.root), found


Whole = tuple[Path, list[list[tuple[str, float]]]]


def test_recall_after_a_rebuild_from_the_logs_is_unchanged(
    whole: Whole, reopened: OpenMemory
) -> None:
    folder, before = whole
    shutil.rmtree(folder / "index")
    assert answers(reopened()) == before


def test_a_rebuild_changes_no_entry(whole: Whole, reopened: OpenMemory) -> None:
    memory = reopened()
    ids = [
        exchange.id
        for exchange in memory.conversation(SPACE, "monday", 9) + memory.always_in_prompt(SPACE)
    ]
    before = memory.get_records(SPACE, ids)
    memory.rebuild(SPACE)
    assert memory.get_records(SPACE, ids) == before
    assert user_sides(memory.always_in_prompt(SPACE)) == ["Ana must not eat nuts"]


def test_a_rebuild_follows_the_sequence_over_all_files(memory: LongTermMemory) -> None:
    kept = memory.remember(SPACE, "monday", said("one"))
    memory.edit(SPACE, kept, {"user": "two"})
    memory.reconcile(SPACE, "monday", [said("three")], whole=True)
    memory.rebuild(SPACE)
    assert user_sides(memory.conversation(SPACE, "monday", 1)) == ["three"]


def _garbage(path: Path) -> None:
    path.write_bytes(np.random.default_rng(3).bytes(max(64, path.stat().st_size)))


def _half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _garbled_middle(path: Path) -> None:
    data = bytearray(path.read_bytes())
    third = len(data) // 3
    data[third : 2 * third] = np.random.default_rng(3).bytes(third)
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [_garbage, _half, _garbled_middle, Path.unlink])
@pytest.mark.parametrize(
    "pattern", ["catalogue.sqlite", "**/tail.f16", "**/embeddings.zarr/**/*.json"]
)
def test_a_damaged_derived_file_changes_nothing(
    whole: Whole, reopened: OpenMemory, pattern: str, damage: Callable[[Path], None]
) -> None:
    folder, before = whole
    damaged = list((folder / "index").glob(pattern))
    assert damaged
    for path in damaged:
        damage(path)
    assert answers(reopened()) == before


def test_a_log_that_became_shorter_is_read_again(whole: Whole, reopened: OpenMemory) -> None:
    folder, _ = whole
    log = folder / "conversations" / "monday.jsonl"
    log.write_bytes(log.read_bytes().splitlines(keepends=True)[0])
    memory = reopened()
    assert user_sides(memory.conversation(SPACE, "monday", 9)) == ["My dog is called Bruno"]


def test_damaged_line_is_reported_and_the_others_are_used(
    whole: Whole, reopened: OpenMemory
) -> None:
    folder, _ = whole
    log = folder / "conversations" / "monday.jsonl"
    log.write_bytes(log.read_bytes().replace(b"Bruno", b"Brunx"))
    shutil.rmtree(folder / "index")
    memory = reopened()
    assert user_sides(memory.conversation(SPACE, "monday", 9)) == ["我的狗叫小黑"]
    (problem,) = memory.problems()
    assert "monday.jsonl, byte 0" in problem


def test_the_secret_is_created_once(opened: OpenMemory) -> None:
    memory = opened()
    made = opened_namespace(memory, SPACE).secret()
    assert opened_namespace(memory, SPACE).secret() == made
    memory.close()
    assert opened_namespace(opened(), SPACE).secret() == made
    assert len(bytes.fromhex(made)) == 16


def test_index_follows_the_first_tombstone_without_reading_the_logs_again(
    memory: LongTermMemory,
) -> None:
    gone = memory.remember(SPACE, "monday", said("hello"))
    namespace = opened_namespace(memory, SPACE)
    namespace.sync_index()
    memory.forget(SPACE, [gone])
    notes = SPACE.folder(memory.root) / "notes.jsonl"
    away = notes.rename(notes.with_suffix(".away"))
    namespace.sync_index()
    away.rename(notes)
    assert namespace.store.positions()[""] == notes.stat().st_size
    assert memory.counts(SPACE)["forgotten"] == 1


def test_write_succeeds_although_the_store_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = NamespaceMemory(tmp_path, open_store=LocalStore)

    def fails(*_: object, **__: object) -> None:
        raise StorageFailed("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(opened.store, "apply", fails)
        line = opened.remember("monday", said("first"))
        assert opened.query(lambda store: store.counts())["live"] == 0
    assert "the disk is full" in opened.problems.all()[0]
    assert not opened.reconcile("monday", [said("first")], whole=True, now=NOW)
    assert opened.get_record(line.id).memory.exchange == said("first")
    assert opened.problems.all() == [], "it is solved"
    opened.close()


def test_an_unknown_id_is_refused_before_anything_is_written(memory: LongTermMemory) -> None:
    known = memory.remember(SPACE, "monday", said("hello"))
    with pytest.raises(UnknownMemory):
        memory.forget(SPACE, [known, "absent"])
    assert memory.counts(SPACE)["forgotten"] == 0


# ---- erasing


@pytest.fixture
def secretive(opened: OpenMemory) -> LongTermMemory:
    """Remembers a secret in an exchange, its edit and a note, all forgotten; and other things."""
    memory = opened(embedder=FakeEmbedder())
    memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    memory_id = memory.remember(SPACE, "monday", said(f"I keep a {SECRET}", f"A {SECRET}? Wow."))
    memory.edit(SPACE, memory_id, {"user": f"I kept a {SECRET} once"})
    note = memory.add_note(SPACE, f"Ana has a {SECRET}", kind=MemoryKind.DIARY, pinned=True)
    memory.remember(SPACE, "tuesday", said("I work as a beekeeper"))
    derive_all(memory)
    memory.forget(SPACE, [memory_id, note])
    return memory


def test_erased_words_are_in_no_file_any_more(secretive: LongTermMemory) -> None:
    folder = SPACE.folder(secretive.root)
    assert SECRET.encode() in disk(folder)
    assert secretive.erase_all_forgotten(SPACE) == 2
    assert SECRET.encode() not in disk(folder)
    assert secretive.erase_all_forgotten(SPACE) == 0


def test_erasing_harms_no_other_memory(secretive: LongTermMemory) -> None:
    secretive.erase_all_forgotten(SPACE)
    assert recalled(secretive.recall(SPACE, asked("dog"))) == ["My dog is called Bruno"]
    secretive.rebuild(SPACE)
    assert recalled(secretive.recall(SPACE, asked("dog"))) == ["My dog is called Bruno"]
    assert secretive.remember(SPACE, "monday", said("later"))
    assert secretive.problems() == []


def test_store_after_erasing_equals_one_rebuilt_from_the_logs(
    secretive: LongTermMemory,
) -> None:
    ids = [hidden.memory.id for hidden in secretive.forgotten(SPACE)]
    secretive.erase_all_forgotten(SPACE)
    erased = secretive.get_records(SPACE, ids)
    secretive.rebuild(SPACE)
    assert secretive.get_records(SPACE, ids) == erased
    assert len(erased) == 2


def test_erased_words_stay_out_when_the_chat_still_shows_them(secretive: LongTermMemory) -> None:
    secretive.erase_all_forgotten(SPACE)
    shown = [said("My dog is called Bruno"), said(f"I keep a {SECRET}", f"A {SECRET}? Wow.")]
    assert not secretive.reconcile(SPACE, "monday", shown, whole=True)
    (again,) = secretive.reconcile(SPACE, "monday", [*shown, shown[1]], whole=True).added
    assert replace(again.exchange, metadata={}) == shown[1]
    assert not secretive.reconcile(SPACE, "monday", [*shown, shown[1]], whole=True)


def test_forgetting_twice_keeps_the_first_tombstone(secretive: LongTermMemory) -> None:
    ids = [hidden.memory.id for hidden in secretive.forgotten(SPACE)]
    secretive.erase_all_forgotten(SPACE)
    secretive.forget(SPACE, ids)
    shown = [said("My dog is called Bruno"), said(f"I keep a {SECRET}", f"A {SECRET}? Wow.")]
    assert not secretive.reconcile(SPACE, "monday", shown, whole=True)


def test_erased_memory_cannot_be_restored(secretive: LongTermMemory) -> None:
    (memory_id, _) = [hidden.memory.id for hidden in secretive.forgotten(SPACE)]
    secretive.erase_all_forgotten(SPACE)
    with pytest.raises(UnknownMemory):
        secretive.unforget(SPACE, memory_id)


def test_a_damaged_line_survives_erasing(secretive: LongTermMemory) -> None:
    log = SPACE.folder(secretive.root) / "conversations" / "monday.jsonl"
    first, *others = log.read_bytes().splitlines(keepends=True)
    damaged = first.replace(b"Bruno", b"Brunx")
    log.write_bytes(b"".join([damaged, *others]))
    secretive.erase_all_forgotten(SPACE)
    assert damaged in log.read_bytes()
    assert SECRET.encode() not in disk(SPACE.folder(secretive.root))


@pytest.mark.parametrize("step", ["rewrite", "apply", "erase"])
def test_erasing_that_was_cut_off_is_finished_at_the_next_start(
    secretive: LongTermMemory, opened: OpenMemory, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    namespace_memory = opened_namespace(secretive, SPACE)
    owner = namespace_memory.event_log if step == "rewrite" else namespace_memory.store
    real, calls = getattr(owner, step), []

    def dies_at_its_second_call(*args: object, **options: object) -> object:
        calls.append(args)
        if len(calls) == (1 if step == "erase" else 2):
            raise KeyboardInterrupt
        return real(*args, **options)

    monkeypatch.setattr(owner, step, dies_at_its_second_call)
    with pytest.raises(KeyboardInterrupt):
        secretive.erase_all_forgotten(SPACE)
    secretive.close()
    again = opened(embedder=FakeEmbedder(), clock=Clock(NOW + 1e6))
    derive_all(again)
    assert SECRET.encode() not in disk(SPACE.folder(again.root))
    assert recalled(again.recall(SPACE, asked("dog"))) == ["My dog is called Bruno"]
    assert again.problems() == []


def test_a_log_that_grows_by_erasing_is_not_taken_for_damaged_after_a_crash(
    memory: LongTermMemory, opened: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = memory.add_note(SPACE, "hm", kind=MemoryKind.DIARY, pinned=False)
    memory.add_note(SPACE, "My dog is called Bruno", kind=MemoryKind.DIARY, pinned=False)
    memory.forget(SPACE, [note])
    namespace_memory = opened_namespace(memory, SPACE)
    rewrite = namespace_memory.event_log.rewrite

    def dies_afterwards(log: str, content: bytes) -> None:
        assert len(content) > namespace_memory.event_log.logs()[log]
        rewrite(log, content)
        raise KeyboardInterrupt

    monkeypatch.setattr(namespace_memory.event_log, "rewrite", dies_afterwards)
    with pytest.raises(KeyboardInterrupt):
        memory.erase_all_forgotten(SPACE)
    memory.close()
    again = opened()
    assert recalled(again.recall(SPACE, asked("dog"))) == ["My dog is called Bruno"]
    assert again.problems() == []


def test_another_process_may_neither_erase_nor_destroy(secretive: LongTermMemory) -> None:
    other = open_memory(secretive.root.parent)
    for attempt in (LongTermMemory.erase_all_forgotten, destroy):
        with pytest.raises(StorageLocked):
            attempt(other, SPACE)
    other.close()
    assert secretive.counts(SPACE)["live"] == 2


def test_reader_beside_a_writer_sees_its_writes(secretive: LongTermMemory) -> None:
    other = NamespaceMemory(SPACE.folder(secretive.root), open_store=LocalStore)
    secretive.remember(SPACE, "monday", said("Bruno is seven"))
    other.sync_index()
    assert user_sides(other.store.catalog.conversation("monday", 1)) == ["Bruno is seven"]
    with pytest.raises(StorageLocked):
        other.write(NewEvent(op=EventType.NOTE, ts=None, fields={"kind": "diary", "text": "x"}))
    other.close()
