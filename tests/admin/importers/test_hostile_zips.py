"""Zips that are damaged, endless or made of very many files, as they are dropped on the tab."""

import json
import time
import zipfile
from pathlib import Path

from memory_core.admin.importers.dropped_files import sort_dropped
from memory_core.admin.importers.formats import is_backup
from memory_core.admin.importers.zip_input import unpack_zip


def packed(path: Path, members: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def test_zip_of_many_files_is_unpacked_in_one_pass(tmp_path: Path) -> None:
    path = packed(tmp_path / "chats.zip", {f"chat/{n}.json": "{}" for n in range(3_000)})
    started = time.perf_counter()
    unpack_zip(path, tmp_path / "out")
    assert len(list((tmp_path / "out" / "chat").iterdir())) == 3_000
    assert time.perf_counter() - started < 20.0  # it took minutes


def test_damaged_manifest_is_reported_and_not_raised(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"manifest.json": json.dumps({"x": "y" * 5_000})})
    data = bytearray(path.read_bytes())
    data[50:60] = b"\xff" * 10
    path.write_bytes(data)
    assert not is_backup(path)
    found = sort_dropped([path], tmp_path / "scratch", user="ana")
    assert (len(found.refused) + len(found.unknown), found.sources) == (1, [])


def test_many_large_manifests_are_not_all_read(tmp_path: Path) -> None:
    blank = "[" + " " * (1 << 24) + "]"
    large = {f"a/{n}/manifest.json": blank for n in range(4)}  # 64 MB, as many as are read
    ours = {"a/own/manifest.json": json.dumps({"backup": {}})}
    assert is_backup(packed(tmp_path / "first.zip", ours | large))
    assert not is_backup(packed(tmp_path / "last.zip", large | ours))


def test_folders_nested_a_thousand_deep_are_no_bug(tmp_path: Path) -> None:
    path = packed(tmp_path / "c.zip", {"a/" * 1_500 + "x.txt": "hi"})
    (tmp_path / "scratch").mkdir()
    found = sort_dropped([path], tmp_path / "scratch", user="ana")
    assert not found.sources
