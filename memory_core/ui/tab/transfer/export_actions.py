"""Actions of the export panel, independent of Gradio: exports, and reports on backups."""

import time
from collections.abc import Sequence
from pathlib import Path

from ....admin.backup.reader import BackupFile
from ....admin.backup.writer import write_backup
from ....admin.exporters.export import ENDINGS, ExportFormat, export_all, export_namespace
from ....admin.exporters.restore import RestoreResult
from ....domain.namespaces import Namespace
from ....memory.long_term_memory import LongTermMemory
from ....text.locales import Words
from ..common import status, visible_namespaces
from ..common.downloads import Downloads

ZIP = "zip"
FORMATS = (ZIP, *(form.value for form in ExportFormat))


def export_one(
    memory: LongTermMemory, namespace: Namespace, form: str, downloads: Downloads, words: Words
) -> tuple[Path, str]:
    """Exports one namespace; returns the file and a message as HTML. Raises StorageFailed."""
    counts = memory.counts(namespace)
    count, damaged = counts["live"], 0
    if form == ZIP:
        path = downloads.new_path(namespace, ".zip")
        damaged = write_backup(path, memory.root, [namespace], now=time.time()).damaged
    else:
        path = downloads.new_path(namespace, ENDINGS[ExportFormat(form)])
        count = export_namespace(memory, namespace, ExportFormat(form), path)
    return path, _done_text(count, counts["forgotten"], damaged, words)


def _done_text(count: int, forgotten: int, damaged: int, words: Words) -> str:
    message = status.paragraph(words("export_done", count=count, forgotten=forgotten))
    if damaged:
        message += status.paragraph(words("export_damaged", count=damaged))
    return message


def export_many(
    memory: LongTermMemory,
    spaces: Sequence[Namespace],
    form: str,
    downloads: Downloads,
    words: Words,
) -> tuple[Path, str]:
    """Exports namespaces into one file; returns it and a message as HTML. Raises StorageError."""
    counts = [memory.counts(space) for space in spaces]
    if form == ZIP:
        path = downloads.new_path(None, ".zip")
        damaged = write_backup(path, memory.root, spaces, now=time.time()).damaged
    else:
        path, damaged = downloads.new_path(None, ENDINGS[ExportFormat(form)]), 0
        export_all(memory, spaces, ExportFormat(form), path)
    count, forgotten = (sum(count[name] for count in counts) for name in ("live", "forgotten"))
    return path, _done_text(count, forgotten, damaged, words)


def backup_contents_text(path: Path, words: Words) -> str:
    """Returns the names in a backup, as HTML. Raises ImportFailed."""
    with BackupFile(path) as file:
        names = ", ".join(
            visible_namespaces.namespace_label(part.namespace, words) for part in file.contents
        )
    return status.paragraph(words("restore_holds", names=names))


def restored_html(done: Sequence[RestoreResult], words: Words) -> str:
    lines: list[str] = []
    for result in done:
        name = visible_namespaces.namespace_label(result.namespace, words)
        lines.append(words("restore_done", name=name, count=result.memories))
        if result.backup:
            lines.append(words("restore_kept", path=result.backup))
    return "".join(map(status.paragraph, lines))
