"""Chooses the lines that are always in the prompt: pinned memories and recent session summaries.

They are chosen when a conversation begins and kept until one of their sources changes. The start of
the prompt then stays the same, and the model server can reuse its cache.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ..config.schema import Settings, Visible
from ..domain.derivations import EXTRACTIVE
from ..domain.namespaces import Namespace, encode
from ..domain.records import Memory, MemoryKind
from ..infra.calendar_time import to_datetime
from ..infra.lru_cache import LRUCache
from ..memory.long_term_memory import LongTermMemory
from ..recall.session_groups import SESSION_KEY, Session, group_into_sessions, without_keywords
from ..recall.uninformative import is_too_short, without_short_sides
from ..storage.contract import DerivedFilter, Page, SearchFilter
from ..text.dates.find_dates import find_dates
from ..text.excerpts import excerpt
from ..text.number_corrections import names_a_number
from .quoted_sentences import NO_QUOTES, QuotedSentences
from .session_extract import summarise_session, tells_something
from .system_block import SystemLine
from .templates import date_in_digits

_LOOK_BACK = 200
_LINE_CHARS = 300
_WRITTEN_LINE_CHARS = 600
_MAX_CACHED = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedLines:
    """The lines chosen for a conversation, and the state of their sources then (id → seq)."""

    lines: tuple[SystemLine, ...]
    seqs: Mapping[str, int]


class SystemLineCache:
    """Caches the chosen lines per conversation. Safe for many threads."""

    def __init__(
        self,
        memory: LongTermMemory,
        *,
        sessions: int,
        pause_s: float,
        min_letters: int = 1,
        next_session_only: bool = False,
    ) -> None:
        """Summaries use messages of at least `min_letters`.

        With `next_session_only` they use none written since the namespace was opened.
        """
        self._memory = memory
        self._min_letters = min_letters
        self._next_session_only = next_session_only
        self._sessions = sessions
        self._pause_s = pause_s
        self._cache: LRUCache[tuple[Namespace, str], CachedLines] = LRUCache(_MAX_CACHED)

    def lines(
        self, namespace: Namespace, conversation: str, *, began: float
    ) -> tuple[SystemLine, ...]:
        """Returns the lines of a conversation that began at `began` (seconds since the epoch).

        A conversation without a name has just begun, so its lines are not cached.
        """
        key = (namespace, conversation)
        if cached := self._cache.get(key):
            seqs = self._memory.last_seqs(namespace, list(cached.seqs))
            pinned = {memory.id for memory in self._memory.always_in_prompt(*key)}
            if seqs == cached.seqs and pinned <= seqs.keys():
                return cached.lines
        chosen = self._choose(namespace, conversation, began)
        if conversation:
            self._cache.put(key, chosen)
        return chosen.lines

    def _choose(self, namespace: Namespace, conversation: str, began: float) -> CachedLines:
        pinned = self._memory.always_in_prompt(namespace, conversation)
        quoted = NO_QUOTES.with_texts(text for memory in pinned for text in _texts(memory))
        lines = [_line(memory) for memory in _without_copies(pinned)]
        lines += self._summaries(namespace, conversation, began, quoted)
        ids = [source for line in lines for source in line.sources]
        ids += [memory.id for memory in pinned]
        return CachedLines(lines=tuple(lines), seqs=self._memory.last_seqs(namespace, ids))

    def _summaries(
        self, namespace: Namespace, conversation: str, began: float, quoted: QuotedSentences
    ) -> list[SystemLine]:
        """Returns summaries of the last sessions, oldest first.

        No summary repeats another line. An earlier session replaces one that adds nothing new, or
        in which the user only asked questions, as in a new chat for "what's my job?".
        """
        if not self._sessions:
            return []
        page = Page(limit=_LOOK_BACK, before=began)
        current = encode(conversation)
        latest = self._memory.latest(namespace, page)
        earlier = [
            without_short_sides(memory, self._min_letters)
            for memory in self._recallable(namespace, latest)
            if memory.derived is None
            and memory.conversation != current
            and not is_too_short(memory, self._min_letters)
        ]
        latest_first = group_into_sessions(earlier, pause_s=self._pause_s)
        count = self._sessions
        written = self._written_summaries(namespace, latest_first)
        best_first = _statements_first(latest_first, written, limit=count)
        lines = self._summarise_in_order(best_first[:count], quoted, written)
        while len(lines) < self._sessions and count < len(best_first):
            count += self._sessions - len(lines)
            lines = self._summarise_in_order(best_first[:count], quoted, written)
        return lines

    def _written_summaries(self, namespace: Namespace, sessions: Sequence[Session]) -> list[Memory]:
        """Returns the model's summaries of these sessions that may be recalled."""
        ids = frozenset(name for session in sessions for name in session.ids)
        only = DerivedFilter(kinds=frozenset({MemoryKind.SUMMARY}), key=SESSION_KEY, sources=ids)
        with self._memory.open_namespace(namespace) as opened:
            found = opened.find_derived(only)
        by_model = [one for one in found if one.derived and one.derived.made_by != EXTRACTIVE]
        return self._recallable(namespace, by_model)

    def _summarise_in_order(
        self,
        sessions: Sequence[Session],
        quoted: QuotedSentences,
        written: Sequence[Memory],
    ) -> list[SystemLine]:
        lines: list[SystemLine] = []
        for session in sorted(sessions, key=lambda session: session.started):
            line = self._written_line(session, written) or self._extract(session, quoted)
            quoted = quoted.with_texts([line.text])
            lines += [line] if line.text else []
        return lines

    def _written_line(self, session: Session, written: Sequence[Memory]) -> SystemLine | None:
        """Returns the line of a summary that covers the whole session; None if there is none."""
        summary = _summary_of(session, written)
        if summary is None:
            return None
        day = date_in_digits(session.started)
        return SystemLine(
            text=excerpt(f"({day}) {without_keywords(summary)}", _WRITTEN_LINE_CHARS),
            sources=(summary.id,),
            ts=session.last_said,
            is_summary=True,
            summary_id=summary.id,
            made_of=summary.sources,
        )

    def _extract(self, session: Session, quoted: QuotedSentences) -> SystemLine:
        return SystemLine(
            text=summarise_session(session, limit=_LINE_CHARS, quoted=quoted),
            sources=session.ids,
            ts=session.last_said,
            is_summary=True,
            is_extract=True,
        )

    def _recallable(self, namespace: Namespace, memories: Sequence[Memory]) -> list[Memory]:
        if not self._next_session_only:
            return list(memories)
        ids = [memory.id for memory in memories]
        with self._memory.open_namespace(namespace) as open_memory:
            search_filter = SearchFilter(until_seq=self._memory.visible_until_seq(namespace))
            allowed_ids = open_memory.query(
                lambda store: store.catalog.live_seqs(ids, search_filter)
            )
        return [memory for memory in memories if memory.id in allowed_ids]


