"""Reads home-made CSV or JSONL tables with columns user, assistant or role, content.

Optional: ts (timestamp, date, created_at), user_name, assistant_name (or name, with roles),
channel, metadata (an object; in a CSV as JSON) and conversation (conversation_id, session_id).
Without the latter, the whole file is one conversation. A line of JSONL may also hold a conversation
in `messages`; its metadata go to the first message. Reads notes in the format of our own exports
(kind, text or note). Rows of these have ids; they keep their dates, channels and pins. Reads
folders with such exports alone, if each file names its user and character. Holds the whole file in
memory while reading.
"""

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby
from pathlib import Path

from ...domain.namespaces import EXPORTED_KEYS, Namespace, Scope
from ...domain.records import EMPTY_MAPPING, Exchange, MemoryKind, Note, Role, Turn
from ...text.cleaning import clean_answer, clean_for_role, clean_user_message
from ...text.csv_cells import unescape_formula
from .base import RETRY_ADVICE, ImportChat, MemoryOwner, Reader, import_error
from .json_input import as_list, as_object, as_text, read_json_lines
from .metadata import METADATA_KEY, parse_metadata
from .own_exports import TableRow, content_keys_by_id, own_id, with_derivation
from .pairing import role_of, to_chat_exchanges
from .text_input import (
    MAX_LINE_CHARS,
    read_beginning,
    read_text,
    split_lines,
    translate_read_errors,
)
from .timestamps import fill_missing_dates, parse_timestamp

MAX_BYTES = 2**30
_TABLES = (".csv", ".tsv")
_LINES = (".jsonl", ".ndjson")
_DELIMITERS = ",;\t"
_EXPECTED_COLUMNS = "It needs columns user and assistant, or role and content"
_TIME_COLUMNS = ("ts", "timestamp", "date", "time", "created_at")
_TEXT_COLUMNS = ("text", "note")
_NOTE_KINDS = frozenset(MemoryKind) - {MemoryKind.EXCHANGE}
_EXPORT_COLUMNS = {"kind", "pinned", "note", "id"}  # columns of our own exports
_CHANNEL = "channel"
_NO_CHANNEL = ""
_PINNED = "yes"  # in a table of our own
_NO_CONVERSATION = ""  # the conversation of notes
_CONVERSATION_COLUMNS = ("conversation", "conversation_id", "conv_id", "session_id", "chat")


class TableReader(Reader):
    name = "plain"

    def recognises(self, path: Path) -> bool:
        if not path.is_dir():
            return _is_supported(_first_row(path))
        files = self.files(path)
        return bool(files) and all(_names_owner(_first_row(file)) for file in files)

    def files(self, path: Path) -> Sequence[Path]:
        if not path.is_dir():
            return [path]
        return sorted(file for file in path.iterdir() if not _is_empty(file))

    def read(self, path: Path, owner: MemoryOwner) -> Iterator[ImportChat]:
        groups = _group_rows(path, owner)
        keys = content_keys_by_id(chain.from_iterable(groups.values()))
        for (namespace, conversation), rows in groups.items():
            empty = ImportChat(namespace=namespace, conversation="", exchanges=(), source=path)
            if conversation == _NO_CONVERSATION:
                notes = tuple(with_derivation(self._note(row), row, keys) for row in rows)
                if notes:
                    yield replace(empty, notes=notes, note_ids=[_own_id(row) for row in rows])
            elif (chat := self._chat(empty, rows, conversation)).exchanges:
                yield chat

    def _chat(self, empty: ImportChat, rows: Sequence[TableRow], conversation: str) -> ImportChat:
        chat = replace(
            empty,
            conversation=self._name_of(conversation),
            is_named_after_file=_is_named_after(empty.source, conversation, rows),
        )
        if all(_own_id(row) and _is_pair(row) for row in rows):
            pairs = list(_pairs(rows, _NO_CHANNEL))
            return replace(
                chat,
                exchanges=[exchange for _, exchange in pairs],
                exchange_ids=[_own_id(row) for row, _ in pairs],
                exported_conversation=conversation,
                pinned=frozenset(said.key for row, said in pairs if _is_pinned(row)),
            )
        said = fill_missing_dates(_to_exchanges(rows, self.name), None)
        return replace(chat, exchanges=said, exchange_ids=_exchange_ids(rows, self.name))

    def _name_of(self, conversation: str) -> str:
        return f"{self.name}-{conversation}"

    def _note(self, row: TableRow) -> Note:
        """Returns the note; one for a chat alone follows that chat to its name here."""
        conversation = _first_text(row, _CONVERSATION_COLUMNS)
        return Note(
            text=clean_answer(_first_text(row, _TEXT_COLUMNS)),
            kind=MemoryKind(as_text(row["kind"])),
            ts=_timestamp_of(row),
            pinned=_is_pinned(row),
            conversation=self._name_of(conversation) if conversation else "",
        )


