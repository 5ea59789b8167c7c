"""A broken or hostile file is refused in words, and nothing is changed."""

import json
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_core.admin.backup import reader
from memory_core.admin.backup.purge import erase_ids_from_backups
from memory_core.admin.exporters.restore import RestoreMode, restore
from memory_core.domain.errors import ImportFailed
from memory_core.domain.records import EMPTY_MAPPING
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.aliases import ALIASES_LOCK
from memory_core.storage.log.events import Event, EventType, pack
from tests.admin.exporters.scene import exported, fill, packed, unpacked
from tests.builders import SPACE, added, open_memory, said

Members = dict[str, bytes]
LOG = "conversations/monday.jsonl"


@pytest.fixture
def target(tmp_path: Path) -> LongTermMemory:
    memory = open_memory(tmp_path / "target")
    memory.remember(SPACE, "monday", said("I am to stay"))
    memory.close()
    return memory


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> tuple[Members, int]:
    """A backup, and how many live memories it holds."""
    folder = tmp_path_factory.mktemp("good")
    memory = open_memory(folder)
    fill(memory)
    found = unpacked(exported(memory, folder / "good.zip"))
    live = memory.counts(SPACE)["live"]
    memory.close()
    return found, live


@pytest.fixture
def members(good: tuple[Members, int]) -> Members:
    return dict(good[0])


def everything(root: Path) -> dict[str, Any]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else None
        for path in root.rglob("*")
        if path.name not in (".restoring.lock", ALIASES_LOCK)
    }


def refused(target: LongTermMemory, path: Path, why: str) -> None:
    before = everything(target.root.parent)
    for mode in (RestoreMode.REPLACE, RestoreMode.MERGE):
        with pytest.raises(ImportFailed, match=why):
            restore(target, path, mode=mode)
    assert everything(target.root.parent) == before


def promise(members: Members, name: str, data: bytes) -> Members:
    """These members, with a log for which the manifest vouches."""
    import hashlib

    manifest = json.loads(members["manifest.json"])
    told = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    manifest["backup"]["members"][name] = told | {"lines": data.count(b"\n")}
    return members | {name: data, "manifest.json": json.dumps(manifest).encode()}


def changed(members: Members, change: Callable[[dict[str, Any]], object]) -> Members:
    manifest = json.loads(members["manifest.json"])
    change(manifest)
    return members | {"manifest.json": json.dumps(manifest).encode()}


# ---- the zip


def test_backup_that_is_no_zip_is_refused(target: LongTermMemory, tmp_path: Path) -> None:
    path = tmp_path / "odd.zip"
    path.write_bytes(b"no zip at all")
    refused(target, path, "no zip file")
    refused(target, tmp_path / "absent.zip", "cannot be read")
    refused(target, packed(path, {}), "no backup")
    refused(target, packed(path, {"readme.txt": b"hello"}), "no backup")


def test_a_zip_cut_off_anywhere_is_refused(
    target: LongTermMemory, members: Members, tmp_path: Path
) -> None:
    whole = packed(tmp_path / "whole.zip", members).read_bytes()
    path = tmp_path / "odd.zip"
    for size in range(0, len(whole) - 1, 97):
        path.write_bytes(whole[:size])
        with pytest.raises(ImportFailed):
            restore(target, path, mode=RestoreMode.REPLACE)


def test_flipped_byte_in_a_backup_is_refused_or_harmless(
    target: LongTermMemory, good: tuple[Members, int], tmp_path: Path
) -> None:
    members, live = good
    whole = packed(tmp_path / "whole.zip", members).read_bytes()
    path = tmp_path / "odd.zip"
    refusals = 0
    for offset in range(0, len(whole), 31):
        flipped = bytes([whole[offset] ^ 0x55])
        path.write_bytes(whole[:offset] + flipped + whole[offset + 1 :])
        try:
            restore(target, path, mode=RestoreMode.REPLACE)
        except ImportFailed:
            refusals += 1
        else:
            assert target.counts(SPACE)["live"] == live
    assert refusals > len(whole) / 31 / 2


@pytest.mark.parametrize(
    "name",
    ["../evil.jsonl", "/etc/evil", "conversations/../../evil.jsonl", "C:\\evil", "a/b/notes.jsonl"],
)
def test_a_path_that_leads_out_is_refused(
    target: LongTermMemory, members: Members, tmp_path: Path, name: str
) -> None:
    path = packed(tmp_path / "odd.zip", members | {name: b"evil"})
    refused(target, path, "in no manifest")
    refused(target, packed(path, promise(members, name, b"")), "no log of a namespace")


@pytest.mark.parametrize("prefix", ["../", "bob/mira/", "/"])
def test_a_namespace_elsewhere_than_its_names_say_is_refused(
    target: LongTermMemory, members: Members, tmp_path: Path, prefix: str
) -> None:
    moved = {prefix + name: data for name, data in members.items()}
    refused(target, packed(tmp_path / "odd.zip", moved), "not where it belongs")


