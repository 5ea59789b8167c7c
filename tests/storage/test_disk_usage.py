"""Disk usage of memories by part, and the command that prints it."""

import json
from pathlib import Path

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.disk_usage import Storage, Usage, usage, usage_of
from memory_core.storage.shared import local_storage
from memory_core.ui.cli.main import main
from tests.builders import SPACE, derive_all, destroy, said

SMALL = Namespace("bob", "小明")


@pytest.fixture
def root(memory: LongTermMemory) -> Path:
    for n in range(5):
        memory.remember(SPACE, "talk", said(f"word{n} " * 500))
    memory.remember(SMALL, "talk", said("hello"))
    derive_all(memory)
    derive_all(memory, SMALL)
    memory.close()
    return memory.root


def measured(root: Path) -> Storage:
    shared = local_storage(root)
    return usage(root, shared.namespaces.all(), shared.measure)


def bytes_below(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_every_byte_of_a_namespace_is_counted_once(root: Path) -> None:
    folder = SPACE.folder(root)
    used = usage_of(folder)
    assert used.total == bytes_below(folder)
    assert used.logs == bytes_below(folder / "conversations")
    assert used.derived == bytes_below(folder / "index")
    assert used.other == (folder / "manifest.json").stat().st_size


def test_disk_usage_sorts_parts_of_the_index_by_their_names(tmp_path: Path) -> None:
    index = tmp_path / "index"
    (index / "vectors-0" / "embeddings.zarr").mkdir(parents=True)
    for name, size in (
        ("vectors-0/embeddings.zarr/zarr.json", 42), ("vectors-0/tail.f16", 7),
        ("3dc0.postings", 1), ("catalogue.sqlite", 5), ("catalogue.sqlite-wal", 11),
        ("catalogue.sqlite-shm", 13), ("foreign.txt", 2),
    ):  # fmt: skip
        (index / name).write_bytes(bytes(size))
    used = usage_of(tmp_path)
    assert used.index == {"vectors": 49, "words": 1, "catalogue": 5, "journal": 24, "rest": 2}
    assert used.steady_total == used.total - 24


def test_missing_folder_uses_no_space(tmp_path: Path) -> None:
    assert usage_of(tmp_path / "absent") == Usage()
    assert measured(tmp_path / "absent").total == Usage()


def test_usage_lists_the_largest_first_and_backups_with_their_owners(
    root: Path, memory: LongTermMemory
) -> None:
    saved = destroy(memory, SMALL)
    memory.remember(SMALL, "talk", said("hello again"))
    (root.parent / "backups" / "notes.txt").write_bytes(bytes(3))
    storage = measured(root)
    assert list(storage.namespaces) == [SPACE, SMALL]
    assert storage.namespaces[SMALL].backups == saved.stat().st_size
    assert storage.other_backups == 3
    destroy(memory, SMALL)
    assert measured(root).other_backups == bytes_below(root.parent / "backups")


def test_usage_command_prints_every_name_and_the_total(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["usage", f"--storage={root}", "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [row["name"]["character"] for row in found["namespaces"]] == ["mira", "小明"]
    assert found["total"]["total"] == sum(row["total"] for row in found["namespaces"])
    assert found["namespaces"][0]["total"] == bytes_below(SPACE.folder(root))
    assert main(["usage", f"--storage={root}"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "小明" in lines[1]
    assert lines[-1].startswith("all: ")
    assert "free" in lines[-1]


def test_usage_command_leaves_no_file_behind(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(root.rglob("*"))
    assert main(["usage", f"--storage={root}"]) == 0
    assert main(["usage", f"--storage={root / 'absent'}"]) == 2
    assert sorted(root.rglob("*")) == before
    assert "does not exist" in capsys.readouterr().err


def test_usage_of_an_empty_folder_says_that_there_are_no_memories(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["usage", f"--storage={tmp_path}"]) == 0
    assert capsys.readouterr().out.startswith(f"there are no memories in {tmp_path}\nall: 0 B")
