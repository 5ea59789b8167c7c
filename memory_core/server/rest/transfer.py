"""The endpoints /namespaces, /export and /import."""

import time
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

from anyio import to_thread
from fastapi import Query, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from ...admin.backup.log_files import log_files
from ...admin.backup.writer import write_backup
from ...admin.exporters.export import ENDINGS, ExportFormat, export_namespace
from ...admin.importers.base import MemoryOwner, Reader
from ...admin.importers.engine import import_chats
from ...admin.importers.formats import ALL_READERS, find_reader
from ...admin.importers.source import ImportSource
from ...domain.errors import ImportFailed, UnknownFormat
from ...domain.namespaces import Namespace
from ...infra.deadlines import is_interrupted
from ...infra.scratch_folders import temporary_folder
from ...memory.runtime import Runtime
from ..errors import NOT_FOUND, UNAVAILABLE, RequestRefused
from .imported import OwnedReader
from .owners import Owners, character_of, user_id_of
from .shapes import Character, Imported, Name, NamespaceOut, Namespaces, UserId

_LONGEST_NAME = 100  # bytes
_AUTO = "auto"
_FILENAME = "filename"
_NAME_THE_FILE = "for a file of another kind, add its name, such as ?filename=memories.csv"
_FORM = "multipart/form-data"
_IS_FORM = "send the file itself as the body, not a form, such as with `curl --data-binary @FILE`"
_STOPPED = (
    "the server is stopping: {done.exchanges} exchanges were imported, {done.added} of them new; "
    "import the file again to go on"
)
_KNOWN_FORMATS = ", ".join((_AUTO, *ALL_READERS))
_FORMATS = f"The program that wrote the file: {_KNOWN_FORMATS}."


class Format(StrEnum):
    """Formats of an export; only a zip can be restored."""

    JSONL = "jsonl"
    CSV = "csv"
    MARKDOWN = "markdown"
    ZIP = "zip"


EXPORT_TYPES = {
    Format.JSONL: "application/jsonl",
    Format.CSV: "text/csv",
    Format.MARKDOWN: "text/markdown",
    Format.ZIP: "application/zip",
}


class Transfer:
    """Lists, exports and imports whole namespaces."""

    def __init__(self, runtime: Runtime, owners: Owners) -> None:
        self._runtime = runtime
        self._owners = owners

    def namespaces(self, request: Request) -> Namespaces:
        """Lists the users and characters that have memories, as far as the key may see them."""
        return Namespaces(results=[self._counted(space) for space in self._owners.visible(request)])

    def _counted(self, namespace: Namespace) -> NamespaceOut:
        counts = self._runtime.memory.counts(namespace)
        return NamespaceOut(
            user_id=user_id_of(namespace),
            character=character_of(namespace),
            memories=counts["live"],
            conversations=counts["conversations"],
        )

    def export(
        self,
        request: Request,
        user_id: UserId = "",
        character: Character = "",
        format: Format = Format.JSONL,
    ) -> FileResponse:
        """Returns the memories of a user and character as a file, without forgotten ones."""
        namespace = self._owners.existing(request, user_id, character)
        if namespace is None:
            raise RequestRefused("there are no such memories", status=NOT_FOUND, param="user_id")
        folder = temporary_folder()
        path = self._write(namespace, format, Path(folder.name))
        return FileResponse(
            path,
            filename=path.name,
            media_type=EXPORT_TYPES[format],
            background=BackgroundTask(folder.cleanup),
        )

    def _write(self, namespace: Namespace, wanted: Format, folder: Path) -> Path:
        if wanted is Format.ZIP:
            path = folder / "memories.zip"
            with log_files(self._runtime.memory, [namespace]) as root:
                write_backup(path, root, [namespace], now=time.time())
            return path
        form = ExportFormat(wanted.value)
        path = folder / f"memories{ENDINGS[form]}"
        export_namespace(self._runtime.memory, namespace, form, path)
        return path

    async def import_file(
        self,
        request: Request,
        user_id: UserId = "",
        character: Character = "",
        filename: Annotated[Name, Query(description="Its ending tells the format.")] = "chat.jsonl",
        format: Annotated[Name, Query(description=_FORMATS)] = _AUTO,
    ) -> Imported:
        """Imports chats or memories of this or another program, sent as the body.

        All of it becomes the named user's own, whatever users the file names. A zip of an export is
        restored on the command line.
        """
        owner = self._owners.namespace(request, user_id, character)
        if request.headers.get("content-type", "").startswith(_FORM):
            raise RequestRefused(_IS_FORM)
        content = await request.body()
        find = partial(_find_reader, format)
        try:
            return await to_thread.run_sync(self._import, owner, content, Path(filename).name, find)
        except UnknownFormat as exc:
            if _FILENAME in request.query_params:
                raise
            raise RequestRefused(f"{exc}; {_NAME_THE_FILE}", param=_FILENAME) from exc

    def _import(
        self, owner: Namespace, content: bytes, name: str, find: Callable[[Path], Reader]
    ) -> Imported:
        with temporary_folder() as folder:
            path = Path(folder) / _file_name(name)
            path.write_bytes(content)
            try:
                reader = OwnedReader(find(path), owner, self._runtime.memory)
            except ImportFailed as exc:
                raise type(exc)(_without_folder(str(exc), path)) from exc
            source = ImportSource(
                reader=reader,
                path=path,
                owner=MemoryOwner(user=owner.user, character=owner.character or "Assistant"),
            )
            done = import_chats(
                self._runtime.memory, source, pauses=self._runtime.pauses, stop=is_interrupted
            )
        self._runtime.schedule(owner)
        if done.cancelled:
            raise RequestRefused(_STOPPED.format(done=done), status=UNAVAILABLE)
        return Imported(
            chats=done.chats,
            exchanges=done.exchanges,
            added=done.added,
            changed=done.changed,
            notes=done.notes,
            failures=[_without_folder(failure.reason, path) for failure in done.failures],
        )


def _find_reader(name: str, path: Path) -> Reader:
    """Returns the reader of this name. Raises RequestRefused for an unknown one."""
    if name == _AUTO:
        return find_reader(path)
    if name not in ALL_READERS:
        message = f"there is no format {name!r}; there are {_KNOWN_FORMATS}"
        raise RequestRefused(message, param="format")
    return ALL_READERS[name]


def _file_name(name: str) -> str:
    """Returns the end of a client's file name, in a form that every file system accepts."""
    end = name.replace("\x00", "").encode("utf-8", "replace")[-_LONGEST_NAME:]
    return end.decode("utf-8", "ignore").strip(". ") or "chat.jsonl"


def _without_folder(message: str, path: Path) -> str:
    return message.replace(str(path), path.name).replace(str(path.parent), "")