def _is_named_after(path: Path, conversation: str, rows: Sequence[TableRow]) -> bool:
    is_numbered = conversation.removeprefix(f"{path.stem}-").isdecimal()
    return (conversation == path.stem or is_numbered) and not any(
        _first_text(row, _CONVERSATION_COLUMNS) for row in rows
    )


def _first_row(path: Path) -> TableRow:
    """Returns the columns of a table, or the first line of JSONL; an empty row for other files."""
    ending, start = path.suffix.lower(), read_beginning(path).lstrip("\n\r ")
    first = start.split("\n", 1)[0]
    if ending in _TABLES:
        return dict.fromkeys(_columns(first, _delimiter(first)))
    return _parse_complete_line(first) if ending in _LINES else {}


def _is_empty(file: Path) -> bool:
    """Returns whether this is the export of a character without memories."""
    return file.is_file() and not file.stat().st_size


def _names_owner(row: TableRow) -> bool:
    return _is_supported(row) and all(key in row for key in EXPORTED_KEYS)


def _is_supported(row: TableRow) -> bool:
    is_turn = "role" in row and "content" in row
    return _is_pair(row) or is_turn or "messages" in row or _is_note(row)


def _is_note(row: TableRow) -> bool:
    said = any(as_text(row.get(side)) for side in ("user", "assistant"))
    return (
        as_text(row.get("kind")) in _NOTE_KINDS
        and bool(_first_text(row, _TEXT_COLUMNS))
        and not said
    )


def _is_pair(row: TableRow) -> bool:
    return "user" in row and "assistant" in row


def _parse_complete_line(line: str) -> TableRow:
    try:
        return as_object(json.loads(line))
    except (ValueError, RecursionError):
        return {}


def _group_rows(path: Path, owner: MemoryOwner) -> dict[tuple[Namespace, str], list[TableRow]]:
    """Groups rows by namespace and conversation; notes, which have no conversation, come last.

    A conversation in `messages` without a name is named by its line number.
    """
    with translate_read_errors(path):
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise import_error(
                path, f"is larger than {MAX_BYTES >> 30} GB", "Split it into several files"
            )
    found: dict[tuple[Namespace, str], list[TableRow]] = {}
    notes: dict[tuple[Namespace, str], list[TableRow]] = {}
    for number, row in _rows(path):
        where = f"{path}, line {number}"
        if not _is_supported(row):
            raise import_error(where, "is no message", _EXPECTED_COLUMNS)
        namespace, name = _namespace(row, owner, where), _first_text(row, _CONVERSATION_COLUMNS)
        if _is_note(row):
            is_wanted = not name or _applies_in_one_chat(row, namespace)
            notes.setdefault((namespace, _NO_CONVERSATION), []).extend([row] if is_wanted else [])
        elif "messages" in row:
            said = _expand_messages(row, where)
            found.setdefault((namespace, name or f"{path.stem}-{number}"), []).extend(said)
        else:
            key = namespace, name or path.stem
            found.setdefault(key, []).append(_with_metadata(row, where))
    return found | notes


def _applies_in_one_chat(row: TableRow, namespace: Namespace) -> bool:
    """Returns whether the note of a conversation is one for it alone, as an own export has them."""
    is_limited = as_text(row["kind"]) == MemoryKind.KNOWLEDGE and bool(_own_id(row))
    return is_limited and namespace.scope not in (Scope.SHARED, Scope.WORLD)


def _namespace(row: TableRow, owner: MemoryOwner, where: str) -> Namespace:
    """Returns the row's namespace, which our exports of several characters name, or the owner's."""
    if not any(key in row for key in EXPORTED_KEYS):
        return Namespace(owner.user, owner.character)
    user, character, scope = (as_text(row.get(key)) for key in EXPORTED_KEYS)
    try:
        return Namespace(user, character, Scope(scope or Scope.CHARACTER))
    except ValueError as exc:
        raise import_error(where, f"names no valid owner ({exc})", RETRY_ADVICE) from exc


def _expand_messages(row: TableRow, where: str) -> Iterator[TableRow]:
    """Yields the messages of a line with a conversation; the first gets the line's metadata."""
    around = parse_metadata(row.get(METADATA_KEY), where)
    for item in as_list(row["messages"]):
        message = _with_metadata(as_object(item), where)
        metadata = {**around, **message.get(METADATA_KEY, {})}
        yield {_CHANNEL: row.get(_CHANNEL), **message, METADATA_KEY: metadata}
        around = {}


def _with_metadata(row: TableRow, where: str) -> TableRow:
    return (
        {**row, METADATA_KEY: parse_metadata(row[METADATA_KEY], where)}
        if METADATA_KEY in row
        else row
    )


def _rows(path: Path) -> Iterator[tuple[int, TableRow]]:
    return _read_table(path) if path.suffix.lower() in _TABLES else read_json_lines(path)