def test_a_symlink_a_twin_and_a_password_are_refused(
    target: LongTermMemory, members: Members, tmp_path: Path
) -> None:
    link = zipfile.ZipInfo("notes.jsonl")
    link.external_attr = 0o120777 << 16
    path = packed(
        tmp_path / "odd.zip", {name: members[name] for name in members if name != "notes.jsonl"}
    )
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    refused(target, path, "not a regular file")
    packed(path, members)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("notes.jsonl", b"")
    refused(target, path, "twice")
    data = bytearray(packed(path, members).read_bytes())
    struct.pack_into("<H", data, data.rindex(b"PK\x01\x02") + 8, 1)
    path.write_bytes(data)
    refused(target, path, "encrypted")


@pytest.mark.slow
def test_a_bomb_is_refused_before_it_is_unpacked(
    target: LongTermMemory, members: Members, tmp_path: Path
) -> None:
    bomb = promise(members, LOG, b"x" * (64 << 20) + b"\n")
    refused(target, packed(tmp_path / "odd.zip", bomb), "would unpack")


def test_a_bomb_that_lies_about_its_size_is_cut_short(
    target: LongTermMemory, members: Members, tmp_path: Path
) -> None:
    bomb = members | {LOG: members[LOG] + b"x" * (64 << 20)}
    refused(target, packed(tmp_path / "odd.zip", bomb), "would unpack")


def test_a_log_longer_than_its_manifest_promises_is_refused(
    target: LongTermMemory, members: Members, tmp_path: Path
) -> None:
    longer = members | {LOG: members[LOG] * 2}
    refused(target, packed(tmp_path / "odd.zip", longer), "longer than its manifest promises")


def test_an_endless_line_is_refused(
    target: LongTermMemory, members: Members, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_MAX_LINE_BYTES", 1000)
    long = promise(members, LOG, pack(added(90, "long", said("x" * 2000))))
    refused(target, packed(tmp_path / "odd.zip", long), "a line of over 1000 bytes")


def test_a_full_disk_is_foreseen(
    target: LongTermMemory, members: Members, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_MIN_FREE_BYTES", 1 << 62)
    refused(target, packed(tmp_path / "good.zip", members), "has .* free")


# ---- the manifest


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda manifest: manifest.update(format=2), "update the extension"),
        (lambda manifest: manifest["backup"].update(format=2), "update the extension"),
        (lambda manifest: manifest.pop("backup"), "no manifest of a backup"),
        (lambda manifest: manifest.update(user=7), "no manifest of a backup"),
        (lambda manifest: manifest.update(scope="galaxy"), "no manifest of a backup"),
        (lambda manifest: manifest["backup"].update(members=[]), "no manifest of a backup"),
        (lambda manifest: manifest["backup"]["members"].pop(LOG), "in no manifest"),
        (lambda manifest: manifest["backup"].update(switches=[]), "no manifest of a backup"),
        (
            lambda manifest: manifest["backup"].update(switches={"format": 2}),
            "no manifest of a backup",
        ),
        (
            lambda manifest: manifest["backup"]["members"][LOG].update(bytes=-1),
            "no manifest of a backup",
        ),
        (lambda manifest: manifest["backup"]["members"][LOG].update(bytes=1), "as long as|longer"),
        (lambda manifest: manifest["backup"]["members"][LOG].update(bytes=1 << 60), "would unpack"),
        (lambda manifest: manifest["backup"]["members"][LOG].update(lines=9), "promises"),
        (lambda manifest: manifest["backup"]["members"][LOG].update(sha256="0" * 64), "promises"),
        (
            lambda manifest: manifest["backup"]["members"][LOG].update(sha256=None),
            "no manifest of a backup",
        ),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(
    target: LongTermMemory,
    members: Members,
    tmp_path: Path,
    change: Callable[[dict[str, Any]], object],
    why: str,
) -> None:
    refused(target, packed(tmp_path / "odd.zip", changed(members, change)), why)


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"[" * 100_000, b'{"format": 1'])
def test_invalid_manifest_is_refused(
    target: LongTermMemory, members: Members, tmp_path: Path, data: bytes
) -> None:
    path = packed(tmp_path / "odd.zip", members | {"manifest.json": data})
    refused(target, path, r"odd\.zip: manifest\.json is no manifest of a backup")


def test_a_missing_log_is_refused(target: LongTermMemory, members: Members, tmp_path: Path) -> None:
    del members["notes.jsonl"]
    refused(target, packed(tmp_path / "odd.zip", members), "notes.jsonl is missing")


# ---- the lines


def line(op: EventType, *, seq: Any = 90, log: str = "", name: Any = "new", **fields: Any) -> bytes:
    ts = fields.pop("ts", None)
    return pack(Event(seq=seq, op=op, id=name, ts=ts, fields=fields or EMPTY_MAPPING, log=log))


