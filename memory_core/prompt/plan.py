"""Plans one prompt: adds memories to the window within the token budgets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from ..config.schema import SUMMARISE, ContextSettings, InjectionLocation, ReadSettings
from ..memory.traces import Injected
from ..recall.overview import OVERVIEW
from ..recall.results import ALREADY_IN_SYSTEM_BLOCK, Dropped, DropReason, Recalled
from ..text.excerpts import words_wanted
from ..text.locales import DEFAULT, prompt_words
from ..text.prompt_fence import SEPARATOR, escape_control_tokens, fence
from .budget import SelectedMemories, select_memories
from .render import MemoryRenderer, TextPair, name_fields
from .system_block import SystemBlock, SystemLine, select_system_lines
from .templates import fill_template, weekday_and_date
from .window import ChatMode, ChatRow, Window

MAX_LINE_CHARS = 200
MEMORY_SHARE_DIVISOR = 4
SHORT_ID_CHARS = 8
_MAX_LISTED_IDS = 5
_CHAT_START_MARK = "<START>"


class PromptLayout(Enum):
    """The layouts for memories, from the best one to one that every template accepts."""

    FULL = auto()
    SYSTEM_IN_BLOCK = auto()
    ALL_IN_BLOCK = auto()
    NOTHING = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptInputs:
    """The memories to inject, best first, and the rules for it.

    `window_lines` sum up exchanges before the window, and have their own budget. `now` is in
    seconds since the epoch. `notices` always come first in the memory block. `today` is a time on
    the day that the system block states; None states no day. `system_block` is the result of
    build_system_block() if it was called before.
    """

    recalled: Sequence[Recalled] = ()
    system_lines: Sequence[SystemLine] = ()
    window_lines: Sequence[SystemLine] = ()
    notices: Sequence[str] = ()
    settings: ContextSettings
    read_settings: ReadSettings
    count: Callable[[str], int]
    limit_tokens: int
    now: float
    today: float | None = None
    system_block: SystemBlock | None = None
    language: str = DEFAULT

    @property
    def in_chat(self) -> bool:
        return self.settings.injection_location is InjectionLocation.IN_CHAT


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPlan:
    """A window with memories, and a record of them.

    `base_window` is the window without memories. `block` and `system_block` are the exact texts, or
    empty. `block_in_message` is False if the block is in the context, not at the user's text.
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


