"""durable_files on single files and folders; crashes are tested with the store."""

import os
import stat
from pathlib import Path

import pytest

from memory_core.domain.errors import StorageFailed
from memory_core.infra import durable_files

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_replace_makes_and_overwrites_a_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "manifest.json"
    durable_files.replace(target, b"one")
    durable_files.replace(target, b"two")
    assert target.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["manifest.json"]


@POSIX
@pytest.mark.parametrize("wanted", [0o600, 0o644])
def test_replace_gives_the_file_the_mode_asked_for(tmp_path: Path, wanted: int) -> None:
    durable_files.replace(tmp_path / "file", b"", mode=wanted)
    assert mode(tmp_path / "file") == wanted


def test_a_failed_replace_names_the_path_and_removes_its_temporary_file(tmp_path: Path) -> None:
    in_the_way = tmp_path / "folder"
    in_the_way.mkdir()
    with pytest.raises(StorageFailed, match="folder"):
        durable_files.replace(in_the_way, b"content")
    assert os.listdir(tmp_path) == ["folder"]


def test_replace_in_a_missing_folder_names_the_path(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match=r"absent.*deleted the folder: try again"):
        durable_files.replace(tmp_path / "absent" / "file", b"")


def test_failed_sync_raises_storage_failed(tmp_path: Path) -> None:
    fd = os.open(tmp_path, os.O_RDONLY)
    os.close(fd)
    with pytest.raises(StorageFailed, match="the log"):
        durable_files.sync(fd, path="the log")


@POSIX
def test_made_folders_belong_to_their_owner_alone(tmp_path: Path) -> None:
    durable_files.make_folder(tmp_path / "a" / "b")
    assert [mode(tmp_path / "a"), mode(tmp_path / "a" / "b")] == [0o700, 0o700]


def test_make_folder_accepts_an_existing_folder(tmp_path: Path) -> None:
    durable_files.make_folder(tmp_path / "a")
    durable_files.make_folder(tmp_path / "a")
    assert (tmp_path / "a").is_dir()


def test_make_folder_reports_a_file_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(StorageFailed, match="a"):
        durable_files.make_folder(tmp_path / "a" / "b")


@POSIX
def test_every_new_folder_is_synced_into_its_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(durable_files, "sync_folder", synced.append)
    durable_files.make_folder(tmp_path / "a" / "b")
    assert synced == [tmp_path, tmp_path / "a"]


def test_remove_temporaries_removes_only_leftovers_of_killed_programs(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    left = [tmp_path / ".a1.tmp", tmp_path / "deep" / ".b2.tmp"]
    others = [tmp_path / "notes.jsonl", tmp_path / "x.tmp", tmp_path / ".lock"]
    for path in (*left, *others):
        path.touch()
    durable_files.remove_temporaries(tmp_path)
    assert [path.exists() for path in (*left, *others)] == [False, False, True, True, True]


def test_remove_temporaries_keeps_files_that_are_being_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chmod = os.chmod

    def sweeps(path: str, mode: int) -> None:
        durable_files.remove_temporaries(tmp_path)
        chmod(path, mode)

    monkeypatch.setattr(os, "chmod", sweeps)
    durable_files.replace(tmp_path / "file", b"whole")
    assert (tmp_path / "file").read_bytes() == b"whole"


def test_remove_accepts_files_folders_and_missing_paths(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    (tmp_path / "file").touch()
    for name in ("folder", "file", "absent"):
        durable_files.remove(tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_old_temporaries_are_removed_and_those_that_may_be_in_use_are_kept(tmp_path: Path) -> None:
    left, young = tmp_path / ".left.tmp", tmp_path / ".young.tmp"
    for path in (left, young):
        path.write_bytes(b"words")
    os.utime(left, (0, 0))
    durable_files.remove_abandoned_temporaries(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {young.name}
