"""The endpoints /namespaces, /export and /import.

A file of another program becomes memories of one namespace, whatever users it names.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

from anyio import to_thread
from fastapi import Query, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from ...admin.backup.writer import log_files, write_backup
from ...admin.exporters.export import ENDINGS, ExportFormat, export_namespace
from ...admin.importers.base import ImportChat, MemoryOwner, Reader
from ...admin.importers.engine import import_chats
from ...admin.importers.formats import ALL_READERS, find_reader
from ...admin.importers.source import ImportSource
from ...domain.errors import ImportFailed, UnknownFormat
from ...domain.namespaces import Namespace
from ...domain.records import Note
from ...infra.deadlines import is_interrupted
from ...infra.scratch_folders import temporary_folder
from ...memory.long_term_memory import LongTermMemory
from ...memory.runtime import Runtime
from ..errors import NOT_FOUND, UNAVAILABLE, RequestRefused
from .owners import Owners, character_of, user_id_of
from .shapes import Character, Imported, Name, NamespaceOut, Namespaces, UserId

_LONGEST_NAME = 100  # bytes
_WHOLE_CONVERSATION = 1_000_000
_ROUNDED_S = 1.0  # a file may hold whole seconds
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
        count = self._runtime.memory.count_memories(namespace)
        return NamespaceOut(
            user_id=user_id_of(namespace),
            character=character_of(namespace),
            memories=count.memories,
            conversations=count.conversations,
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


class OwnedReader(Reader):
    """Makes all chats the owner's own. Those of an own export keep their conversations' names.

    Another name is needed where a chat of another owner in the file has it, and where other
    messages are stored under it.
    """

    def __init__(self, reader: Reader, owner: Namespace, memory: LongTermMemory) -> None:
        self.name = reader.name
        self._reader = reader
        self._owner = owner
        self._memory = memory
        self._owners: dict[str, Namespace] = {}  # of the chats in the file, by their names
        self._names: dict[tuple[Namespace, str], str] = {}  # those of the chats read so far

    def recognises(self, path: Path) -> bool:
        return self._reader.recognises(path)

    def read(self, path: Path, owner: MemoryOwner) -> Iterator[ImportChat]:
        for chat in self._reader.read(path, owner):
            name = self._name_of(chat)
            self._names[chat.namespace, chat.conversation] = name
            notes = [self._note(note, chat) for note in chat.notes]
            yield replace(
                chat,
                namespace=self._owner,
                conversation=name,
                notes=notes,
                exported_conversation="",
                is_named_after_file=False,
            )

    def _note(self, note: Note, chat: ImportChat) -> Note:
        """Returns the note; one for a chat alone follows that chat, which was read before.

        A chat without messages is not in the file, and keeps its name.
        """
        exported = note.conversation.removeprefix(f"{self.name}-")
        name = self._names.get((chat.namespace, note.conversation), exported)
        return replace(note, conversation=name) if note.conversation else note

    def _name_of(self, chat: ImportChat) -> str:
        """Returns the conversation's name; the same when the file is imported again."""
        wanted, other = chat.exported_conversation, _with_owner(chat.namespace, chat.conversation)
        if not wanted or self._is_stored(other):
            return other
        first = self._owners.setdefault(wanted, chat.namespace)
        return wanted if first == chat.namespace and self._is_free(wanted, chat) else other

    def _is_free(self, conversation: str, chat: ImportChat) -> bool:
        """Returns whether nothing is stored under this name, or a part of this chat.

        A character's greeting is no such part: all its chats may begin with it.
        """
        if not self._is_stored(conversation):
            return True
        chat_name = self._owner, conversation
        forms = self._memory.guarded_chat(*chat_name, chat.exchanges).exchanges
        stored = self._memory.conversation(*chat_name, _WHOLE_CONVERSATION)
        times = {memory.key: memory.exchange.ts for memory in stored if memory.exchange}
        said = [one for one in forms if one.user] or forms
        return any(one.key in times and _is_same_time(one.ts, times[one.key]) for one in said)

    def _is_stored(self, conversation: str) -> bool:
        return self._memory.has_namespace(self._owner) and bool(
            self._memory.conversation(self._owner, conversation, 1)
        )


def _with_owner(owner: Namespace, conversation: str) -> str:
    """Returns a name that differs for chats of different owners in one file."""
    return f"{owner.user}/{owner.character}/{conversation}" if conversation else ""


def _is_same_time(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one == other
    return abs(one - other) < _ROUNDED_S
