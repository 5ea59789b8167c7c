"""Tables of one's own making, CSV or JSONL: user, assistant per row, or role, content per row.

Optional: ts (timestamp, date, created_at), user_name, assistant_name (or name, with roles),
channel, metadata (an object; in a CSV as JSON) and conversation (conversation_id, session_id);
without it, the whole file is one conversation. A line of JSONL may also hold a conversation in
`messages`; its metadata go to the first message. Notes are read as our own exports have them (kind,
text or note), but those for one chat alone, which has another name here. All of a file is in memory
while it is read.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from ...domain.namespaces import EXPORTED_KEYS, Namespace, Scope
from ...domain.records import NOTHING, Exchange, MemoryKind, Note, Role, Turn
from ...text.cleaning import clean, clean_own, cleaned
from ...text.csv_cells import unguarded
from .base import AGAIN, Chat, Owner, refused
from .guess_dates import dated
from .json_input import list_of, object_of, objects, text_of
from .metadata import KEY, metadata_of
from .pairing import as_chat, role_of
from .text_input import LONGEST_LINE, beginning, letters, lines, reading
from .timestamps import seconds
from .two_pass import Names, checked

LARGEST = 2**30
_TABLES = (".csv", ".tsv")
_LINES = (".jsonl", ".ndjson")
_DELIMITERS = ",;\t"
_WANTED = "It needs columns user and assistant, or role and content"
_TIMES = ("ts", "timestamp", "date", "time", "created_at")
_TEXTS = ("text", "note")
_NOTES = frozenset(MemoryKind) - {MemoryKind.EXCHANGE}
_EXPORTED = {"kind", "pinned", "note", "id"}  # columns of our own exports
_CHANNEL = "channel"
_OF_NONE = ""  # the conversation of notes
_CONVERSATIONS = ("conversation", "conversation_id", "conv_id", "session_id", "chat")

Row = Mapping[str, Any]


class Plain:
    name = "plain"

    def recognises(self, path: Path) -> bool:
        ending, start = path.suffix.lower(), beginning(path).lstrip("\n\r ")
        first = start.split("\n", 1)[0]
        if ending in _TABLES:
            return _is_known(dict.fromkeys(_columns(first, _delimiter(first))))
        return ending in _LINES and _is_known(_parsed_if_whole(first))

    def read(self, path: Path, owner: Owner) -> Iterator[Chat]:
        return checked(lambda: self._chats(path, owner))

    def _chats(self, path: Path, owner: Owner) -> Iterator[Chat]:
        names = Names()
        for (namespace, conversation), rows in _grouped(path, owner).items():
            if conversation == _OF_NONE:
                notes = tuple(map(_note, rows))
                if notes:
                    yield Chat(
                        namespace=namespace,
                        conversation="",
                        exchanges=(),
                        source=path,
                        notes=notes,
                    )
            elif said := dated(_said(rows, self.name), None):
                free = names.free(namespace, f"{self.name}-{conversation}")
                yield Chat(namespace=namespace, conversation=free, exchanges=said, source=path)


def _is_known(row: Row) -> bool:
    return _is_pair(row) or _is_turn(row) or "messages" in row or _is_note(row)


def _is_note(row: Row) -> bool:
    said = any(text_of(row.get(side)) for side in ("user", "assistant"))
    return text_of(row.get("kind")) in _NOTES and bool(_first(row, _TEXTS)) and not said


def _is_pair(row: Row) -> bool:
    return "user" in row and "assistant" in row


def _is_turn(row: Row) -> bool:
    return "role" in row and "content" in row


def _parsed_if_whole(line: str) -> Row:
    try:
        return object_of(json.loads(line))
    except (ValueError, RecursionError):
        return {}


def _grouped(path: Path, owner: Owner) -> dict[tuple[Namespace, str], list[Row]]:
    """Rows by whose they are and conversation; one in `messages` is called by the line it stands
    in. Notes, which have none, come last.
    """
    with reading(path):
        if path.is_file() and path.stat().st_size > LARGEST:
            raise refused(path, f"is larger than {LARGEST >> 30} GB", "Split it into several files")
    found: dict[tuple[Namespace, str], list[Row]] = {}
    notes: dict[tuple[Namespace, str], list[Row]] = {}
    for number, row in _rows(path):
        where = f"{path}, line {number}"
        if not _is_known(row):
            raise refused(where, "is no message", _WANTED)
        whose, called = _namespace(row, owner, where), _first(row, _CONVERSATIONS)
        if _is_note(row):
            notes.setdefault((whose, _OF_NONE), []).extend([] if called else [row])
        elif "messages" in row:
            said = _messages(row, where)
            found.setdefault((whose, called or f"{path.stem}-{number}"), []).extend(said)
        else:
            key = whose, called or path.stem
            found.setdefault(key, []).append(_with_metadata(row, where))
    return found | notes


def _namespace(row: Row, owner: Owner, where: str) -> Namespace:
    """Our exports of several characters tell whose a memory is."""
    if not any(key in row for key in EXPORTED_KEYS):
        return Namespace(owner.user, owner.character)
    user, character, scope = (text_of(row.get(key)) for key in EXPORTED_KEYS)
    try:
        return Namespace(user, character, Scope(scope or Scope.CHARACTER))
    except ValueError as exc:
        raise refused(where, f"does not tell whose it is ({exc})", AGAIN) from exc


def _messages(row: Row, where: str) -> Iterator[Row]:
    """Those of a line that holds a conversation; the first has also what is told of them all."""
    around = metadata_of(row.get(KEY), where)
    for item in list_of(row["messages"]):
        message = _with_metadata(object_of(item), where)
        told = {**around, **message.get(KEY, {})}
        yield {_CHANNEL: row.get(_CHANNEL), **message, KEY: told}
        around = {}


def _with_metadata(row: Row, where: str) -> Row:
    return {**row, KEY: metadata_of(row[KEY], where)} if KEY in row else row


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    return _table(path) if path.suffix.lower() in _TABLES else objects(path)


def _table(path: Path) -> Iterator[tuple[int, Row]]:
    """(line number, row by column) of a CSV with a header."""
    first = beginning(path).lstrip("\n\r ").split("\n", 1)[0]
    columns = None
    for number, cells in cells_of(path, _delimiter(first)):
        if columns is None:
            columns = [cell.strip().lower() for cell in cells]
            if not _is_known(dict.fromkeys(columns)):
                raise refused(path, f"has the columns {', '.join(columns)}", _WANTED)
        elif len(cells) > len(columns):
            what = f"has {len(cells)} cells for {len(columns)} columns"
            raise refused(f"{path}, line {number}", what, "Put quotes around what holds commas")
        else:
            said = map(unguarded, cells) if set(columns) >= _EXPORTED else cells
            yield number, dict(zip(columns, said, strict=False))


def cells_of(path: Path, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """(number of its last line, cells) for each row of a CSV that is not blank."""
    csv.field_size_limit(LONGEST_LINE)
    numbered = lines(letters(path), path)
    table = csv.reader((line + "\n" for _, line in numbered), delimiter=delimiter, strict=True)
    try:
        for cells in table:
            if any(cells):
                yield table.line_num, cells
    except csv.Error as exc:
        where = f"{path}, line {table.line_num}"
        raise refused(where, f"is no CSV ({exc})", "Check its quotes") from exc


def _delimiter(header: str) -> str:
    """The one that gives columns we know; a comma where none does."""
    fitting = (it for it in _DELIMITERS if _is_known(dict.fromkeys(_columns(header, it))))
    return next(fitting, ",")


def _columns(header: str, delimiter: str) -> list[str]:
    return [cell.strip().strip('"').lower() for cell in header.split(delimiter)]


def _said(rows: Sequence[Row], channel: str) -> list[Exchange]:
    if all(_is_pair(row) for row in rows):
        said = (_exchange(row, channel) for row in rows)
        return [it for it in said if it.user or it.assistant]
    found: list[Exchange] = []
    for name, run in groupby(_with_channels(rows, channel), key=lambda pair: pair[0]):
        found += as_chat((turn for _, row in run for turn in _turns(row)), name)
    return found


def _with_channels(rows: Sequence[Row], channel: str) -> Iterator[tuple[str, Row]]:
    """An answer came by the channel of its question; so did a question that names none."""
    channel = next(filter(None, map(_channel, rows)), channel)
    for row in rows:
        if role_of(text_of(row.get("role"))) is not Role.ASSISTANT:
            channel = _channel(row) or channel
        yield channel, row


def _channel(row: Row) -> str:
    return text_of(row.get(_CHANNEL))


def _note(row: Row) -> Note:
    kind = MemoryKind(text_of(row["kind"]))
    return Note(text=clean(_first(row, _TEXTS)), kind=kind, ts=_said_at(row))


def _exchange(row: Row, channel: str) -> Exchange:
    return Exchange(
        user=clean_own(text_of(row.get("user"))),
        assistant=clean(text_of(row.get("assistant"))),
        user_name=text_of(row.get("user_name")),
        assistant_name=text_of(row.get("assistant_name")),
        ts=_said_at(row),
        channel=_channel(row) or channel,
        metadata=row.get(KEY, NOTHING),
    )


def _turns(row: Row) -> Iterator[Turn]:
    """One message; a pair among messages is two."""
    for name in ("user", "assistant") if _is_pair(row) else ():
        yield from _turn(name, row.get(name), row)
    if not _is_pair(row):
        yield from _turn(text_of(row.get("role")), row.get("content"), row)


def _turn(name: str, content: object, row: Row) -> Iterator[Turn]:
    role = role_of(name)
    if role is not None:
        yield Turn(
            role=role,
            text=cleaned(text_of(content), role),
            name=_first(row, ("name", f"{role}_name")),
            ts=_said_at(row),
            metadata=row.get(KEY, NOTHING),
        )


def _said_at(row: Row) -> float | None:
    return seconds(next((row[key] for key in _TIMES if key in row), None))


def _first(row: Row, keys: Sequence[str]) -> str:
    return next(filter(None, (text_of(row.get(key)) for key in keys)), "")
