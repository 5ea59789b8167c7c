"""Reads the responses of ChatMemory's service: {"messages": [...]}, or a list of such pages.

Pages of summaries, knowledge and diaries are read, too (chatmemory_notes.py). Each of its users
gets a namespace. Messages without a user are the owner's.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

from ...domain.namespaces import Namespace
from ...domain.records import Exchange, Role, Turn
from ...text.cleaning import clean_for_role
from .base import ImportChat, MemoryOwner, import_error
from .chatmemory_notes import has_notes, is_page_of_notes, note_chats
from .guess_dates import fill_missing_dates
from .json_input import as_list, as_object, as_text, read_json
from .metadata import METADATA_KEY, parse_metadata
from .pairing import role_of, to_chat_exchanges
from .text_input import read_beginning
from .timestamps import parse_timestamp
from .two_pass import UniqueNames, read_twice

_SESSION_KEY = re.compile(r'"session_id"\s*:')
_CONTENT_KEY = re.compile(r'"content"\s*:')


@dataclass(frozen=True, slots=True)
class _SessionKey:
    user: str
    id: str
    channel: str


class ChatMemory:
    name = "chatmemory"

    def recognises(self, path: Path) -> bool:
        start = read_beginning(path)
        if path.suffix.lower() != ".json" or start.lstrip()[:1] not in ("{", "["):
            return False
        has_messages = _SESSION_KEY.search(start) and _CONTENT_KEY.search(start)
        return bool(has_messages) or has_notes(start)

    @read_twice
    def read(self, path: Path, owner: MemoryOwner) -> Iterator[ImportChat]:
        names, keys = UniqueNames(), dict[str, list[str]]()
        for session, turns in _sessions(path).items():
            namespace = Namespace(session.user or owner.user, owner.character)
            if said := _to_exchanges(turns, session.channel or self.name):
                free = names.assign(namespace, f"{self.name}-{session.id or 'session'}")
                keys.setdefault(session.id, []).extend(exchange.key for exchange in said)
                yield ImportChat(
                    namespace=namespace, conversation=free, exchanges=said, source=path
                )
        yield from note_chats(path, owner, program=self.name, sessions=keys)


def _sessions(path: Path) -> dict[_SessionKey, list[Turn]]:
    found: dict[_SessionKey, list[Turn]] = {}
    for row in _messages(path):
        turn = _turn(row, path)
        if turn is not None:
            found.setdefault(_session(row), []).append(turn)
    return found


def _messages(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yields all messages, each with the fields around its list."""
    value = read_json(path)
    for page in as_list(value) or [value]:
        around = as_object(page)
        if not around:
            raise import_error(
                path, "is no history of ChatMemory", "Save what GET /history answers"
            )
        if "messages" not in around and not is_page_of_notes(around):
            yield around
        for row in as_list(around.get("messages")):
            yield {**around, **as_object(row)}


def _session(row: Mapping[str, Any]) -> _SessionKey:
    user, session, channel = (as_text(row.get(key)) for key in ("user_id", "session_id", "channel"))
    return _SessionKey(user, session, channel)


def _turn(row: Mapping[str, Any], path: Path) -> Turn | None:
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
