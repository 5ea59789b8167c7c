"""Selects the lines of the system block: pinned memories first, then recent session summaries.

The choice depends only on these lines and the budget, so that the block stays stable.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..memory.traces import Injected
from ..text.prompt_fence import fence
from ..text.sentences import letter_width
from .budget import EXCERPT_SAFETY_FACTOR, MAX_EXCERPT_TRIES
from .render import MemoryRenderer, render_note
from .window import TokenCount

SYSTEM_FORM, EXTRACT_FORM = "system", "system_extract"
_SUMMARY_SHARE = 0.2
_MIN_LINE_TOKENS = 30  # a shorter line says nothing
_MIN_SUMMARY_WIDTH = 48  # a cut summary: its date, a name, and a few words


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemLine:
    """A line for the system block, and the ids of its source memories. `ts` is in seconds since
    the epoch.

    A summary may be omitted without notice. `is_extract`: of the sources' own sentences, without a
    model. Else `summary_id` names the memory that it quotes, and `made_of` those behind it.
    """

    text: str
    sources: tuple[str, ...]
    ts: float = 0.0
    is_summary: bool = False
    is_extract: bool = False
    summary_id: str = ""
    made_of: tuple[str, ...] = ()

    @property
    def memory_id(self) -> str:
        return " ".join(self.sources)

    def uses_none_of(self, ids: frozenset[str]) -> bool:
        return ids.isdisjoint(self.sources) and ids.isdisjoint(self.made_of)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemBlock:
    """The lines that fit, in the order given.

    Of the pinned memories, `whole_ids` are in full, `shortened` are cut and `omitted` are left out.
    The summaries that lines quote in full are among `whole_ids`, too.
    """

    injected: tuple[Injected, ...] = ()
    lines: tuple[str, ...] = ()
    tokens: int = 0
    whole_ids: frozenset[str] = frozenset()
    shortened: tuple[SystemLine, ...] = ()
    omitted: tuple[SystemLine, ...] = ()

    def followed_by(self, later: "SystemBlock") -> "SystemBlock":
        """Returns one block with the lines of both."""
        return SystemBlock(
            injected=self.injected + later.injected,
            lines=self.lines + later.lines,
            tokens=self.tokens + later.tokens,
            whole_ids=self.whole_ids | later.whole_ids,
            shortened=self.shortened + later.shortened,
            omitted=self.omitted + later.omitted,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _RenderedLine:
    line: SystemLine
    text: str
    tokens: int
    is_shortened: bool


def select_system_lines(
    lines: Sequence[SystemLine], renderer: MemoryRenderer, *, count: TokenCount, budget: int
) -> SystemBlock:
    """Selects lines within `budget` tokens.

    If not all fit, the longest are cut to a common length. If that would be too short, only the
    newest are taken. A share of the budget is reserved for summaries.
    """
    fitter = _LineFitter(renderer=renderer, count=count)
    room = budget - count(fence(renderer.render_system_block(()), renderer.language))
    summaries = _newest_first(line for line in lines if line.is_summary)
    pinned = _newest_first(line for line in lines if not line.is_summary)
    reserved = fitter.select_newest_fitting(summaries, int(_SUMMARY_SHARE * room))
    selected = fitter.select_newest_fitting(pinned, room - sum(line.tokens for line in reserved))
    left = room - sum(line.tokens for line in selected)
    return _to_system_block(lines, [*selected, *fitter.select_newest_fitting(summaries, left)])


@dataclass(frozen=True, slots=True, kw_only=True)
class _LineFitter:
    renderer: MemoryRenderer
    count: TokenCount

    def select_newest_fitting(
        self, newest_first: Sequence[SystemLine], room: int
    ) -> list[_RenderedLine]:
        """Returns the newest lines, as many as get enough tokens to say something."""
        whole: list[_RenderedLine] = []
        max_tokens = 0.0
        for line in newest_first:
            rendered = self._render(self.renderer, line)
            share = _equal_share([*(line.tokens for line in whole), rendered.tokens], room)
            if share < _MIN_LINE_TOKENS:
                break
            max_tokens = share
            whole.append(rendered)
        return [
            shortened
            for shortened in (self._shorten(line, max_tokens) for line in whole)
            if shortened is not None
        ]

    def _shorten(self, whole: _RenderedLine, max_tokens: float) -> _RenderedLine | None:
        """Returns the line within `max_tokens`, or None if a few tries do not achieve it."""
        cut = whole
        for _ in range(MAX_EXCERPT_TRIES):
            if cut.tokens <= max_tokens:
                break
            chars = int(len(cut.text) * EXCERPT_SAFETY_FACTOR * max_tokens / cut.tokens)
            cut = self._render(self.renderer.with_max_chars(chars), whole.line)
        is_cut_summary = cut.is_shortened and cut.line.is_summary
        says_something = not is_cut_summary or letter_width(cut.text) >= _MIN_SUMMARY_WIDTH
        return cut if cut.tokens <= max_tokens and says_something else None

    def _render(self, renderer: MemoryRenderer, line: SystemLine) -> _RenderedLine:
        text = render_note(line.text, renderer.max_chars)
        is_cut = len(line.text.strip()) > renderer.max_chars
        return _RenderedLine(line=line, text=text, tokens=self.count(text) + 1, is_shortened=is_cut)


def _equal_share(costs: Sequence[int], room: float) -> float:
    """Returns the largest common limit at which all costs fit together, or infinity."""
    for index, cost in enumerate(sorted(costs)):
        share = room / (len(costs) - index)
        if cost > share:
            return share
        room -= cost
    return math.inf


def _newest_first(lines: Iterable[SystemLine]) -> list[SystemLine]:
    return sorted(reversed(list(lines)), key=lambda line: -line.ts)


def _to_system_block(lines: Sequence[SystemLine], selected: Iterable[_RenderedLine]) -> SystemBlock:
    found = {rendered.line: rendered for rendered in selected}
    pinned = [line for line in lines if not line.is_summary]
    whole = [line for line in lines if line in found and not found[line].is_shortened]
    ids = (line.summary_id if line.is_summary else line.memory_id for line in whole)
    injected = tuple(
        Injected(
            memory_id=line.memory_id,
            form=EXTRACT_FORM if line.is_extract else SYSTEM_FORM,
            text=found[line].text,
            tokens=found[line].tokens,
        )
        for line in lines
        if line in found
    )
    return SystemBlock(
        injected=injected,
        lines=tuple(memory.text for memory in injected),
        tokens=sum(memory.tokens for memory in injected),
        whole_ids=frozenset(filter(None, ids)),
        shortened=tuple(line for line in pinned if line in found and found[line].is_shortened),
        omitted=tuple(line for line in pinned if line not in found),
    )