@pytest.mark.parametrize(
    "data",
    [
        line(EventType.ADD)[:-4] + b'9"}\n',
        b"{}\n",
        b"\x00\n",
        line(EventType.ADD, user="a", assistant="b").replace(b'"v":1', b'"v":2'),
        line(EventType.ADD, seq=True, user="a"),
        line(EventType.ADD, seq=-1, user="a"),
        line(EventType.ADD, seq=1 << 60, user="a"),
        line(EventType.ADD, name=7, user="a"),
        line(EventType.ADD, name="x" * 999, user="a"),
        line(EventType.ADD, ts="soon", user="a"),
        line(EventType.ADD, ts=float("nan"), user="a"),
        line(EventType.ADD, user="a", place="first"),
        line(EventType.ADD, user="a", place=float("inf")),
        line(EventType.ADD, user="a", turn_id=1 << 70),
        line(EventType.ADD, user="a", metadata=[1]),
        line(EventType.ADD, user="a", turns=[7]),
        line(EventType.ADD, user="a", turns=[{"role": "emperor"}]),
        line(EventType.PLACE),
        line(EventType.NOTE, kind="knowledge", text="notes do not stand in chats"),
        line(EventType.INIT, secret="no hex"),
    ],
)
def test_a_line_that_could_not_be_read_later_is_refused(
    target: LongTermMemory, members: Members, tmp_path: Path, data: bytes
) -> None:
    odd = promise(members, LOG, members[LOG] + data)
    refused(target, packed(tmp_path / "odd.zip", odd), "monday.jsonl, line")


@pytest.mark.parametrize(
    "data",
    [
        line(EventType.NOTE, kind="rumour", text="a"),
        line(EventType.NOTE, kind="knowledge"),
        line(EventType.NOTE, kind="knowledge", text="a", sources=[7]),
        line(EventType.NOTE, kind="diary", text="a")
        + line(EventType.REVISE, seq=91, user="not its text"),
        line(EventType.INIT, secret="7"),
        line(EventType.ADD, user="a", assistant="b"),
    ],
)
def test_a_note_that_could_not_be_read_later_is_refused(
    target: LongTermMemory, members: Members, tmp_path: Path, data: bytes
) -> None:
    odd = promise(members, "notes.jsonl", members["notes.jsonl"] + data)
    refused(target, packed(tmp_path / "odd.zip", odd), "notes.jsonl, line")


def test_a_memory_that_claims_to_be_a_note_too_and_a_falling_seq_are_refused(
    target: LongTermMemory, members: Members, tmp_path: Path
) -> None:
    path = tmp_path / "odd.zip"
    note = next(
        note for note in map(json.loads, members["notes.jsonl"].splitlines()) if "kind" in note
    )
    both = members[LOG] + line(EventType.ADD, name=note["id"], user="a")
    refused(target, packed(path, promise(members, LOG, both)), "a note has its id")
    falling = promise(members, LOG, members[LOG] + line(EventType.ADD, seq=1, user="a"))
    refused(target, packed(path, falling), "does not rise")


def test_a_line_nested_without_end_is_refused(
    target: LongTermMemory, members: Members, tmp_path: Path
) -> None:
    import zlib

    body = b'{"v":1,"seq":90,"op":"add","id":"x","ts":null,"metadata":' + b"[" * 100_000
    data = body + b',"crc":"%08x"}\n' % zlib.crc32(body)
    odd = promise(members, LOG, members[LOG] + data)
    refused(target, packed(tmp_path / "odd.zip", odd), "monday.jsonl, line")


# ---- what never ends


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes among files")
def test_pipe_is_refused_as_a_backup_and_reported_by_the_erasure(
    target: LongTermMemory, tmp_path: Path
) -> None:
    path = tmp_path / "endless.zip"
    os.mkfifo(path)
    with pytest.raises(ImportFailed, match="not a regular file"):
        restore(target, path)
    [told] = erase_ids_from_backups([path, Path("/dev/zero")], ["some id"], now=0.0).problems[:1]
    assert "not a regular file" in told


def test_a_manifest_that_unpacks_to_far_more_than_its_file_is_refused_unread(
    target: LongTermMemory, members: Members, tmp_path: Path
) -> None:
    huge = members | {"manifest.json": b" " * (40 << 20)}
    refused(target, packed(tmp_path / "odd.zip", huge), "would unpack")


@pytest.mark.parametrize("key", ["format", "backup"])
def test_a_format_beyond_all_numbers_is_refused(
    target: LongTermMemory, members: Members, tmp_path: Path, key: str
) -> None:
    def beyond(manifest: dict[str, Any]) -> None:
        (manifest if key == "format" else manifest[key])["format"] = float("inf")

    data = changed(members, beyond)
    data["manifest.json"] = data["manifest.json"].replace(b"Infinity", b"1e400")
    refused(target, packed(tmp_path / "odd.zip", data), "no manifest of a backup")
