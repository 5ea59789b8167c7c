"""Writes live memories into a file for people and other programs, without forgotten ones."""

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
_WRITERS_OF_ALL: Mapping[ExportFormat, Callable[[_NamespaceMemories], Iterator[str]]] = {
    ExportFormat.CSV: csv_lines_of_all,
    ExportFormat.JSONL: json_lines_of_all,
    ExportFormat.MARKDOWN: markdown_lines_of_all,
}


def export_namespace(
    memory: LongTermMemory, namespace: Namespace, form: ExportFormat, path: Path
) -> int:
    """Writes live memories into a file; returns their number. Raises StorageFailed."""
    counted = _CountingIterable(live_memories(memory, namespace))
    with atomic_file(path) as file:
        for line in _writer(form, namespace)(counted):
            file.write(well_formed(line).encode())  # names may have lone surrogates
    return counted.count


def export_all(
    memory: LongTermMemory, spaces: Sequence[Namespace], form: ExportFormat, path: Path
) -> Mapping[Namespace, int]:
    """Writes the live memories of several namespaces into one file, each with its namespace.

    Returns the number of memories per namespace. Raises StorageFailed.
    """
    counted = {space: _CountingIterable(live_memories(memory, space)) for space in spaces}
    with atomic_file(path) as file:
        for line in _WRITERS_OF_ALL[form](counted.items()):
            file.write(well_formed(line).encode())  # names may have lone surrogates
    return {namespace: counter.count for namespace, counter in counted.items()}


def _writer(
    form: ExportFormat, namespace: Namespace
) -> Callable[[Iterable[Memory]], Iterator[str]]:
    if form is ExportFormat.CSV:
        return csv_lines
    if form is ExportFormat.JSONL:
        return json_lines
    return lambda memories: markdown_lines(memories, title=title_of(namespace))


class _CountingIterable:
    def __init__(self, memories: Iterable[Memory]) -> None:
        self.count = 0
        self._memories = memories

    def __iter__(self) -> Iterator[Memory]:
        for memory in self._memories:
            self.count += 1
            yield memory
