"""The memories in an answer's prompt, as cards: quote, day, chat, and the reason in words."""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import chain, islice

from ....domain.records import Memory, MemoryKind
from ....domain.unicode import well_formed
from ....infra.calendar_time import to_datetime
from ....memory.traces import Trace
from ....recall.results import Candidate, DropReason
from ....storage.log.projection import MemoryRecord, MemoryStatus
from ....text.greetings import without_greeting
from ....text.lexicon import other_spellings, related_words
from ....text.locales import Words
from ....text.names import is_name
from ....text.search_terms import terms
from ....text.sentences import abridge
from ..common.markup import escaped
from ..common.memory_text import Passage, clipped, passage
from ..common.wording import day_html

MAX_SHOWN = 6
_MAX_SIDE_CHARS = 220
_MIN_SHARE = 0.08  # of the score; a smaller part is no reason
_MAX_REASONS = 3
_MAX_MATCHED = 4
_HOURS = ((5, "night"), (12, "morning"), (17, "afternoon"), (22, "evening"), (24, "night"))


class CardState(Enum):
    LIVE = auto()
    FORGOTTEN = auto()
    LEFT_OUT = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One memory in the prompt. `quotes` are speaker and passage; `where` and `why` are plain text.

    `sides` are the whole texts of the two `speakers`, to be edited. `undo` names the action to
    undo, `message` is the outcome of the last action.
    """

    memory_id: str
    state: CardState
    is_pinned: bool = False
    is_note: bool = False
    quotes: tuple[tuple[str, Passage], ...] = ()
    sides: tuple[str, str] = ("", "")
    speakers: tuple[str, str] = ("", "")
    when: str = ""
    where: str = ""
    why: str = ""
    message: str = ""
    can_undo_edit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSources:
    """The parts of cards besides the trace: the current memories, and their chats."""

    records: Mapping[str, MemoryRecord]
    titles: Mapping[str, str]
    left_out: frozenset[str] = frozenset()
    own_log: str = ""


def shown_ids(trace: Trace) -> list[str]:
    """Returns the ids of the memories in the prompt: recalled ones, best first, then the others.

    Of memories that are only parts of a summary, it includes the recalled ones.
    """
    scores = {recalled.memory.id: recalled.candidate.score for recalled in trace.recall.kept}
    ids = [part.memory_id for part in trace.injected if len(part.memory_id.split()) == 1]
    ids += _recalled_in_summaries(trace)
    return sorted(dict.fromkeys(ids), key=lambda memory_id: -scores.get(memory_id, -1.0))


def _recalled_in_summaries(trace: Trace) -> set[str]:
    """Returns the ids of recalled memories that a summary in the prompt already contains.

    The summary of a memory that had no room quotes others.
    """
    recalled = {recalled.memory.id for recalled in trace.recall.kept}
    without_room = {
        drop.candidate.memory.id
        for drop in (*trace.dropped, *trace.recall.dropped)
        if drop.reason is DropReason.BUDGET
    }
    return recalled.intersection(_summarised_ids(trace)) - without_room


def _summarised_ids(trace: Trace) -> list[str]:
    summaries = (part.memory_id.split() for part in trace.injected)
    return [memory_id for ids in summaries if len(ids) > 1 for memory_id in ids]


def summarised_count(trace: Trace) -> int:
    """Returns the number of memories that the prompt holds as parts of summaries."""
    return len(_summarised_ids(trace))


def logs_of(records: Mapping[str, MemoryRecord], ids: Sequence[str]) -> set[str]:
    """Returns the conversations from which these memories come."""
    return {records[one].memory.conversation for one in ids if one in records}


@dataclass(frozen=True, slots=True, kw_only=True)
class _MatchingWords:
    """Words of the message in all spellings, and words that are related to them in meaning."""

    own: Collection[str]
    related: Collection[str]


def cards_of(trace: Trace, sources: CardSources, words: Words) -> list[Card]:
    """Returns a card for each memory in the prompt; memories that are erased leave none."""
    candidates = {recalled.memory.id: recalled.candidate for recalled in trace.recall.kept}
    asked = without_greeting(abridge(trace.query), [trace.character])
    own = frozenset(terms(asked)).difference(terms(trace.character))
    related = frozenset(chain.from_iterable(related_words(own, asked).values())) - own
    own = own.union(*other_spellings(own, asked).values())
    wanted = _MatchingWords(own=own, related=related)
    return [
        _card(record, candidates.get(memory_id), wanted, sources, words)
        for memory_id in shown_ids(trace)
        if (record := sources.records.get(memory_id)) and record.has_text
    ]


def _card(
    record: MemoryRecord,
    candidate: Candidate | None,
    wanted: _MatchingWords,
    sources: CardSources,
    words: Words,
) -> Card:
    memory = record.memory
    if record.status is MemoryStatus.FORGOTTEN:
        return Card(memory_id=memory.id, state=CardState.FORGOTTEN)
    quotes = _quotes(memory, wanted.own, words)
    matched = tuple(dict.fromkeys(word for _, quote in quotes for word in quote.matched))
    related = passage(memory.text, wanted.related, _MAX_SIDE_CHARS).matched
    return Card(
        memory_id=memory.id,
        state=CardState.LEFT_OUT if memory.id in sources.left_out else CardState.LIVE,
        is_pinned=memory.pinned,
        is_note=memory.exchange is None,
        quotes=quotes,
        sides=memory.sides,
        speakers=_speakers(memory, words),
        when=day_html(memory.ts, words),
        where=_chat_text(memory, sources, words),
        why=_reasons_text(memory, candidate, _MatchingWords(own=matched, related=related), words),
    )


def _quotes(
    memory: Memory, wanted: Collection[str], words: Words
) -> tuple[tuple[str, Passage], ...]:
    return tuple(
        (speaker, passage(text, wanted, _MAX_SIDE_CHARS))
        for speaker, text in zip(_speakers(memory, words), memory.sides, strict=True)
        if text.strip()
    )


def _speakers(memory: Memory, words: Words) -> tuple[str, str]:
    """Returns the names of both sides; a note has none."""
    exchange = memory.exchange
    if exchange is None:
        return "", ""
    user, character = map(well_formed, (exchange.user_name, exchange.assistant_name))
    if user and not is_name(user):  # the host's "You"
        user = words["speaker_you"]
    return user or words["user_said"], character or words["character_said"]


def _chat_text(memory: Memory, sources: CardSources, words: Words) -> str:
    if memory.exchange is None:
        return words["where_summary" if memory.kind is MemoryKind.SUMMARY else "where_note"]
    if memory.conversation == sources.own_log:
        return words["where_here"]
    title = sources.titles.get(memory.conversation, "")
    return words("where_chat", name=title) if title else words["where_other"]


def _reasons_text(
    memory: Memory, candidate: Candidate | None, matched: _MatchingWords, words: Words
) -> str:
    if candidate is None:
        return words[_system_block_reason(memory)]
    reasons = dict.fromkeys(_reasons(memory, candidate, matched, words))
    return words["why_join"].join(list(reasons)[:_MAX_REASONS])


def _system_block_reason(memory: Memory) -> str:
    """Returns the reason for a memory of the system block, which no search found."""
    if memory.pinned:
        return "why_pinned"
    return "why_always" if memory.kind is MemoryKind.KNOWLEDGE else "why_session"


def _reasons(
    memory: Memory, candidate: Candidate, matched: _MatchingWords, words: Words
) -> Iterator[str]:
    """Yields the reasons in plain words, the weightiest first."""
    parts = {**candidate.parts, "sticky": candidate.carried_over}
    minimum = _MIN_SHARE * sum(value for value in parts.values() if value > 0.0)
    for name, value in sorted(parts.items(), key=lambda part: -part[1]):
        if value <= 0.0 or value < minimum:
            return
        if name == "words" and matched.own:
            yield words("why_matched", words=_quoted(matched.own, words))
        elif name == "related" and matched.related:
            yield words("why_related_to", words=_quoted(matched.related, words))
        elif name == "sitting":
            yield words[f"why_same_{_part_of_day(memory.ts)}"]
        elif f"why_{name}" in words:
            yield words[f"why_{name}"]


def _quoted(matched: Collection[str], words: Words) -> str:
    quoted = (words("why_quoted", word=word) for word in islice(matched, _MAX_MATCHED))
    return words["list_comma"].join(quoted)


def _part_of_day(ts: float | None) -> str:
    when = to_datetime(ts)
    return "chat" if when is None else next(name for end, name in _HOURS if when.hour < end)


def question_html(trace: Trace, title: str, words: Words) -> str:
    """Returns the user's message in quotes, with its time and its chat, if another began that."""
    if " ".join(trace.query.split()).startswith(title.rstrip("… ")):
        title = ""
    said = clipped(well_formed(trace.query), _MAX_SIDE_CHARS)
    asked = escaped(words("quoted", text=said)) if trace.query else ""
    where = f" · {escaped(words('where_chat', name=title))}" if title else ""
    when = time.strftime("%H:%M", time.localtime(trace.ts))
    return (
        f'<p class="ltm-asked">{asked}</p>'
        f'<p class="ltm-muted">{escaped(words["answer_your_message"])} · '
        f"{words('day_and_time', day=day_html(trace.ts, words), time=when)}{where}</p>"
    )