def reserved_tokens(settings: ContextSettings, limit_tokens: int) -> int:
    """Returns the most tokens for memory: all budgets, at most a quarter of the context."""
    budgets = settings.max_tokens + settings.system_block_max_tokens + _window_summary(settings)
    return min(budgets, limit_tokens // MEMORY_SHARE_DIVISOR)


def _window_summary(settings: ContextSettings) -> int:
    return settings.window_summary_max_tokens if settings.strategy in SUMMARISE else 0


def make_plan(
    window: Window, inputs: PromptInputs, *, layout: PromptLayout = PromptLayout.FULL
) -> PromptPlan:
    """Returns the plan. Without a text of the user, it adds at most the system block."""
    unchanged = PromptPlan(base_window=window, window=window)
    if layout is PromptLayout.NOTHING or (layout is not PromptLayout.FULL and not window.question):
        return unchanged
    renderer = _make_renderer(window, inputs)
    system = inputs.system_block or build_system_block(window, inputs)
    recalled = inputs.recalled if window.question else ()
    new = [one for one in recalled if one.candidate.memory.id not in system.whole_ids]
    chosen, notices = SelectedMemories(), escape_control_tokens("\n".join(inputs.notices))
    if new:
        rows = (text for row in window.past_rows for text in (row.user, row.assistant))
        told = () if _repeats_summaries(new) else system.lines
        answering = replace(renderer, words_wanted=words_wanted(window.question))
        chosen = select_memories(
            new,
            answering.excluding_texts([*filter(None, rows), *told]),
            count=inputs.count,
            budget=_budget_beside(system, renderer, inputs, notices),
            replays=inputs.in_chat and layout is not PromptLayout.ALL_IN_BLOCK,
        )
    already_shown = tuple(_dropped_as_shown(one) for one in recalled if one not in new)
    plan = replace(
        unchanged,
        replayed=chosen.pairs,
        injected=system.injected + chosen.injected,
        dropped=already_shown + chosen.dropped,
        problems=_omitted_notes_problem(system, inputs) if system.omitted else (),
    )
    lines = renderer.render_lines_block(chosen.lines) if chosen.lines else ""
    return _place_texts(
        plan,
        inputs,
        layout,
        system_text=renderer.render_system_block(system.lines) if system.lines else renderer.today,
        message_text=SEPARATOR.join(filter(None, (notices, lines))),
    )


def _repeats_summaries(recalled: Sequence[Recalled]) -> bool:
    """Returns whether the memories are put into the prompt whole, even beside a summary of them.

    Of "what did we talk about last time?", only older chats would be left, which would be taken for
    the last one. Of a number or a fact that changed, only the old one would be left.
    """
    found = {one.memory.id: one.candidate for one in recalled}
    return any(
        OVERVIEW in one.parts or one.corrects or one.replaces in found for one in found.values()
    )


def _budget_beside(
    system: SystemBlock, renderer: MemoryRenderer, inputs: PromptInputs, notices: str
) -> int:
    """Returns the tokens for recalled memories beside the system block and the notices."""
    available = inputs.limit_tokens // MEMORY_SHARE_DIVISOR - system.tokens
    frame = renderer.render_system_block(()) if system.lines else renderer.today
    if frame:
        available -= inputs.count(fence(frame, renderer.language))
    notice_tokens = inputs.count(notices) if notices else 0
    return max(0, min(inputs.settings.max_tokens, available) - notice_tokens)


def _make_renderer(window: Window, inputs: PromptInputs) -> MemoryRenderer:
    max_chars = inputs.read_settings.memory_length_cutoff_in_chars
    names = name_fields(window.name1, window.name2, inputs.language)
    return MemoryRenderer(
        settings=inputs.settings,
        name1=window.name1,
        name2=window.name2,
        name_fields=names,
        words=prompt_words(inputs.language),
        now=inputs.now,
        max_chars=max_chars,
        max_line_chars=min(max_chars, MAX_LINE_CHARS) if inputs.in_chat else max_chars,
        today="" if inputs.today is None else _today_line(inputs.today, names, inputs),
        language=inputs.language,
    )


def _today_line(ts: float, names: Mapping[str, str], inputs: PromptInputs) -> str:
    """Returns the line that states the day of `ts`, in seconds since the epoch.

    Returns "" if the line does not fit the system block, or the day is outside the calendar.
    """
    weekday, date = weekday_and_date(ts, words=prompt_words(inputs.language))
    if not date:
        return ""
    fields = {**names, "weekday": weekday, "date": date}
    line = fill_template(inputs.settings.today_template, fields).strip()
    return line if inputs.count(fence(line, inputs.language)) <= _system_budget(inputs) else ""


def build_system_block(window: Window, inputs: PromptInputs) -> SystemBlock:
    """Returns the system block of this window, with the lines that did not fit."""
    renderer, budget = _make_renderer(window, inputs), _system_budget(inputs)
    block = select_system_lines(inputs.system_lines, renderer, count=inputs.count, budget=budget)
    if not inputs.window_lines:
        return block
    left = inputs.limit_tokens // MEMORY_SHARE_DIVISOR - block.tokens
    budget = min(_window_summary(inputs.settings), left)
    return block.followed_by(
        select_system_lines(inputs.window_lines, renderer, count=inputs.count, budget=budget)
    )


def _system_budget(inputs: PromptInputs) -> int:
    max_tokens = inputs.limit_tokens // MEMORY_SHARE_DIVISOR
    return min(inputs.settings.system_block_max_tokens, max_tokens)


def _dropped_as_shown(recalled: Recalled) -> Dropped:
    return Dropped(
        candidate=recalled.candidate, reason=DropReason.SHOWN, detail=ALREADY_IN_SYSTEM_BLOCK
    )


def _omitted_notes_problem(system: SystemBlock, inputs: PromptInputs) -> tuple[str, ...]:
    """Returns a problem that names omitted notes by id, because the log must not quote notes."""
    if not inputs.settings.system_block_max_tokens:
        return ()
    named = ", ".join(
        f"[{line.memory_id[:SHORT_ID_CHARS]}]" for line in system.omitted[-_MAX_LISTED_IDS:]
    )
    more = ", …" if len(system.omitted) > _MAX_LISTED_IDS else ""
    return (
        f"these pinned memories do not fit into the system block: {named}{more}; "
        "forget or shorten some, or raise ltm_context.system_block_max_tokens",
    )


def _place_texts(
    plan: PromptPlan,
    inputs: PromptInputs,
    layout: PromptLayout,
    *,
    system_text: str,
    message_text: str,
) -> PromptPlan:
    """Places the replays and these texts, which are not yet fenced and may be empty."""
    if layout is PromptLayout.FULL and not inputs.in_chat:
        return _place_in_context(plan, (system_text, message_text), inputs)
    window = plan.window
    if plan.replayed:
        window = insert_replays(window, plan.replayed, inputs.settings.replay_depth)
    if layout is not PromptLayout.FULL:
        message_text = SEPARATOR.join(filter(None, (system_text, message_text)))
    elif system_text:
        block, before = fence(system_text, inputs.language), window.system_text
        joined = f"{before}{SEPARATOR}{block}" if before.strip() else block
        plan, window = replace(plan, system_block=block), _with_system_text(window, joined)
    if not message_text:
        return replace(plan, window=window)
    block = fence(message_text, inputs.language)
    return replace(plan, window=_prepend_to_message(window, block), block=block)


def _place_in_context(plan: PromptPlan, texts: tuple[str, str], inputs: PromptInputs) -> PromptPlan:
    language, location = inputs.language, inputs.settings.injection_location
    blocks = [fence(text, language) if text else "" for text in texts]
    joined = "\n".join(filter(None, blocks))
    if not joined:
        return plan
    window, problem = _insert_into_context(plan.window, joined, location)
    return replace(
        plan,
        window=window,
        system_block=blocks[0],
        block=blocks[1],
        block_in_message=False,
        problems=plan.problems + ((problem,) if problem else ()),
    )


def insert_replays(window: Window, pairs: Sequence[tuple[str, str]], depth: int) -> Window:
    """Inserts the pairs before the `depth` latest exchanges; the last reply stays last."""
    index = max(0, len(window.past_rows) - depth)
    while index > 0 and not _is_exchange_boundary(window.rows, index):
        index -= 1
    replayed = tuple(ChatRow(user=user, assistant=assistant) for user, assistant in pairs)
    return replace(window, rows=window.rows[:index] + replayed + window.rows[index:])


def _is_exchange_boundary(rows: Sequence[ChatRow], index: int) -> bool:
    """Returns whether an exchange begins here, not a tool's result or a reply without question."""
    starts_exchange = index == len(rows) or (
        bool(rows[index].question) and not rows[index].tool_text
    )
    return starts_exchange and not rows[index - 1].is_system


def _prepend_to_message(window: Window, block: str) -> Window:
    """Puts the block before the user's text of this turn."""
    if not window.is_continuing:
        return replace(window, message=f"{block}{SEPARATOR}{window.message}")
    last = window.rows[-1]
    last = replace(last, user=f"{block}{SEPARATOR}{last.user}")
    return replace(window, rows=(*window.rows[:-1], last))


def _insert_into_context(
    window: Window, block: str, location: InjectionLocation
) -> tuple[Window, str]:
    """Puts the block where long_term_memory does. Returns the window and a problem, or ""."""
    text = window.system_text
    if location is InjectionLocation.BEFORE_NORMAL_CONTEXT:
        return _with_system_text(window, f"{block}\n{text}".rstrip()), ""
    before, start, after = text.partition(_CHAT_START_MARK)
    if not start:
        problem = (
            f"injection_location {location.value} needs {_CHAT_START_MARK} in the context, which "
            f"lacks it; {InjectionLocation.BEFORE_NORMAL_CONTEXT.value} is used instead"
        )
        return _with_system_text(window, f"{block}\n{text}".rstrip()), problem
    return _with_system_text(window, f"{before}{block}\n{_CHAT_START_MARK}{after}"), ""


def _with_system_text(window: Window, text: str) -> Window:
    if window.mode is ChatMode.INSTRUCT:
        return replace(window, custom_system_message=text)
    return replace(window, context=text)
