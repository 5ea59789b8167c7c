"""The plan of one prompt: the window with memories in it, within the budget of tokens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from enum import Enum, auto

from ..config.schema import ContextSettings, InjectionLocation, ReadSettings
from ..memory.traces import Injected
from ..recall.results import STANDS, Dropped, DropReason, Recalled
from ..text.prompt_fence import SEPARATOR, fence, neutralise
from ..text.search_terms import terms
from ..text.sentences import gist
from .budget import Chosen, choose
from .placement import after_system_text, at_head_of_message, in_context, insert_replays
from .render import Pair, Writer
from .system_block import Standing, SystemLine, choose_standing
from .window import Window

__all__ = ["Material", "Plan", "Shape", "SystemLine", "make_plan", "reserved_tokens", "standing"]

LONGEST_LINE = 200
LARGEST_SHARE = 4
SHORT_ID = 8
_MOST_NAMED = 5


class Shape(Enum):
    """The ways to bring memories in, from the best one to the one that no template refuses."""

    FULL = auto()
    SYSTEM_IN_BLOCK = auto()
    ALL_IN_BLOCK = auto()
    NOTHING = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What shall be injected, best first, and by which rules. `now` in seconds since the epoch.
    `notices` stand at the block's head, whatever else fits. `today` is a moment of the day that the
    system block tells; without it, it tells none. `stands` is what standing() made of all this,
    where it was asked before.
    """

    kept: Sequence[Recalled] = ()
    system_lines: Sequence[SystemLine] = ()
    notices: Sequence[str] = ()
    settings: ContextSettings
    reads: ReadSettings
    count: Callable[[str], int]
    limit_tokens: int
    now: float
    today: float | None = None
    tz: tzinfo | None = None
    stands: Standing | None = None

    @property
    def in_chat(self) -> bool:
        return self.settings.injection_location is InjectionLocation.IN_CHAT


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A window with memories in it, and what they are.

    `base` is the window without them. `block` and `system_block` are the exact texts, empty where
    there is none; `block_in_message` tells a block at the user's text from one in the context.
    """

    base: Window
    window: Window
    block: str = ""
    block_in_message: bool = True
    system_block: str = ""
    replayed: tuple[Pair, ...] = ()
    injected: tuple[Injected, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        return sum(memory.tokens for memory in self.injected)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Texts:
    """Filled templates, not yet fenced; empty where there is nothing to say."""

    pairs: tuple[Pair, ...]
    lines: str
    system: str


def reserved_tokens(settings: ContextSettings, limit_tokens: int) -> int:
    """The most that memory may take: both budgets, and never more than a quarter of the context."""
    both = settings.max_tokens + settings.system_block_max_tokens
    return min(both, limit_tokens // LARGEST_SHARE)


def make_plan(window: Window, material: Material, *, shape: Shape = Shape.FULL) -> Plan:
    """Without a real text of the user only the system block is injected, and only as such."""
    untouched = Plan(base=window, window=window)
    if shape is Shape.NOTHING or (shape is not Shape.FULL and not window.question):
        return untouched
    writer = _writer(window, material)
    system = material.stands or _standing(writer, material)
    chosen = _chosen(window, writer, material, shape, system)
    plan = replace(
        untouched,
        injected=system.injected + chosen.injected,
        dropped=chosen.dropped,
        problems=_left_out(system, material),
    )
    return _placed(plan, _texts(writer, system, chosen, material), material, shape)


def _framed(writer: Writer, system: Standing, material: Material) -> int:
    """How many tokens the system block has beside its lines."""
    if system.lines:
        return material.count(fence(writer.system(())))
    return material.count(fence(writer.today)) if writer.today else 0


def _writer(window: Window, material: Material) -> Writer:
    longest = material.reads.memory_length_cutoff_in_chars
    writer = Writer(
        settings=material.settings,
        name1=window.name1,
        name2=window.name2,
        now=material.now,
        longest=longest,
        longest_line=min(longest, LONGEST_LINE) if material.in_chat else longest,
        words=frozenset(terms(gist(window.question))),
        tz=material.tz,
    )
    return writer if material.today is None else _telling_today(writer, material, material.today)


def _telling_today(writer: Writer, material: Material, today: float) -> Writer:
    """Where the system block has room for it."""
    telling = writer.telling_today(today)
    fits = material.count(fence(telling.today)) <= _system_budget(material)
    return telling if fits else writer


def standing(window: Window, material: Material) -> Standing:
    """What the system block of this window says, and what it has no room for."""
    return _standing(_writer(window, material), material)


def _standing(writer: Writer, material: Material) -> Standing:
    budget = _system_budget(material)
    return choose_standing(material.system_lines, writer, count=material.count, budget=budget)


def _system_budget(material: Material) -> int:
    largest = material.limit_tokens // LARGEST_SHARE
    return min(material.settings.system_block_max_tokens, largest)


def _said(window: Window, system: Standing) -> list[str]:
    """What the prompt says before any memory is recalled into it."""
    rows = (text for row in window.past for text in (row.user, row.assistant))
    return [*filter(None, rows), *system.lines]


def _chosen(
    window: Window, writer: Writer, material: Material, shape: Shape, system: Standing
) -> Chosen:
    if not window.question:
        return Chosen()
    new = [it for it in material.kept if it.memory.id not in system.whole]
    largest = material.limit_tokens // LARGEST_SHARE - system.tokens
    largest -= _framed(writer, system, material)
    noticed = material.count(_notices(material)) if material.notices else 0
    chosen = choose(
        new,
        writer.after(_said(window, system)) if new else writer,
        count=material.count,
        budget=max(0, min(material.settings.max_tokens, largest) - noticed),
        replays=material.in_chat and shape is not Shape.ALL_IN_BLOCK,
    )
    stands = (_standing_anyway(it) for it in material.kept if it not in new)
    return replace(chosen, dropped=(*stands, *chosen.dropped))


def _standing_anyway(recalled: Recalled) -> Dropped:
    return Dropped(candidate=recalled.candidate, reason=DropReason.SHOWN, detail=STANDS)


def _left_out(system: Standing, material: Material) -> tuple[str, ...]:
    """By their ids: the log must not quote what somebody asked to remember."""
    if not system.left_out or not material.settings.system_block_max_tokens:
        return ()
    named = ", ".join(f"[{it.memory_id[:SHORT_ID]}]" for it in system.left_out[-_MOST_NAMED:])
    more = ", …" if len(system.left_out) > _MOST_NAMED else ""
    return (
        f"there is no room to have these kept memories always in the prompt: {named}{more}; "
        "forget or shorten some, or raise ltm_context.system_block_max_tokens",
    )


def _texts(writer: Writer, system: Standing, chosen: Chosen, material: Material) -> _Texts:
    lines = writer.lines(chosen.lines) if chosen.lines else ""
    return _Texts(
        pairs=chosen.pairs,
        lines=SEPARATOR.join(filter(None, (_notices(material), lines))),
        system=_system(writer, system.lines),
    )


def _system(writer: Writer, lines: Sequence[str]) -> str:
    return writer.system(lines) if lines else writer.today


def _notices(material: Material) -> str:
    return neutralise("\n".join(material.notices))


def _placed(plan: Plan, texts: _Texts, material: Material, shape: Shape) -> Plan:
    if shape is Shape.FULL and not material.in_chat:
        return _placed_in_context(plan, texts, material.settings.injection_location)
    plan = _with_replays(plan, texts.pairs, material.settings.replay_depth)
    if shape is Shape.FULL:
        return _with_block(_with_system_block(plan, texts.system), texts.lines)
    return _with_block(plan, SEPARATOR.join(filter(None, (texts.system, texts.lines))))


def _with_replays(plan: Plan, pairs: tuple[Pair, ...], depth: int) -> Plan:
    window = insert_replays(plan.window, pairs, depth)
    return replace(plan, window=window, replayed=pairs)


def _with_system_block(plan: Plan, text: str) -> Plan:
    if not text:
        return plan
    block = fence(text)
    return replace(plan, window=after_system_text(plan.window, block), system_block=block)


def _with_block(plan: Plan, text: str) -> Plan:
    if not text:
        return plan
    block = fence(text)
    return replace(plan, window=at_head_of_message(plan.window, block), block=block)


def _placed_in_context(plan: Plan, texts: _Texts, location: InjectionLocation) -> Plan:
    blocks = [fence(text) if text else "" for text in (texts.system, texts.lines)]
    joined = "\n".join(filter(None, blocks))
    if not joined:
        return plan
    window, problem = in_context(plan.window, joined, location)
    return replace(
        plan,
        window=window,
        system_block=blocks[0],
        block=blocks[1],
        block_in_message=False,
        problems=plan.problems + ((problem,) if problem else ()),
    )
