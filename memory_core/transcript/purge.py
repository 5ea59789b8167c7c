"""Erases the words of forgotten memories from the logs; what names and orders them stays."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import durable
from ..wellformed import well_formed
from .lines import Line, Op, pack
from .log import Read

_WORDS = (
    "user",
    "assistant",
    "user_name",
    "assistant_name",
    "text",
    "turns",
    "metadata",
    "sources",
)
DAMAGED = ".damaged"  # behind a log's name: what was taken out of it, for whoever can read it
_TEXT_OPS = (Op.ADD, Op.EDIT, Op.NOTE, Op.REVISE)
_TELLING = 16  # bytes: what is shorter may be anybody's


def purged(found: Read, doomed: Collection[str]) -> bytes:
    """The log's new content: the same lines, those of the doomed memories without their words.

    A damaged line is kept for whoever can read it, unless it names a doomed memory or holds its
    words.
    """
    tells = telling(found, doomed)
    damaged = [data for data in found.damaged if not tells(data)]
    kept = [_without_words(line) if _is_doomed(line, doomed) else line for line in found.lines]
    return b"".join([*damaged, *map(pack, kept)])


def telling(found: Read, doomed: Collection[str]) -> Callable[[bytes], bool]:
    """Whether bytes that are no line any more name one of the doomed, or hold what it said here."""
    signs = {memory_id.encode() for memory_id in doomed}
    said = (text for line in found.lines if _is_doomed(line, doomed) for text in _texts(line))
    written = (json.dumps(text, ensure_ascii=False)[1:-1] for text in said)
    signs |= {it for text in written if len(it := well_formed(text).encode()) >= _TELLING}
    return lambda data: any(sign in data for sign in signs)


def _texts(line: Line) -> Iterator[str]:
    for fields in (line.fields, *line.fields.get("turns", ())):
        yield from (str(fields.get(key) or "") for key in ("user", "assistant", "text"))


def purge_aside(log: Path, doomed: Collection[str]) -> None:
    """Takes damaged lines that name them out of what was put aside. Raises StorageFailed."""
    aside = log.with_name(log.name + DAMAGED)
    if aside.exists():
        names = [memory_id.encode() for memory_id in doomed]
        with durable.naming(aside):
            lines = aside.read_bytes().split(b"\n")
        kept = [line for line in lines if not any(name in line for name in names)]
        if kept != lines:
            durable.replace(aside, b"\n".join(kept))


def has_words(line: Line) -> bool:
    """Whether any words of its memory stand in this line."""
    return line.op in _TEXT_OPS and any(line.fields.get(key) for key in _WORDS)


def _is_doomed(line: Line, doomed: Collection[str]) -> bool:
    return line.id in doomed and line.op in _TEXT_OPS


def _without_words(line: Line) -> Line:
    kept: Mapping[str, Any] = {k: v for k, v in line.fields.items() if k not in _WORDS}
    return replace(line, fields={**kept, "user": "", "assistant": "", "text": "", "purged": True})
