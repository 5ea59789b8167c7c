"""Which lines the system block has room for: what is to be kept for good, then the last sittings.

What it chooses depends on these lines and the budget alone, so that the block is held still.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..memory.traces import Injected
from ..text.prompt_fence import fence
from .budget import SURELY, TRIES, Count
from .render import Writer

SYSTEM = "system"
_SUMMARY_SHARE = 0.2
_LEAST_TOKENS = 30  # less of a line says nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemLine:
    """`ts` tells the newest; seconds since the epoch. A summary may stay out without a word."""

    memory_id: str
    text: str
    ts: float = 0.0
    is_summary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What fits, in the order given; of what was to be kept: what stands whole (its ids), what is
    cut, and what stays out.
    """

    injected: tuple[Injected, ...] = ()
    whole: frozenset[str] = frozenset()
    cut: tuple[SystemLine, ...] = ()
    left_out: tuple[SystemLine, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(memory.text for memory in self.injected)

    @property
    def tokens(self) -> int:
        return sum(memory.tokens for memory in self.injected)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    line: SystemLine
    text: str
    tokens: int
    is_cut: bool


def choose_standing(
    lines: Sequence[SystemLine], writer: Writer, *, count: Count, budget: int
) -> Standing:
    """Where not all fit, the longest are cut to one length; if that gets too short, the newest
    stand. A part of the room is left to the summaries.
    """
    choice = _Choice(writer=writer, count=count)
    room = budget - count(fence(writer.system(())))
    summaries = _newest_first(it for it in lines if it.is_summary)
    kept = _newest_first(it for it in lines if not it.is_summary)
    reserve = _tokens(choice.fitting(summaries, int(_SUMMARY_SHARE * room)))
    taken = choice.fitting(kept, room - reserve)
    return _standing(lines, [*taken, *choice.fitting(summaries, room - _tokens(taken))])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    writer: Writer
    count: Count

    def whole(self, line: SystemLine) -> _Written:
        return self._written(self.writer, line)

    def fitting(self, newest_first: Sequence[SystemLine], room: int) -> list[_Written]:
        """As many of the newest as get enough to say something."""
        whole: list[_Written] = []
        most = 0.0
        for line in newest_first:
            written = self.whole(line)
            level = _level([*(it.tokens for it in whole), written.tokens], room)
            if level < _LEAST_TOKENS:
                break
            most = level
            whole.append(written)
        return [it for it in (self._cut(it, most) for it in whole) if it is not None]

    def _cut(self, whole: _Written, most: float) -> _Written | None:
        """None where even a few tries do not tell how many letters fit."""
        cut = whole
        for _ in range(TRIES):
            if cut.tokens <= most:
                return cut
            letters = int(len(cut.text) * SURELY * most / cut.tokens)
            cut = self._written(self.writer.briefly(letters), whole.line)
        return cut if cut.tokens <= most else None

    def _written(self, writer: Writer, line: SystemLine) -> _Written:
        text = writer.short(line.text)
        is_cut = len(line.text.strip()) > writer.longest
        return _Written(line=line, text=text, tokens=self.count(text) + 1, is_cut=is_cut)


def _tokens(written: Iterable[_Written]) -> int:
    return sum(it.tokens for it in written)


def _level(costs: Sequence[int], room: float) -> float:
    """The most that each may take so that all fit together; infinite if they do as they are."""
    for at, cost in enumerate(sorted(costs)):
        share = room / (len(costs) - at)
        if cost > share:
            return share
        room -= cost
    return math.inf


def _newest_first(lines: Iterable[SystemLine]) -> list[SystemLine]:
    return sorted(reversed(list(lines)), key=lambda it: -it.ts)


def _standing(lines: Sequence[SystemLine], taken: Iterable[_Written]) -> Standing:
    found = {it.line: it for it in taken}
    kept = [it for it in lines if not it.is_summary]
    return Standing(
        injected=tuple(_injected(found[it]) for it in lines if it in found),
        whole=frozenset(it.memory_id for it in kept if it in found and not found[it].is_cut),
        cut=tuple(it for it in kept if it in found and found[it].is_cut),
        left_out=tuple(it for it in kept if it not in found),
    )


def _injected(written: _Written) -> Injected:
    return Injected(
        memory_id=written.line.memory_id, form=SYSTEM, text=written.text, tokens=written.tokens
    )
