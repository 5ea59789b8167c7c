"""Which lines the system block has room for: what is to be kept for good, then the last sittings.

What it chooses depends on these lines and the budget alone, so that the block is held still.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..memory.traces import Injected
from ..text.prompt_fence import fence
from .budget import EXCERPT_SAFETY_FACTOR, MAX_EXCERPT_TRIES, TokenCount
from .render import MemoryRenderer

SYSTEM_FORM = "system"
_SUMMARY_SHARE = 0.2
_MIN_LINE_TOKENS = 30  # less of a line says nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemLine:
    """`ts` tells the newest; seconds since the epoch. A summary may stay out without a word."""

    memory_id: str
    text: str
    ts: float = 0.0
    is_summary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemBlock:
    """What fits, in the order given; of what was to be kept: what stands whole (its ids), what is
    cut, and what stays out.
    """

    injected: tuple[Injected, ...] = ()
    whole_ids: frozenset[str] = frozenset()
    shortened: tuple[SystemLine, ...] = ()
    omitted: tuple[SystemLine, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(memory.text for memory in self.injected)

    @property
    def tokens(self) -> int:
        return sum(memory.tokens for memory in self.injected)


@dataclass(frozen=True, slots=True, kw_only=True)
class _RenderedLine:
    line: SystemLine
    text: str
    tokens: int
    is_shortened: bool


def select_system_lines(
    lines: Sequence[SystemLine], writer: MemoryRenderer, *, count: TokenCount, budget: int
) -> SystemBlock:
    """Where not all fit, the longest are cut to one length; if that gets too short, the newest
    stand. A part of the room is left to the summaries.
    """
    choice = _LineFitter(writer=writer, count=count)
    room = budget - count(fence(writer.render_system_block(())))
    summaries = _newest_first(line for line in lines if line.is_summary)
    kept = _newest_first(line for line in lines if not line.is_summary)
    reserve = _total_tokens(choice.select_newest_fitting(summaries, int(_SUMMARY_SHARE * room)))
    taken = choice.select_newest_fitting(kept, room - reserve)
    return _to_system_block(
        lines, [*taken, *choice.select_newest_fitting(summaries, room - _total_tokens(taken))]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _LineFitter:
    writer: MemoryRenderer
    count: TokenCount

    def render_whole(self, line: SystemLine) -> _RenderedLine:
        return self._render(self.writer, line)

    def select_newest_fitting(
        self, newest_first: Sequence[SystemLine], room: int
    ) -> list[_RenderedLine]:
        """As many of the newest as get enough to say something."""
        whole: list[_RenderedLine] = []
        most = 0.0
        for line in newest_first:
            written = self.render_whole(line)
            level = _equal_share([*(line.tokens for line in whole), written.tokens], room)
            if level < _MIN_LINE_TOKENS:
                break
            most = level
            whole.append(written)
        return [
            shortened
            for shortened in (self._shorten(line, most) for line in whole)
            if shortened is not None
        ]

    def _shorten(self, whole: _RenderedLine, most: float) -> _RenderedLine | None:
        """None where even a few tries do not tell how many letters fit."""
        cut = whole
        for _ in range(MAX_EXCERPT_TRIES):
            if cut.tokens <= most:
                return cut
            letters = int(len(cut.text) * EXCERPT_SAFETY_FACTOR * most / cut.tokens)
            cut = self._render(self.writer.with_max_chars(letters), whole.line)
        return cut if cut.tokens <= most else None

    def _render(self, writer: MemoryRenderer, line: SystemLine) -> _RenderedLine:
        text = writer.render_note(line.text)
        is_cut = len(line.text.strip()) > writer.max_chars
        return _RenderedLine(line=line, text=text, tokens=self.count(text) + 1, is_shortened=is_cut)


def _total_tokens(written: Iterable[_RenderedLine]) -> int:
    return sum(line.tokens for line in written)


def _equal_share(costs: Sequence[int], room: float) -> float:
    """The most that each may take so that all fit together; infinite if they do as they are."""
    for at, cost in enumerate(sorted(costs)):
        share = room / (len(costs) - at)
        if cost > share:
            return share
        room -= cost
    return math.inf


def _newest_first(lines: Iterable[SystemLine]) -> list[SystemLine]:
    return sorted(reversed(list(lines)), key=lambda line: -line.ts)


def _to_system_block(lines: Sequence[SystemLine], taken: Iterable[_RenderedLine]) -> SystemBlock:
    found = {rendered.line: rendered for rendered in taken}
    kept = [line for line in lines if not line.is_summary]
    return SystemBlock(
        injected=tuple(_to_injected(found[line]) for line in lines if line in found),
        whole_ids=frozenset(
            line.memory_id for line in kept if line in found and not found[line].is_shortened
        ),
        shortened=tuple(line for line in kept if line in found and found[line].is_shortened),
        omitted=tuple(line for line in kept if line not in found),
    )


def _to_injected(written: _RenderedLine) -> Injected:
    return Injected(
        memory_id=written.line.memory_id, form=SYSTEM_FORM, text=written.text, tokens=written.tokens
    )
