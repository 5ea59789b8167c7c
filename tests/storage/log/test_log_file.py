"""One append-only file: torn ends, flipped bits, full disks."""

import subprocess
import sys
from pathlib import Path

import pytest

from memory_core.domain.errors import StorageFailed
from memory_core.infra import durable_files
from memory_core.storage.log.events import Event, EventType, pack
from memory_core.storage.log.log_file import LogWriter, last_seq, read


def line(seq: int, text: str = "hello") -> Event:
    return Event(
        seq=seq, op=EventType.ADD, id=f"id{seq}", ts=None, fields={"user": text}, log="talk"
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log of three lines."""
    file = tmp_path / "talk.jsonl"
    file.write_bytes(b"".join(pack(line(seq)) for seq in (1, 2, 3)))
    return file


def seqs(path: Path) -> list[int]:
    found = read(path, "talk")
    assert found.problems == []
    return [event.seq for event in found.events]


def test_appended_lines_are_read_back(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    writer = LogWriter(file)
    ends = [writer.write(pack(line(seq))) for seq in (1, 2)]
    assert read(file, "talk").events == [line(1), line(2)]
    assert ends[-1] == file.stat().st_size == read(file, "talk").end


def test_read_from_an_offset_returns_only_new_lines(path: Path) -> None:
    end = read(path, "talk").end
    LogWriter(path).write(pack(line(4)))
    assert read(path, "talk", end).events == [line(4)]


@pytest.mark.parametrize("lost", [1, 7, 60])
def test_a_torn_last_line_is_cut_and_never_merges_with_the_next(path: Path, lost: int) -> None:
    path.write_bytes(path.read_bytes()[:-lost])
    assert seqs(path) == [1, 2]
    LogWriter(path).write(pack(line(4)))
    assert seqs(path) == [1, 2, 4]


def test_long_torn_line_leaves_nothing_after_a_shorter_one(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole + pack(line(4, "x" * 5000))[:-100])
    LogWriter(path).write(pack(line(5)))
    assert path.read_bytes() == whole + pack(line(5))


def test_log_truncated_by_others_continues_after_its_last_whole_line(path: Path) -> None:
    writer = LogWriter(path)
    writer.write(pack(line(4)))
    path.write_bytes(path.read_bytes()[: len(pack(line(1))) + 10])
    writer.write(pack(line(5)))
    assert seqs(path) == [1, 5]


def test_flipped_bit_is_reported_and_all_other_lines_are_read(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(pack(line(1))) + 20] ^= 1
    path.write_bytes(data)
    found = read(path, "talk")
    assert [event.seq for event in found.events] == [1, 3]
    assert found.problems == [
        f"talk.jsonl, byte {len(pack(line(1)))}: the line does not match its checksum"
    ]
    assert found.damaged == [bytes(data[len(pack(line(1))) : -len(pack(line(3)))])]


def test_a_very_long_line_keeps_the_sequence_rising(path: Path) -> None:
    LogWriter(path).write(pack(line(4, "x" * 200_000)))
    assert last_seq(path) == 4


def test_the_last_seq_is_found_before_a_damaged_or_torn_line(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:-5] + b"?" + whole[-4:])
    assert last_seq(path) == 2
    path.write_bytes(whole + b'{"v":1')
    assert last_seq(path) == 3


def test_an_empty_log_has_no_last_seq(tmp_path: Path) -> None:
    (tmp_path / "talk.jsonl").touch()
    assert last_seq(tmp_path / "talk.jsonl") == 0


@pytest.mark.parametrize("border", ["sync", "sync_folder"])
def test_failed_sync_leaves_nothing_of_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, border: str
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise StorageFailed("the disk is gone")

    file = tmp_path / "talk.jsonl"
    writer = LogWriter(file)
    with monkeypatch.context() as patch:
        patch.setattr(durable_files, border, fails)
        with pytest.raises(StorageFailed):
            writer.write(pack(line(1)))
    assert file.read_bytes() == b""
    writer.write(pack(line(1, "again")))
    assert read(file, "talk").events == [line(1, "again")]


FULL_DISK = """
import resource, sys
from pathlib import Path
from memory_core.domain.errors import StorageFailed
from memory_core.storage.log.events import Event, EventType, pack
from memory_core.storage.log.log_file import LogWriter

def line(seq, size):
    fields = {"user": "x" * size}
    return Event(seq=seq, op=EventType.ADD, id="a", ts=None, fields=fields, log="talk")

writer = LogWriter(Path(sys.argv[1]))
writer.write(pack(line(1, 10)))
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
try:
    writer.write(pack(line(2, 5000)))
except StorageFailed as exc:
    sys.stdout.write(str(exc))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
writer.write(pack(line(2, 20)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file size limit to set")
def test_full_disk_is_reported_and_the_next_append_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(file)], capture_output=True, text=True, check=True
    )
    assert "could not be written" in done.stdout
    assert [(event.seq, len(event.fields["user"])) for event in read(file, "").events] == [
        (1, 10),
        (2, 20),
    ]
