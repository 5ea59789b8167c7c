"""Contract of the event log of one namespace: files here, tables of a database elsewhere."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from .event_log import AppendedEvents, LogPosition
from .events import Event, NewEvent
from .log_file import LogSlice


class Log(Protocol):
    """Appends events and reads them back, by byte offsets. Safe for many threads.

    `folder` is the namespace's. With `has_many_writers` any number of programs append at once, and
    is_ahead_of() returns whether others did; otherwise one program has the log until close(). All
    methods may raise StorageFailed.
    """

    @property
    def folder(self) -> Path: ...

    @property
    def has_many_writers(self) -> bool: ...

    @property
    def holds_lock(self) -> bool:
        """True while no other program can append."""
        ...

    def append_all(self, drafts: Sequence[NewEvent]) -> Iterator[AppendedEvents]:
        """Writes several events, and yields each run of one log once it is on disk.

        If a run fails, the runs before it are on disk. Raises StorageLocked.
        """
        ...

    def secrets(self) -> list[str]:
        """Returns the keys for tombstone hashes, each of 32 hex digits.

        The namespace's own comes first, then those of namespaces merged into it. There is none
        before the first tombstone.
        """
        ...

    def read(self, log: str, start: int = 0, *, last: int | None = None) -> LogSlice:
        """Returns the events of one conversation (of the notes for "") from byte `start` on, up to
        the seq `last`.
        """
        ...

    def read_again(self, log: str, offsets: Sequence[int]) -> dict[tuple[int, int], Event]:
        """Returns the events that begin at these offsets, by offset and seq; omits missing ones."""
        ...

    def logs(self) -> dict[str, int]:
        """Returns log → size in bytes; the notes are named ""."""
        ...

    def content(self, log: str) -> bytes:
        """Returns all bytes of a log, damaged lines included; b"" if it is missing."""
        ...

    def has_log(self, log: str) -> bool: ...

    def is_line_end(self, log: str, end: int) -> bool:
        """Returns whether a line ends at this offset."""
        ...

    def is_ahead_of(self, seq: int) -> bool:
        """Returns whether the last event has another seq. Always False with one writer, which
        knows the events that it appended.
        """
        ...

    def foreign_files(self) -> list[str]:
        """Returns files that are named like logs but are not logs."""
        ...

    def rewrite(self, log: str, content: bytes) -> None:
        """Replaces a whole log, all or nothing. Raises StorageLocked."""
        ...

    def exclusive(self) -> AbstractContextManager[None]:
        """Keeps other programs from appending inside the block, where many may append."""
        ...

    def lock_for_writing(self, read: LogPosition | None = None) -> object:
        """Takes the lock of a log with one writer. Raises StorageLocked."""
        ...

    def acquire_lock(self) -> None:
        """Keeps other programs, until close(), from work that only one program may do. With one
        writer, that includes writing. Raises StorageLocked.
        """
        ...

    def try_locked(self) -> AbstractContextManager[bool]:
        """Yields whether no other program writes here; none can begin inside the block."""
        ...

    def close(self) -> None: ...
