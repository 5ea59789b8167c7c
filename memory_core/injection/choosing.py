"""Which memories the budget of tokens allows, and in which form."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from ..fence import fence
from ..records import Dropped, DropReason, Form, Injected, Memory, Recalled
from .fitting import PER_MESSAGE
from .writing import Pair, Writer

SYSTEM = "system"
LINES_SHARE = 0.45
LEAST_LETTERS = 60  # less of a memory says nothing
_TRIES = 3  # a count may be a call to a server
_SURELY = 0.9  # a try that is too long is lost

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemLine:
    memory_id: str
    text: str


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


_Way = tuple[Memory, Form, tuple[str, ...]]


def choose(
    kept: Sequence[Recalled], writer: Writer, *, count: Count, budget: int, replays: bool
) -> Chosen:
    """The best ones first: as a replay if that is wanted and fits, else as a line, else what fits
    of it, if that says anything.

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
    dropped = [_over(it, room.left) for it in waiting if not room.take_extract(it, 0)]
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
        return self._take(_fitting(self._priced(recalled), self.left, reserve))

    def take_extract(self, recalled: Recalled, reserve: int) -> bool:
        ways = self._priced(recalled)
        left = self.left - reserve
        return self._take(_shortened(ways, recalled, self.writer, price=self._price, left=left))

    def _take(self, found: _Written | None) -> bool:
        if found is not None:
            self.taken.append(found)
            self.left -= found.tokens
        return found is not None

    def _priced(self, recalled: Recalled) -> list[_Written]:
        return [self._price(it) for it in _ways(recalled, self.writer, replays=self.replays)]

    def _price(self, way: _Way) -> _Written:
        framed = any(written.form is Form.LINE for written in self.taken)
        return _priced(way, self.count, 0 if framed else self.frame)


def _fitting(ways: Sequence[_Written], left: int, reserve: int) -> _Written | None:
    """The first way that fits; a replay only beside the reserve, unless nothing else does."""
    modest = (it for it in ways if it.form is Form.LINE or it.tokens <= left - reserve)
    return next((it for it in (*modest, *ways) if it.tokens <= left), None)


def _shortened(
    ways: Sequence[_Written],
    recalled: Recalled,
    writer: Writer,
    *,
    price: Callable[[_Way], _Written],
    left: int,
) -> _Written | None:
    """An extract in the first way that has room for one."""
    for way in ways:
        write = partial(_brief, recalled, writer, form=way.form, price=price)
        if extract := _extract(way, _most(way, writer), write, left):
            return extract
    return None


def _extract(
    way: _Written, most: int, write: Callable[[int], _Written], left: int
) -> _Written | None:
    """As many letters as there is room for, looked for between the fewest, which fit, and `most`,
    which do not: what a template adds and how dense a text is, only a price shows.
    """
    fewest, fitting = LEAST_LETTERS, write(LEAST_LETTERS)
    if fitting.tokens > left:
        return None
    for _ in range(_TRIES):
        share = _SURELY * (left - fitting.tokens) / (way.tokens - fitting.tokens)
        letters = fewest + int(share * (most - fewest))
        if letters <= fewest:
            break
        found = write(letters)
        if found.tokens <= left:
            fewest, fitting = letters, found
        else:
            most, way = letters, found
    return fitting


def _most(way: _Written, writer: Writer) -> int:
    longest = writer.longest if way.form is Form.REPLAY else writer.longest_line
    return min(longest, sum(map(len, way.texts)))


def _brief(
    recalled: Recalled, writer: Writer, most: int, *, form: Form, price: Callable[[_Way], _Written]
) -> _Written:
    """In the same form, with fewer letters."""
    longest, longest_line = min(most, writer.longest), min(most, writer.longest_line)
    brief = replace(writer, longest=longest, longest_line=longest_line)
    return price(next(_ways(recalled, brief, replays=form is Form.REPLAY)))


def choose_system(
    lines: Sequence[SystemLine], writer: Writer, *, count: Count, budget: int
) -> Chosen:
    """In the order given; a line that does not fit makes room for the next."""
    left = budget - count(fence(writer.system(())))
    injected: list[Injected] = []
    for line in lines:
        text = writer.short(line.text)
        tokens = count(text) + 1
        if tokens <= left:
            injected.append(
                Injected(memory_id=line.memory_id, form=SYSTEM, text=text, tokens=tokens)
            )
            left -= tokens
    return Chosen(lines=tuple(memory.text for memory in injected), injected=tuple(injected))


def _ways(recalled: Recalled, writer: Writer, *, replays: bool) -> Iterator[_Way]:
    memory = recalled.memory
    if replays and recalled.form is Form.REPLAY and (pair := writer.replay(memory)):
        yield memory, Form.REPLAY, pair
    if line := writer.line(memory):
        yield memory, Form.LINE, (line,)


def _priced(way: _Way, count: Count, frame: int) -> _Written:
    memory, form, texts = way
    extra = 2 * PER_MESSAGE if form is Form.REPLAY else frame + 1
    tokens = sum(count(text) for text in texts) + extra
    return _Written(memory=memory, form=form, texts=texts, tokens=tokens)


def _over(recalled: Recalled, left: int) -> Dropped:
    detail = f"{left} tokens were left"
    return Dropped(candidate=recalled.candidate, reason=DropReason.BUDGET, detail=detail)


def _chosen(taken: Sequence[_Written], dropped: Sequence[Dropped]) -> Chosen:
    oldest_first = sorted(taken, key=lambda written: written.memory.ts or 0.0)
    return Chosen(
        pairs=tuple((w.texts[0], w.texts[1]) for w in oldest_first if w.form is Form.REPLAY),
        lines=tuple(w.texts[0] for w in oldest_first if w.form is Form.LINE),
        injected=tuple(_injected(written) for written in oldest_first),
        dropped=tuple(dropped),
    )


def _injected(written: _Written) -> Injected:
    return Injected(
        memory_id=written.memory.id,
        form=written.form.value,
        text="\n".join(written.texts),
        tokens=written.tokens,
    )
