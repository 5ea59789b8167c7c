"""Checks the logs of one namespace: every line by itself, and all lines together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...infra import durable_files
from ...storage.held import marks_held_as_erased
from ...storage.log.erasure import damaged_lines_path, has_text
from ...storage.log.event_log import EventLog
from ...storage.log.events import CREATING_EVENTS, Event, EventType
from ..backup.line_check import INVALID_EVENT_ERRORS, NamespaceEventCheck
from .findings import Finding, FindingCode
from .scan import LogChunk, scan_chunks

_UPDATE_ADVICE = "update the extension; nothing here is lost"
_ERASED_LATER_ADVICE = "the running program erases them soon, or run it again with --repair"


@dataclass(slots=True)
class ForgottenTimes:
    """The times at which memories were forgotten; `undo_s` later their words must be erased."""

    undo_s: float
    now: float
    forgotten_at: dict[str, float] = field(default_factory=dict)

    def record_event(self, line: Event) -> None:
        if line.op is EventType.FORGET:
            self.forgotten_at[line.id] = line.ts or 0.0
        elif line.op is EventType.UNFORGET:
            self.forgotten_at.pop(line.id, None)

    def is_due(self, memory_id: str) -> bool:
        """Returns True if its words should be erased by now.

        A time too far in the future counts as well: a clock was wrong.
        """
        then = self.forgotten_at.get(memory_id)
        return then is not None and abs(self.now - then) > self.undo_s


@dataclass(slots=True)
class LogSummary:
    """The result of reading all logs. `first_seqs` maps an id to the seq of its first event."""

    lines: int = 0
    due_for_erasure: set[str] = field(default_factory=set)
    first_seqs: dict[str, int] = field(default_factory=dict)
    seqs: set[int] = field(default_factory=set)
    damaged_chunks: list[LogChunk] = field(default_factory=list)
    torn_chunks: list[LogChunk] = field(default_factory=list)


class NamespaceLogCheck:
    """Reads all logs of a namespace once, and its notes twice.

    `sizes` maps each log to the number of bytes to check. `is_ours` is True if no other program can
    write to the logs meanwhile.
    """

    def __init__(
        self,
        event_log: EventLog,
        sizes: Mapping[str, int],
        forgotten: ForgottenTimes,
        *,
        label: str,
    ) -> None:
        self._event_log = event_log
        self._sizes = sizes
        self._forgotten = forgotten
        self._label = label
        self._event_check = NamespaceEventCheck("")
        self._mentioned: dict[str, LogChunk] = {}
        self.summary = LogSummary()

    def run(self, *, is_ours: bool) -> Iterator[Finding]:
        """Yields the findings, and fills `summary` meanwhile."""
        for piece in self._scan_log(""):
            if piece.line is not None:
                self._forgotten.record_event(piece.line)
        for log in self._sizes:
            before = 0
            for piece in self._scan_log(log):
                yield from self._check_chunk(piece, is_ours=is_ours)
                if piece.line is not None:
                    yield from self._check_order(piece, piece.line, before)
                    before = max(before, piece.line.seq)
        yield from self._unknown_ids()

    def _scan_log(self, log: str) -> Iterator[LogChunk]:
        path = self._event_log.path(log)
        return scan_chunks(path, log, self._sizes[log]) if log in self._sizes else iter(())

    def _check_chunk(self, piece: LogChunk, *, is_ours: bool) -> Iterator[Finding]:
        if piece.line is not None:
            yield from self._check_event(piece, piece.line)
        elif piece.is_torn and is_ours:  # else another program may be writing it
            self.summary.torn_chunks.append(piece)
            yield self._finding(FindingCode.TORN_LINE, piece, piece.damage_reason)
        elif piece.is_damaged:
            self.summary.damaged_chunks.append(piece)
            problem = f"a damaged line: {piece.damage_reason}"
            yield self._finding(FindingCode.DAMAGED_LINE, piece, problem)
        elif not piece.is_torn:
            faulty = self._finding(FindingCode.UNKNOWN_LINE, piece, piece.damage_reason)
            yield faulty.unrepairable(_UPDATE_ADVICE)

    def _check_event(self, piece: LogChunk, line: Event) -> Iterator[Finding]:
        self.summary.lines += 1
        try:
            self._event_check.check_event(line)
        except (*INVALID_EVENT_ERRORS, RecursionError) as exc:
            problem = f"a line that makes no sense: {exc}"
            faulty = self._finding(FindingCode.SENSELESS_LINE, piece, problem, detail=str(exc))
            yield faulty.unrepairable("please report it")
            return
        if line.op in CREATING_EVENTS:
            yield from self._record_first(piece, line)
        elif line.op is not EventType.INIT and not marks_held_as_erased(line):
            self._mentioned.setdefault(line.id, piece)
        if has_text(line) and self._forgotten.is_due(line.id):
            self.summary.due_for_erasure.add(line.id)
            problem = "words of a forgotten memory are still here"
            faulty = self._finding(FindingCode.NOT_ERASED, piece, problem)
            yield replace(faulty, advice=_ERASED_LATER_ADVICE)

    def _record_first(self, piece: LogChunk, line: Event) -> Iterator[Finding]:
        if line.id in self.summary.first_seqs:
            problem = f"the memory {line.id} is created a second time"  # a merge was interrupted
            advice = "nothing to do: the later one counts"
            found = self._finding(FindingCode.CREATED_TWICE, piece, problem, detail=line.id)
            yield found.unrepairable(advice).as_note()
        self.summary.first_seqs.setdefault(line.id, line.seq)

    def _check_order(self, piece: LogChunk, line: Event, before: int) -> Iterator[Finding]:
        if line.seq in self.summary.seqs:
            yield self._order_finding(piece, f"seq {line.seq} is used twice")
        elif line.seq < before:
            yield self._order_finding(piece, f"seq {line.seq} follows {before}")
        self.summary.seqs.add(line.seq)

    def _order_finding(self, piece: LogChunk, problem: str) -> Finding:
        advice = "restore a backup if memories are missing; was a file copied into this folder?"
        found = self._finding(FindingCode.WRONG_ORDER, piece, problem, detail=problem)
        return found.unrepairable(advice)

    def _unknown_ids(self) -> Iterator[Finding]:
        """Yields events about memories that no event creates."""
        is_explained = bool(self.summary.damaged_chunks) or self._was_repaired()
        for memory_id, piece in self._mentioned.items():
            if memory_id not in self.summary.first_seqs:
                problem = f"it refers to the memory {memory_id}, which no line creates"
                advice = "nothing to do if that line was damaged: this one is ignored"
                found = self._finding(FindingCode.UNKNOWN_MEMORY, piece, problem, detail=memory_id)
                found = found.unrepairable(advice)
                yield found.as_note() if is_explained else found

    def _was_repaired(self) -> bool:
        paths = [damaged_lines_path(self._event_log.path(log)) for log in self._sizes]
        return any(map(durable_files.exists, paths))

    def _finding(
        self, code: FindingCode, piece: LogChunk, problem: str, *, detail: str = ""
    ) -> Finding:
        return Finding(
            code=code,
            namespace=self._label,
            path=str(self._event_log.path(piece.log)),
            problem=problem,
            byte_offset=piece.start,
            detail=detail or piece.damage_reason,
        )
