"""OpenPersistentMemory's storage: a folder per user, in it conversations/<name>.jsonl of pairs.

Users whose names have no ASCII letters share a folder there. meta.jsonl knows who said what: with
its help they are told apart again.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...domain.namespaces import Namespace
from ...domain.records import Exchange, content_key
from ...text.cleaning import clean, clean_own
from .base import Chat, Owner
from .guess_dates import dated
from .json_input import objects, text_of
from .text_input import beginning, files
from .timestamps import seconds
from .two_pass import Names, checked

_FOLDER = "conversations"
_META = "meta.jsonl"
_ENDING = (".jsonl",)
_KEYS = ('"turn_id"', '"ts"', '"user"', '"assistant"')
_OURS = ('"crc"', '"kind"')  # of our logs, of our exports

Speakers = Mapping[tuple[str, str], str]


class OpenPersistentMemory:
    name = "openpersistentmemory"

    def recognises(self, path: Path) -> bool:
        return next(_logs(path), None) is not None

    def files(self, path: Path) -> list[Path]:
        return list(_logs(path)) if path.is_dir() else [path]

    def read(self, path: Path, owner: Owner) -> Iterator[Chat]:
        return checked(lambda: self._chats(path, owner))

    def _chats(self, path: Path, owner: Owner) -> Iterator[Chat]:
        names = Names()
        folder, speakers = Path(), dict[tuple[str, str], str]()
        for log in self.files(path):
            if log.parent.parent != folder:
                folder = log.parent.parent
                speakers = _speakers(folder / _META)
            for user, said in self._said(log, owner, speakers).items():
                namespace = Namespace(user, owner.character)
                free = names.free(namespace, f"{self.name}-{log.stem}")
                all_said = dated(said, None)
                yield Chat(namespace=namespace, conversation=free, exchanges=all_said, source=log)

    def _said(self, log: Path, owner: Owner, speakers: Speakers) -> dict[str, list[Exchange]]:
        """The log's exchanges by whose they are."""
        found: dict[str, list[Exchange]] = {}
        otherwise = _user_of(log, speakers) or owner.user
        for _, row in objects(log):
            said = _exchange(row, self.name)
            if said.user or said.assistant:
                raw = content_key(text_of(row.get("user")), text_of(row.get("assistant")))
                found.setdefault(speakers.get((log.stem, raw), otherwise), []).append(said)
        return found


def _logs(path: Path) -> Iterator[Path]:
    inside = files(path, _ENDING) if path.is_dir() else iter([path])
    return (it for it in inside if it.name != _META and _is_log(it))


def _is_log(path: Path) -> bool:
    if not path.name.lower().endswith(_ENDING):
        return False
    first = beginning(path).lstrip().split("\n", 1)[0]
    return all(key in first for key in _KEYS) and not any(key in first for key in _OURS)


def _user_of(log: Path, speakers: Speakers) -> str:
    """Whose folder it is: as all in it were called, else as the folder is."""
    if log.parent.name != _FOLDER:
        return ""
    users = set(speakers.values())
    return users.pop() if len(users) == 1 else log.parent.parent.name


def _speakers(meta: Path) -> dict[tuple[str, str], str]:
    """(conversation's file, key of both texts) → user."""
    if not meta.is_file() or not meta.stat().st_size:
        return {}
    return {
        (_stem(text_of(row.get("conv_id"))), _raw_key(row)): text_of(row.get("user_id"))
        for _, row in objects(meta)
        if text_of(row.get("user_id"))
    }


def _raw_key(row: Mapping[str, Any]) -> str:
    return content_key(text_of(row.get("raw_user")), text_of(row.get("raw_assistant")))


def _stem(conversation: str) -> str:
    """The name that the program gives a conversation's file."""
    return re.sub(r"[^a-zA-Z0-9._-]+", "_", conversation.strip())[:128] or "default"


def _exchange(row: Mapping[str, Any], channel: str) -> Exchange:
    return Exchange(
        user=clean_own(text_of(row.get("user"))),
        assistant=clean(text_of(row.get("assistant"))),
        ts=seconds(row.get("ts")),
        channel=channel,
    )
