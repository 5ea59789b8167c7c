"""Home-made tables of pairs or messages, as CSV or JSONL."""

import csv
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_core.admin.exporters.export import ENDINGS, ExportFormat, export_namespace
from memory_core.admin.exporters.live_memories import live_memories
from memory_core.admin.importers import csv_jsonl
from memory_core.admin.importers.base import MemoryOwner
from memory_core.admin.importers.csv_jsonl import TableReader
from memory_core.admin.importers.engine import import_chats
from memory_core.admin.importers.formats import READERS
from memory_core.admin.importers.source import ImportSource
from memory_core.admin.importers.timestamps import has_uncertain_date
from memory_core.domain.errors import ImportFailed
from memory_core.domain.records import Exchange, MemoryKind, Note
from memory_core.memory.long_term_memory import LongTermMemory
from tests.admin.importers.foreign import OWNER, read, read_as, said, write, write_lines
from tests.builders import HOUR, NOW, SPACE
from tests.builders import said as exchange

PAIRS = [("hello", "hi"), ("how are you?", "fine")]
AS_PAIRS = [{"user": user, "assistant": answer} for user, answer in PAIRS]
AS_TURNS = [
    {"role": role, "content": text}
    for pair in PAIRS
    for role, text in zip(("user", "assistant"), pair, strict=True)
]


