"""Reads OpenPersistentMemory's storage: <user>/conversations/<name>.jsonl, a pair per line.

Users whose names have no ASCII letters share a folder there. meta.jsonl names the user of each
exchange and so separates them again. It also holds a summary of each exchange.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...domain.derivations import Derivation
from ...domain.namespaces import Namespace
from ...domain.records import Exchange, MemoryKind, Note, content_key
from ...text.cleaning import clean_answer, clean_user_message
from .base import ImportChat, MemoryOwner, Reader, UniqueNames
from .json_input import as_text, read_whole_lines, torn_lines_warning
from .text_input import find_files, read_beginning
from .timestamps import fill_missing_dates, parse_timestamp

_FOLDER = "conversations"
_META = "meta.jsonl"
_ENDINGS = (".jsonl",)
_KEYS = ('"turn_id"', '"ts"', '"user"', '"assistant"')
_OUR_KEYS = ('"crc"', '"kind"')  # keys of our logs and of our exports

UsersByExchange = Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class _Meta:
    """A folder's meta.jsonl: users and summaries by (conversation's file, key of both texts)."""

    users: UsersByExchange
    summaries: UsersByExchange
    warnings: Sequence[str] = ()


_NO_META = _Meta({}, {})


class OpenPersistentMemoryReader(Reader):
    name = "openpersistentmemory"

    def recognises(self, path: Path) -> bool:
        return next(_find_logs(path), None) is not None

    def files(self, path: Path) -> list[Path]:
        return list(_find_logs(path)) if path.is_dir() else [path]

    def read(self, path: Path, owner: MemoryOwner) -> Iterator[ImportChat]:
        names = UniqueNames()
        folder, meta = Path(), _NO_META
        for log in self.files(path):
            if log.parent.parent != folder:
                folder = log.parent.parent
                meta = _read_meta(folder / _META)
            torn: list[int] = []
            for user, said in self._read_exchanges(log, owner, meta.users, torn).items():
                namespace = Namespace(user, owner.character)
                free = names.assign(namespace, f"{self.name}-{log.stem}")
                exchanges = fill_missing_dates([exchange for _, exchange in said], None)
                keys = ((log.stem, raw) for raw, _ in said)
                summaries = [
                    _summary(meta.summaries[key], exchange, self.name)
                    for key, exchange in zip(keys, exchanges, strict=True)
                    if meta.summaries.get(key)
                ]
                yield ImportChat(
                    namespace=namespace,
                    conversation=free,
                    exchanges=exchanges,
                    source=log,
                    warnings=(*meta.warnings, *_warnings(log, torn)),
                )
                if summaries:  # after the exchanges that they name
                    yield ImportChat(
                        namespace=namespace,
                        conversation="",
                        exchanges=(),
                        source=log,
                        notes=summaries,
                    )

    def _read_exchanges(
        self, log: Path, owner: MemoryOwner, speakers: UsersByExchange, torn: list[int]
    ) -> dict[str, list[tuple[str, Exchange]]]:
        """Returns the log's exchanges by user, each with the key of its unchanged texts.

        Adds the numbers of torn lines to `torn`: the program appends without syncing.
        """
        found: dict[str, list[tuple[str, Exchange]]] = {}
        otherwise = _user_of(log, speakers) or owner.user
        for row in read_whole_lines(log, torn):
            said = _exchange(row, self.name)
            if said.user or said.assistant:
                raw = content_key(as_text(row.get("user")), as_text(row.get("assistant")))
                user = speakers.get((log.stem, raw), otherwise)
                found.setdefault(user, []).append((raw, said))
        return found


def _find_logs(path: Path) -> Iterator[Path]:
    inside = find_files(path, _ENDINGS) if path.is_dir() else iter([path])
    return (path for path in inside if path.name != _META and _is_log(path))


def _is_log(path: Path) -> bool:
    if not path.name.lower().endswith(_ENDINGS):
        return False
    first = read_beginning(path).lstrip().split("\n", 1)[0]
    return all(key in first for key in _KEYS) and not any(key in first for key in _OUR_KEYS)


def _user_of(log: Path, speakers: UsersByExchange) -> str:
    """Returns the folder's user: the only one in meta.jsonl, else the folder's name."""
    if log.parent.name != _FOLDER:
        return ""
    users = set(speakers.values())
    return users.pop() if len(users) == 1 else log.parent.parent.name


def _read_meta(path: Path) -> _Meta:
    if not path.is_file() or not path.stat().st_size:
        return _NO_META
    users, summaries = dict[tuple[str, str], str](), dict[tuple[str, str], str]()
    torn: list[int] = []
    for row in read_whole_lines(path, torn):
        raw = content_key(as_text(row.get("raw_user")), as_text(row.get("raw_assistant")))
        key = (_conversation_file_stem(as_text(row.get("conv_id"))), raw)
        if user := as_text(row.get("user_id")):
            users[key] = user
        if summary := as_text(row.get("summary")).strip():
            summaries[key] = summary
    return _Meta(users, summaries, _warnings(path, torn))


def _warnings(path: Path, torn: Sequence[int]) -> tuple[str, ...]:
    return (torn_lines_warning(path, torn),) if torn else ()


def _summary(text: str, exchange: Exchange, maker: str) -> Note:
    return Note(
        text=text,
        kind=MemoryKind.SUMMARY,
        ts=exchange.ts,
        sources=(exchange.key,),
        derived=Derivation(made_by=maker),
    )


def _conversation_file_stem(conversation: str) -> str:
    """Returns the name that OpenPersistentMemory gives a conversation's file."""
    return re.sub(r"[^a-zA-Z0-9._-]+", "_", conversation.strip())[:128] or "default"


def _exchange(row: Mapping[str, Any], channel: str) -> Exchange:
    return Exchange(
        user=clean_user_message(as_text(row.get("user"))),
        assistant=clean_answer(as_text(row.get("assistant"))),
        ts=parse_timestamp(row.get("ts")),
        channel=channel,
    )
