"""kill -9 at any point of a merge, rename or deletion leaves all as before or all as after."""

import os
import sys
from pathlib import Path

import pytest

from memory_core.admin.move_namespaces import finish_renames
from memory_core.domain.errors import StorageFailed
from memory_core.domain.namespaces import Namespace
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.aliases import read_aliases
from memory_core.storage.contract import Page
from memory_core.storage.folder_swap import finish_interrupted_swaps
from memory_core.storage.manifest import read_manifest
from tests import programs
from tests.builders import SPACE, merge, open_memory, rename, said, user_sides
from tests.forensics import holding

OTHER, NEW = Namespace("ana", "kai"), Namespace("ana", "a new name " * 20)
SECRET = "Kumquat"
TALK = [said(f"What I said, number {number}") for number in range(3)]
SHOWN = [*TALK, said(f"My password is {SECRET}")]
KEPT = {exchange.user for exchange in TALK}

# In a copy of the storage for each n, dies before the n-th call that changes anything on disk.
KILLER = """
import itertools, os, shutil, sys
from pathlib import Path
from benchmarks.file_calls import CHANGING, KillBefore, met
from memory_core.admin import names
from memory_core.storage.pauses import ChatPauses
from tests.builders import SPACE, destroy, open_memory
from tests.admin.test_killed import NEW, OTHER

def act(root):
    memory = open_memory(root)
    pauses = ChatPauses(memory.root)
    if sys.argv[2] == "merge":
        names.merge(memory, pauses, SPACE, OTHER)
    elif sys.argv[2] == "rename":
        names.rename(memory, pauses, SPACE, NEW)
    else:
        destroy(memory, SPACE)

for number in itertools.count():
    copy = Path(f"{sys.argv[1]}-{number}")
    shutil.copytree(sys.argv[1], copy)
    child = os.fork()
    if not child:
        with met(CHANGING, KillBefore(number)):
            act(copy)
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        break
print(number + 1)
"""


def killed(folder: Path, act: str) -> list[Path]:
    """Returns storages in which the action was killed ever later; the last one completed."""
    root = folder / "storage"
    memory = open_memory(root)
    memory.set_aliases(memory.aliases.with_user("Anon", "ana"))
    for space in (SPACE, OTHER):
        memory.reconcile(space, "monday", SHOWN, whole=True)
        [secret] = [entry.id for entry in memory.latest(space, Page(limit=1))]
        memory.forget(space, [secret])
    memory.close()
    command = [sys.executable, "-c", KILLER, str(root), act]
    done = programs.run(command)
    done.check_returncode()
    return [Path(f"{root}-{number}") for number in range(int(done.stdout))]


def opened_again(root: Path) -> LongTermMemory:
    """Opens the storage as the program does."""
    memories = root / "memories"
    assert [*finish_interrupted_swaps(memories), *finish_renames(memories)] == []
    return open_memory(root)


def live(memory: LongTermMemory, space: Namespace) -> set[str]:
    return set(user_sides(memory.latest(space, Page(limit=99))))


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")


@pytest.mark.slow
@needs_fork
@pytest.mark.parametrize("act", ["merge", "rename"])
def test_a_killed_change_of_names_loses_nothing_and_brings_nothing_back(
    tmp_path: Path, act: str
) -> None:
    outcomes = []
    for root in killed(tmp_path, act):
        memory = opened_again(root)
        outcomes.append(memory.resolve(SPACE) != SPACE)
        assert set(memory.namespaces()) <= {SPACE, OTHER, NEW}
        assert memory.resolve(Namespace("Anon", "kai")) == OTHER
        assert live(memory, SPACE) == live(memory, OTHER) == KEPT
        log = memory.aliases.chat_name(SPACE, SPACE.character, "monday")
        assert not memory.reconcile(SPACE, log, SHOWN, whole=True)
        for space in memory.namespaces():
            memory.erase_all_forgotten(space)
        memory.close()
        assert holding(root / "memories", SECRET.encode()) == []
    assert outcomes == sorted(outcomes), "once done, it stays done"
    assert {False, True} == set(outcomes)


@pytest.mark.slow
@needs_fork
def test_a_killed_deletion_leaves_all_or_nothing(tmp_path: Path) -> None:
    outcomes = []
    for root in killed(tmp_path, "destroy"):
        memory = opened_again(root)
        outcomes.append(SPACE not in memory.namespaces())
        if outcomes[-1]:
            own = sorted((root / "memories").rglob("*"))
            assert [
                path for path in own if OTHER.folder(memory.root) not in (path, *path.parents)
            ] == [
                memory.root / ".restoring.lock",
                memory.root / "aliases.json",
                OTHER.folder(memory.root).parent,
            ]
        else:
            assert live(memory, SPACE) == KEPT
            assert not memory.reconcile(SPACE, "monday", SHOWN, whole=True)
        memory.close()
    assert outcomes == sorted(outcomes), "once gone, it stays gone"
    assert {False, True} == set(outcomes)


HALF = """
import os, sys
from pathlib import Path
from memory_core.admin import names
from memory_core.storage import folder_swap
from memory_core.storage.pauses import ChatPauses
from tests.builders import SPACE, open_memory
from tests.admin.test_killed import OTHER

folder_swap._apply_all = lambda *_: os._exit(0)
memory = open_memory(Path(sys.argv[1]))
names.merge(memory, ChatPauses(memory.root), SPACE, OTHER)
"""


def test_killed_merge_is_dropped_when_a_namespace_was_written_to_since(
    tmp_path: Path,
) -> None:
    memory = open_memory(tmp_path)
    for space in (SPACE, OTHER):
        memory.reconcile(space, "monday", TALK, whole=True)
    memory.close()
    programs.run([sys.executable, "-c", HALF, str(tmp_path)]).check_returncode()
    memory.remember(OTHER, "tuesday", said("And I came after"))
    memory.close()
    [told] = finish_interrupted_swaps(memory.root)
    assert "was written to since" in told
    memory = open_memory(tmp_path)
    assert memory.resolve(SPACE) == SPACE
    assert (live(memory, SPACE), live(memory, OTHER)) == (KEPT, KEPT | {"And I came after"})


def test_aliases_are_readable_at_any_point_of_a_merge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met: list[Namespace] = []
    rename = os.rename

    def renamed(*paths: Path) -> None:
        rename(*paths)
        met.append(memory.resolve(Namespace("Anon", "kai")))

    memory = open_memory(tmp_path)
    memory.set_aliases(memory.aliases.with_user("Anon", "ana"))
    for space in (SPACE, OTHER):
        memory.reconcile(space, "monday", TALK, whole=True)
    monkeypatch.setattr(os, "rename", renamed)
    merge(memory, SPACE, OTHER)
    assert set(met) == {OTHER}


def test_a_rename_that_fails_has_changed_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("it is held by something else")

    memory = open_memory(tmp_path)
    memory.reconcile(SPACE, "monday", TALK, whole=True)
    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(StorageFailed):
        rename(memory, SPACE, NEW)
    monkeypatch.undo()
    assert memory.resolve(SPACE) == SPACE
    assert read_aliases(memory.root) == memory.aliases
    assert live(memory, SPACE) == KEPT
    assert memory.namespaces() == [SPACE]
    assert read_manifest(SPACE.folder(memory.root))["character"] == SPACE.character
