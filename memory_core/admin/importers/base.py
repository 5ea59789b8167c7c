"""The contract of all readers: foreign files become conversations of exchanges and notes."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

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


class Reader(ABC):
    """Reads one program's files, and keeps nothing of a file after its chats are read.

    With `has_complete_chats` a file has all of a chat, so what it lacks was removed there. With
    `is_host` the files are those of this program's host, which may change while they are read.
    """

    name: str
    has_complete_chats = False
    is_host = False

    @abstractmethod
    def recognises(self, path: Path) -> bool:
        """Returns True if this file or folder seems to be the program's; reads little of it."""

    def files(self, path: Path) -> Sequence[Path]:
        """Returns the files to read one by one, so that a broken one costs no other one.

        Raises ImportFailed.
        """
        return [path]

    @abstractmethod
    def read(self, path: Path, owner: MemoryOwner) -> Iterator[ImportChat]:
        """Yields the chats. Raises ImportFailed, which names the file, the fault and the advice."""


class UniqueNames:
    """Numbers conversations of one import that have the same name, in order."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[Namespace, str]] = Counter()

    def assign(self, namespace: Namespace, wanted: str) -> str:
        self._counts[namespace, wanted] += 1
        count = self._counts[namespace, wanted]
        return wanted if count == 1 else f"{wanted}-{count}"


RETRY_ADVICE = "Export or download it again"


def import_error(where: Path | str, what: str, do: str) -> ImportFailed:
    """Returns an error with fault and advice. `where` is a path, maybe with a place in it."""
    return ImportFailed(f"{where}: {what}. {do}.")
