"""Erases the words of forgotten memories from the logs; what names and orders them stays."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

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
_TEXT_OPS = (Op.ADD, Op.EDIT, Op.NOTE, Op.REVISE)


def purged(found: Read, doomed: Collection[str]) -> bytes:
    """The log's new content: the same lines, those of the doomed memories without their words.

    A damaged line is kept for whoever can read it, unless it names a doomed memory.
    """
    names = [memory_id.encode() for memory_id in doomed]
    damaged = [data for data in found.damaged if not any(name in data for name in names)]
    kept = [_without_words(line) if _is_doomed(line, doomed) else line for line in found.lines]
    return b"".join([*damaged, *map(pack, kept)])


def _is_doomed(line: Line, doomed: Collection[str]) -> bool:
    return line.id in doomed and line.op in _TEXT_OPS


def _without_words(line: Line) -> Line:
    kept: Mapping[str, Any] = {k: v for k, v in line.fields.items() if k not in _WORDS}
    return replace(line, fields={**kept, "user": "", "assistant": "", "text": "", "purged": True})
