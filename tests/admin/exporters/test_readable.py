"""Exports for reading: the live memories alone, whole, and harmless to whoever opens them."""

import csv
import io
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.admin.exporters import live_memories as live
from memory_core.admin.exporters.csv import COLUMNS
from memory_core.admin.exporters.export import ENDINGS, ExportFormat, export_all, export_namespace
from memory_core.admin.exporters.live_memories import live_memories
from memory_core.admin.exporters.markdown import markdown_lines
from memory_core.domain.errors import StorageFailed
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from tests.admin.exporters.scene import fill
from tests.builders import DAY, NOW, SPACE, said, user_sides


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sets the time zone, in which a document dates memories, where the system allows that."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        if hasattr(time, "tzset"):
            time.tzset()
        yield
    if hasattr(time, "tzset"):
        time.tzset()


def written(memory: LongTermMemory, form: ExportFormat, tmp_path: Path) -> bytes:
    path = tmp_path / f"out{ENDINGS[form]}"
    assert export_namespace(memory, SPACE, form, path) == memory.counts(SPACE)["live"]
    return path.read_bytes()


def table(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_each_live_memory_comes_once_by_conversation_in_the_chats_order(
    memory: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory)
    monkeypatch.setattr(live, "_BATCH", 2)
    late = [said(f"number {n}", ts=NOW - n) for n in range(5)]
    memory.reconcile(SPACE, "numbers", late, whole=True)
    memory.reconcile(SPACE, "numbers", [late[0], said("between", ts=NOW), *late[1:]], whole=True)
    assert user_sides(live_memories(memory, SPACE)) == [
        "My dog is called Bruno",
        "My sister lives in Lyon, at the river",
        *("number 0", "between", "number 1", "number 2", "number 3", "number 4"),
        "Nobody knows when",
        "Ana must not eat nuts",
    ]


def test_memory_left_only_in_a_branch_is_exported_there(memory: LongTermMemory) -> None:
    shared = said("We both have this", ts=NOW)
    memory.reconcile(SPACE, "monday", [shared], whole=True)
    memory.reconcile(SPACE, "branch", [shared], whole=True)
    memory.reconcile(SPACE, "monday", [], whole=True)
    assert user_sides(live_memories(memory, SPACE)) == ["We both have this"]


def test_export_of_an_unknown_namespace_makes_no_folder(memory: LongTermMemory) -> None:
    assert list(live_memories(memory, Namespace("nobody", "at all"))) == []
    assert memory.namespaces() == []


@pytest.mark.parametrize("form", ExportFormat)
def test_no_export_format_holds_forgotten_or_removed_words(
    memory: LongTermMemory, tmp_path: Path, form: ExportFormat
) -> None:
    fill(memory)
    data = written(memory, form, tmp_path)
    assert b"Kumquat" not in data
    assert b"I will not stay here" not in data
    assert b"Bruno" in data


def test_a_table_has_a_bom_its_columns_and_every_field(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    ids = fill(memory)
    memory.remember(SPACE, "wednesday", said('He said "no",\nthen left 小美', "Ah.", ts=NOW))
    data = written(memory, ExportFormat.CSV, tmp_path)
    assert data.startswith(b"\xef\xbb\xbf" + ",".join(COLUMNS).encode() + b"\r\n")
    rows = {row["id"]: row for row in table(data)}
    assert rows[ids["dog"]] == {
        "date": "2026-09-20 14:13:20Z",
        "conversation": "monday",
        "kind": "exchange",
        "pinned": "yes",
        "user_name": "Ana",
        "user": "My dog is called Bruno",
        "assistant_name": "Mira",
        "assistant": "I see.",
        "note": "",
        "id": ids["dog"],
        "channel": "",
        "metadata": "",
        "sources": "",
        "derived": "",
        "ts": repr(NOW - DAY),
    }
    assert rows[ids["undated"]]["date"] == ""
    assert rows[ids["nuts"]]["note"] == "Ana must not eat nuts"
    assert 'He said "no",\nthen left 小美' in {row["user"] for row in rows.values()}


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r=", " =", "\n@", "＝"])
def test_no_cell_is_a_formula(memory: LongTermMemory, tmp_path: Path, start: str) -> None:
    text = f"{start}HYPERLINK(evil)"
    memory.remember(SPACE, text, said(text, text))
    memory.add_note(SPACE, text, kind=MemoryKind.DIARY, pinned=False)
    rows = table(written(memory, ExportFormat.CSV, tmp_path))
    cells = [cell for row in rows for cell in row.values()]
    assert sum(cell == f"'{text}" for cell in cells) == 4
    assert not any(cell.lstrip().startswith(("=", "+", "-", "@", "＝")) for cell in cells)


def test_json_lines_hold_every_field(memory: LongTermMemory, tmp_path: Path) -> None:
    ids = fill(memory)
    memory.remember(SPACE, "wednesday", said("half a \ud83d pair"))
    lines = written(memory, ExportFormat.JSONL, tmp_path).decode().splitlines()
    found = {row["id"]: row for row in map(json.loads, lines)}
    assert found[ids["sister"]] == {
        "id": ids["sister"],
        "kind": "exchange",
        "ts": NOW - DAY + 1,
        "date": "2026-09-20T14:13:21+00:00",
        "conversation": "monday",
        "turn_id": 2,
        "pinned": False,
        "user": "My sister lives in Lyon, at the river",
        "assistant": "I see.",
        "user_name": "Ana",
        "assistant_name": "Mira",
        "channel": "",
        "metadata": {},
    }
    assert (found[ids["undated"]]["ts"], found[ids["undated"]]["date"]) == (None, None)
    assert found[ids["nuts"]]["text"] == "Ana must not eat nuts"


def test_a_document_has_a_chapter_for_each_conversation_and_a_section_for_each_day(
    memory: LongTermMemory,
) -> None:
    fill(memory)
    memory.remember(SPACE, "monday", said("And the next day", ts=NOW))
    text = "".join(markdown_lines(live_memories(memory, SPACE), title="ana / mira"))
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == [
        "# ana / mira",
        *("## monday", "### 2026-09-20", "### 2026-09-21"),
        *("## tuesday", "### Date unknown"),
        *("## Notes", "### 2026-09-21"),
    ]
    assert "**Ana**, 14:13 📌\n\n> My dog is called Bruno\n\n**Mira**\n\n> I see.\n" in text


def test_a_note_for_one_chat_alone_says_so_among_the_notes(memory: LongTermMemory) -> None:
    kind = MemoryKind.KNOWLEDGE
    for chat in ("", "a_b", ""):
        memory.add_note(SPACE, f"We play {chat}", kind=kind, pinned=False, conversation=chat)
    text = "".join(markdown_lines(live_memories(memory, SPACE), title="a"))
    assert text.count("## Notes") == 1
    assert "**knowledge**, only in a\\_b, 14:13\n\n> We play a_b\n" in text


def test_no_text_can_pass_for_a_heading_or_fetch_anything(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "# talk", said("hello\n## Notes\n<img src=x> ![a](http://b)"))
    text = "".join(markdown_lines(live_memories(memory, SPACE), title="a\n# b"))
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == ["# a \\# b", "## \\# talk", "### 2026-09-21"]
    assert "> \\<img src=x> \\![a](http://b)" in text


def test_a_time_outside_the_calendar_is_no_date(memory: LongTermMemory, tmp_path: Path) -> None:
    memory.remember(SPACE, "monday", said("long ago", ts=-1e14))
    assert table(written(memory, ExportFormat.CSV, tmp_path))[0]["date"] == ""


def test_a_file_that_cannot_be_written_leaves_the_old_one(
    memory: LongTermMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory)
    path = tmp_path / "out.csv"
    path.write_bytes(b"old")

    def break_off(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fdatasync", break_off)
    with pytest.raises(StorageFailed, match="No space left"):
        export_namespace(memory, SPACE, ExportFormat.CSV, path)
    assert path.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["out.csv"]


@pytest.mark.parametrize("form", ExportFormat)
def test_name_that_no_file_can_hold_keeps_no_memory_from_an_export(
    memory: LongTermMemory, tmp_path: Path, form: ExportFormat
) -> None:
    space = Namespace("ana", "half an emoji: \ud83d")
    memory.remember(space, "monday", said("My dog is called Bruno"))
    single, whole = tmp_path / "single", tmp_path / "whole"
    assert export_namespace(memory, space, form, single) == 1
    assert export_all(memory, [space], form, whole) == {space: 1}
    for path in (single, whole):
        assert "Bruno" in path.read_text("utf-8")