def _statements_first(
    latest_first: Sequence[Session], written: Sequence[Memory], *, limit: int
) -> list[Session]:
    """Puts the latest sessions in which the user stated something before those of mere questions.

    Stops after `limit` of them.
    """
    telling: list[Session] = []
    for session in latest_first:
        if len(telling) == limit:
            break
        if _summary_of(session, written) or tells_something(session):
            telling.append(session)
    return telling + [session for session in latest_first if session not in telling]


def _summary_of(session: Session, written: Sequence[Memory]) -> Memory | None:
    ids = frozenset(session.ids)
    return next((one for one in written if ids <= frozenset(one.sources)), None)


def make_system_line_cache(memory: LongTermMemory, settings: Settings) -> SystemLineCache:
    """Creates the cache of system lines from the settings."""
    return SystemLineCache(
        memory,
        sessions=settings.ltm_context.summary_sessions,
        pause_s=60.0 * settings.recall.session_pause_min,
        min_letters=settings.ltm_writes.min_message_length,
        next_session_only=settings.recall.visible is Visible.NEXT_SESSION,
    )


def _texts(memory: Memory) -> tuple[str, ...]:
    exchange = memory.exchange
    return (exchange.user, exchange.assistant) if exchange else (memory.text,)


def _without_copies(memories: Sequence[Memory]) -> list[Memory]:
    """Returns the memories without those that a newer one repeats word for word."""
    oldest_first = sorted(memories, key=lambda memory: memory.ts or 0.0)
    newest = {tuple(memory.text.casefold().split()): memory.id for memory in oldest_first}
    kept = set(newest.values())
    return [memory for memory in memories if memory.id in kept]


def _line(memory: Memory) -> SystemLine:
    """Returns the line of a pinned memory, with its date if what it says may cease to hold."""
    text, said = memory.text.replace("\n", " "), to_datetime(memory.ts)
    if said and _may_cease(text[:_LINE_CHARS], said):
        text = f"({date_in_digits(memory.ts)}) {text}"
    return SystemLine(text=text, sources=(memory.id,), ts=memory.ts or 0.0)


def _may_cease(text: str, said: datetime) -> bool:
    """Returns whether the text names a relative day, or a number that is no date.

    "Dentist next Thursday" would mean another Thursday every week. "My wifi is Falcon89" may be
    older than a recalled "the wifi changed to Falcon90".
    """
    dates = find_dates(text, said)
    for start, end in (found.span for found in dates):
        text = text[:start] + " " * (end - start) + text[end:]
    return names_a_number(text) or not all(found.is_explicit for found in dates)
