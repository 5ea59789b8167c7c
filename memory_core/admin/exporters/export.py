"""Namespaces as a file for people and other programs; what is forgotten is not in it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from ...domain.namespaces import Namespace
from ...domain.records import Memory
from ...memory.long_term_memory import LongTermMemory
from ..backup.atomic_output import whole_file
from .csv import csv_lines, csv_lines_of_all
from .jsonl import json_lines, json_lines_of_all
from .live_memories import live_memories
from .markdown import markdown_lines, markdown_lines_of_all, title_of


class Readable(StrEnum):
    """Formats that are not read back as a backup is."""

    CSV = "csv"
    JSONL = "jsonl"
    MARKDOWN = "markdown"


ENDINGS = {Readable.CSV: ".csv", Readable.JSONL: ".jsonl", Readable.MARKDOWN: ".md"}
_OfAll = Iterable[tuple[Namespace, Iterable[Memory]]]
_WRITERS_OF_ALL: Mapping[Readable, Callable[[_OfAll], Iterator[str]]] = {
    Readable.CSV: csv_lines_of_all,
    Readable.JSONL: json_lines_of_all,
    Readable.MARKDOWN: markdown_lines_of_all,
}


def export(memory: LongTermMemory, namespace: Namespace, form: Readable, path: Path) -> int:
    """Writes the live memories into the file; returns how many. Raises StorageFailed."""
    counted = _Counted(live_memories(memory, namespace))
    with whole_file(path) as file:
        for line in _writer(form, namespace)(counted):
            file.write(line.encode())
    return counted.count


def export_all(
    memory: LongTermMemory, spaces: Sequence[Namespace], form: Readable, path: Path
) -> Mapping[Namespace, int]:
    """Writes the live memories of several into one file, which tells of each whose it is; returns
    how many of each. Raises StorageFailed.
    """
    counted = {it: _Counted(live_memories(memory, it)) for it in spaces}
    with whole_file(path) as file:
        for line in _WRITERS_OF_ALL[form](counted.items()):
            file.write(line.encode())
    return {namespace: it.count for namespace, it in counted.items()}


def _writer(form: Readable, namespace: Namespace) -> Callable[[Iterable[Memory]], Iterator[str]]:
    if form is Readable.CSV:
        return csv_lines
    if form is Readable.JSONL:
        return json_lines
    return lambda memories: markdown_lines(memories, title=title_of(namespace))


class _Counted:
    def __init__(self, memories: Iterable[Memory]) -> None:
        self.count = 0
        self._memories = memories

    def __iter__(self) -> Iterator[Memory]:
        for memory in self._memories:
            self.count += 1
            yield memory
