"""Writes live memories into a file for people and other programs, without forgotten ones."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from ...domain.namespaces import Namespace
from ...domain.records import Memory
from ...domain.unicode import well_formed
from ...memory.long_term_memory import LongTermMemory
from ..backup.atomic_output import atomic_file
from .csv import csv_lines, csv_lines_of_all
from .jsonl import json_lines, json_lines_of_all
from .live_memories import live_memories
from .markdown import markdown_lines, markdown_lines_of_all, title_of


class ExportFormat(StrEnum):
    """Formats for people and other programs; only a backup can be restored."""

    CSV = "csv"
    JSONL = "jsonl"
    MARKDOWN = "markdown"


ENDINGS = {ExportFormat.CSV: ".csv", ExportFormat.JSONL: ".jsonl", ExportFormat.MARKDOWN: ".md"}
_NamespaceMemories = Iterable[tuple[Namespace, Iterable[Memory]]]
_WRITERS: Mapping[ExportFormat, Callable[[Iterable[Memory], Namespace], Iterator[str]]] = {
    ExportFormat.CSV: lambda memories, _: csv_lines(memories),
    ExportFormat.JSONL: lambda memories, _: json_lines(memories),
    ExportFormat.MARKDOWN: lambda memories, space: markdown_lines(memories, title=title_of(space)),
}
_WRITERS_OF_ALL: Mapping[ExportFormat, Callable[[_NamespaceMemories], Iterator[str]]] = {
    ExportFormat.CSV: csv_lines_of_all,
    ExportFormat.JSONL: json_lines_of_all,
    ExportFormat.MARKDOWN: markdown_lines_of_all,
}


def export_namespace(
    memory: LongTermMemory, namespace: Namespace, form: ExportFormat, path: Path
) -> int:
    """Writes live memories into a file; returns their number. Raises StorageFailed."""
    counts = Counter[Namespace]()
    _write(path, _WRITERS[form](_counted(memory, namespace, counts), namespace))
    return counts[namespace]


def export_all(
    memory: LongTermMemory, spaces: Sequence[Namespace], form: ExportFormat, path: Path
) -> Mapping[Namespace, int]:
    """Writes the live memories of several namespaces into one file, each with its namespace.

    Returns the number of memories per namespace. Raises StorageFailed.
    """
    counts = Counter(dict.fromkeys(spaces, 0))
    _write(path, _WRITERS_OF_ALL[form]((one, _counted(memory, one, counts)) for one in spaces))
    return counts


def _counted(
    memory: LongTermMemory, namespace: Namespace, counts: Counter[Namespace]
) -> Iterator[Memory]:
    for found in live_memories(memory, namespace):
        counts[namespace] += 1
        yield found


def _write(path: Path, lines: Iterable[str]) -> None:
    with atomic_file(path) as file:
        for line in lines:
            file.write(well_formed(line).encode())  # names may have lone surrogates
