"""What every reader of foreign files gives: conversations as this memory keeps them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ...domain.errors import ImportFailed
from ...domain.namespaces import Namespace
from ...domain.records import Exchange, Note


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportChat:
    """One conversation, oldest exchange first; an exchange whose time is not known has no ts.

    `conversation` names it within its namespace: the same file read twice gives the same name.
    Where there are only `notes` and no exchanges it is empty: there is no chat to reconcile then.
    `warnings` are sentences that somebody should read before importing it.
    """

    namespace: Namespace
    conversation: str
    exchanges: Sequence[Exchange]
    source: Path
    notes: Sequence[Note] = ()
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryOwner:
    """Whose the memories shall be where a file does not say it."""

    user: str
    character: str


class Reader(Protocol):
    """Reads one program's files. Nothing of a file is held longer than its chats are looked at."""

    name: str

    def recognises(self, path: Path) -> bool:
        """Whether this file or folder seems to be of that program; looks at little of it."""
        ...

    def read(self, path: Path, owner: MemoryOwner) -> Iterator[ImportChat]:
        """Raises ImportFailed, which names the file, what is wrong and what to do."""
        ...


RETRY_ADVICE = "Export or download it again"


def import_error(where: Path | str, what: str, do: str) -> ImportFailed:
    """`where` is the path, or the path and the place in it."""
    return ImportFailed(f"{where}: {what}. {do}.")
