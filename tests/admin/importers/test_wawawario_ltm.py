"""long_term_memory's databases, of one character and of all, and the CSV they are dumped to."""

import csv
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_core.admin.importers.base import MemoryOwner
from memory_core.admin.importers.engine import import_chats
from memory_core.admin.importers.formats import READERS
from memory_core.admin.importers.source import ImportSource
from memory_core.admin.importers.survey import survey
from memory_core.admin.importers.wawawario_ltm import EMBEDDINGS
from memory_core.domain.errors import ImportFailed
from memory_core.domain.namespaces import Namespace
from memory_core.memory.long_term_memory import LongTermMemory
from tests.admin.importers.foreign import OWNER, read, read_as, said, write, write_lines
from tests.builders import asked

Row = tuple[str, str, str]
BEGIN = datetime(2023, 5, 6, 12, tzinfo=UTC)
# A message is written when the next one is sent: the character's last one, then the user's new one.
TALK: list[Row] = [
    ("Anon", "I moved to Kyoto", "2023-05-06 12:00:00"),
    ("Miku Hatsune", "How is Kyoto?", "2023-05-06 12:05:00"),
    ("Anon", "Full of temples", "2023-05-06 12:05:00"),
    ("Miku Hatsune", "Which is best?", "2023-05-06 12:09:00"),
    ("Anon", "The golden one", "2023-05-06 12:09:01"),
]
PAIRS = [
    ("I moved to Kyoto", "How is Kyoto?"),
    ("Full of temples", "Which is best?"),
    ("The golden one", ""),
]


def database(folder: Path, rows: Sequence[Row], name: str = "long_term_memory.db") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(folder / name)) as made, made:
        made.execute(
            "CREATE TABLE long_term_memory(id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
            " message TEXT NOT NULL UNIQUE, timestamp TEXT NOT NULL)"
        )
        numbered = [(number, *row) for number, row in enumerate(rows)]
        made.executemany("INSERT INTO long_term_memory VALUES (?, ?, ?, ?)", numbered)
    return folder / name


