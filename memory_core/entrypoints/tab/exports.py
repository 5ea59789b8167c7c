"""What the panel for exports does, apart from the page: files out, files in, and words on it."""

import time
from collections.abc import Sequence
from pathlib import Path

from ...backup.reading import BackupFile
from ...backup.writing import save
from ...exporting.readable import ENDINGS, Readable, export
from ...exporting.restoring import Restored
from ...long_term_memory import LongTermMemory
from ...namespaces import Namespace
from . import scope, status
from .downloads import Downloads
from .texts import Words

ZIP = "zip"
FORMATS = (ZIP, *(it.value for it in Readable))


def made(
    memory: LongTermMemory, namespace: Namespace, form: str, downloads: Downloads, words: Words
) -> tuple[Path, str]:
    """The file, and what is said of it. Raises StorageFailed."""
    counts = memory.counts(namespace)
    count, damaged = counts["live"], 0
    if form == ZIP:
        path = downloads.new(namespace, ".zip")
        damaged = save(path, memory.root, [namespace], now=time.time()).damaged
    else:
        path = downloads.new(namespace, ENDINGS[Readable(form)])
        count = export(memory, namespace, Readable(form), path)
    told = status.line(words["export_done"].format(count=count, forgotten=counts["forgotten"]))
    if damaged:
        told += status.line(words["export_damaged"].format(count=damaged))
    return path, told


def holds(path: Path, words: Words) -> str:
    """Whose memories a backup has. Raises ImportFailed."""
    with BackupFile(path) as file:
        names = ", ".join(scope.label(it.namespace, words) for it in file.contents)
    return status.line(words["restore_holds"].format(names=names))


def told(done: Sequence[Restored], words: Words) -> str:
    lines: list[str] = []
    for it in done:
        name = scope.label(it.namespace, words)
        lines.append(words["restore_done"].format(name=name, count=it.memories))
        if it.backup:
            lines.append(words["restore_kept"].format(path=it.backup))
    return "".join(map(status.line, lines))
