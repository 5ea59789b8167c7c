"""One namespace as it was at one moment, while other threads and programs go on writing."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ..errors import StorageCorrupt
from ..transcript.lines import Line, Op, unpack
from ..transcript.log import Read, last_seq, whole_lines
from ..transcript.purge import purged
from ..transcript.transcript import NOTES, Transcript


def forgotten_in(notes: Path) -> set[str]:
    """The ids whose last word is that they are forgotten."""
    found: set[str] = set()
    for data in whole_lines(notes) if notes.exists() else ():
        if b"forget" not in data:
            continue
        try:
            line = unpack(data[:-1], "")
        except StorageCorrupt:
            continue
        if line.op is Op.FORGET:
            found.add(line.id)
        elif line.op is Op.UNFORGET:
            found.discard(line.id)
    return found


class Snapshot:
    """Needs no lock: logs only grow, but for the erasure of words that are left out here anyway.

    All lines up to the highest seq at the beginning are in it, and none after, so that no line
    names what is not there. The words of forgotten memories are left out, damaged lines too.
    """

    def __init__(self, folder: Path) -> None:
        self.damaged = 0
        self.counts: Counter[str] = Counter(exchanges=0, notes=0)
        self._folder = folder
        transcript = Transcript(folder)
        self._path = transcript.path
        self._last = max((last_seq(self._path(log)) for log in transcript.logs()), default=0)
        self._conversations = [log for log in transcript.logs() if log]  # one may be new meanwhile
        self.forgotten = forgotten_in(folder / NOTES)

    def logs(self) -> Iterator[str]:
        """The notes last: by then they tell what was erased from a conversation meanwhile."""
        yield from self._conversations
        if self._path("").exists():
            yield ""

    def lines(self, log: str) -> Iterator[bytes]:
        """One log's lines, newlines included."""
        for data in whole_lines(self._path(log)):
            try:
                line = unpack(data[:-1], log)
            except StorageCorrupt:
                self.damaged += 1
                continue
            if line.seq <= self._last or self._is_tombstone(line):
                self._count(line)
                yield self._without_forgotten(line, data)

    def forgotten_since(self) -> set[str]:
        """What was forgotten meanwhile: its words may be in the lines given out."""
        return forgotten_in(self._folder / NOTES) - self.forgotten

    def _count(self, line: Line) -> None:
        self.counts["exchanges"] += line.op is Op.ADD
        self.counts["notes"] += line.op is Op.NOTE

    def _is_tombstone(self, line: Line) -> bool:
        """A log may have been rewritten without the words of what was forgotten just now."""
        return line.op is Op.FORGET

    def _without_forgotten(self, line: Line, data: bytes) -> bytes:
        return purged(Read(lines=[line]), {line.id}) if line.id in self.forgotten else data
