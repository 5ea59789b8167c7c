"""Selects the recalled memories that fit the token budget, and the form of each."""

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..domain.records import Memory
from ..memory.traces import Injected
from ..recall.results import Dropped, DropReason, Form, Recalled
from ..text.prompt_fence import fence
from .render import MemoryRenderer, RenderedTexts, TextPair
from .window import TOKENS_PER_MESSAGE, TokenCount

RESERVED_LINES_SHARE = 0.45
MIN_EXCERPT_CHARS = 60  # a shorter excerpt says nothing
# Lower bound in any language, template included.
_MIN_EXCERPT_TOKENS = MIN_EXCERPT_CHARS // 6
MAX_EXCERPT_TRIES = 3  # each token count may be a call to a server
EXCERPT_SAFETY_FACTOR = 0.9  # a try that is too long is wasted


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedMemories:
    """The memories that fit, oldest first, and those that did not. Lines come without a block."""

    pairs: tuple[TextPair, ...] = ()
    lines: tuple[str, ...] = ()
    injected: tuple[Injected, ...] = ()
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _RenderedMemory:
    """`chat` is the conversation of an exchange; empty for any other memory."""

    memory: Memory
    chat: str
    form: Form
    rendered: RenderedTexts
    tokens: int


def select_memories(
    kept: Sequence[Recalled],
    renderer: MemoryRenderer,
    *,
    count: TokenCount,
    budget: int,
    replays: bool,
) -> SelectedMemories:
    """Selects memories within `budget` tokens, considering the best first.

    Each memory becomes a replay if `replays` allows it and it fits, else a line, else an excerpt.
    No memory repeats a sentence that the prompt already contains.
    From the second memory on, a replay or excerpt leaves a reserve for later memories: two long
    exchanges must not keep the right one out. A memory refused for the reserve is tried again at
    the end, as an excerpt.
    """
    frame = count(fence(renderer.render_lines_block(()), renderer.language))
    token_budget = _TokenBudget(
        renderer=renderer,
        count=count,
        allows_replays=replays,
        frame_tokens=frame,
        tokens_left=budget,
    )
    waiting: list[Recalled] = []
    for rank, recalled in enumerate(kept, start=1):
        reserve = int(RESERVED_LINES_SHARE * budget) if 1 < rank < len(kept) else 0
        was_added = token_budget.add_whole(recalled, reserve)
        if not was_added and (rank == len(kept) or not token_budget.add_excerpt(recalled, reserve)):
            waiting.append(recalled)
    dropped = [
        token_budget.explain_drop(recalled)
        for recalled in waiting
        if not token_budget.add_excerpt(recalled, 0)
    ]
    return _to_selection(token_budget.selected, dropped)


