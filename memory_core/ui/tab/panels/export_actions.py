"""What the panel for exports does, apart from the page: files out, files in, and words on it."""

import time
from collections.abc import Sequence
from pathlib import Path

from ....admin.backup.reader import BackupFile
from ....admin.backup.writer import save
from ....admin.exporters.export import ENDINGS, Readable, export, export_all
from ....admin.exporters.restore import Restored
from ....domain.namespaces import Namespace
from ....memory.long_term_memory import LongTermMemory
from ....text.locales import Words
from ..common import status, visible_namespaces
from ..common.downloads import Downloads

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
    return path, _done(count, counts["forgotten"], damaged, words)


def _done(count: int, forgotten: int, damaged: int, words: Words) -> str:
    told = status.line(words("export_done", count=count, forgotten=forgotten))
    if damaged:
        told += status.line(words("export_damaged", count=damaged))
    return told


def made_of_all(
    memory: LongTermMemory,
    spaces: Sequence[Namespace],
    form: str,
    downloads: Downloads,
    words: Words,
) -> tuple[Path, str]:
    """One file with the memories of all these. Raises StorageError."""
    counts = [memory.counts(it) for it in spaces]
    if form == ZIP:
        path = downloads.new(None, ".zip")
        damaged = save(path, memory.root, spaces, now=time.time()).damaged
    else:
        path, damaged = downloads.new(None, ENDINGS[Readable(form)]), 0
        export_all(memory, spaces, Readable(form), path)
    count, forgotten = (sum(it[name] for it in counts) for name in ("live", "forgotten"))
    return path, _done(count, forgotten, damaged, words)


def holds(path: Path, words: Words) -> str:
    """Whose memories a backup has. Raises ImportFailed."""
    with BackupFile(path) as file:
        names = ", ".join(visible_namespaces.label(it.namespace, words) for it in file.contents)
    return status.line(words("restore_holds", names=names))


def told(done: Sequence[Restored], words: Words) -> str:
    lines: list[str] = []
    for it in done:
        name = visible_namespaces.label(it.namespace, words)
        lines.append(words("restore_done", name=name, count=it.memories))
        if it.backup:
            lines.append(words("restore_kept", path=it.backup))
    return "".join(map(status.line, lines))
