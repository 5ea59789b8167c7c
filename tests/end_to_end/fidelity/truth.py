"""Derives from the chats' files what memory should hold, and lists the differences."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory_core.domain.namespaces import Namespace
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.contract import Page

from .standin import GREETING_MARK, StandIn
from .words import UNSAID, Words

Pair = tuple[str, str]
USER = "default"
_ALL = 100_000


@dataclass
class Allowed:
    """The exchanges that memory may hold, and those that it `must` hold."""

    may: set[Pair] = field(default_factory=set)
    must: set[Pair] = field(default_factory=set)


def pairs_of(rows: Sequence[Sequence[Any]], words: Words) -> list[Pair]:
    """Returns the exchanges in a chat's rows.

    An answer to a tool ends the exchange that called it. An answer without a message is an
    exchange of its own.
    """
    pairs: list[Pair] = []
    for user, assistant, *extra in rows:
        told = extra[1] if len(extra) > 1 else {}
        if user == GREETING_MARK or told.get("role") == "system":
            continue
        if "tool_call_id" in told and pairs and not user:
            asked, before = pairs.pop()
            said = [text for text in (before, words.clean(assistant)) if text]
            pairs.append((asked, "\n\n".join(said)))
        elif user or assistant:
            pairs.append((words.clean(user), words.clean(assistant)))
    return pairs


def rows_in(path: Path) -> list[list[Any]]:
    saved = json.loads(path.read_text(encoding="utf-8"))
    return list(saved["internal"] if "internal" in saved else saved["data"])


def space_of(path: Path) -> Namespace:
    folder = path.parent
    return Namespace.instruct(USER) if folder.name == "instruct" else Namespace(USER, folder.name)


def files(host: StandIn) -> list[Path]:
    return sorted(host.logs.rglob("*.json"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The exchanges of one chat; memory must hold them all if the chat `counts`.

    A chat of an API client has no file.
    """

    space: Namespace
    pairs: Sequence[Pair]
    path: Path | None = None
    counts: bool = True


def told_by_files(host: StandIn, words: Words) -> list[Told]:
    return [
        Told(space=space_of(path), path=path, pairs=pairs_of(rows_in(path), words))
        for path in files(host)
    ]


def faults(
    memory: LongTermMemory, chats: Sequence[Told], deleted: Mapping[Namespace, Allowed]
) -> Iterator[str]:
    """Yields each difference between the chats and the memories, in words."""
    for space in {chat.space for chat in chats} | set(deleted) | set(memory.namespaces()):
        allowed = deepcopy(deleted.get(space, Allowed()))
        for chat in chats:
            if chat.space == space:
                (allowed.must if chat.counts else allowed.may).update(chat.pairs)
        yield from _differences(space, _live(memory, space), allowed)
    for chat in chats:
        if chat.path and chat.counts and kept(memory, chat) != chat.pairs:
            yield f"{chat.path.stem} says {chat.pairs}, but memory {kept(memory, chat)}"


def _differences(space: Namespace, live: Counter[Pair], allowed: Allowed) -> Iterator[str]:
    name = space.character or space.scope
    for pair in allowed.must - set(live):
        yield f"{name}: lost {pair}"
    for pair in set(live) - allowed.must - allowed.may:
        yield f"{name}: a ghost {pair}"
    for pair, count in live.items():
        if count > 1 and not _is_common(pair):
            yield f"{name}: {count} times {pair}"
        if any(word in side for word in UNSAID for side in pair):
            yield f"{name}: never said {pair}"


def _is_common(pair: Pair) -> bool:
    """Returns True for words that several chats may share by chance."""
    return not any(letter.isdigit() for letter in pair[0])


def _live(memory: LongTermMemory, space: Namespace) -> Counter[Pair]:
    found = memory.latest(space, Page(limit=_ALL))
    exchanges = (entry.exchange for entry in found if entry.exchange)
    return Counter((exchange.user, exchange.assistant) for exchange in exchanges)


def kept(memory: LongTermMemory, chat: Told) -> Sequence[Pair]:
    """Returns what memory holds of a chat with a file, in the chat's order."""
    assert chat.path
    found = memory.conversation(chat.space, chat.path.stem, _ALL)
    exchanges = (entry.exchange for entry in found if entry.exchange)
    return [(exchange.user, exchange.assistant) for exchange in exchanges]


def files_with(folder: Path, text: str) -> list[Path]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return [path for path in found if text.encode() in path.read_bytes()]
