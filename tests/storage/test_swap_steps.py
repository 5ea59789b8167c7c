"""A swap of folders loses no memory, whichever file call fails or is killed."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from memory_core.admin import names
from memory_core.admin.doctor.run import DoctorOptions, examine
from memory_core.admin.exporters.restore import RestoreMode, restore
from memory_core.admin.move_namespaces import finish_renames
from memory_core.domain.errors import StorageError
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage import folder_swap
from memory_core.storage.contract import Page
from memory_core.storage.folder_swap import finish_interrupted_swaps
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.events import pack
from memory_core.storage.pauses import ChatPauses, PauseState
from tests.admin.exporters.scene import exported
from tests.builders import NOW, SPACE, added, open_memory, said, user_sides
from tests.storage.faults import Killed, struck

pytestmark = pytest.mark.slow

OTHER = Namespace("ana", "leo")
SAVED = {"In the backup, 0", "In the backup, 1"}
LATER = {"Said after the backup"}
THEIRS = {"Of another character"}
ALL = SAVED | LATER | THEIRS
NEXT = "The chat goes on"
ATTEMPTS = 3
Act = Callable[[LongTermMemory, Path], object]


def merge_restore(memory: LongTermMemory, path: Path) -> None:
    restore(memory, path, mode=RestoreMode.MERGE)


def replace_restore(memory: LongTermMemory, path: Path) -> None:
    restore(memory, path, mode=RestoreMode.REPLACE)


def merge_names(memory: LongTermMemory, _: Path) -> None:
    names.merge(memory, ChatPauses(memory.root), OTHER, SPACE)


ACTS = (merge_restore, replace_restore, merge_names)


def scene(folder: Path) -> tuple[LongTermMemory, Path]:
    """A memory, and a backup that lacks the last exchange."""
    memory = open_memory(folder)
    for text in sorted(SAVED):
        memory.remember(SPACE, "monday", said(text))
    memory.remember(OTHER, "monday", said(*THEIRS))
    path = exported(memory, folder / "one.zip")
    memory.remember(SPACE, "monday", said(*LATER))
    return memory, path


def opened_again(folder: Path) -> LongTermMemory:
    """Opens the memory like the program does at its start."""
    root = folder / "memories"
    assert [*finish_interrupted_swaps(root), *finish_renames(root)] == []
    assert list(root.glob(".restoring-*/")) == []
    return open_memory(folder)


def live(memory: LongTermMemory) -> set[str]:
    namespaces = {memory.resolve(namespace) for namespace in (SPACE, OTHER)}
    return {
        text
        for namespace in namespaces
        for text in user_sides(memory.latest(namespace, Page(limit=99)))
    }


def continue_chat(memory: LongTermMemory) -> None:
    """Says the next exchange, with retries like those of the writer."""
    for attempt in range(ATTEMPTS):
        try:
            memory.remember(SPACE, "tuesday", said(NEXT))
        except StorageError:
            assert attempt < ATTEMPTS - 1
        else:
            return


def each_fault(
    folder: Path, act: Act, *, kills: bool
) -> Iterator[tuple[Path, LongTermMemory, bool]]:
    """Yields storages in which each file call of `act` in turn failed, and whether it raised."""
    first, _ = scene(folder / "scene")
    first.close()
    for number in count():
        place = folder / str(number)
        shutil.copytree(folder / "scene", place)
        memory, was_raised = open_memory(place), False
        with struck(number, kills=kills) as faults:
            try:
                act(memory, place / "one.zip")
            except (StorageError, Killed):
                was_raised = True
        yield place, memory, was_raised
        if not faults.has_struck:
            return


@pytest.mark.parametrize("act", ACTS)
def test_failing_file_call_in_a_swap_loses_nothing_and_reverts_the_swap(
    tmp_path: Path, act: Act
) -> None:
    calls = 0
    for place, memory, was_raised in each_fault(tmp_path, act, kills=False):
        calls += 1
        continue_chat(memory)
        is_replaced = act is replace_restore and not was_raised
        assert live(memory) == (ALL - LATER if is_replaced else ALL) | {NEXT}, calls
        memory.close()
        again = opened_again(place)
        assert live(again) == (ALL - LATER if is_replaced else ALL) | {NEXT}, calls
        again.close()
    assert calls > 30


@pytest.mark.parametrize("act", ACTS)
def test_program_beside_a_killed_swap_continues_with_all_memories(tmp_path: Path, act: Act) -> None:
    for place, memory, _ in each_fault(tmp_path, act, kills=True):
        beside = open_memory(place)
        with suppress(StorageError):
            assert live(beside) >= SAVED  # it reads another program's lines when it catches up
        continue_chat(beside)
        beside.close()
        memory.close()
        again = (
            opened_again(place) if not finish_interrupted_swaps(beside.root) else open_memory(place)
        )
        expected = ALL - LATER if act is replace_restore else ALL
        assert live(again) >= expected | {NEXT}
        again.close()


def written_meanwhile(root: Path, text: str = NEXT) -> None:
    """Writes like a program that knows nothing of swaps."""
    log = SPACE.folder(root) / "conversations" / "tuesday.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    seq = 100 + len(list(log.parent.iterdir()))
    log.write_bytes(pack(added(seq, f"{seq:016x}", said(text), log="tuesday")))


@pytest.mark.parametrize("act", ACTS)
def test_memories_written_after_a_killed_swap_are_kept(tmp_path: Path, act: Act) -> None:
    for place, memory, _ in each_fault(tmp_path, act, kills=True):
        memory.close()
        written_meanwhile(memory.root)
        finish_interrupted_swaps(memory.root)
        again = opened_again(place)
        expected = ALL - LATER if act is replace_restore else ALL
        assert live(again) >= expected | {NEXT}
        again.close()


def half_done(folder: Path, act: Act = merge_restore) -> LongTermMemory:
    """A swap that was killed right after the old folder was moved away."""
    for number in count():
        place = folder / str(number)
        memory, path = scene(place)
        with struck(number, kills=True), pytest.raises(Killed):
            act(memory, path)
        memory.close()
        if not SPACE.folder(memory.root).exists():
            return memory
    raise AssertionError


def test_swap_killed_again_during_its_completion_loses_nothing(tmp_path: Path) -> None:
    first = half_done(tmp_path / "first")
    written_meanwhile(first.root)
    for number in count():
        place = tmp_path / str(number)
        shutil.copytree(first.root.parent, place)
        with struck(number, kills=True) as faults, suppress(Killed):
            faults.arm()
            finish_interrupted_swaps(place / "memories")
        again = opened_again(place)
        assert live(again) == ALL | {NEXT}
        again.close()
        if not faults.has_struck:
            return


def test_pause_set_after_a_killed_swap_holds_beside_the_earlier_ones(
    tmp_path: Path,
) -> None:
    pausing = ChatPauses(half_done(tmp_path / "first").root)
    pausing.set_pause(SPACE, "tuesday", PauseState(is_writing_paused=True))
    assert finish_interrupted_swaps(pausing.root) == []
    again = ChatPauses(pausing.root)
    assert again.paused_chats(SPACE) == {"tuesday": PauseState(is_writing_paused=True)}


def test_unreadable_folder_is_archived_and_named_by_doctor_and_tab(
    tmp_path: Path,
) -> None:
    memory = half_done(tmp_path)
    written_meanwhile(memory.root)
    log = SPACE.folder(memory.root) / "conversations" / "tuesday.jsonl"
    log.write_bytes(log.read_bytes() + b'{"v":9}\n')
    [message] = finish_interrupted_swaps(memory.root)
    aside = memory.root / "ana" / "mira.aside"
    assert str(aside) in message
    assert b'{"v":9}' in (aside / "conversations" / "tuesday.jsonl").read_bytes()
    again = open_memory(memory.root.parent)
    assert live(again) == ALL | {NEXT}
    assert any(
        str(aside) in problem and "rename this folder" in problem for problem in again.problems()
    )
    report = examine(
        memory.root, DoctorOptions(open_store=LocalStore, undo_s=1.0, clock=lambda: NOW)
    )
    [found] = [finding for finding in report.findings if finding.path == "ana/mira.aside"]
    assert found.is_fault
    assert "mira-aside" in found.advice
    again.close()
    aside.rename(aside.with_name("mira-aside"))
    assert NEXT in user_sides(again.latest(Namespace("ana", "mira-aside"), Page(limit=9)))


def test_old_folder_returns_to_its_place_without_a_readable_commit(tmp_path: Path) -> None:
    memory = half_done(tmp_path)
    [commit] = memory.root.glob(".restoring-*/commit.json")
    commit.write_text("{")
    assert any("cannot be read" in message for message in finish_interrupted_swaps(memory.root))
    again = opened_again(memory.root.parent)
    assert live(again) == ALL


def test_old_folder_is_put_beside_a_new_one_without_a_readable_commit(
    tmp_path: Path,
) -> None:
    memory = half_done(tmp_path)
    written_meanwhile(memory.root)
    [commit] = memory.root.glob(".restoring-*/commit.json")
    commit.write_text(json.dumps([]))
    message = " ".join(finish_interrupted_swaps(memory.root))
    assert str(memory.root / "ana" / "mira.aside") in message
    again = opened_again(memory.root.parent)
    assert live(again) == THEIRS | {NEXT}
    assert any("mira.aside" in problem for problem in again.problems())


def test_merge_of_a_backup_makes_a_backup_of_the_old_memories(tmp_path: Path) -> None:
    memory, path = scene(tmp_path)
    [done] = restore(memory, path, mode=RestoreMode.MERGE)
    assert done.backup is not None
    restore(memory, done.backup, to=OTHER, mode=RestoreMode.REPLACE)
    assert set(user_sides(memory.latest(OTHER, Page(limit=9)))) == SAVED | LATER


def test_folder_cannot_be_created_in_the_place_of_a_swapped_one(tmp_path: Path) -> None:
    memory = half_done(tmp_path)
    with folder_swap._swap_lock(memory.root):  # the program that swaps them still runs
        beside = open_memory(memory.root.parent)
        with pytest.raises(StorageError, match="is being exchanged"):
            beside.remember(SPACE, "tuesday", said(NEXT))
        with pytest.raises(StorageError, match="is being exchanged"):
            beside.add_note(SPACE, "Of note", kind=MemoryKind.DIARY, pinned=False)
    assert not SPACE.folder(memory.root).exists()
    beside.remember(SPACE, "tuesday", said(NEXT))
    assert live(beside) == ALL | {NEXT}
