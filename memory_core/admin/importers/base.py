"""The contract of all readers: foreign files become conversations of exchanges and notes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ...domain.errors import ImportFailed
from ...domain.namespaces import Namespace
from ...domain.records import Exchange, Note


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportChat:
    """One conversation, oldest exchange first; exchanges of unknown time have no ts.

    `conversation` names it within its namespace, and stays equal when a file is read again. It is
    empty if there are only `notes`, as no chat is to be reconciled then. `warnings` are sentences
    for the user to read before importing. An own export gives the ids that its exchanges and notes
    have where it was made, or empty texts, the conversation's name there, and the content keys of
    pinned exchanges. `is_named_after_file`: the file names no conversation.
    """

    namespace: Namespace
    conversation: str
    exchanges: Sequence[Exchange]
    source: Path
    notes: Sequence[Note] = ()
    warnings: Sequence[str] = ()
    exchange_ids: Sequence[str] = ()
    note_ids: Sequence[str] = ()
    exported_conversation: str = ""
    is_named_after_file: bool = False
    pinned: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryOwner:
    """The owner of memories for which the file names none."""

    user: str
    character: str


class Reader(Protocol):
    """Reads one program's files, and keeps nothing of a file after its chats are read."""

    name: str

    def recognises(self, path: Path) -> bool:
        """Returns True if this file or folder seems to be the program's; reads little of it."""
        ...

    def read(self, path: Path, owner: MemoryOwner) -> Iterator[ImportChat]:
        """Yields the chats. Raises ImportFailed, which names the file, the fault and the advice."""
        ...


RETRY_ADVICE = "Export or download it again"


def import_error(where: Path | str, what: str, do: str) -> ImportFailed:
    """Returns an error with fault and advice. `where` is a path, maybe with a place in it."""
    return ImportFailed(f"{where}: {what}. {do}.")
