"""Reads wawawario2's long_term_memory: a SQLite file per character or for all, or a CSV dump.

It holds single messages with a name; `id` rises in the order of writing. It writes the character's
last message and the user's new one together. That order reveals the user if names and folders do
not. Times are UTC. Its vectors come from another model and are not read.

A character's folder holds `long_term_memory.db` (the words) and `long_term_memory_embeddings.zarr`
(their vectors). Before characters had folders there was one database for all of them, directly in
`bot_memories`. While that database exists, the extension uses no other. It becomes one namespace
that all characters of the user may read.
"""

import os
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC
from itertools import chain, pairwise
from pathlib import Path

from ...domain.errors import ImportFailed
from ...domain.namespaces import Namespace
from ...domain.records import Role, Turn
from ...domain.unicode import well_formed
from ...text.cleaning import clean_for_role
from .base import RETRY_ADVICE, ImportChat, MemoryOwner, Reader, UniqueNames, import_error
from .csv_jsonl import read_csv_rows
from .pairing import to_single_exchanges
from .text_input import MAX_LINE_CHARS, find_files, open_file, read_beginning
from .timestamps import fill_missing_dates, parse_timestamp

DATABASE = "long_term_memory.db"
EMBEDDINGS = "long_term_memory_embeddings.zarr"
_SHARED_FOLDERS = frozenset({"bot_memories", "user_data"})
_DUMP_LINE = re.compile(r',"?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"?\r?$', re.MULTILINE)
_NUMBER = re.compile(r"\d{1,18}")
_MAGIC = b"SQLite format 3\0"
_COLUMNS = ("id", "name", "message", "timestamp")
_HEADER = re.compile(r'"?id"?,"?name"?,"?message"?,"?timestamp"?\r?\n')  # of DB Browser's exports
_SAME_MOMENT_S = 2.0
_PAIR_SIZE = 2  # names: a user and a character
_TABLE_QUERY = (
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'long_term_memory'"
)
_LONGEST_MESSAGE_QUERY = "SELECT max(length(CAST(message AS BLOB))) FROM long_term_memory"
_ROWS_QUERY = (
    "SELECT CAST(name AS BLOB), CAST(message AS BLOB), CAST(timestamp AS BLOB)"
    " FROM long_term_memory ORDER BY id"
)


@dataclass(frozen=True, slots=True)
class _Message:
    name: str
    text: str
    ts: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Participants:
    """The speakers in one file. `slug` is the character by its folder's name, or empty.

    `covers_all_characters` marks one database for all characters.
    """

    users: frozenset[str]
    slug: str
    covers_all_characters: bool


class LongTermMemoryReader(Reader):
    name = "long_term_memory"

    def recognises(self, path: Path) -> bool:
        return next(_sources(path), None) is not None

    def files(self, path: Path) -> list[Path]:
        return list(_sources(path)) or [path]

    def read(self, path: Path, owner: MemoryOwner) -> Iterator[ImportChat]:
        names = UniqueNames()
        for source in self.files(path):
            if _is_embeddings(source):
                raise _embeddings_error(source)
            messages = _read_dump(source) if _is_csv(source) else _read_database(source)
            speakers = _participants(messages, _slug_of(source), owner)
            for namespace, turns in _by_namespace(messages, speakers, owner).items():
                free = names.assign(namespace, self.name)
                if said := fill_missing_dates(to_single_exchanges(turns, self.name), None):
                    yield ImportChat(
                        namespace=namespace,
                        conversation=free,
                        exchanges=said,
                        source=source,
                        warnings=tuple(_warnings(source, speakers, owner)),
                    )


def _sources(path: Path) -> Iterator[Path]:
    if path.is_dir():
        found = find_files(path, (DATABASE, ".csv"))
        readable = (path for path in found if _is_database(path) or _is_dump(path))
        return chain([path] if _is_embeddings(path) else readable, _find_stray_embeddings(path))
    return iter([path] if _is_database(path) or _is_dump(path) else [])


def _is_csv(path: Path) -> bool:
    return path.suffix.lower() == ".csv"


def _is_database(path: Path) -> bool:
    """Returns True for a database by its name, even a damaged one, or else by its table."""
    return path.name == DATABASE or (path.suffix == ".db" and _has_database_content(path))


