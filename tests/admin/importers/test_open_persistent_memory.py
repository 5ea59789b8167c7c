"""OpenPersistentMemory's storage: users/<user>/conversations/<name>.jsonl and meta.jsonl."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.admin.importers.foreign import OWNER, read, said, write_lines

TS = 1_750_000_000.25


def pair(number: int, user: str, assistant: str = "ok") -> dict[str, Any]:
    return {"turn_id": number, "ts": TS + number, "user": user, "assistant": assistant}


def known(user_id: str, conversation: str, row: dict[str, Any]) -> dict[str, Any]:
    raw = {"raw_user": row["user"], "raw_assistant": row["assistant"]}
    return {"user_id": user_id, "conv_id": conversation, "summary": "…"} | raw


def test_each_users_conversations_are_read(tmp_path: Path) -> None:
    users = tmp_path / "storage" / "users"
    write_lines(users / "ana" / "conversations" / "c1.jsonl", [pair(1, "a"), pair(2, "b")])
    write_lines(users / "bob" / "conversations" / "c1.jsonl", [pair(1, "c")])
    ana, bob = read(tmp_path / "storage")
    assert (ana.namespace.user, bob.namespace.user) == ("ana", "bob")
    assert ana.namespace.character == OWNER.character
    assert (ana.conversation, said([ana])) == (
        "openpersistentmemory-c1",
        [("a", "ok"), ("b", "ok")],
    )
    assert [exchange.ts for exchange in ana.exchanges] == [TS + 1, TS + 2]


def test_a_single_log_without_its_folders_is_the_owners(tmp_path: Path) -> None:
    (chat,) = read(write_lines(tmp_path / "c1.jsonl", [pair(1, "a")]))
    assert (chat.namespace.user, chat.conversation) == (OWNER.user, "openpersistentmemory-c1")


def test_users_real_name_is_read_from_meta(tmp_path: Path) -> None:
    row = pair(1, "a")
    write_lines(tmp_path / "ana_smith" / "conversations" / "c1.jsonl", [row, pair(2, "lost")])
    write_lines(tmp_path / "ana_smith" / "meta.jsonl", [known("ana smith", "c1", row)])
    chat, summaries = read(tmp_path)
    assert (chat.namespace.user, len(chat.exchanges)) == ("ana smith", 2)
    assert (summaries.namespace.user, len(summaries.notes)) == ("ana smith", 1)


def test_users_who_share_a_folder_are_distinguished(tmp_path: Path) -> None:
    """Both names become the folder "_" there, so that each is shown what the other said."""
    ming, hua = pair(1, "my card is 1234"), pair(2, "hello")
    write_lines(tmp_path / "_" / "conversations" / "my_talk.jsonl", [ming, hua])
    meta = [known("小明", "my talk", ming), known("李华", "my talk", hua)]
    write_lines(tmp_path / "_" / "meta.jsonl", meta)
    found = {chat.namespace.user: said([chat]) for chat in read(tmp_path) if chat.exchanges}
    assert found == {"小明": [("my card is 1234", "ok")], "李华": [("hello", "ok")]}


def test_a_repeated_number_of_a_turn_loses_nothing(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c1.jsonl", [pair(1, "a"), pair(1, "b"), pair(1, "")])
    assert said(read(path)) == [("a", "ok"), ("b", "ok"), ("", "ok")]


def test_a_row_of_another_shape_is_passed_over(tmp_path: Path) -> None:
    odd = {"turn_id": [], "ts": "NaN", "user": None, "assistant": {}}
    path = write_lines(tmp_path / "c1.jsonl", [pair(1, "a"), odd])
    assert said(read(path)) == [("a", "ok")]


TORN = ['{"turn_id": 2, "ts": 1, "us', "[1]", "[" * 100_000]


def add_lines(path: Path, *lines: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + "\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("line", TORN)
def test_torn_line_of_a_log_is_left_out_with_a_warning(tmp_path: Path, line: str) -> None:
    """The program appends without syncing, and itself reads on behind such a line."""
    path = write_lines(tmp_path / "c1.jsonl", [pair(1, "a")])
    add_lines(path, line, json.dumps(pair(3, "b")))
    (chat,) = read(path)
    assert said([chat]) == [("a", "ok"), ("b", "ok")]
    (warning,) = chat.warnings
    assert str(path) in warning
    assert "line 2" in warning


def test_torn_line_of_meta_costs_only_its_own_summary(tmp_path: Path) -> None:
    rows = [pair(1, "a"), pair(2, "b")]
    write_lines(tmp_path / "ana_smith" / "conversations" / "c1.jsonl", rows)
    meta = write_lines(tmp_path / "ana_smith" / "meta.jsonl", [known("ana smith", "c1", rows[0])])
    add_lines(meta, TORN[0], json.dumps(known("ana smith", "c1", rows[1])))
    chat, summaries = read(tmp_path)
    assert (chat.namespace.user, len(summaries.notes)) == ("ana smith", 2)
    (warning,) = chat.warnings
    assert f"{meta}, line 2" in warning
