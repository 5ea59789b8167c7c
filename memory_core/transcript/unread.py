"""What was written behind where the logs were read last: all lines up to one seq, and none after.

Another program may be writing meanwhile. A line that was read before the one that it speaks of
would be passed over, so who cannot keep others from writing looks twice: whatever came before a
line that was seen at the first look is there at the second.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .lines import Line
from .transcript import Transcript


@dataclass(slots=True)
class Unread:
    """Lines in the order of their seq, reports of damaged ones, and for each log that grew the
    offset behind.
    """

    lines: list[Line] = field(default_factory=list)
    bad: list[str] = field(default_factory=list)
    ends: dict[str, int] = field(default_factory=dict)

    def steps(self, most: int) -> Iterator[tuple[Sequence[Line], Mapping[str, int]]]:
        """So many lines at a time; the offsets come with the last of them."""
        for at in range(0, max(1, len(self.lines)) if self.ends else 0, most):
            is_last = at + most >= len(self.lines)
            yield self.lines[at : at + most], self.ends if is_last else {}


def unread(transcript: Transcript, done: Mapping[str, int]) -> Unread:
    """`done` says for each log the byte up to which it is known. Raises StorageFailed."""
    found = Unread()
    _take(found, transcript, done)
    if found.lines and not transcript.is_held:
        _take(found, transcript, done, last=max(line.seq for line in found.lines))
    found.lines.sort(key=lambda line: line.seq)
    return found


def _take(
    found: Unread, transcript: Transcript, done: Mapping[str, int], *, last: int | None = None
) -> None:
    for log, size in transcript.logs().items():
        start = found.ends.get(log, done.get(log, 0))
        if size > start:
            part = transcript.read(log, start, last=last)
            found.lines += part.lines
            found.bad += part.bad
            found.ends[log] = part.end


def was_rewritten(transcript: Transcript, done: Mapping[str, int]) -> bool:
    """Whether a log is another one than what was read of it."""
    logs = transcript.logs()
    return any(
        end > logs.get(log, 0) or (end < logs.get(log, 0) and not transcript.ends_line(log, end))
        for log, end in done.items()
    )
