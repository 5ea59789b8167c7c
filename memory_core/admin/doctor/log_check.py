"""Checks the logs of one namespace: every line by itself, and all lines together."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ...infra import durable_files
from ...storage.held import marks_held_as_erased
from ...storage.log.erasure import damaged_lines_path, has_text
from ...storage.log.event_log import EventLog
from ...storage.log.events import CREATING_EVENTS, Event, EventType
from ..backup.line_check import INVALID_EVENT_ERRORS, NamespaceEventCheck
from .findings import Finding, FindingCode
from .scan import LogLine, scan_lines

_UPDATE_ADVICE = "update the extension; nothing here is lost"
_ERASED_LATER_ADVICE = "the running program erases them soon, or run it again with --repair"


@dataclass(slots=True)
class _ForgottenTimes:
    """The times at which memories were forgotten; `undo_s` later their words must be erased."""

    undo_s: float
    now: float
    forgotten_at: dict[str, float] = field(default_factory=dict)

    def record_event(self, event: Event) -> None:
        if event.op is EventType.FORGET:
            self.forgotten_at[event.id] = event.ts or 0.0
        elif event.op is EventType.UNFORGET:
            self.forgotten_at.pop(event.id, None)

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
    damaged_lines: list[LogLine] = field(default_factory=list)
    torn_lines: list[LogLine] = field(default_factory=list)


class NamespaceLogCheck:
    """Reads all logs of a namespace once, and its notes twice.

    `undo_s` is the time in seconds after which forgotten words are erased.
    """

    def __init__(self, event_log: EventLog, label: str, *, undo_s: float, now: float) -> None:
        self._event_log = event_log
        self._sizes = event_log.logs()
        self._forgotten = _ForgottenTimes(undo_s=undo_s, now=now)
        self._label = label
        self._event_check = NamespaceEventCheck()
        self._mentioned: dict[str, LogLine] = {}
        self.summary = LogSummary()

    def run(self, *, is_ours: bool) -> Iterator[Finding]:
        """Yields the findings, and fills `summary` meanwhile.

        `is_ours` is True if no other program can write to the logs meanwhile.
        """
        for line in self._scan_log(""):
            if line.event is not None:
                self._forgotten.record_event(line.event)
        for log in self._sizes:
            before = 0
            for line in self._scan_log(log):
                yield from self._check_line(line, is_ours=is_ours)
                if line.event is not None:
                    yield from self._check_order(line, line.event, before)
                    before = max(before, line.event.seq)
        yield from self._unknown_ids()

    def _scan_log(self, log: str) -> Iterator[LogLine]:
        path = self._event_log.path(log)
        return scan_lines(path, log, self._sizes[log]) if log in self._sizes else iter(())

    def _check_line(self, line: LogLine, *, is_ours: bool) -> Iterator[Finding]:
        if line.event is not None:
            yield from self._check_event(line, line.event)
        elif line.is_torn and is_ours:  # else another program may be writing it
            self.summary.torn_lines.append(line)
            yield self._finding(FindingCode.TORN_LINE, line, line.damage_reason)
        elif line.is_damaged:
            self.summary.damaged_lines.append(line)
            problem = f"a damaged line: {line.damage_reason}"
            yield self._finding(FindingCode.DAMAGED_LINE, line, problem)
        elif not line.is_torn:
            faulty = self._finding(FindingCode.UNKNOWN_LINE, line, line.damage_reason)
            yield faulty.unrepairable(_UPDATE_ADVICE)

    def _check_event(self, line: LogLine, event: Event) -> Iterator[Finding]:
        self.summary.lines += 1
        try:
            self._event_check.check_event(event)
        except (*INVALID_EVENT_ERRORS, RecursionError) as exc:
            problem = f"a line that makes no sense: {exc}"
            faulty = self._finding(FindingCode.SENSELESS_LINE, line, problem, detail=str(exc))
            yield faulty.unrepairable("please report it")
            return
        if event.op in CREATING_EVENTS:
            yield from self._record_first(line, event)
        elif event.op is not EventType.INIT and not marks_held_as_erased(event):
            self._mentioned.setdefault(event.id, line)
        if has_text(event) and self._forgotten.is_due(event.id):
            self.summary.due_for_erasure.add(event.id)
            problem = "words of a forgotten memory are still here"
            faulty = self._finding(FindingCode.NOT_ERASED, line, problem)
            yield replace(faulty, advice=_ERASED_LATER_ADVICE)

    def _record_first(self, line: LogLine, event: Event) -> Iterator[Finding]:
        if event.id in self.summary.first_seqs:
            problem = f"the memory {event.id} is created a second time"  # a merge was interrupted
            advice = "nothing to do: the later one counts"
            found = self._finding(FindingCode.CREATED_TWICE, line, problem, detail=event.id)
            yield found.unrepairable(advice).as_note()
        self.summary.first_seqs.setdefault(event.id, event.seq)

    def _check_order(self, line: LogLine, event: Event, before: int) -> Iterator[Finding]:
        if event.seq in self.summary.seqs:
            yield self._order_finding(line, f"seq {event.seq} is used twice")
        elif event.seq < before:
            yield self._order_finding(line, f"seq {event.seq} follows {before}")
        self.summary.seqs.add(event.seq)

    def _order_finding(self, line: LogLine, problem: str) -> Finding:
        advice = "restore a backup if memories are missing; was a file copied into this folder?"
        found = self._finding(FindingCode.WRONG_ORDER, line, problem, detail=problem)
        return found.unrepairable(advice)

    def _unknown_ids(self) -> Iterator[Finding]:
        """Yields events about memories that no event creates."""
        is_explained = bool(self.summary.damaged_lines) or self._was_repaired()
        for memory_id, line in self._mentioned.items():
            if memory_id not in self.summary.first_seqs:
                problem = f"it refers to the memory {memory_id}, which no line creates"
                advice = "nothing to do if that line was damaged: this one is ignored"
                found = self._finding(FindingCode.UNKNOWN_MEMORY, line, problem, detail=memory_id)
                found = found.unrepairable(advice)
                yield found.as_note() if is_explained else found

    def _was_repaired(self) -> bool:
        paths = [damaged_lines_path(self._event_log.path(log)) for log in self._sizes]
        return any(map(durable_files.exists, paths))

    def _finding(
        self, code: FindingCode, line: LogLine, problem: str, *, detail: str = ""
    ) -> Finding:
        return Finding(
            code=code,
            namespace=self._label,
            path=str(self._event_log.path(line.log)),
            problem=problem,
            byte_offset=line.start,
            detail=detail or line.damage_reason,
        )
