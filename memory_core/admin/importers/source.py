"""The source of an import: the chats that a reader finds at a path, and what it skips."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...domain.errors import ImportFailed
from ...domain.namespaces import Scope, namespace_of
from .base import ImportChat, MemoryOwner, Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFailure:
    """A file, or one of its chats, that was skipped."""

    source: Path
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSource:
    """The source of an import: a reader, its path, and an owner for files that name none.

    `origin` is the name under which a person knows it: that of a dropped file or of one in a zip.
    With `executes_commands` an import executes the commands in the host's own chats, as the live
    chat did (host/chat_sync/withheld.py).
    """

    reader: Reader
    path: Path
    owner: MemoryOwner
    origin: str = ""
    executes_commands: bool = True

    def files(self) -> Sequence[Path]:
        """Returns the files to read. Raises ImportFailed."""
        return self.reader.files(self.path)

    def chats(self) -> Iterator[ImportChat | ImportFailure]:
        for file in self.files():
            yield from self.read_file(file)

    def read_file(self, file: Path) -> Iterator[ImportChat | ImportFailure]:
        try:
            yield from map(self._placed, self.reader.read(file, self.owner))
        except (ImportFailed, OSError, RecursionError) as exc:
            yield ImportFailure(source=file, reason=str(exc))

    def _placed(self, chat: ImportChat) -> ImportChat:
        """Returns the chat with its namespace: an owner may be called _instruct or _shared."""
        space = chat.namespace
        if space.scope is not Scope.CHARACTER:
            return chat
        if not space.character:
            raise ImportFailed(
                f"{chat.source} names no character: add --character NAME, or --character _instruct "
                "for chats without one"
            )
        if space.character != self.owner.character:
            return chat
        return replace(chat, namespace=namespace_of(space.user, space.character))