def table(path: Path, rows: list[dict[str, Any]], delimiter: str = ",") -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.parametrize("rows", [AS_PAIRS, AS_TURNS], ids=["pairs", "turns"])
def test_jsonl_and_csv_read_the_same(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    for path in (write_lines(tmp_path / "a.jsonl", rows), table(tmp_path / "a.csv", rows)):
        (chat,) = read(path)
        assert said([chat]) == PAIRS
        assert chat.conversation == "plain-a"
        assert (chat.namespace.user, chat.namespace.character) == (OWNER.user, OWNER.character)


@pytest.mark.parametrize("rows", [AS_PAIRS, AS_TURNS], ids=["pairs", "turns"])
def test_reasoning_marks_are_looked_for_in_answers_alone(
    tmp_path: Path, rows: list[dict[str, Any]]
) -> None:
    marked = [{key: _marked(value) for key, value in row.items()} for row in rows]
    found = said(read(write_lines(tmp_path / "a.jsonl", marked)))
    assert found == [(f"Why </think>{user}", answer) for user, answer in PAIRS]


def _marked(value: str) -> str:
    return value if value in ("user", "assistant") else f"Why </think>{value}"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_delimiter_of_a_csv_is_found_by_its_header(tmp_path: Path, delimiter: str) -> None:
    rows = [{"user": 'a, b; c\t"d"\ne', "assistant": "ok"}]
    assert said(read(table(tmp_path / "a.csv", rows, delimiter))) == [('a, b; c\t"d"\ne', "ok")]


def test_names_times_and_conversations_are_kept(tmp_path: Path) -> None:
    told = {"user_name": "Ana", "assistant_name": "Rei", "ts": "2024-07-01T12:00:00Z"}
    rows = [AS_PAIRS[0] | told | {"conversation": name} for name in ("one", "two", "one")]
    for path in (write_lines(tmp_path / "a.jsonl", rows), table(tmp_path / "a.csv", rows)):
        one, two = read(path)
        assert (one.conversation, two.conversation) == ("plain-one", "plain-two")
        assert (len(one.exchanges), len(two.exchanges)) == (2, 1)
        exchange = one.exchanges[0]
        assert (exchange.user_name, exchange.assistant_name) == ("Ana", "Rei")
        assert exchange.ts == datetime(2024, 7, 1, 12, tzinfo=UTC).timestamp()


@pytest.mark.parametrize("form", [ExportFormat.CSV, ExportFormat.JSONL])
def test_exports_of_our_own_are_read_with_their_notes(
    memory: LongTermMemory, tmp_path: Path, form: ExportFormat
) -> None:
    fact, learned = (
        MemoryKind.KNOWLEDGE,
        Note(text="Likes tea", kind=MemoryKind.OBSERVATION, ts=NOW),
    )
    memory.add_notes(SPACE, [learned])
    memory.add_note(SPACE, "Ana must not eat nuts", kind=fact, pinned=True)
    memory.add_note(SPACE, "Be brief", kind=fact, pinned=False, conversation="talk")
    memory.reconcile(SPACE, "talk", [exchange(*PAIRS[0])], whole=True)
    path = tmp_path / f"all{ENDINGS[form]}"
    export_namespace(memory, SPACE, form, path)
    chats = read(path)
    assert said(chats) == PAIRS[:1]
    notes = {note.text: note for chat in chats for note in chat.notes}
    assert notes.keys() == {learned.text, "Ana must not eat nuts", "Be brief"}
    assert notes[learned.text] == learned
    assert notes["Ana must not eat nuts"].kind is fact
    assert notes["Ana must not eat nuts"].pinned
    assert notes["Be brief"].conversation == chats[0].conversation


@pytest.mark.parametrize("form", [ExportFormat.CSV, ExportFormat.JSONL])
def test_importing_our_own_export_again_adds_nothing(
    memory: LongTermMemory, tmp_path: Path, form: ExportFormat
) -> None:
    memory.add_note(SPACE, "Ana must not eat nuts", kind=MemoryKind.KNOWLEDGE, pinned=False)
    secret = memory.add_note(SPACE, "The key is Kumquat", kind=MemoryKind.KNOWLEDGE, pinned=False)
    listed = exchange("'=' or '-'?", "- this\n- that", ts=NOW + HOUR)
    memory.reconcile(SPACE, "talk", [exchange(*PAIRS[0]), listed], whole=True)
    path = tmp_path / f"all{ENDINGS[form]}"
    export_namespace(memory, SPACE, form, path)
    memory.forget(SPACE, [secret])
    memory.erase_all_forgotten(SPACE)
    owner = MemoryOwner(user=SPACE.user, character=SPACE.character)
    assert (
        import_chats(memory, ImportSource(reader=TableReader(), path=path, owner=owner)).notes == 0
    )
    assert memory.counts(SPACE)["live"] == 3


def test_a_line_may_hold_a_whole_conversation(tmp_path: Path) -> None:
    system = {"role": "system", "content": "Be kind."}
    rows = [{"messages": [system, *AS_TURNS]}, {"messages": AS_TURNS[:2]}]
    chats = read(write_lines(tmp_path / "a.jsonl", rows))
    assert [said([chat]) for chat in chats] == [PAIRS, PAIRS[:1]]
    assert [chat.conversation for chat in chats] == ["plain-a-1", "plain-a-2"]


def test_a_pair_may_lack_a_side_and_an_answer_may_be_in_two_parts(tmp_path: Path) -> None:
    rows = [{"user": "", "assistant": "news!"}, {"user": "?", "assistant": ""}]
    assert said(read(write_lines(tmp_path / "a.jsonl", rows))) == [("", "news!"), ("?", "")]
    parts = [AS_TURNS[0], AS_TURNS[1], {"role": "assistant", "content": "again"}]
    assert said(read(write_lines(tmp_path / "b.jsonl", parts))) == [("hello", "hi\n\nagain")]


def test_texts_are_clean(tmp_path: Path) -> None:
    rows = [{"user": " a ", "assistant": "<think>x</think>b"}]
    assert said(read(write_lines(tmp_path / "a.jsonl", rows))) == [("a", "b")]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("when,what\n1,2\n", "has the columns when, what. It needs columns user and assistant"),
        ("user,assistant\na,b,c\n", "line 2: has 3 cells for 2 columns"),
        ('user,assistant\na,"b\n', "is no CSV"),
        ('user,assistant\n"a"b,c\n', "line 2: is no CSV"),
    ],
)
def test_invalid_csv_is_refused_with_its_fault(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(ImportFailed, match=fault):
        read_as("plain", write(tmp_path / "a.csv", text))


@pytest.mark.slow
def test_a_quote_that_is_never_closed_does_not_fill_the_memory(tmp_path: Path) -> None:
    text = 'user,assistant\na,"b\n' + "x" * 99 + "\n"
    path = write(tmp_path / "a.csv", text + ("y" * 9_999 + "\n") * 4_000)
    with pytest.raises(ImportFailed, match=r"is no CSV .field larger than"):
        read_as("plain", path)


def test_a_line_that_is_no_message_is_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [*AS_PAIRS, {"level": "info"}])
    with pytest.raises(ImportFailed, match=r"a\.jsonl, line 3: is no message"):
        read(path)


def test_a_file_larger_than_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_jsonl, "MAX_BYTES", 10)
    with pytest.raises(ImportFailed, match="Split it into several files"):
        read(write_lines(tmp_path / "a.jsonl", AS_PAIRS))


TOLD = {"mood": "glad", "tags": ["a", 1], "date": "a Sunday", "小": None}


