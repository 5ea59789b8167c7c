"""Whether the logs of one namespace are sound: every line by itself, and all of them together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...domain.errors import LongTermMemoryError
from ...storage.log.erasure import aside_of, has_words
from ...storage.log.event_log import Transcript
from ...storage.log.events import BEGINNINGS, Line, Op
from ..backup.line_check import LineCheck
from .findings import Finding, Kind, Tell
from .scan import Piece, pieces

_SENSELESS = (LongTermMemoryError, ValueError, TypeError, KeyError, AttributeError, OverflowError)
_NEWER = "update the extension; nothing here is lost"
_LATER = "it is done as soon as the program has time, or run it again with --repair"


@dataclass(slots=True)
class Forgotten:
    """When each was forgotten, by the tombstones in the notes, and how long words stay then."""

    undo_s: float
    now: float
    at: dict[str, float] = field(default_factory=dict)

    def follow(self, line: Line) -> None:
        if line.op is Op.FORGET:
            self.at[line.id] = line.ts or 0.0
        elif line.op is Op.UNFORGET:
            self.at.pop(line.id, None)

    def is_due(self, memory_id: str) -> bool:
        """Also where it was forgotten in a future: a clock went wrong."""
        then = self.at.get(memory_id)
        return then is not None and abs(self.now - then) > self.undo_s


@dataclass(slots=True)
class Seen:
    """What is known after all logs were read. `begun`: id → seq of its first line."""

    lines: int = 0
    due: set[str] = field(default_factory=set)
    begun: dict[str, int] = field(default_factory=dict)
    seqs: set[int] = field(default_factory=set)
    damaged: list[Piece] = field(default_factory=list)
    torn: list[Piece] = field(default_factory=list)


class LogCheck:
    """Reads all logs of a namespace once, and its notes a second time, before the others.

    `sizes` are the logs with the bytes to look at. `is_ours`: nobody writes to them meanwhile.
    """

    def __init__(
        self, transcript: Transcript, sizes: Mapping[str, int], forgotten: Forgotten, *, label: str
    ) -> None:
        self._transcript = transcript
        self._sizes = sizes
        self._forgotten = forgotten
        self._label = label
        self._lines = LineCheck("")
        self._named: dict[str, Piece] = {}
        self.seen = Seen()

    def run(self, tell: Tell, *, is_ours: bool) -> None:
        for piece in self._pieces(""):
            if piece.line is not None:
                self._forgotten.follow(piece.line)
        for log in self._sizes:
            before = 0
            for piece in self._pieces(log):
                self._take(piece, tell, is_ours=is_ours)
                if piece.line is not None:
                    before = self._ordered(piece, piece.line, before, tell)
        self._unknown(tell)

    def _pieces(self, log: str) -> Iterator[Piece]:
        path = self._transcript.path(log)
        return pieces(path, log, self._sizes[log]) if log in self._sizes else iter(())

    def _take(self, piece: Piece, tell: Tell, *, is_ours: bool) -> None:
        if piece.line is not None:
            self._take_line(piece, piece.line, tell)
        elif piece.is_torn and is_ours:  # else somebody may be writing it
            self.seen.torn.append(piece)
            tell(self._finding(piece, piece.why))
        elif piece.is_damaged:
            self.seen.damaged.append(piece)
            tell(self._finding(piece, f"a damaged line: {piece.why}"))
        elif not piece.is_torn:
            tell(self._finding(piece, piece.why, advice=_NEWER, can_repair=False))

    def _take_line(self, piece: Piece, line: Line, tell: Tell) -> None:
        self.seen.lines += 1
        try:
            self._lines.take(line)
        except (*_SENSELESS, RecursionError) as exc:
            told = f"a line that makes no sense: {exc}"
            tell(self._finding(piece, told, advice="report it, please", can_repair=False))
            return
        if line.op in BEGINNINGS:
            self._begin(piece, line, tell)
        elif line.op is not Op.INIT:
            self._named.setdefault(line.id, piece)
        if has_words(line) and self._forgotten.is_due(line.id):
            self.seen.due.add(line.id)
            tell(self._finding(piece, "words of a forgotten memory are still here", advice=_LATER))

    def _begin(self, piece: Piece, line: Line, tell: Tell) -> None:
        if line.id in self.seen.begun:
            what = f"the memory {line.id} is written a second time"  # a merge was interrupted
            advice = "none is needed: the later one counts"
            tell(self._finding(piece, what, advice=advice, kind=Kind.NOTE, can_repair=False))
        self.seen.begun.setdefault(line.id, line.seq)

    def _ordered(self, piece: Piece, line: Line, before: int, tell: Tell) -> int:
        if line.seq in self.seen.seqs:
            self._tell_order(piece, f"seq {line.seq} is used twice", tell)
        elif line.seq < before:
            self._tell_order(piece, f"seq {line.seq} stands behind {before}", tell)
        self.seen.seqs.add(line.seq)
        return max(before, line.seq)

    def _tell_order(self, piece: Piece, what: str, tell: Tell) -> None:
        advice = "restore a backup, if memories are missing; was a file copied into this folder?"
        tell(self._finding(piece, what, advice=advice, can_repair=False))

    def _unknown(self, tell: Tell) -> None:
        """Whether lines speak of memories that no line begins."""
        kind = Kind.NOTE if self.seen.damaged or self._was_repaired() else Kind.FAULT
        for memory_id, piece in self._named.items():
            if memory_id not in self.seen.begun:
                what = f"it speaks of the memory {memory_id}, which no line tells of"
                advice = "none is needed if that line was damaged: it is passed over"
                tell(self._finding(piece, what, advice=advice, kind=kind, can_repair=False))

    def _was_repaired(self) -> bool:
        return any(aside_of(self._transcript.path(log)).exists() for log in self._sizes)

    def _finding(
        self,
        piece: Piece,
        what: str,
        *,
        advice: str = "",
        kind: Kind = Kind.FAULT,
        can_repair: bool = True,
    ) -> Finding:
        path = self._transcript.path(piece.log)
        return Finding(
            namespace=self._label,
            path=str(path),
            what=what,
            byte=piece.start,
            kind=kind,
            can_repair=can_repair,
            **({"advice": advice} if advice else {}),
        )
