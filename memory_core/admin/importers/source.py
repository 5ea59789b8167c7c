"""The source of an import: the chats that a reader finds at a path, and what it skips."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...domain.errors import ImportFailed
from ...domain.namespaces import Scope, namespace_of
from .base import ImportChat, MemoryOwner, Reader

# In characters of the chats' texts.
_MAX_BUFFERED_CHARS = 16 * 2**20
_OVERHEAD_CHARS = 200


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
            yield from map(self._placed, self._read_to_end(file))
        except (ImportFailed, OSError, RecursionError) as exc:
            yield ImportFailure(source=file, reason=str(exc))

    def _read_to_end(self, file: Path) -> Iterator[ImportChat]:
        """Reads a file to its end before the first chat, so that a broken file changes nothing.

        Buffers small files and reads large ones twice. A change between the two readings goes
        unnoticed.
        """
        chats, buffered, size = self.reader.read(file, self.owner), list[ImportChat](), 0
        for chat in chats:
            buffered.append(chat)
            size += _char_count(chat)
            if size > _MAX_BUFFERED_CHARS:
                buffered.clear()
                deque(chats, maxlen=0)
                yield from self.reader.read(file, self.owner)
                return
        yield from buffered

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


def _char_count(chat: ImportChat) -> int:
    said = sum(
        len(exchange.user) + len(exchange.assistant) + _OVERHEAD_CHARS
        for exchange in chat.exchanges
    )
    return said + sum(len(note.text) + _OVERHEAD_CHARS for note in chat.notes)
