"""Writes live memories into a file for people and other programs, without forgotten ones."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from ...domain.namespaces import Namespace, Scope
from ...domain.records import Memory
from ...domain.unicode import normalised, well_formed
from ...memory.long_term_memory import LongTermMemory
from ..backup.atomic_output import atomic_file
from .csv import csv_lines
from .jsonl import json_lines
from .live_memories import live_memories
from .markdown import markdown_documents


class ExportFormat(StrEnum):
    """Formats for people and other programs; only a backup can be restored."""

    CSV = "csv"
    JSONL = "jsonl"
    MARKDOWN = "markdown"


ENDINGS = {ExportFormat.CSV: ".csv", ExportFormat.JSONL: ".jsonl", ExportFormat.MARKDOWN: ".md"}
_Spaces = Iterable[tuple[Namespace, Iterable[Memory]]]


def export_namespace(
    memory: LongTermMemory, namespace: Namespace, form: ExportFormat, path: Path
) -> int:
    """Writes live memories into a file; returns their number. Raises StorageFailed."""
    return _export(memory, [namespace], form, path, names_owners=False)[namespace]


def export_all(
    memory: LongTermMemory, spaces: Sequence[Namespace], form: ExportFormat, path: Path
) -> Mapping[Namespace, int]:
    """Writes the live memories of several namespaces into one file, each with its namespace.

    Returns the number of memories per namespace. Raises StorageFailed.
    """
    return _export(memory, spaces, form, path, names_owners=True)


def _export(
    memory: LongTermMemory,
    spaces: Sequence[Namespace],
    form: ExportFormat,
    path: Path,
    *,
    names_owners: bool,
) -> Mapping[Namespace, int]:
    counts = Counter(dict.fromkeys(spaces, 0))
    found = ((space, _counted(memory, space, counts)) for space in spaces)
    with atomic_file(path) as file:
        for line in _lines(form, found, names_owners=names_owners):
            file.write(well_formed(line).encode())  # names may have lone surrogates
    return counts


def _lines(form: ExportFormat, spaces: _Spaces, *, names_owners: bool) -> Iterator[str]:
    match form:
        case ExportFormat.CSV:
            return csv_lines(spaces, names_owners=names_owners)
        case ExportFormat.JSONL:
            return json_lines(spaces, names_owners=names_owners)
        case ExportFormat.MARKDOWN:
            return markdown_documents(spaces)  # its titles name the owners


def _counted(
    memory: LongTermMemory, namespace: Namespace, counts: Counter[Namespace]
) -> Iterator[Memory]:
    for found in live_memories(memory, namespace):
        counts[namespace] += 1
        yield found


_FORBIDDEN = re.compile(r'[<>:"/\\|?*%]')
_MAX_CHARS = 80  # bytes of each name: two, a number and the ending fit into the usual 255
_BLANK = " "


def file_names(spaces: Iterable[Namespace], ending: str) -> Mapping[Namespace, str]:
    """Returns names such as `user - character.csv`.

    Adds a number where some file system would confuse two names.
    """
    found: dict[Namespace, str] = {}
    taken: set[str] = set()
    for namespace in spaces:
        stem, number = _file_stem(namespace), 1
        name = stem
        while (known := _collision_key(name)) in taken:
            number += 1
            name = f"{stem} ({number})"
        taken.add(known)
        found[namespace] = name + ending
    return found


def _file_stem(namespace: Namespace) -> str:
    is_named = namespace.scope is Scope.CHARACTER
    character = _safe_name(namespace.character) if is_named else f"_{namespace.scope}"
    if namespace.scope is Scope.WORLD:
        return character
    return f"{_safe_name(namespace.user)} - {character}"


def _safe_name(name: str) -> str:
    """Returns the name without characters that paths, terminals or file managers interpret."""
    plain = _FORBIDDEN.sub("_", "".join(map(_safe_char, well_formed(name))))
    cut = plain.encode()[:_MAX_CHARS].decode("utf-8", "ignore").strip(" .")
    return f"_{cut[1:]}" if cut.startswith("-") else cut or "_"


def _safe_char(letter: str) -> str:
    is_odd = letter != _BLANK and unicodedata.category(letter)[0] in "CZ"
    return "_" if is_odd else letter


def _collision_key(name: str) -> str:
    """Returns a key that is equal for names differing only in case or Unicode composition."""
    return normalised("NFKC", normalised("NFKC", name).casefold())
