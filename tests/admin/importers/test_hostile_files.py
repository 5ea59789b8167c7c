"""Every reader refuses broken and hostile files with the file, the fault and the advice."""

import json
import os
import stat
from pathlib import Path

import pytest

from memory_core.admin.importers import text_input
from memory_core.admin.importers.engine import import_chats
from memory_core.admin.importers.formats import READERS, find_reader, recognise
from memory_core.admin.importers.source import ImportFailure, ImportSource
from memory_core.domain.errors import ImportFailed
from memory_core.memory.long_term_memory import LongTermMemory
from tests.admin.importers.foreign import OWNER, read, read_as, said, write, write_lines
from tests.damage import without_rights

ROWS = [{"user": f"Grüße {n}", "assistant": "你好 👋"} for n in range(3)]
PAIRS = [(row["user"], row["assistant"]) for row in ROWS]


def as_lines() -> str:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS)


@pytest.mark.parametrize("name", READERS)
def test_an_empty_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ImportFailed, match=r"chat\.jsonl: is empty\. Export or download it again"):
        read_as(name, write(tmp_path / "chat.jsonl", ""))


@pytest.mark.parametrize("name", READERS)
def test_a_file_that_is_not_there_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ImportFailed, match=r"gone\.jsonl: cannot be read"):
        read_as(name, tmp_path / "gone.jsonl")


@pytest.mark.parametrize("name", ["chatmemory", "mem0", "plain"])
def test_a_folder_instead_of_a_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ImportFailed, match="is a folder, not a file"):
        read_as(name, tmp_path)


@pytest.mark.parametrize("name", READERS)
def test_noise_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(bytes(range(1, 256)) * 9)
    with pytest.raises(ImportFailed, match=r"chat\.jsonl"):
        read_as(name, path)


@pytest.mark.parametrize("name", READERS)
def test_nobody_claims_noise_or_prose(tmp_path: Path, name: str) -> None:
    (tmp_path / "noise.bin").write_bytes(bytes(range(256)) * 9)
    write(tmp_path / "novel.txt", "It was a dark and stormy night.")
    write(tmp_path / "other.json", '{"version": 3}')
    write(tmp_path / "other.csv", "date,price\n2024-01-01,3\n")
    write(tmp_path / "other.jsonl", '{"level": "info"}\n')
    assert not [path for path in tmp_path.iterdir() if READERS[name].recognises(path)]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_pipe_is_refused_and_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(ImportFailed, match="is not a regular file"):
        recognise(tmp_path / "pipe.jsonl")


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportFailed, match="is an empty folder"):
        recognise(tmp_path)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="the system has no modes")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "chat.jsonl", as_lines())
    path.chmod(0)
    try:
        with without_rights(), pytest.raises(ImportFailed, match="Permission denied"):
            recognise(path)
    finally:
        path.chmod(stat.S_IRUSR | stat.S_IWUSR)


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(ImportFailed, match="is not a valid path"):
        recognise(Path("a\0b"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_read_by_its_mark(tmp_path: Path, encoding: str) -> None:
    assert said(read(write(tmp_path / "chat.jsonl", as_lines(), encoding))) == PAIRS


def test_utf_16_without_a_mark_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportFailed, match="is not UTF-8 text"):
        read_as("plain", write(tmp_path / "chat.jsonl", as_lines(), "utf-16-le"))


@pytest.mark.parametrize("before", [0, 5, 2**20 - 1, 2**20, 2**21 + 1])
def test_another_encoding_is_refused_at_its_first_byte(tmp_path: Path, before: int) -> None:
    path = write(tmp_path / "chat.jsonl", " " * before + '{"user": "é"}', "latin-1")
    with pytest.raises(ImportFailed, match=f"byte {before + 10} is not UTF-8.*Save it as UTF-8"):
        read_as("plain", path)


@pytest.mark.parametrize("mark", [0, 3])
def test_a_text_that_ends_within_a_letter_is_refused(tmp_path: Path, mark: int) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes("\ufeff".encode()[:mark] + '{"user": "é'.encode()[:-1])
    with pytest.raises(ImportFailed, match=f"byte {mark + 10} is not UTF-8"):
        read_as("plain", path)


@pytest.mark.parametrize("name", ["plain", "sillytavern", "openpersistentmemory"])
def test_a_line_of_20_mb_is_refused(tmp_path: Path, name: str) -> None:
    path = write_lines(tmp_path / "chat.jsonl", [*ROWS, {"user": "x" * 20_000_000}])
    with pytest.raises(ImportFailed, match="line 4 is longer than 16 million letters"):
        read_as(name, path)


@pytest.mark.parametrize("name", ["plain", "sillytavern"])
@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"user": "a", "assi', "line 4: is no JSON"),
        ("[" * 100_000, "line 4: is nested too deeply"),
        ("[1]", "line 4: is no JSON object"),
        ('{"user": ' + "9" * 5000 + "}", "line 4: is no JSON"),
    ],
)
def test_a_broken_line_is_refused_before_a_chat_is_given(
    tmp_path: Path, name: str, line: str, fault: str
) -> None:
    write(tmp_path / "chat.jsonl", as_lines() + "\n" + line)
    source = ImportSource(reader=READERS[name], path=tmp_path / "chat.jsonl", owner=OWNER)
    (found,) = source.chats()
    assert isinstance(found, ImportFailure)
    assert fault in found.reason


@pytest.mark.parametrize("name", ["chatmemory", "mem0"])
@pytest.mark.parametrize("text", ["[" * 100_000, '{"results": [', "[{]", "[1] 2", "9" * 5000])
def test_broken_json_is_refused(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(ImportFailed, match=r"all\.json: is (no JSON|nested)"):
        read_as(name, write(tmp_path / "all.json", text))


@pytest.mark.parametrize("line", ["a\u2028b", "a\u0085b", "a\rb", "\ud800"])
def test_only_a_newline_ends_a_line(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "chat.jsonl", json.dumps({"user": line, "assistant": "x"}))
    if line != "\ud800":
        path = write(
            path, json.dumps({"user": line, "assistant": "x"}, ensure_ascii=line == "a\rb")
        )
    assert said(read(path)) == [(line.replace("\ud800", "?"), "x")]


def test_a_file_reads_the_same_with_windows_line_ends(tmp_path: Path) -> None:
    path = write(tmp_path / "chat.jsonl", as_lines().replace("\n", "\r\n") + "\r\n\r\n")
    assert said(read(path)) == PAIRS


def test_lines_are_the_same_however_the_text_is_cut() -> None:
    text = "a\n\nbcd\ne"
    whole = [(1, "a"), (2, ""), (3, "bcd"), (4, "e")]
    for size in range(1, 10):
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        assert list(text_input.split_lines(pieces, "x")) == whole


def test_links_in_a_folder_lead_nowhere(tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.jsonl", as_lines())
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link.jsonl").symlink_to(secret)
    (folder / "round").symlink_to(folder)
    assert list(text_input.find_files(folder, (".jsonl",))) == []


def test_link_to_itself_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "round.jsonl"
    path.symlink_to(path)
    with pytest.raises(ImportFailed, match=r"round\.jsonl: cannot be read"):
        find_reader(path)


def test_path_with_a_null_byte_is_refused(memory: LongTermMemory) -> None:
    path = Path("a\0b.jsonl")
    with pytest.raises(ImportFailed, match="is not a valid path"):
        find_reader(path)
    result = import_chats(memory, ImportSource(reader=READERS["plain"], path=path, owner=OWNER))
    assert "is not a valid path" in result.failures[0].reason
