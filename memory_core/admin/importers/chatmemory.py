"""Reads the responses of ChatMemory's service: {"messages": [...]}, or a list of such pages.

The answers of GET /summary, /knowledge and /diary are read, too, as notes: {"summaries": [...]},
{"knowledge": [...]}, {"diaries": [...]}. Each of its users gets a namespace. Messages and
notes without a user are the owner's.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date
from pathlib import Path
from typing import Any

from ...domain.derivations import Derivation
from ...domain.namespaces import Namespace
from ...domain.records import Exchange, MemoryKind, Note, Role, Turn
from ...memory.diary import page_of_day
from ...recall.session_groups import SESSION_KEY
from ...text.cleaning import clean_for_role
from .base import ImportChat, MemoryOwner, Reader, UniqueNames, import_error
from .json_input import as_list, as_object, as_text, read_json
from .metadata import METADATA_KEY, parse_metadata
from .pairing import role_of, to_chat_exchanges
from .text_input import read_beginning
from .timestamps import fill_missing_dates, parse_timestamp

_HAS_SESSION = re.compile(r'"session_id"\s*:')
_HAS_CONTENT = re.compile(r'"content"\s*:')
# A key of the page, then one of its rows: files of other programs have at most one of the two.
_NOTES = re.compile(
    r'"summaries"\s*:\s*\[.*?"summary"\s*:|"knowledge"\s*:\s*\[.*?"knowledge"\s*:'
    r'|"diaries"\s*:\s*\[.*?"diary_date"\s*:',
    re.DOTALL,
)
_PROGRAM = "chatmemory"

Row = Mapping[str, Any]
Sessions = Mapping[str, Sequence[str]]  # session id → content keys of its exchanges


@dataclass(frozen=True, slots=True)
class _SessionKey:
    user: str
    id: str
    channel: str


class ChatMemoryReader(Reader):
    name = _PROGRAM

    def recognises(self, path: Path) -> bool:
        start = read_beginning(path)
        if path.suffix.lower() != ".json" or start.lstrip()[:1] not in ("{", "["):
            return False
        has_messages = _HAS_SESSION.search(start) and _HAS_CONTENT.search(start)
        return bool(has_messages) or _NOTES.search(start) is not None

    def read(self, path: Path, owner: MemoryOwner) -> Iterator[ImportChat]:
        names, keys = UniqueNames(), dict[str, list[str]]()
        pages = _pages(path)
        for session, turns in _sessions(pages, path).items():
            namespace = Namespace(session.user or owner.user, owner.character)
            if said := _to_exchanges(turns, session.channel or self.name):
                free = names.assign(namespace, f"{self.name}-{session.id or 'session'}")
                keys.setdefault(session.id, []).extend(exchange.key for exchange in said)
                yield ImportChat(
                    namespace=namespace, conversation=free, exchanges=said, source=path
                )
        yield from _note_chats(pages, path, owner, keys)


def _pages(path: Path) -> list[Row]:
    value = read_json(path)
    pages = [as_object(page) for page in as_list(value) or [value]]
    if not all(pages):
        raise import_error(path, "is no history of ChatMemory", "Save what GET /history answers")
    return pages


def _sessions(pages: Sequence[Row], path: Path) -> dict[_SessionKey, list[Turn]]:
    found: dict[_SessionKey, list[Turn]] = {}
    for row in _messages(pages):
        turn = _turn(row, path)
        if turn is not None:
            found.setdefault(_session(row), []).append(turn)
    return found


def _messages(pages: Sequence[Row]) -> Iterator[Row]:
    """Yields all messages, each with the fields around its list."""
    for page in pages:
        if "messages" not in page and not any(
            isinstance(page.get(name), list) for name in _NOTES_OF
        ):
            yield page
        yield from _rows(page, "messages")


def _rows(page: Row, name: str) -> Iterator[Row]:
    return ({**page, **as_object(row)} for row in as_list(page.get(name)))


def _session(row: Row) -> _SessionKey:
    user, session, channel = (as_text(row.get(key)) for key in ("user_id", "session_id", "channel"))
    return _SessionKey(user, session, channel)


def _turn(row: Row, path: Path) -> Turn | None:
    role = role_of(as_text(row.get("role")))
    if role not in (Role.USER, Role.ASSISTANT):
        return None
    said_at = parse_timestamp(row.get("created_at"), zone=UTC)
    text = clean_for_role(as_text(row.get("content")), role)
    metadata = parse_metadata(row.get(METADATA_KEY), path)
    return Turn(role=role, text=text, ts=said_at, metadata=metadata)


def _to_exchanges(turns: Sequence[Turn], channel: str) -> list[Exchange]:
    """Sorts the messages by time if all have one, as pages may come newest first."""
    times = [turn.ts for turn in turns if turn.ts is not None]
    in_order = sorted(turns, key=lambda turn: turn.ts or 0.0) if len(times) == len(turns) else turns
    return fill_missing_dates(to_chat_exchanges(in_order, channel), None)


def _note_chats(
    pages: Sequence[Row], path: Path, owner: MemoryOwner, sessions: Sessions
) -> Iterator[ImportChat]:
    """Yields the notes of each user. `sessions` are those of which the file holds messages."""
    found: dict[str, list[Note]] = {}
    for page in pages:
        for name, read in _NOTES_OF.items():
            for row in _rows(page, name):
                if note := read(row, sessions):
                    user = as_text(row.get("user_id")) or owner.user
                    found.setdefault(user, []).append(note)
    for user, notes in found.items():
        yield ImportChat(
            namespace=Namespace(user, owner.character),
            conversation="",
            exchanges=(),
            source=path,
            notes=tuple(notes),
        )


def _knowledge(row: Row, sessions: Sessions) -> Note | None:
    text = as_text(row.get("knowledge")).strip()
    return Note(text=text, kind=MemoryKind.KNOWLEDGE, ts=_created(row)) if text else None


def _summary(row: Row, sessions: Sessions) -> Note | None:
    text = as_text(row.get("summary")).strip()
    if not text:
        return None
    sources = tuple(sessions.get(as_text(row.get("session_id")), ()))
    return Note(
        text=text,
        kind=MemoryKind.SUMMARY,
        ts=_created(row),
        sources=sources,
        derived=Derivation(made_by=_PROGRAM, key=SESSION_KEY if sources else ""),
    )


def _page(row: Row, sessions: Sessions) -> Note | None:
    day, text = _day(row), as_text(row.get("content")).strip()
    if day is None or not text:
        return None
    derived = page_of_day(day, made_by=_PROGRAM)
    return Note(text=text, kind=MemoryKind.DIARY, ts=_created(row), derived=derived)


_NOTES_OF = {"summaries": _summary, "knowledge": _knowledge, "diaries": _page}


def _created(row: Row) -> float | None:
    return parse_timestamp(row.get("created_at"), zone=UTC)


def _day(row: Row) -> date | None:
    try:
        return date.fromisoformat(as_text(row.get("diary_date")))
    except ValueError:
        return None