def imported(memory: LongTermMemory, path: Path, name: str = "plain") -> list[Exchange]:
    source = ImportSource(
        reader=READERS[name], path=path, owner=MemoryOwner(user="ana", character="mira")
    )
    assert not import_chats(memory, source).failures
    return [entry.exchange for entry in live_memories(memory, SPACE) if entry.exchange]


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_metadata_and_channel_of_pairs_are_kept_in_the_log_and_the_exports(
    memory: LongTermMemory, tmp_path: Path, ending: str
) -> None:
    cell = json.dumps(TOLD) if ending == ".csv" else TOLD
    more = {"ts": "2024-07-01T12:00:00Z", "channel": "telegram", "metadata": cell}
    rows = [AS_PAIRS[0] | more, AS_PAIRS[1] | more | {"channel": "", "metadata": ""}]
    path = tmp_path / f"a{ending}"
    path = table(path, rows) if ending == ".csv" else write_lines(path, rows)
    found = imported(memory, path)
    assert [(exchange.channel, exchange.metadata) for exchange in found] == [
        ("telegram", TOLD),
        ("plain", {}),
    ]
    memory.rebuild(SPACE)
    assert [entry.exchange for entry in live_memories(memory, SPACE)] == found
    for form in (ExportFormat.CSV, ExportFormat.JSONL):
        out = tmp_path / f"out{ENDINGS[form]}"
        export_namespace(memory, SPACE, form, out)
        (chat,) = read(out)
        assert [(exchange.channel, exchange.metadata) for exchange in chat.exchanges] == [
            ("telegram", TOLD),
            ("plain", {}),
        ]


def test_metadata_and_channel_of_single_messages_are_kept(tmp_path: Path) -> None:
    rows = [
        AS_TURNS[0] | {"channel": "web", "metadata": {"n": 1, "from": "app"}},
        AS_TURNS[1] | {"channel": "bot", "metadata": {"n": 2, "model": "m"}},
        AS_TURNS[2] | {"channel": "phone"},
        AS_TURNS[3],
    ]
    (chat,) = read(write_lines(tmp_path / "a.jsonl", rows))
    assert said([chat]) == PAIRS
    assert [exchange.channel for exchange in chat.exchanges] == ["web", "phone"]
    told = {"user.n": 1, "assistant.n": 2, "from": "app", "model": "m"}
    assert chat.exchanges[0].metadata == told | {"date": "unknown"}
    assert chat.exchanges[1].metadata == {"date": "unknown"}


def test_metadata_of_a_line_with_messages_goes_to_the_first_and_its_channel_to_all(
    tmp_path: Path,
) -> None:
    line = {"messages": AS_TURNS, "channel": "web", "metadata": {"topic": "tea"}}
    (chat,) = read(write_lines(tmp_path / "a.jsonl", [line]))
    assert [exchange.channel for exchange in chat.exchanges] == ["web", "web"]
    assert [exchange.metadata.get("topic") for exchange in chat.exchanges] == ["tea", None]


def test_a_date_in_foreign_metadata_is_no_mark_and_not_lost_behind_one(tmp_path: Path) -> None:
    rows = [AS_PAIRS[0] | {"metadata": {"date": "a Sunday"}, "ts": 1.7e9}]
    rows += [AS_PAIRS[1] | {"metadata": {"date": "a Monday"}}]
    (chat,) = read(write_lines(tmp_path / "a.jsonl", rows))
    assert [has_uncertain_date(exchange) for exchange in chat.exchanges] == [False, True]
    assert chat.exchanges[0].metadata == {"date": "a Sunday"}
    assert chat.exchanges[1].metadata == {"date": "approximate", "date_given": "a Monday"}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("glad", {"metadata": "glad"}),
        ("{broken", {"metadata": "{broken"}),
        ([1, 2], {"metadata": [1, 2]}),
        ({"x": float("inf")}, {"x": "inf"}),
        ({"x": "\ud800"}, {"x": "?"}),
        ({}, {}),
        (None, {}),
        (0, {"metadata": 0}),
        (False, {"metadata": False}),
    ],
)
def test_metadata_of_another_shape_are_kept_as_json_can_hold_them(
    tmp_path: Path, given: object, kept: dict[str, Any]
) -> None:
    rows = [AS_PAIRS[0] | {"metadata": given, "ts": 1.7e9}]
    (chat,) = read(write_lines(tmp_path / "a.jsonl", rows))
    assert chat.exchanges[0].metadata == kept
    assert json.dumps(chat.exchanges[0].metadata["x"] if "x" in kept else "", allow_nan=False)


@pytest.mark.parametrize("column", [False, True])
def test_metadata_nested_too_deeply_are_refused_with_their_line(
    tmp_path: Path, column: bool
) -> None:
    deep = "[" * 300 + "]" * 300
    row = AS_PAIRS[0] | {"metadata": deep if column else json.loads(deep)}
    path = tmp_path / "a.csv" if column else tmp_path / "a.jsonl"
    path = table(path, [row]) if column else write_lines(path, [row])
    with pytest.raises(ImportFailed, match=r"line \d: its metadata is nested more than 32 levels"):
        read(path)