def _has_database_content(path: Path) -> bool:
    try:
        with path.open("rb") as stream, closing(_connect(path)) as database:
            is_one = stream.read(len(_MAGIC)) == _MAGIC
            return is_one and database.execute(_TABLE_QUERY).fetchone()[0] == 1
    except (OSError, ValueError, sqlite3.Error):
        return False


def _is_dump(path: Path) -> bool:
    """Returns True for a CSV of number, name, message and time in UTC, or with that header."""
    start = read_beginning(path) if _is_csv(path) else ""
    if header := _HEADER.match(start):
        start = start[header.end() :]
    return start.split(",", 1)[0].isdecimal() and _DUMP_LINE.search(start) is not None


def _slug_of(source: Path) -> str:
    """Returns the character by its dump's or folder's name; empty for the folder of all."""
    name = source.stem if _is_csv(source) else source.absolute().parent.name
    return name if _is_csv(source) or name not in _SHARED_FOLDERS else ""


def _slug(name: str) -> str:
    return name.strip().lower().replace(" ", "_")


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def _read_database(path: Path) -> list[_Message]:
    with open_file(path):
        pass
    try:
        with closing(_connect(path)) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            _refuse_long_messages(path, database)
            rows = enumerate(database.execute(_ROWS_QUERY), start=1)
            return [_message(path, number, row) for number, row in rows]
    except sqlite3.Error as exc:
        what = f"is no database of long_term_memory, or a damaged one ({exc})"
        raise import_error(path, what, "Name another copy of it") from exc


def _refuse_long_messages(path: Path, database: sqlite3.Connection) -> None:
    if not database.execute(_TABLE_QUERY).fetchone()[0]:
        raise import_error(path, "has no table long_term_memory", "Name that extension's database")
    longest = database.execute(_LONGEST_MESSAGE_QUERY).fetchone()[0] or 0
    if longest > MAX_LINE_CHARS:
        raise import_error(
            path, f"holds a message of {longest} bytes", "Delete it there and try again"
        )


def _message(path: Path, number: int, row: Sequence[bytes | None]) -> _Message:
    try:
        name, text, stamp = (bytes(cell or b"").decode("utf-8") for cell in row)
    except UnicodeDecodeError as exc:
        where = f"{path}, row {number}"
        raise import_error(where, f"byte {exc.start} of a text is not UTF-8", RETRY_ADVICE) from exc
    return _Message(well_formed(name), text, parse_timestamp(stamp, zone=UTC))


def _read_dump(path: Path) -> list[_Message]:
    """Returns the messages by number: the dump's order by time mixes those of one second."""
    found: list[tuple[int, _Message]] = []
    for number, cells in read_csv_rows(path):
        if number == 1 and tuple(cells) == _COLUMNS:
            continue
        if len(cells) != len(_COLUMNS) or not _NUMBER.fullmatch(cells[0]):
            what = f"is not {', '.join(_COLUMNS)}"
            raise import_error(f"{path}, line {number}", what, "Dump the database anew")
        message = _Message(well_formed(cells[1]), cells[2], parse_timestamp(cells[3], zone=UTC))
        found.append((int(cells[0]), message))
    return [message for _, message in sorted(found, key=lambda pair: pair[0])]


def _by_namespace(
    messages: Sequence[_Message], speakers: _Participants, owner: MemoryOwner
) -> dict[Namespace, list[Turn]]:
    if not speakers.covers_all_characters:
        found = _by_character(messages, speakers, owner)
        return {Namespace(owner.user, character): turns for character, turns in found.items()}
    roles = {True: Role.USER, False: Role.ASSISTANT}
    turns = [_turn(roles[message.name in speakers.users], message) for message in messages]
    return {Namespace.shared(owner.user): turns}


def _by_character(
    messages: Sequence[_Message], speakers: _Participants, owner: MemoryOwner
) -> dict[str, list[Turn]]:
    """Returns the messages by character; a user's message belongs to the next speaker."""
    others = (message.name for message in messages if message.name not in speakers.users)
    speaker = next(others, speakers.slug or owner.character)
    found: dict[str, list[Turn]] = {}
    waiting: list[Turn] = []
    for message in messages:
        if message.name in speakers.users:
            waiting.append(_turn(Role.USER, message))
            continue
        speaker = message.name
        found.setdefault(speaker, []).extend([*waiting, _turn(Role.ASSISTANT, message)])
        waiting = []
    if waiting:
        found.setdefault(speaker, []).extend(waiting)
    return found