@dataclass(slots=True, kw_only=True)
class _TokenBudget:
    """The remaining budget and the memories taken. The first line also pays `frame_tokens`."""

    renderer: MemoryRenderer
    count: TokenCount
    allows_replays: bool
    frame_tokens: int
    tokens_left: int
    selected: list[_RenderedMemory] = field(default_factory=list)

    def add_whole(self, recalled: Recalled, reserve: int) -> bool:
        """Adds the first form that fits. A replay uses the reserve only as a last resort."""
        last_resort = None
        for form in self._forms(recalled):
            rendering = self._rendered(form, recalled)
            if rendering is None:
                continue
            spared = 0 if form is Form.LINE else reserve
            if rendering.tokens <= self.tokens_left - spared:
                return self._add(rendering)
            if rendering.tokens <= self.tokens_left:
                last_resort = rendering
        return self._add(last_resort)

    def add_excerpt(self, recalled: Recalled, reserve: int) -> bool:
        """Adds an excerpt, in the first form whose shortest version fits. Returns success."""
        left = self.tokens_left - reserve
        if left < _MIN_EXCERPT_TOKENS:
            return False
        for form in self._forms(recalled):
            briefest = self._rendered(form, recalled, MIN_EXCERPT_CHARS)
            if briefest is not None and briefest.tokens <= left:
                return self._add(self._longest_excerpt(recalled, briefest, left))
        return False

    def _longest_excerpt(
        self, recalled: Recalled, fitting: _RenderedMemory, left: int
    ) -> _RenderedMemory:
        """Searches for the longest excerpt within `left` tokens, by interpolation.

        The tokens that a template adds, and those per letter, are only known by counting.
        """
        min_chars, form = MIN_EXCERPT_CHARS, fitting.form
        too_long = self._rendered(form, recalled)
        if too_long is None:
            return fitting
        renderer = self.renderer
        max_chars = renderer.max_chars if form is Form.REPLAY else renderer.max_line_chars
        max_chars = min(max_chars, sum(map(len, too_long.rendered.texts)))
        for _ in range(MAX_EXCERPT_TRIES):
            share = (
                EXCERPT_SAFETY_FACTOR
                * (left - fitting.tokens)
                / max(1, too_long.tokens - fitting.tokens)
            )
            chars = min_chars + int(share * (max_chars - min_chars))
            if chars <= min_chars:
                break
            found = self._rendered(form, recalled, chars)
            if found is None:
                break
            if found.tokens <= left:
                min_chars, fitting = chars, found
            else:
                max_chars, too_long = chars, found
        return fitting

    def _forms(self, recalled: Recalled) -> tuple[Form, ...]:
        """Returns the forms that the memory may have, best first."""
        is_replay = self.allows_replays and recalled.form is Form.REPLAY and not recalled.is_brief
        return (Form.REPLAY, Form.LINE) if is_replay else (Form.LINE,)

    def _rendered(
        self, form: Form, recalled: Recalled, max_chars: int | None = None
    ) -> _RenderedMemory | None:
        renderer = self.renderer if max_chars is None else self.renderer.with_max_chars(max_chars)
        if form is Form.REPLAY:
            rendered, own_tokens = renderer.render_replay(recalled), 2 * TOKENS_PER_MESSAGE
        else:
            framed = any(written.form is Form.LINE for written in self.selected)
            rendered, own_tokens = renderer.render_line(recalled), 1
            own_tokens += 0 if framed else self.frame_tokens
        if rendered is None:
            return None
        tokens = sum(map(self.count, rendered.texts)) + own_tokens
        memory = recalled.memory
        chat = memory.conversation if memory.exchange else ""
        return _RenderedMemory(
            memory=memory, chat=chat, form=form, rendered=rendered, tokens=tokens
        )

    def explain_drop(self, recalled: Recalled) -> Dropped:
        """Returns the memory as dropped: it says nothing new, or the budget is used up."""
        if self.renderer.render_line(recalled):
            detail = f"only {self.tokens_left} tokens were left"
            return Dropped(candidate=recalled.candidate, reason=DropReason.BUDGET, detail=detail)
        detail = "the prompt already says it"
        return Dropped(candidate=recalled.candidate, reason=DropReason.SHOWN, detail=detail)

    def _add(self, found: _RenderedMemory | None) -> bool:
        if found is not None:
            self.selected.append(found)
            self.tokens_left -= found.tokens
            self.renderer = self.renderer.excluding_texts(found.rendered.quoted)
        return found is not None


def _to_selection(
    selected: Sequence[_RenderedMemory], dropped: Sequence[Dropped]
) -> SelectedMemories:
    oldest_first = _oldest_first(selected)
    return SelectedMemories(
        pairs=tuple(
            (rendering.rendered.texts[0], rendering.rendered.texts[1])
            for rendering in oldest_first
            if rendering.form is Form.REPLAY
        ),
        lines=tuple(
            rendering.rendered.texts[0] for rendering in oldest_first if rendering.form is Form.LINE
        ),
        injected=tuple(
            Injected(
                memory_id=rendering.memory.id,
                form=rendering.form.value,
                text="\n".join(rendering.rendered.texts),
                tokens=rendering.tokens,
            )
            for rendering in oldest_first
        ),
        dropped=tuple(dropped),
    )


def _oldest_first(selected: Sequence[_RenderedMemory]) -> list[_RenderedMemory]:
    """Sorts by time between chats, and by position within a chat.

    The host records only minutes, and an import may have no dates.
    """
    by_time = sorted(selected, key=lambda rendering: (rendering.memory.ts or 0.0, rendering.chat))
    by_chat: dict[str, deque[_RenderedMemory]] = defaultdict(deque)
    for rendering in sorted(
        by_time, key=lambda rendering: (rendering.memory.position, rendering.memory.turn_id)
    ):
        by_chat[rendering.chat].append(rendering)
    return [by_chat[rendering.chat].popleft() for rendering in by_time]