def dump(path: Path, rows: Sequence[Row]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        numbered = [(number, *row) for number, row in enumerate(rows)]
        csv.writer(file).writerows(sorted(numbered, key=lambda row: row[3]))
    return path


@pytest.mark.usefixtures("in_tokyo")
def test_a_characters_database_becomes_exchanges(tmp_path: Path) -> None:
    database(tmp_path / "bot_memories" / "miku_hatsune", TALK)
    (chat,) = read(tmp_path / "bot_memories")
    assert said([chat]) == PAIRS
    assert (chat.namespace.user, chat.namespace.character) == (OWNER.user, "Miku Hatsune")
    first = chat.exchanges[0]
    assert (first.user_name, first.assistant_name) == ("Anon", "Miku Hatsune")
    assert first.ts == BEGIN.timestamp()


def test_reasoning_marks_are_looked_for_in_answers_alone(tmp_path: Path) -> None:
    marked = [(name, f"Why </think>{text}", stamp) for name, text, stamp in TALK]
    database(tmp_path / "bot_memories" / "miku_hatsune", marked)
    found = said(read(tmp_path / "bot_memories"))
    assert found == [(f"Why </think>{user}", answer) for user, answer in PAIRS]


def test_every_character_gets_a_namespace(tmp_path: Path) -> None:
    memories = tmp_path / "user_data" / "bot_memories"
    database(memories / "miku_hatsune", TALK)
    database(memories / "rei", [("Anon", "hello Rei", "2023-05-06 12:00:00")])
    found = {chat.namespace.character: len(chat.exchanges) for chat in read(tmp_path)}
    assert found == {"Miku Hatsune": 3, "rei": 1}


REI: list[Row] = [
    ("Rei", "Are you there?", "2023-05-07 10:00:00"),
    ("Anon", "Here I am", "2023-05-07 10:00:00"),
    ("Rei", "Good", "2023-05-07 10:02:00"),
]


@pytest.mark.parametrize("folder", ["bot_memories", "bot_memories_backup_for_migration"])
def test_one_database_of_all_characters_becomes_one_namespace_that_all_may_read(
    tmp_path: Path, folder: str
) -> None:
    (chat,) = read(database(tmp_path / folder, [*TALK, *REI]))
    assert chat.namespace == Namespace.shared(OWNER.user)
    assert said([chat]) == [*PAIRS[:2], ("The golden one", "Are you there?"), ("Here I am", "Good")]
    assert [exchange.assistant_name for exchange in chat.exchanges] == ["Miku Hatsune"] * 2 + [
        "Rei"
    ] * 2
    assert "one database for all characters" in chat.warnings[0]
    assert "all characters of ana may read" in chat.warnings[0]


def test_the_user_of_one_database_of_all_is_found_without_times(tmp_path: Path) -> None:
    timeless = [(name, text, "2023-05-06 12:00:00") for name, text, _ in (*TALK, *REI)]
    (chat,) = read(database(tmp_path / "bot_memories", timeless))
    assert {exchange.user_name for exchange in chat.exchanges} == {"Anon"}


def test_one_database_of_all_and_those_of_characters_are_read_side_by_side(tmp_path: Path) -> None:
    database(tmp_path / "bot_memories", TALK)
    database(tmp_path / "bot_memories" / "rei", REI)
    found = {chat.namespace: len(chat.exchanges) for chat in read(tmp_path)}
    assert found == {Namespace.shared(OWNER.user): 3, Namespace(OWNER.user, "Rei"): 2}


def test_a_characters_database_in_a_folder_of_another_name_is_the_characters(
    tmp_path: Path,
) -> None:
    (chat,) = read(database(tmp_path / "old", TALK))
    assert chat.namespace == Namespace(OWNER.user, "Miku Hatsune")
    assert said([chat]) == PAIRS


def test_user_is_found_by_the_order_of_writing(tmp_path: Path) -> None:
    path = database(tmp_path / "user_data", TALK)
    owner = MemoryOwner(user="somebody", character="Other")
    (chat,) = READERS["long_term_memory"].read(path, owner)
    assert {exchange.user_name for exchange in chat.exchanges} - {""} == {"Anon"}


def test_all_characters_recall_what_came_from_one_database_of_all(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    path = database(tmp_path / "bot_memories", [*TALK, *REI])
    source = ImportSource(reader=READERS["long_term_memory"], path=path, owner=OWNER)
    assert len(survey([source]).warnings) == len(import_chats(memory, source).warnings) == 2
    for character in ("Mira", "Rei"):
        found = memory.recall(Namespace(OWNER.user, character), asked("Which temples in Kyoto?"))
        assert "How is Kyoto?" in {candidate.memory.exchange.assistant for candidate in found.kept}
    assert not memory.recall(Namespace("bob", "Mira"), asked("Which temples in Kyoto?")).kept


def test_database_without_embeddings_is_imported_with_a_reassuring_warning(tmp_path: Path) -> None:
    path = database(tmp_path / "rei", REI)
    (chat,) = read(path)
    assert "database without embeddings" in chat.warnings[0]
    assert "safe to import" in chat.warnings[0]
    (tmp_path / "rei" / EMBEDDINGS).mkdir()
    assert not read(path)[0].warnings


def test_embeddings_without_a_database_are_reported_with_advice(tmp_path: Path) -> None:
    database(tmp_path / "bot_memories" / "rei", REI)
    stray = tmp_path / "bot_memories" / "miku" / EMBEDDINGS
    write(stray / "0.0", "vectors")
    source = ImportSource(reader=READERS["long_term_memory"], path=tmp_path, owner=OWNER)
    found = survey([source])
    assert found.chats == 1
    (failure,) = found.failures
    assert failure.source == stray
    for told in ("embeddings without a database", "nothing was changed", "safe to delete"):
        assert told in failure.reason
    assert (stray / "0.0").read_text() == "vectors"


@pytest.mark.parametrize("named", ["miku", f"miku/{EMBEDDINGS}"])
def test_embeddings_alone_are_recognised_and_refused(tmp_path: Path, named: str) -> None:
    write(tmp_path / "miku" / EMBEDDINGS / "0.0", "vectors")
    with pytest.raises(ImportFailed, match="embeddings without a database"):
        read(tmp_path / named)


def test_embeddings_named_instead_of_their_database_are_refused_with_its_name(
    tmp_path: Path,
) -> None:
    path = database(tmp_path / "rei", REI)
    write(tmp_path / "rei" / EMBEDDINGS / "0.0", "vectors")
    with pytest.raises(ImportFailed, match=r"Import .*long_term_memory\.db instead"):
        read(path.with_name(EMBEDDINGS))


def test_consecutive_messages_of_one_speaker_stay_single(tmp_path: Path) -> None:
    rows = [("rei", "one", "x"), ("rei", "two", "x"), ("Anon", "a", "x"), ("Anon", "b", "x")]
    path = database(tmp_path / "rei", rows)
    assert said(read(path)) == [("", "one"), ("", "two"), ("a", ""), ("b", "")]


def test_the_dump_reads_as_its_database(tmp_path: Path) -> None:
    """It is ordered by second; what was written in one must not change places."""
    rows = [*TALK, ("Anon", 'a "quoted", long\nmessage', "2023-05-06 12:09:01")]
    path = database(tmp_path / "miku_hatsune", rows)
    dumped = dump(tmp_path / "miku_hatsune.csv", rows[::-1])
    write(dumped, "\n".join(_renumbered(rows)))
    assert said(read(dumped)) == said(read(path))
    write(dumped, "\n".join(["id,name,message,timestamp", *_renumbered(rows)]))
    assert READERS["long_term_memory"].recognises(dumped)
    assert said(read(dumped)) == said(read(path))


def _renumbered(rows: Sequence[Row]) -> list[str]:
    """The lines of a dump whose order within a second is turned round."""
    numbered = sorted(enumerate(rows), key=lambda pair: (pair[1][2], -pair[0]))
    quoted = [
        [str(n), *(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row)]
        for n, row in numbered
    ]
    return [",".join(cells) for cells in quoted]


def test_the_database_is_not_touched(tmp_path: Path) -> None:
    path = database(tmp_path / "rei", TALK)
    before = path.read_bytes(), path.stat().st_mtime_ns
    read(path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert [path.name for path in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("kept", [16, 100, 5000])
def test_a_damaged_database_is_refused(tmp_path: Path, kept: int) -> None:
    path = database(tmp_path / "rei", [("Anon", f"message {n} " * 99, "x") for n in range(99)])
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(ImportFailed, match=r"long_term_memory\.db: is no database of long_term"):
        read(path)


def test_another_programs_database_is_not_ours(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "long_term_memory.db")) as made, made:
        made.execute("CREATE VIEW long_term_memory AS SELECT 1 AS id, 'a' AS name, 'b' AS message")
    with pytest.raises(ImportFailed, match="has no table long_term_memory"):
        read_as("long_term_memory", tmp_path / "long_term_memory.db")


@pytest.mark.parametrize("text", [b"\xff\xfe\xfa", "Grüße".encode("latin-1")])
def test_a_text_that_is_not_utf_8_is_refused(tmp_path: Path, text: bytes) -> None:
    path = database(tmp_path / "rei", TALK)
    with closing(sqlite3.connect(path)) as made, made:
        made.execute("UPDATE long_term_memory SET message = CAST(? AS TEXT) WHERE id = 2", [text])
    with pytest.raises(ImportFailed, match=r"row 3: byte . of a text is not UTF-8"):
        read(path)


@pytest.mark.slow
def test_a_message_of_50_mb_is_refused(tmp_path: Path) -> None:
    path = database(tmp_path / "rei", [("Anon", "x" * 50_000_000, "x")])
    with pytest.raises(ImportFailed, match="holds a message of 50000000 bytes"):
        read(path)


def test_a_broken_dump_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "rei.csv", "0,Anon,hello,2023-05-06 12:00:00\n1,Anon\n")
    with pytest.raises(
        ImportFailed, match=r"rei\.csv, line 2: is not id, name, message, timestamp"
    ):
        read(path)


def test_a_folder_of_other_files_is_not_ours(tmp_path: Path) -> None:
    write(tmp_path / "table.csv", "a,b\n1,2\n")
    write(tmp_path / "prices.csv", "1,apple,3,2023-05-06\n")
    write_lines(tmp_path / "x.jsonl", [{}])
    assert not READERS["long_term_memory"].recognises(tmp_path)
