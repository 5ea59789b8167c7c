"""Which recalled memories the budget of tokens allows, and in which form."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ..domain.records import Memory
from ..memory.traces import Injected
from ..recall.results import Dropped, DropReason, Form, Recalled
from ..text.prompt_fence import fence
from .fit_window import TOKENS_PER_MESSAGE
from .render import MemoryRenderer, RenderedTexts, TextPair

RESERVED_LINES_SHARE = 0.45
MIN_EXCERPT_CHARS = 60  # less of a memory says nothing
_MIN_EXCERPT_TOKENS = (
    MIN_EXCERPT_CHARS // 6
)  # for the words of any language, and what stands around them
MAX_EXCERPT_TRIES = 3  # a count may be a call to a server
EXCERPT_SAFETY_FACTOR = 0.9  # a try that is too long is lost

TokenCount = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedMemories:
    """The memories that fit, oldest first, and those that did not. Lines are not yet framed."""

    pairs: tuple[TextPair, ...] = ()
    lines: tuple[str, ...] = ()
    injected: tuple[Injected, ...] = ()
    dropped: tuple[Dropped, ...] = ()

    @property
    def tokens(self) -> int:
        return sum(memory.tokens for memory in self.injected)


@dataclass(frozen=True, slots=True, kw_only=True)
class _RenderedMemory:
    memory: Memory
    form: Form
    texts: tuple[str, ...]
    tokens: int
    quoted: tuple[str, ...]


_FormattedText = tuple[Form, RenderedTexts]


def select_memories(
    kept: Sequence[Recalled],
    writer: MemoryRenderer,
    *,
    count: TokenCount,
    budget: int,
    replays: bool,
) -> SelectedMemories:
    """The best ones first: as a replay if that is wanted and fits, else as a line, else what fits
    of it, if that says anything. What stands in the prompt by then is said by none again.

    A second replay or extract leaves room for what comes behind it: two long exchanges that only
    look like the best ones must not keep the right one out. What that refuses comes as an extract
    for which there is room in the end.
    """
    frame = count(fence(writer.render_lines_block(())))
    room = _TokenBudget(
        writer=writer, count=count, allows_replays=replays, frame_tokens=frame, tokens_left=budget
    )
    waiting: list[Recalled] = []
    for at, recalled in enumerate(kept, start=1):
        reserve = int(RESERVED_LINES_SHARE * budget) if 1 < at < len(kept) else 0
        taken = room.add_whole(recalled, reserve)
        if not taken and (at == len(kept) or not room.add_excerpt(recalled, reserve)):
            waiting.append(recalled)
    dropped = [
        room.explain_drop(recalled) for recalled in waiting if not room.add_excerpt(recalled, 0)
    ]
    return _to_selection(room.selected, dropped)


@dataclass(slots=True, kw_only=True)
class _TokenBudget:
    """What is left of the budget, and what was taken. The first line pays the `frame` of all."""

    writer: MemoryRenderer
    count: TokenCount
    allows_replays: bool
    frame_tokens: int
    tokens_left: int
    selected: list[_RenderedMemory] = field(default_factory=list)

    def add_whole(self, recalled: Recalled, reserve: int) -> bool:
        return self._add(
            _first_fitting(list(self._renderings(recalled)), self.tokens_left, reserve)
        )

    def add_excerpt(self, recalled: Recalled, reserve: int) -> bool:
        """In the first form of which the fewest letters fit; mostly nothing needs to be priced."""
        left = self.tokens_left - reserve
        if left < _MIN_EXCERPT_TOKENS:
            return False
        briefest = self._renderings(recalled, MIN_EXCERPT_CHARS)
        fitting = next((rendering for rendering in briefest if rendering.tokens <= left), None)
        return self._add(fitting and self._longest_excerpt(recalled, fitting, left))

    def _longest_excerpt(
        self, recalled: Recalled, fitting: _RenderedMemory, left: int
    ) -> _RenderedMemory:
        """As many letters as there is room for, looked for between those that fit and those that
        do not: what a template adds and how dense a text is, only a price shows.
        """
        fewest, form = MIN_EXCERPT_CHARS, fitting.form
        over = self._render_as(form, recalled)
        most = min(self._max_chars(form), sum(map(len, over.texts)))
        for _ in range(MAX_EXCERPT_TRIES):
            share = (
                EXCERPT_SAFETY_FACTOR
                * (left - fitting.tokens)
                / max(1, over.tokens - fitting.tokens)
            )
            letters = fewest + int(share * (most - fewest))
            if letters <= fewest:
                break
            found = self._render_as(form, recalled, letters)
            if found.tokens <= left:
                fewest, fitting = letters, found
            else:
                most, over = letters, found
        return fitting

    def _max_chars(self, form: Form) -> int:
        return self.writer.max_chars if form is Form.REPLAY else self.writer.max_line_chars

    def _render_as(
        self, form: Form, recalled: Recalled, most: int | None = None
    ) -> _RenderedMemory:
        return next(
            rendering for rendering in self._renderings(recalled, most) if rendering.form is form
        )

    def _renderings(self, recalled: Recalled, most: int | None = None) -> Iterator[_RenderedMemory]:
        writer = self.writer if most is None else self.writer.with_max_chars(most)
        framed = any(written.form is Form.LINE for written in self.selected)
        for way in _formatted_texts(recalled, writer, replays=self.allows_replays):
            yield _count_tokens(
                recalled.memory, way, self.count, 0 if framed else self.frame_tokens
            )

    def explain_drop(self, recalled: Recalled) -> Dropped:
        """Why it was not taken: it says nothing new, or there is no room."""
        if any(_formatted_texts(recalled, self.writer, replays=False)):
            detail = f"{self.tokens_left} tokens were left"
            return Dropped(candidate=recalled.candidate, reason=DropReason.BUDGET, detail=detail)
        detail = "what it says stands in the prompt"
        return Dropped(candidate=recalled.candidate, reason=DropReason.SHOWN, detail=detail)

    def _add(self, found: _RenderedMemory | None) -> bool:
        if found is not None:
            self.selected.append(found)
            self.tokens_left -= found.tokens
            self.writer = self.writer.excluding_texts(found.quoted)
        return found is not None


def _first_fitting(
    ways: Sequence[_RenderedMemory], left: int, reserve: int
) -> _RenderedMemory | None:
    """The first way that fits; a replay only beside the reserve, unless nothing else does."""
    modest = (
        rendering
        for rendering in ways
        if rendering.form is Form.LINE or rendering.tokens <= left - reserve
    )
    return next((rendering for rendering in (*modest, *ways) if rendering.tokens <= left), None)


def _formatted_texts(
    recalled: Recalled, writer: MemoryRenderer, *, replays: bool
) -> Iterator[_FormattedText]:
    is_replay = replays and recalled.form is Form.REPLAY and not recalled.is_brief
    if is_replay and (pair := writer.render_replay(recalled)):
        yield Form.REPLAY, pair
    if line := writer.render_line(recalled):
        yield Form.LINE, line


def _count_tokens(
    memory: Memory, way: _FormattedText, count: TokenCount, frame: int
) -> _RenderedMemory:
    form, texts = way[0], way[1].texts
    extra = 2 * TOKENS_PER_MESSAGE if form is Form.REPLAY else frame + 1
    tokens = sum(count(text) for text in texts) + extra
    return _RenderedMemory(
        memory=memory, form=form, texts=texts, tokens=tokens, quoted=way[1].quoted
    )


def _to_selection(taken: Sequence[_RenderedMemory], dropped: Sequence[Dropped]) -> SelectedMemories:
    oldest_first = _oldest_first(taken)
    return SelectedMemories(
        pairs=tuple((w.texts[0], w.texts[1]) for w in oldest_first if w.form is Form.REPLAY),
        lines=tuple(w.texts[0] for w in oldest_first if w.form is Form.LINE),
        injected=tuple(_to_injected(written) for written in oldest_first),
        dropped=tuple(dropped),
    )


def _oldest_first(taken: Sequence[_RenderedMemory]) -> list[_RenderedMemory]:
    """By time between chats, and by place within one: the host dates by the minute, and an import
    may not know any date.
    """
    by_time = sorted(
        taken,
        key=lambda rendering: (rendering.memory.ts or 0.0, _conversation_of(rendering.memory)),
    )
    waiting: dict[str, deque[_RenderedMemory]] = defaultdict(deque)
    for written in sorted(
        by_time, key=lambda rendering: (rendering.memory.position, rendering.memory.turn_id)
    ):
        waiting[_conversation_of(written.memory)].append(written)
    return [waiting[_conversation_of(rendering.memory)].popleft() for rendering in by_time]


def _conversation_of(memory: Memory) -> str:
    return memory.conversation if memory.exchange else ""


def _to_injected(written: _RenderedMemory) -> Injected:
    return Injected(
        memory_id=written.memory.id,
        form=written.form.value,
        text="\n".join(written.texts),
        tokens=written.tokens,
    )
