"""One namespace as a file for people and other programs; what is forgotten is not in it."""

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from pathlib import Path

from ..backup.output import whole_file
from ..long_term_memory import LongTermMemory
from ..namespaces import Namespace
from ..records import Memory
from .json_lines import json_lines
from .live import live_memories
from .markdown import markdown_lines
from .table import csv_lines


class Readable(StrEnum):
    """Formats that are not read back as a backup is."""

    CSV = "csv"
    JSONL = "jsonl"
    MARKDOWN = "markdown"


ENDINGS = {Readable.CSV: ".csv", Readable.JSONL: ".jsonl", Readable.MARKDOWN: ".md"}


def export(memory: LongTermMemory, namespace: Namespace, form: Readable, path: Path) -> int:
    """Writes the live memories into the file; returns how many. Raises StorageFailed."""
    counted = _Counted(live_memories(memory, namespace))
    with whole_file(path) as file:
        for line in _writer(form, namespace)(counted):
            file.write(line.encode())
    return counted.count


def _writer(form: Readable, namespace: Namespace) -> Callable[[Iterable[Memory]], Iterator[str]]:
    if form is Readable.CSV:
        return csv_lines
    if form is Readable.JSONL:
        return json_lines
    title = f"{namespace.user} / {namespace.character or namespace.scope}"
    return lambda memories: markdown_lines(memories, title=title)


class _Counted:
    def __init__(self, memories: Iterable[Memory]) -> None:
        self.count = 0
        self._memories = memories

    def __iter__(self) -> Iterator[Memory]:
        for memory in self._memories:
            self.count += 1
            yield memory
