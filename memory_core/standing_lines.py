"""The lines that are always in the prompt: pinned memories, knowledge, the last sittings.

Chosen when a conversation begins and then left alone until one of their sources changes, so that
the beginning of the prompt stays the same and the model server need not compute it again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from .consolidate.sessions import Session, sessions, summary
from .injection.plan import SystemLine
from .long_term_memory import LongTermMemory
from .namespaces import Namespace, encode
from .quoted import NOTHING_QUOTED, Quoted
from .recall.short import is_too_short, without_short_sides
from .recent import Recent
from .records import Memory
from .settings import Settings, Visible
from .stores.base import Only, Page

_LOOK_BACK = 200
_LINE_CHARS = 300
_MOST_KEPT = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingLine:
    """One line and the memories it was made of. `ts` in seconds since the epoch."""

    text: str
    sources: tuple[str, ...]
    ts: float = 0.0
    is_summary: bool = False

    @property
    def placed(self) -> SystemLine:
        """As the plan of a prompt takes it."""
        named = " ".join(self.sources)
        return SystemLine(memory_id=named, text=self.text, ts=self.ts, is_summary=self.is_summary)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What was chosen for a conversation, and the state of its sources then (id → seq)."""

    lines: tuple[StandingLine, ...]
    seqs: Mapping[str, int]


class StandingLines:
    """Remembers its choices per conversation. Safe for many threads."""

    def __init__(
        self,
        memory: LongTermMemory,
        *,
        sessions: int,
        pause_s: float,
        min_letters: int = 1,
        next_session_only: bool = False,
        tz: tzinfo | None = None,
    ) -> None:
        """Of the last sittings only messages of at least `min_letters` are told, and with
        `next_session_only` none that was written since the namespace was opened.
        """
        self._memory = memory
        self._min_letters = min_letters
        self._next_session_only = next_session_only
        self._sessions = sessions
        self._pause_s = pause_s
        self._tz = tz
        self._chosen: Recent[tuple[Namespace, str], Choice] = Recent(_MOST_KEPT)

    def lines(
        self, namespace: Namespace, conversation: str, *, began: float
    ) -> tuple[StandingLine, ...]:
        """What stands in this conversation, which began at `began` (seconds since the epoch).

        One without a name has just begun: its choice is not kept.
        """
        key = (namespace, conversation)
        choice = self._chosen.get(key)
        if choice is None or not self._still_holds(key, choice):
            choice = self._choose(namespace, conversation, began)
            if conversation:
                self._chosen.put(key, choice)
        return choice.lines

    def _still_holds(self, key: tuple[Namespace, str], choice: Choice) -> bool:
        now = self._memory.seqs(key[0], list(choice.seqs))
        pinned = {it.id for it in self._memory.standing(*key)}
        return now == choice.seqs and pinned <= choice.seqs.keys()

    def _choose(self, namespace: Namespace, conversation: str, began: float) -> Choice:
        kept = self._memory.standing(namespace, conversation)
        quoted = NOTHING_QUOTED.and_also(text for it in kept for text in _texts(it))
        lines = [_line(it) for it in kept]
        lines += self._summaries(namespace, conversation, began, quoted)
        ids = [source for line in lines for source in line.sources]
        return Choice(lines=tuple(lines), seqs=self._memory.seqs(namespace, ids))

    def _summaries(
        self, namespace: Namespace, conversation: str, began: float, quoted: Quoted
    ) -> list[StandingLine]:
        """Of the last sittings, oldest first; none says what another line does, and one that says
        nothing new leaves its place to the one before.
        """
        if not self._sessions:
            return []
        page = Page(limit=_LOOK_BACK, before=began)
        own = encode(conversation)
        found = self._memory.latest(namespace, page)
        earlier = [
            without_short_sides(it, self._min_letters)
            for it in self._recallable(namespace, found)
            if it.conversation != own and not is_too_short(it, self._min_letters)
        ]
        latest_first = sessions(earlier, pause_s=self._pause_s)
        count = self._sessions
        lines = self._told(latest_first[:count], quoted)
        while len(lines) < self._sessions and count < len(latest_first):
            count += self._sessions - len(lines)
            lines = self._told(latest_first[:count], quoted)
        return lines

    def _told(self, latest_first: Sequence[Session], quoted: Quoted) -> list[StandingLine]:
        lines: list[StandingLine] = []
        for sitting in reversed(latest_first):
            line = self._summary(sitting, quoted)
            quoted = quoted.and_also([line.text])
            lines += [line] if line.text else []
        return lines

    def _summary(self, sitting: Session, quoted: Quoted) -> StandingLine:
        return StandingLine(
            text=summary(sitting, limit=_LINE_CHARS, quoted=quoted, tz=self._tz),
            sources=tuple(memory.id for memory in sitting.memories),
            ts=max((memory.ts or 0.0 for memory in sitting.memories), default=0.0),
            is_summary=True,
        )

    def _recallable(self, namespace: Namespace, found: Sequence[Memory]) -> list[Memory]:
        if not self._next_session_only:
            return list(found)
        ids = [it.id for it in found]
        with self._memory.using(namespace) as archive:
            only = Only(until_seq=self._memory.horizon(namespace))
            may_come = set(archive.read(lambda store: store.among(ids, only)))
        return [it for it in found if it.id in may_come]


def standing_lines(memory: LongTermMemory, settings: Settings) -> StandingLines:
    """The lines of this memory as these settings want them."""
    return StandingLines(
        memory,
        sessions=settings.ltm_context.summary_sessions,
        pause_s=60.0 * settings.recall.session_pause_min,
        min_letters=settings.ltm_writes.min_message_length,
        next_session_only=settings.recall.visible is Visible.NEXT_SESSION,
    )


def _texts(memory: Memory) -> tuple[str, ...]:
    exchange = memory.exchange
    return (exchange.user, exchange.assistant) if exchange else (memory.text,)


def _line(memory: Memory) -> StandingLine:
    text = memory.text.replace("\n", " ")
    return StandingLine(text=text, sources=(memory.id,), ts=memory.ts or 0.0)