def _turn(role: Role, message: _Message) -> Turn:
    return Turn(
        role=role, text=clean_for_role(message.text, role), name=message.name, ts=message.ts
    )


def _participants(messages: Sequence[_Message], slug: str, owner: MemoryOwner) -> _Participants:
    """Finds the speakers by the folder's name, or by the order of writing if it names none."""
    names = {message.name for message in messages}
    users = _guess_users(names, messages, owner)
    is_elsewhere = bool(slug) and not any(_slug(name) == slug for name in names)
    has_evidence = _names_that_reply(messages) or len(names) > _PAIR_SIZE
    if is_elsewhere and has_evidence and names - users:
        return _Participants(
            users=frozenset(users), slug="", covers_all_characters=len(names - users) > 1
        )
    if slug:
        others = frozenset(name for name in names if _slug(name) != slug)
        return _Participants(users=others, slug=slug, covers_all_characters=False)
    return _Participants(users=frozenset(users), slug="", covers_all_characters=True)


def _guess_users(names: set[str], messages: Sequence[_Message], owner: MemoryOwner) -> set[str]:
    """Returns the names that are no character's, without help of a folder's name."""
    owners = {name for name in names if _slug(name) == _slug(owner.user)}
    most = _name_with_most_partners(messages) if len(names) > _PAIR_SIZE else set()
    return owners or most or _names_that_reply(messages) or names - {owner.character}


def _name_with_most_partners(messages: Sequence[_Message]) -> set[str]:
    """Returns the name with the most neighbours, as characters rarely talk to each other."""
    beside: dict[str, set[str]] = {}
    for one, other in pairwise(message.name for message in messages):
        if one != other:
            beside.setdefault(one, set()).add(other)
            beside.setdefault(other, set()).add(one)
    most = max(map(len, beside.values()), default=0)
    found = {name for name, others in beside.items() if len(others) == most}
    return found if len(found) == 1 else set()


def _names_that_reply(messages: Sequence[_Message]) -> set[str]:
    """Returns the name that mostly follows another one within the same moment."""
    score: Counter[str] = Counter()
    for one, other in pairwise(messages):
        if one.name != other.name and one.ts is not None and other.ts is not None:
            at_once = 0 <= other.ts - one.ts <= _SAME_MOMENT_S
            score.update({other.name: int(at_once), one.name: -int(at_once)})
    return {name for name, count in score.most_common(1) if count > 0}


def _find_stray_embeddings(path: Path) -> Iterator[Path]:
    """Yields the folders of vectors at or below this path without a database beside them."""
    for root, folders, _ in os.walk(path):
        folders.sort()
        found = Path(root, EMBEDDINGS)
        if EMBEDDINGS in folders:
            folders.remove(EMBEDDINGS)
            if not any(found.parent.glob("*.db")):
                yield found


def _is_embeddings(path: Path) -> bool:
    return path.name == EMBEDDINGS


def _embeddings_error(path: Path) -> ImportFailed:
    """Returns advice for vectors that are alone or were named instead of the database."""
    database = path.parent / DATABASE
    if database.exists():
        what = "holds only vectors of long_term_memory, from which no words can be read"
        return import_error(path, what, f"Import {database} instead. Nothing was changed")
    what = (
        f"these are embeddings without a database: {DATABASE} is missing beside them. Nothing "
        "was imported from here and nothing was changed"
    )
    do = (
        f"If you have a copy of {DATABASE}, put it into {path.parent} and import again. Without "
        "one the embeddings are of no use to anybody, as no words can be read from them, and it "
        "is safe to delete them"
    )
    return import_error(path, what, do)


def _warnings(source: Path, speakers: _Participants, owner: MemoryOwner) -> Iterator[str]:
    user = owner.user
    if speakers.covers_all_characters:
        yield (
            f"{source}: this is one database for all characters. Its memories are imported as one "
            f"namespace ({user} / _shared), which all characters of {user} may read. To give them "
            "to one character alone, import a copy that lies in a folder of the character's name, "
            "in lower case and with _ for blanks."
        )
    if not _is_csv(source) and not (source.parent / EMBEDDINGS).exists():
        yield (
            f"{source}: this is a database without embeddings ({EMBEDDINGS} is missing beside it). "
            "It is safe to import: all words are in the database, and the embeddings are made anew "
            "here. Keep the database until the import is done. The import only reads it."
        )
