"""Makes the files to download, independent of Gradio: backups and exports."""

import time
from collections.abc import Sequence
from pathlib import Path

from ....admin.backup.log_files import log_files
from ....admin.backup.writer import write_backup
from ....admin.exporters.character_file import write_character_file
from ....admin.exporters.export import ENDINGS, ExportFormat, export_all, export_namespace
from ....domain.namespaces import Namespace
from ....memory.long_term_memory import LongTermMemory
from ....memory.runtime import Runtime
from ....storage.aliases import Aliases
from ....text.locales import Words
from ..common import status
from ..common.downloads import Downloads

FORMATS = tuple(form.value for form in ExportFormat)
ZIP = ".zip"


def back_up(
    memory: LongTermMemory,
    spaces: Sequence[Namespace],
    downloads: Downloads,
    aliases: Aliases | None,
    words: Words,
) -> tuple[Path, str]:
    """Backs up namespaces into one zip; returns it and a message as HTML. Raises StorageError.

    `aliases` are the other names of people and characters, if they are to be in it.
    """
    path = downloads.new_path(None, ZIP)
    with log_files(memory, spaces) as root:
        done = write_backup(path, root, spaces, now=time.time(), aliases=aliases)
    return path, _done_text([memory.counts(space) for space in spaces], done.damaged, words)


def save_character(
    runtime: Runtime, namespace: Namespace, downloads: Downloads, words: Words
) -> tuple[Path, str]:
    """Writes one character's file, to lie beside its card. Raises StorageError."""
    path = downloads.new_character_path(namespace)
    done = write_character_file(runtime, namespace, path)
    return path, status.paragraph(words("export_done", count=done.exchanges + done.notes))


def export(
    memory: LongTermMemory,
    spaces: Sequence[Namespace],
    form: str,
    downloads: Downloads,
    words: Words,
) -> tuple[Path, str]:
    """Exports namespaces into one file; returns it and a message as HTML. Raises StorageError."""
    kind = ExportFormat(form)
    path = downloads.new_path(spaces[0] if len(spaces) == 1 else None, ENDINGS[kind])
    if len(spaces) == 1:
        export_namespace(memory, spaces[0], kind, path)
    else:
        export_all(memory, spaces, kind, path)
    return path, _done_text([memory.counts(space) for space in spaces], 0, words)


def _done_text(counts: Sequence[dict[str, int]], damaged: int, words: Words) -> str:
    count = sum(count["live"] for count in counts)
    message = status.paragraph(words("export_done", count=count))
    if damaged:
        message += status.paragraph(words("export_damaged", count=damaged))
    return message
