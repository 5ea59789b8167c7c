"""Reads one namespace as of one moment while other threads and programs write."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ...domain.errors import StorageCorrupt
from ...infra import durable_files
from ...storage.log.erasure import purge_content
from ...storage.log.event_log import NOTES, EventLog
from ...storage.log.events import EventType, unpack
from ...storage.log.log_file import LogSlice, complete_lines, last_seq


def read_forgotten_ids(notes: Path) -> set[str]:
    """Returns the ids of memories that are forgotten according to these notes."""
    found: set[str] = set()
    for data in complete_lines(notes) if durable_files.exists(notes) else ():
        if b"forget" not in data:
            continue
        try:
            line = unpack(data[:-1], "")
        except StorageCorrupt:
            continue
        if line.op is EventType.FORGET:
            found.add(line.id)
        elif line.op is EventType.UNFORGET:
            found.discard(line.id)
    return found


class NamespaceSnapshot:
    """All events up to the highest seq at the start, without the words of forgotten memories.

    Later events are left out, so none refers to a missing memory. Damaged lines are left out, too.
    Needs no lock: logs only grow, except when words are erased, which the snapshot omits anyway.
    """

    def __init__(self, folder: Path) -> None:
        self.damaged = 0
        self.counts: Counter[str] = Counter(exchanges=0, notes=0)
        self._folder = folder
        event_log = EventLog(folder)
        self._path = event_log.path
        self._last_seq = max((last_seq(self._path(log)) for log in event_log.logs()), default=0)
        self._conversations = [log for log in event_log.logs() if log]  # may include a new one
        self.forgotten = read_forgotten_ids(folder / NOTES)

    def logs(self) -> Iterator[str]:
        """Yields the logs, notes last: they record words erased since from a conversation."""
        yield from self._conversations
        if durable_files.exists(self._path("")):
            yield ""

    def lines(self, log: str) -> Iterator[bytes]:
        """Yields one log's lines, newlines included."""
        for data in complete_lines(self._path(log)):
            try:
                line = unpack(data[:-1], log)
            except StorageCorrupt:
                self.damaged += 1
                continue
            # A tombstone is kept even if new: a log may lack its words already.
            if line.seq <= self._last_seq or line.op is EventType.FORGET:
                self.counts["exchanges"] += line.op is EventType.ADD
                self.counts["notes"] += line.op is EventType.NOTE
                is_forgotten = line.id in self.forgotten
                yield purge_content(LogSlice(events=[line]), {line.id}) if is_forgotten else data

    def forgotten_meanwhile(self) -> set[str]:
        """Returns the ids forgotten since the start, whose words earlier lines may hold."""
        return read_forgotten_ids(self._folder / NOTES) - self.forgotten
