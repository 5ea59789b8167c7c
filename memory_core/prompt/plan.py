"""The plan of one prompt: the window with memories in it, within the budget of tokens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from enum import Enum, auto

from ..config.schema import ContextSettings, InjectionLocation, ReadSettings
from ..memory.traces import Injected
from ..recall.results import ALREADY_IN_SYSTEM_BLOCK, Dropped, DropReason, Recalled
from ..text.prompt_fence import SEPARATOR, escape_control_tokens, fence
from ..text.search_terms import terms
from ..text.sentences import abridge
from .budget import SelectedMemories, select_memories
from .placement import (
    append_to_system_text,
    insert_into_context,
    insert_replays,
    prepend_to_message,
)
from .render import MemoryRenderer, TextPair
from .system_block import SystemBlock, SystemLine, select_system_lines
from .window import Window

__all__ = [
    "PromptInputs",
    "PromptLayout",
    "PromptPlan",
    "SystemLine",
    "build_system_block",
    "make_plan",
    "reserved_tokens",
]

MAX_LINE_CHARS = 200
MEMORY_SHARE_DIVISOR = 4
SHORT_ID_CHARS = 8
_MAX_LISTED_IDS = 5


class PromptLayout(Enum):
    """The ways to bring memories in, from the best one to the one that no template refuses."""

    FULL = auto()
    SYSTEM_IN_BLOCK = auto()
    ALL_IN_BLOCK = auto()
    NOTHING = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptInputs:
    """What shall be injected, best first, and by which rules. `now` in seconds since the epoch.
    `notices` stand at the block's head, whatever else fits. `today` is a moment of the day that the
    system block tells; without it, it tells none. `stands` is what standing() made of all this,
    where it was asked before.
    """

    recalled: Sequence[Recalled] = ()
    system_lines: Sequence[SystemLine] = ()
    notices: Sequence[str] = ()
    settings: ContextSettings
    read_settings: ReadSettings
    count: Callable[[str], int]
    limit_tokens: int
    now: float
    today: float | None = None
    tz: tzinfo | None = None
    stands: SystemBlock | None = None

    @property
    def in_chat(self) -> bool:
        return self.settings.injection_location is InjectionLocation.IN_CHAT


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPlan:
    """A window with memories in it, and what they are.

    `base` is the window without them. `block` and `system_block` are the exact texts, empty where
    there is none; `block_in_message` tells a block at the user's text from one in the context.
    """

    base_window: Window
    window: Window
    block: str = ""
    block_in_message: bool = True
    system_block: str = ""
    replayed: tuple[TextPair, ...] = ()
    injected: tuple[Injected, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        return sum(memory.tokens for memory in self.injected)


@dataclass(frozen=True, slots=True, kw_only=True)
class _RenderedTexts:
    """Filled templates, not yet fenced; empty where there is nothing to say."""

    pairs: tuple[TextPair, ...]
    lines: str
    system: str


def reserved_tokens(settings: ContextSettings, limit_tokens: int) -> int:
    """The most that memory may take: both budgets, and never more than a quarter of the context."""
    both = settings.max_tokens + settings.system_block_max_tokens
    return min(both, limit_tokens // MEMORY_SHARE_DIVISOR)


def make_plan(
    window: Window, material: PromptInputs, *, shape: PromptLayout = PromptLayout.FULL
) -> PromptPlan:
    """Without a real text of the user only the system block is injected, and only as such."""
    untouched = PromptPlan(base_window=window, window=window)
    if shape is PromptLayout.NOTHING or (shape is not PromptLayout.FULL and not window.question):
        return untouched
    writer = _make_renderer(window, material)
    system = material.stands or _fit_system_block(writer, material)
    chosen = _select_recalled(window, writer, material, shape, system)
    plan = replace(
        untouched,
        injected=system.injected + chosen.injected,
        dropped=chosen.dropped,
        problems=_omitted_notes_problem(system, material),
    )
    return _place_texts(plan, _render_texts(writer, system, chosen, material), material, shape)


def _frame_tokens(writer: MemoryRenderer, system: SystemBlock, material: PromptInputs) -> int:
    """How many tokens the system block has beside its lines."""
    if system.lines:
        return material.count(fence(writer.render_system_block(())))
    return material.count(fence(writer.today)) if writer.today else 0


def _make_renderer(window: Window, material: PromptInputs) -> MemoryRenderer:
    longest = material.read_settings.memory_length_cutoff_in_chars
    writer = MemoryRenderer(
        settings=material.settings,
        name1=window.name1,
        name2=window.name2,
        now=material.now,
        max_chars=longest,
        max_line_chars=min(longest, MAX_LINE_CHARS) if material.in_chat else longest,
        search_terms=frozenset(terms(abridge(window.question))),
        tz=material.tz,
    )
    return (
        writer
        if material.today is None
        else _with_today_if_it_fits(writer, material, material.today)
    )


def _with_today_if_it_fits(
    writer: MemoryRenderer, material: PromptInputs, today: float
) -> MemoryRenderer:
    """Where the system block has room for it."""
    telling = writer.with_today(today)
    fits = material.count(fence(telling.today)) <= _system_budget(material)
    return telling if fits else writer


def build_system_block(window: Window, material: PromptInputs) -> SystemBlock:
    """What the system block of this window says, and what it has no room for."""
    return _fit_system_block(_make_renderer(window, material), material)


def _fit_system_block(writer: MemoryRenderer, material: PromptInputs) -> SystemBlock:
    budget = _system_budget(material)
    return select_system_lines(material.system_lines, writer, count=material.count, budget=budget)


def _system_budget(material: PromptInputs) -> int:
    largest = material.limit_tokens // MEMORY_SHARE_DIVISOR
    return min(material.settings.system_block_max_tokens, largest)


def _texts_outside_recall(window: Window, system: SystemBlock) -> list[str]:
    """What the prompt says before any memory is recalled into it."""
    rows = (text for row in window.past_rows for text in (row.user, row.assistant))
    return [*filter(None, rows), *system.lines]


def _select_recalled(
    window: Window,
    writer: MemoryRenderer,
    material: PromptInputs,
    shape: PromptLayout,
    system: SystemBlock,
) -> SelectedMemories:
    if not window.question:
        return SelectedMemories()
    new = [recalled for recalled in material.recalled if recalled.memory.id not in system.whole_ids]
    largest = material.limit_tokens // MEMORY_SHARE_DIVISOR - system.tokens
    largest -= _frame_tokens(writer, system, material)
    noticed = material.count(_render_notices(material)) if material.notices else 0
    chosen = select_memories(
        new,
        writer.excluding_texts(_texts_outside_recall(window, system)) if new else writer,
        count=material.count,
        budget=max(0, min(material.settings.max_tokens, largest) - noticed),
        replays=material.in_chat and shape is not PromptLayout.ALL_IN_BLOCK,
    )
    stands = (_dropped_as_shown(recalled) for recalled in material.recalled if recalled not in new)
    return replace(chosen, dropped=(*stands, *chosen.dropped))


def _dropped_as_shown(recalled: Recalled) -> Dropped:
    return Dropped(
        candidate=recalled.candidate, reason=DropReason.SHOWN, detail=ALREADY_IN_SYSTEM_BLOCK
    )


def _omitted_notes_problem(system: SystemBlock, material: PromptInputs) -> tuple[str, ...]:
    """By their ids: the log must not quote what somebody asked to remember."""
    if not system.omitted or not material.settings.system_block_max_tokens:
        return ()
    named = ", ".join(
        f"[{line.memory_id[:SHORT_ID_CHARS]}]" for line in system.omitted[-_MAX_LISTED_IDS:]
    )
    more = ", …" if len(system.omitted) > _MAX_LISTED_IDS else ""
    return (
        f"there is no room to have these kept memories always in the prompt: {named}{more}; "
        "forget or shorten some, or raise ltm_context.system_block_max_tokens",
    )


def _render_texts(
    writer: MemoryRenderer, system: SystemBlock, chosen: SelectedMemories, material: PromptInputs
) -> _RenderedTexts:
    lines = writer.render_lines_block(chosen.lines) if chosen.lines else ""
    return _RenderedTexts(
        pairs=chosen.pairs,
        lines=SEPARATOR.join(filter(None, (_render_notices(material), lines))),
        system=_render_system(writer, system.lines),
    )


def _render_system(writer: MemoryRenderer, lines: Sequence[str]) -> str:
    return writer.render_system_block(lines) if lines else writer.today


def _render_notices(material: PromptInputs) -> str:
    return escape_control_tokens("\n".join(material.notices))


def _place_texts(
    plan: PromptPlan, texts: _RenderedTexts, material: PromptInputs, shape: PromptLayout
) -> PromptPlan:
    if shape is PromptLayout.FULL and not material.in_chat:
        return _place_in_context(plan, texts, material.settings.injection_location)
    plan = _add_replays(plan, texts.pairs, material.settings.replay_depth)
    if shape is PromptLayout.FULL:
        return _add_message_block(_add_system_block(plan, texts.system), texts.lines)
    return _add_message_block(plan, SEPARATOR.join(filter(None, (texts.system, texts.lines))))


def _add_replays(plan: PromptPlan, pairs: tuple[TextPair, ...], depth: int) -> PromptPlan:
    window = insert_replays(plan.window, pairs, depth)
    return replace(plan, window=window, replayed=pairs)


def _add_system_block(plan: PromptPlan, text: str) -> PromptPlan:
    if not text:
        return plan
    block = fence(text)
    return replace(plan, window=append_to_system_text(plan.window, block), system_block=block)


def _add_message_block(plan: PromptPlan, text: str) -> PromptPlan:
    if not text:
        return plan
    block = fence(text)
    return replace(plan, window=prepend_to_message(plan.window, block), block=block)


def _place_in_context(
    plan: PromptPlan, texts: _RenderedTexts, location: InjectionLocation
) -> PromptPlan:
    blocks = [fence(text) if text else "" for text in (texts.system, texts.lines)]
    joined = "\n".join(filter(None, blocks))
    if not joined:
        return plan
    window, problem = insert_into_context(plan.window, joined, location)
    return replace(
        plan,
        window=window,
        system_block=blocks[0],
        block=blocks[1],
        block_in_message=False,
        problems=plan.problems + ((problem,) if problem else ()),
    )
