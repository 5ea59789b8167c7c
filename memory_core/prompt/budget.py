"""Which recalled memories the budget of tokens allows, and in which form."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ..domain.records import Memory
from ..memory.traces import Injected
from ..recall.results import Dropped, DropReason, Form, Recalled
from ..text.prompt_fence import fence
from .fit_window import PER_MESSAGE
from .render import Pair, Worded, Writer

LINES_SHARE = 0.45
LEAST_LETTERS = 60  # less of a memory says nothing
_LEAST_TOKENS = LEAST_LETTERS // 6  # for the words of any language, and what stands around them
TRIES = 3  # a count may be a call to a server
SURELY = 0.9  # a try that is too long is lost

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The memories that fit, oldest first, and those that did not. Lines are not yet framed."""

    pairs: tuple[Pair, ...] = ()
    lines: tuple[str, ...] = ()
    injected: tuple[Injected, ...] = ()
    dropped: tuple[Dropped, ...] = ()

    @property
    def tokens(self) -> int:
        return sum(memory.tokens for memory in self.injected)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    memory: Memory
    form: Form
    texts: tuple[str, ...]
    tokens: int
    quoted: tuple[str, ...]


_Way = tuple[Form, Worded]


def choose(
    kept: Sequence[Recalled], writer: Writer, *, count: Count, budget: int, replays: bool
) -> Chosen:
    """The best ones first: as a replay if that is wanted and fits, else as a line, else what fits
    of it, if that says anything. What stands in the prompt by then is said by none again.

    A second replay or extract leaves room for what comes behind it: two long exchanges that only
    look like the best ones must not keep the right one out. What that refuses comes as an extract
    for which there is room in the end.
    """
    frame = count(fence(writer.lines(())))
    room = _Room(writer=writer, count=count, replays=replays, frame=frame, left=budget)
    waiting: list[Recalled] = []
    for at, recalled in enumerate(kept, start=1):
        reserve = int(LINES_SHARE * budget) if 1 < at < len(kept) else 0
        taken = room.take_whole(recalled, reserve)
        if not taken and (at == len(kept) or not room.take_extract(recalled, reserve)):
            waiting.append(recalled)
    dropped = [room.refusal(it) for it in waiting if not room.take_extract(it, 0)]
    return _chosen(room.taken, dropped)


@dataclass(slots=True, kw_only=True)
class _Room:
    """What is left of the budget, and what was taken. The first line pays the `frame` of all."""

    writer: Writer
    count: Count
    replays: bool
    frame: int
    left: int
    taken: list[_Written] = field(default_factory=list)

    def take_whole(self, recalled: Recalled, reserve: int) -> bool:
        return self._take(_fitting(list(self._written(recalled)), self.left, reserve))

    def take_extract(self, recalled: Recalled, reserve: int) -> bool:
        """In the first form of which the fewest letters fit; mostly nothing needs to be priced."""
        left = self.left - reserve
        if left < _LEAST_TOKENS:
            return False
        briefest = self._written(recalled, LEAST_LETTERS)
        fitting = next((it for it in briefest if it.tokens <= left), None)
        return self._take(fitting and self._extract(recalled, fitting, left))

    def _extract(self, recalled: Recalled, fitting: _Written, left: int) -> _Written:
        """As many letters as there is room for, looked for between those that fit and those that
        do not: what a template adds and how dense a text is, only a price shows.
        """
        fewest, form = LEAST_LETTERS, fitting.form
        over = self._in_form(form, recalled)
        most = min(self._longest(form), sum(map(len, over.texts)))
        for _ in range(TRIES):
            share = SURELY * (left - fitting.tokens) / max(1, over.tokens - fitting.tokens)
            letters = fewest + int(share * (most - fewest))
            if letters <= fewest:
                break
            found = self._in_form(form, recalled, letters)
            if found.tokens <= left:
                fewest, fitting = letters, found
            else:
                most, over = letters, found
        return fitting

    def _longest(self, form: Form) -> int:
        return self.writer.longest if form is Form.REPLAY else self.writer.longest_line

    def _in_form(self, form: Form, recalled: Recalled, most: int | None = None) -> _Written:
        return next(it for it in self._written(recalled, most) if it.form is form)

    def _written(self, recalled: Recalled, most: int | None = None) -> Iterator[_Written]:
        writer = self.writer if most is None else self.writer.briefly(most)
        framed = any(written.form is Form.LINE for written in self.taken)
        for way in _ways(recalled, writer, replays=self.replays):
            yield _priced(recalled.memory, way, self.count, 0 if framed else self.frame)

    def refusal(self, recalled: Recalled) -> Dropped:
        """Why it was not taken: it says nothing new, or there is no room."""
        if any(_ways(recalled, self.writer, replays=False)):
            detail = f"{self.left} tokens were left"
            return Dropped(candidate=recalled.candidate, reason=DropReason.BUDGET, detail=detail)
        detail = "what it says stands in the prompt"
        return Dropped(candidate=recalled.candidate, reason=DropReason.SHOWN, detail=detail)

    def _take(self, found: _Written | None) -> bool:
        if found is not None:
            self.taken.append(found)
            self.left -= found.tokens
            self.writer = self.writer.after(found.quoted)
        return found is not None


def _fitting(ways: Sequence[_Written], left: int, reserve: int) -> _Written | None:
    """The first way that fits; a replay only beside the reserve, unless nothing else does."""
    modest = (it for it in ways if it.form is Form.LINE or it.tokens <= left - reserve)
    return next((it for it in (*modest, *ways) if it.tokens <= left), None)


def _ways(recalled: Recalled, writer: Writer, *, replays: bool) -> Iterator[_Way]:
    is_replay = replays and recalled.form is Form.REPLAY and not recalled.is_brief
    if is_replay and (pair := writer.replay(recalled)):
        yield Form.REPLAY, pair
    if line := writer.line(recalled):
        yield Form.LINE, line


def _priced(memory: Memory, way: _Way, count: Count, frame: int) -> _Written:
    form, texts = way[0], way[1].texts
    extra = 2 * PER_MESSAGE if form is Form.REPLAY else frame + 1
    tokens = sum(count(text) for text in texts) + extra
    return _Written(memory=memory, form=form, texts=texts, tokens=tokens, quoted=way[1].quoted)


def _chosen(taken: Sequence[_Written], dropped: Sequence[Dropped]) -> Chosen:
    oldest_first = _oldest_first(taken)
    return Chosen(
        pairs=tuple((w.texts[0], w.texts[1]) for w in oldest_first if w.form is Form.REPLAY),
        lines=tuple(w.texts[0] for w in oldest_first if w.form is Form.LINE),
        injected=tuple(_injected(written) for written in oldest_first),
        dropped=tuple(dropped),
    )


def _oldest_first(taken: Sequence[_Written]) -> list[_Written]:
    """By time between chats, and by place within one: the host dates by the minute, and an import
    may not know any date.
    """
    by_time = sorted(taken, key=lambda it: (it.memory.ts or 0.0, _chat(it.memory)))
    waiting: dict[str, deque[_Written]] = defaultdict(deque)
    for written in sorted(by_time, key=lambda it: (it.memory.place, it.memory.turn_id)):
        waiting[_chat(written.memory)].append(written)
    return [waiting[_chat(it.memory)].popleft() for it in by_time]


def _chat(memory: Memory) -> str:
    return memory.conversation if memory.exchange else ""


def _injected(written: _Written) -> Injected:
    return Injected(
        memory_id=written.memory.id,
        form=written.form.value,
        text="\n".join(written.texts),
        tokens=written.tokens,
    )
