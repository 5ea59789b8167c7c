"""ChatMemory's history as its REST service gives or takes it: {"messages": [...]}, or several.

Its users are identities and stay apart; a user that no message names is the owner.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

from ...domain.namespaces import Namespace
from ...domain.records import Exchange, Role, Turn
from ...text.cleaning import cleaned
from .base import Chat, Owner, refused
from .guess_dates import dated
from .json_input import list_of, object_of, text_of, whole
from .metadata import KEY, metadata_of
from .pairing import as_chat, role_of
from .text_input import beginning
from .timestamps import seconds
from .two_pass import Names, checked

_LOOKS = re.compile(r'"session_id"\s*:')
_SAYS = re.compile(r'"content"\s*:')


@dataclass(frozen=True, slots=True)
class _Session:
    user: str
    id: str
    channel: str


class ChatMemory:
    name = "chatmemory"

    def recognises(self, path: Path) -> bool:
        start = beginning(path)
        is_json = path.suffix.lower() == ".json" and start.lstrip()[:1] in ("{", "[")
        return is_json and bool(_LOOKS.search(start)) and bool(_SAYS.search(start))

    def read(self, path: Path, owner: Owner) -> Iterator[Chat]:
        return checked(lambda: self._chats(path, owner))

    def _chats(self, path: Path, owner: Owner) -> Iterator[Chat]:
        names = Names()
        for session, turns in _sessions(path).items():
            namespace = Namespace(session.user or owner.user, owner.character)
            if said := _said(turns, session.channel or self.name):
                free = names.free(namespace, f"{self.name}-{session.id or 'session'}")
                yield Chat(namespace=namespace, conversation=free, exchanges=said, source=path)


def _sessions(path: Path) -> dict[_Session, list[Turn]]:
    found: dict[_Session, list[Turn]] = {}
    for row in _messages(path):
        turn = _turn(row, path)
        if turn is not None:
            found.setdefault(_session(row), []).append(turn)
    return found


def _messages(path: Path) -> Iterator[Mapping[str, Any]]:
    """All messages, each with what stands around the list it is in."""
    value = whole(path)
    for page in list_of(value) or [value]:
        around = object_of(page)
        if not around:
            raise refused(path, "is no history of ChatMemory", "Save what GET /history answers")
        if "messages" not in around:
            yield around
        for row in list_of(around.get("messages")):
            yield {**around, **object_of(row)}


def _session(row: Mapping[str, Any]) -> _Session:
    user, session, channel = (text_of(row.get(it)) for it in ("user_id", "session_id", "channel"))
    return _Session(user, session, channel)


def _turn(row: Mapping[str, Any], path: Path) -> Turn | None:
    role = role_of(text_of(row.get("role")))
    if role not in (Role.USER, Role.ASSISTANT):
        return None
    said_at = seconds(row.get("created_at"), zone=UTC)
    text, told = cleaned(text_of(row.get("content")), role), metadata_of(row.get(KEY), path)
    return Turn(role=role, text=text, ts=said_at, metadata=told)


def _said(turns: Sequence[Turn], channel: str) -> list[Exchange]:
    """By time, where all of them tell it: pages may come newest first."""
    times = [turn.ts for turn in turns if turn.ts is not None]
    in_order = sorted(turns, key=lambda turn: turn.ts or 0.0) if len(times) == len(turns) else turns
    return dated(as_chat(in_order, channel), None)
