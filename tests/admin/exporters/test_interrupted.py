"""kill -9 at any point of a restore leaves everything as before or everything as restored."""

import os
import sys
from pathlib import Path

import pytest

from memory_core.admin.exporters.restore import RestoreMode, restore
from memory_core.domain.errors import StorageFailed, StorageLocked
from memory_core.domain.namespaces import Namespace
from memory_core.storage.folder_swap import begin_swap, finish_interrupted_swaps
from tests import programs
from tests.admin.exporters.scene import exported, files, fill
from tests.builders import SPACE, open_memory, said
from tests.stress import IS_FULL

PROJECT = Path(__file__).resolve().parents[3]
BOB = Namespace("bob", "mira")
STEP = 1 if IS_FULL else 7

# Forks a child for each kill. The n-th dies before its n-th call that changes the disk; the last
# one ends by itself.
KILLER = """
import itertools, os, shutil, sys
from pathlib import Path
from benchmarks.file_calls import CHANGING, KillBefore, met
from memory_core.admin.exporters.restore import RestoreMode, restore
from tests.builders import open_memory

base, backup, mode, step = sys.argv[1:]
for calls in itertools.count(0, int(step)):
    copy = Path(f"{base}-{calls}")
    shutil.copytree(base, copy)
    child = os.fork()
    if not child:
        with met(CHANGING, KillBefore(calls)):
            restore(open_memory(copy), Path(backup), mode=RestoreMode(mode))
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        break
print(calls)
"""


def lines_of(root: Path) -> dict[str, int]:
    """The logs and their lengths, without what a backup says of itself."""
    return {name: len(data) for name, data in files(root).items() if name.endswith(".jsonl")}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
@pytest.mark.parametrize("mode", [RestoreMode.REPLACE, RestoreMode.MERGE])
def test_a_killed_restore_leaves_the_old_or_the_new(tmp_path: Path, mode: RestoreMode) -> None:
    source = open_memory(tmp_path / "source")
    fill(source)
    fill(source, BOB)
    path = exported(source, tmp_path / "all.zip", SPACE, BOB)
    target = open_memory(tmp_path / "target")
    target.remember(SPACE, "monday", said("I was here before"))
    target.close()
    old, outcomes = lines_of(target.root), []
    for root in killed(tmp_path / "target", path, mode):
        memories = root / "memories"
        assert finish_interrupted_swaps(memories) == []
        assert list(memories.glob(".restoring-*")) == []
        now = lines_of(memories)
        outcomes.append(now != old)
        if now != old:
            assert now.keys() >= lines_of(source.root).keys()
            again = open_memory(root)
            kept = 1 if mode is RestoreMode.MERGE else 0
            assert again.counts(SPACE)["live"] == source.counts(SPACE)["live"] + kept
            assert again.counts(BOB)["live"] == source.counts(BOB)["live"]
            assert again.problems() == []
            again.close()
    assert outcomes == sorted(outcomes), "once restored, it stays restored"
    assert {False, True} == set(outcomes)
    source.close()


def killed(root: Path, backup: Path, mode: RestoreMode) -> list[Path]:
    """Returns copies of this folder, each with a restore that was killed a little later."""
    command = [sys.executable, "-c", KILLER, str(root), str(backup), mode, str(STEP)]
    done = programs.run(command)
    done.check_returncode()
    return [Path(f"{root}-{calls}") for calls in range(0, int(done.stdout) + 1, STEP)]


def committed(root: Path) -> Path:
    """A storage in which a restore of SPACE was killed right after its commit."""
    code = f"""
import os
from pathlib import Path
from memory_core.storage import folder_swap
from tests.builders import SPACE
folder_swap._apply_all = lambda *_: os._exit(0)
with folder_swap.begin_swap(Path({str(root)!r})) as stage:
    (stage.new_folder(SPACE) / "conversations").mkdir(parents=True)
    (stage.new_folder(SPACE) / "conversations" / "monday.jsonl").write_bytes(b"new")
    folder = SPACE.folder(Path({str(root)!r}))
    seen = {{it.stem: it.stat().st_size for it in folder.rglob("*.jsonl")}}
    stage.commit({{SPACE: seen}}, keep=())
"""
    programs.run([sys.executable, "-c", code]).check_returncode()
    [folder] = root.glob(".restoring-*/")
    return folder


@pytest.mark.slow
def test_committed_restore_is_finished_by_the_next_program(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    memory.remember(SPACE, "monday", said("I was here before"))
    memory.close()
    committed(memory.root)
    assert finish_interrupted_swaps(memory.root) == []
    assert files(memory.root) == {"ana/mira/conversations/monday.jsonl": b"new"}


def test_killed_restore_never_overwrites_later_events(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    memory.remember(SPACE, "monday", said("I was here before"))
    memory.close()
    committed(memory.root)
    memory = open_memory(tmp_path)
    memory.remember(SPACE, "monday", said("And I came after"))
    memory.close()
    before = files(memory.root)
    [told] = finish_interrupted_swaps(memory.root)
    assert "was written to since" in told
    assert {path for path in files(memory.root)} <= before.keys()
    assert memory.counts(SPACE)["live"] == 2


def test_an_interrupted_restore_waits_while_its_namespace_is_being_written(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    memory.remember(SPACE, "monday", said("I was here before"))
    folder = committed_while_open(memory.root)
    assert "another program writes" in finish_interrupted_swaps(memory.root)[0]
    assert folder.exists()
    memory.close()
    assert finish_interrupted_swaps(memory.root) == []
    assert not folder.exists()


def committed_while_open(root: Path) -> Path:
    """Writes the marker of a committed restore by hand, as this process holds the lock."""
    import json

    folder = root / ".restoring-1"
    (folder / "new" / "ana" / "mira" / "conversations").mkdir(parents=True)
    sizes = {path.stem: path.stat().st_size for path in SPACE.folder(root).rglob("*.jsonl")}
    commit = {"namespaces": {"ana/mira": sizes}, "keep": []}
    (folder / "commit.json").write_text(json.dumps(commit))
    return folder


def test_a_restore_that_cannot_move_a_folder_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = open_memory(tmp_path / "source"), open_memory(tmp_path / "target")
    for space in (SPACE, BOB):
        fill(source, space)
        target.remember(space, "monday", said("I was here before"))
    path = exported(source, tmp_path / "all.zip", SPACE, BOB)
    before, real = files(target.root), os.rename

    def rename(old: Path, new: Path) -> None:
        if Path(old).name == "mira" and "new" in Path(old).parts and "bob" in Path(old).parts:
            raise PermissionError(13, "in use")
        real(old, new)

    monkeypatch.setattr(os, "rename", rename)
    with pytest.raises(StorageFailed, match="in use"):
        restore(target, path, mode=RestoreMode.REPLACE)
    monkeypatch.undo()
    assert files(target.root) == before
    assert list(target.root.glob(".restoring-*/")) == []
    source.close()
    target.close()


def test_second_restore_at_the_same_time_is_refused(tmp_path: Path) -> None:
    with (
        begin_swap(tmp_path),
        pytest.raises(StorageLocked, match="another program restores"),
        begin_swap(tmp_path),
    ):
        pass