def _read_table(path: Path) -> Iterator[tuple[int, TableRow]]:
    """Yields (line number, row by column) of a CSV with a header."""
    first = read_beginning(path).lstrip("\n\r ").split("\n", 1)[0]
    columns = None
    for number, cells in read_csv_rows(path, _delimiter(first)):
        if columns is None:
            columns = [cell.strip().lower() for cell in cells]
            if not _is_supported(dict.fromkeys(columns)):
                raise import_error(path, f"has the columns {', '.join(columns)}", _EXPECTED_COLUMNS)
        elif len(cells) > len(columns):
            what = f"has {len(cells)} cells for {len(columns)} columns"
            raise import_error(
                f"{path}, line {number}", what, "Put quotes around what holds commas"
            )
        else:
            said = map(unescape_formula, cells) if set(columns) >= _EXPORT_COLUMNS else cells
            yield number, dict(zip(columns, said, strict=False))


def read_csv_rows(path: Path, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Yields (number of its last line, cells) for each row of a CSV that is not blank."""
    csv.field_size_limit(MAX_LINE_CHARS)
    numbered = split_lines(read_text(path), path)
    table = csv.reader((line + "\n" for _, line in numbered), delimiter=delimiter, strict=True)
    try:
        for cells in table:
            if any(cells):
                yield table.line_num, cells
    except csv.Error as exc:
        where = f"{path}, line {table.line_num}"
        raise import_error(where, f"is no CSV ({exc})", "Check its quotes") from exc


def _delimiter(header: str) -> str:
    """Returns the delimiter that gives known columns; a comma if none does."""
    fitting = (
        delimiter
        for delimiter in _DELIMITERS
        if _is_supported(dict.fromkeys(_columns(header, delimiter)))
    )
    return next(fitting, ",")


def _columns(header: str, delimiter: str) -> list[str]:
    return [cell.strip().strip('"').lower() for cell in header.split(delimiter)]


def _exchange_ids(rows: Sequence[TableRow], channel: str) -> list[str]:
    """Returns an id or "" for each exchange, if each row is one."""
    pairs = _pairs(rows, channel) if all(_is_pair(row) for row in rows) else ()
    return [_own_id(row) for row, _ in pairs]


def _own_id(row: TableRow) -> str:
    return own_id(as_text(row.get("id")))


def _pairs(rows: Sequence[TableRow], channel: str) -> Iterator[tuple[TableRow, Exchange]]:
    for row in rows:
        exchange = _exchange(row, channel)
        if exchange.user or exchange.assistant:
            yield row, exchange


def _to_exchanges(rows: Sequence[TableRow], channel: str) -> list[Exchange]:
    if all(_is_pair(row) for row in rows):
        return [exchange for _, exchange in _pairs(rows, channel)]
    found: list[Exchange] = []
    for name, run in groupby(_fill_channels(rows, channel), key=lambda pair: pair[0]):
        found += to_chat_exchanges((turn for _, row in run for turn in _turns(row)), name)
    return found


def _fill_channels(rows: Sequence[TableRow], channel: str) -> Iterator[tuple[str, TableRow]]:
    """Yields rows with their channel; an answer, or a row without one, keeps the last channel."""
    channel = next(filter(None, map(_channel, rows)), channel)
    for row in rows:
        if role_of(as_text(row.get("role"))) is not Role.ASSISTANT:
            channel = _channel(row) or channel
        yield channel, row


def _channel(row: TableRow) -> str:
    return as_text(row.get(_CHANNEL))


def _is_pinned(row: TableRow) -> bool:
    """Returns whether an own export says so: as JSON does, or as its tables do."""
    return bool(_own_id(row)) and row.get("pinned") in (True, _PINNED)


def _exchange(row: TableRow, channel: str) -> Exchange:
    return Exchange(
        user=clean_user_message(as_text(row.get("user"))),
        assistant=clean_answer(as_text(row.get("assistant"))),
        user_name=as_text(row.get("user_name")),
        assistant_name=as_text(row.get("assistant_name")),
        ts=_timestamp_of(row),
        channel=_channel(row) or channel,
        metadata=row.get(METADATA_KEY, EMPTY_MAPPING),
    )


def _turns(row: TableRow) -> Iterator[Turn]:
    """Yields the row's message, or both messages of a pair."""
    for name in ("user", "assistant") if _is_pair(row) else ():
        yield from _turn(name, row.get(name), row)
    if not _is_pair(row):
        yield from _turn(as_text(row.get("role")), row.get("content"), row)


def _turn(name: str, content: object, row: TableRow) -> Iterator[Turn]:
    role = role_of(name)
    if role is not None:
        yield Turn(
            role=role,
            text=clean_for_role(as_text(content), role),
            name=_first_text(row, ("name", f"{role}_name")),
            ts=_timestamp_of(row),
            metadata=row.get(METADATA_KEY, EMPTY_MAPPING),
        )


def _timestamp_of(row: TableRow) -> float | None:
    """Returns the first time that can be read: a spreadsheet may have rounded another column."""
    times = (parse_timestamp(row[key]) for key in _TIME_COLUMNS if key in row)
    return next((ts for ts in times if ts is not None), None)


def _first_text(row: TableRow, keys: Sequence[str]) -> str:
    return next(filter(None, (as_text(row.get(key)) for key in keys)), "")
