"""The query of a recall: the message, its speakers, and memories to leave out."""

import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain

from ..domain.records import empty_mapping
from ..infra.lru_cache import cached_property
from ..storage.contract import NO_FILTER, SearchFilter
from ..text.change_cues import asks_how_things_were
from ..text.dates.calendar import Cycle
from ..text.dates.find_dates import DateRange, find_dates, with_adjacent_turns
from ..text.greetings import without_greeting
from ..text.names import is_name
from ..text.overview_questions import (
    Overview,
    OwnSubject,
    only_asks_what_was_said,
    overview_asked_for,
    own_subject_asked_for,
)
from ..text.proposals import asks_for_a_proposal
from ..text.questions import asks, asks_for_a_value, without_asking_if_remembered
from ..text.requests import asks_to_be_told, without_asking_to_be_told
from ..text.search_terms import drop_paired_characters, terms
from ..text.sentences import abridge, sentences
from ..text.topics import load_lexicons, topics
from ..text.weather_questions import asks_about_weather
from .cue import cue
from .earlier_questions import non_answer_terms
from .results import NeedFeatures

_FEW_WORDS = 1
_MAX_PARTS = 3
_CONTEXT_WEIGHT = 0.5
_ANSWER_WEIGHT = 0.15  # of the character's answers, which are long and of many words
_CONTEXT_DECAY = 0.7  # per exchange back
_ASKS = re.compile(r"[?？][\"'”’」』）)\s]*$")  # noqa: RUF001
_HAN_NAME = re.compile("[\u3400-\u9fff]{2,}")
# Its words use most patterns of English dates, which are compiled at their first use.
_SAMPLE_DATES = "walking yesterday, on Monday in May, next week, 2 days ago"


@dataclass(frozen=True, kw_only=True)
class Query:
    """A message to recall memories for, with its circumstances.

    `names`: user and character; "You" and "AI" count as no name. `context`: the texts just before,
    latest last, of the user and the character in turn. `conversation`: the current chat; memories
    bound to another chat are left out. `shown_keys`: content keys of exchanges that the prompt
    already shows. `stale_ids`: memories whose exchange the chat no longer contains. `left_out_ids`:
    memories that the user does not want in this chat, nor any with the same text.
    `in_system_block`: ids of memories that the system block shows in full. `carried_over_scores`:
    scores by id, left over from earlier messages. `now`: time of the message; without it, no date
    is understood. `only_named_dates`: drop memories of other times than an explicit date of the
    message. `is_explicit_request`: the user asked for a memory outright, so the gate need not
    guess. `search_filter`: memories allowed in the result. `need_features`: set after the search.
    """

    text: str
    names: tuple[str, ...] = ()
    conversation: str = ""
    context: tuple[str, ...] = ()
    shown_keys: frozenset[str] = frozenset()
    stale_ids: frozenset[str] = frozenset()
    left_out_ids: frozenset[str] = frozenset()
    in_system_block: frozenset[str] = frozenset()
    carried_over_scores: Mapping[str, float] = field(default_factory=empty_mapping)
    now: datetime | None = None
    only_named_dates: bool = False
    is_explicit_request: bool = False
    search_filter: SearchFilter = NO_FILTER
    need_features: NeedFeatures | None = None

    def prepared(self) -> "Query":
        """Returns the query with its words found, and texts short enough for a waiting user."""
        text, context = abridge(self.text), tuple(map(abridge, self.context))
        is_short = (text, context) == (self.text, self.context)
        query = self if is_short else replace(self, text=text, context=context)
        _ = query.dates, query.words  # once for all namespaces that are searched
        return query

    def with_need_features(self, features: NeedFeatures) -> "Query":
        """Returns a copy with these features; everything parsed from the text stays cached."""
        judged = copy(self)
        object.__setattr__(judged, "need_features", features)
        return judged

    @cached_property
    def dates(self) -> tuple[DateRange, ...]:
        """Dates that the message names. A bare day or weekday means the last and the next one.

        A question about the weather asks for nobody's plans, so its dates do not count.
        """
        found = self._likeliest_dates
        if not found or self.now is None or asks_about_weather(self.text):
            return ()
        return with_adjacent_turns(found, self.now)

    @cached_property
    def _likeliest_dates(self) -> tuple[DateRange, ...]:
        return find_dates(self.text, self.now) if self.now else ()

    @property
    def required_dates(self) -> tuple[DateRange, ...]:
        """Explicit dates of the message if memories of other dates are to be dropped, else none."""
        return (
            tuple(date_range for date_range in self.dates if date_range.is_explicit)
            if self.only_named_dates
            else ()
        )

    @cached_property
    def words(self) -> list[str]:
        """Terms to search for, without dates, names, and "do you remember".

        Every memory contains the names. A memory that says "yesterday" is not from yesterday.
        """
        return [word for part in self.parts for word in part]

    @cached_property
    def parts(self) -> list[list[str]]:
        """Terms of each sentence, in at most three groups.

        Questions form groups of their own, so that the sentences around do not drown them. "What
        did we talk about yesterday?" asks for the day alone.
        """
        if self.dates and only_asks_what_was_said(self.text_without_dates, self.names):
            return []
        text = without_greeting(self.text_without_dates, self.names)
        asked = without_asking_to_be_told(without_asking_if_remembered(text))
        by_sentence = [
            ([word for word in terms(sentence) if word not in self._name_words], sentence)
            for sentence in sentences(asked)
        ]
        word_groups = [
            (words, _ASKS.search(sentence) is not None) for words, sentence in by_sentence if words
        ]
        question_words = [words for words, asks in word_groups if asks]
        if len(word_groups) <= _MAX_PARTS or len(question_words) in (0, len(word_groups)):
            return _merge_parts([words for words, _ in word_groups], _MAX_PARTS)
        statements = [words for words, asks in word_groups if not asks]
        questions = _merge_parts(question_words, _MAX_PARTS - 1)
        return [*questions, *_merge_parts(statements, _MAX_PARTS - len(questions))]

    @cached_property
    def topics(self) -> list[str]:
        """Everyday topics that the message touches, as search terms."""
        return list(dict.fromkeys(topics(self.text)))

    @cached_property
    def is_about_a_date(self) -> bool:
        """Returns whether the message names a date and hardly anything else.

        "What should I cook tonight?" is about the food.
        """
        has_few_words = len(drop_paired_characters(self.words)) <= _FEW_WORDS
        return bool(self.dates) and has_few_words and not self.asks_for_a_proposal

    @property
    def names_a_day(self) -> bool:
        """Returns whether the message names a day such as "the 18th"; small talk has "Monday"."""
        return any([day.is_explicit or day.cycle is Cycle.MONTH for day in self.dates])

    @cached_property
    def is_about_the_future(self) -> bool:
        """Returns whether the message reports or plans what happens today or later.

        "What should I cook tonight?" asks for a proposal, not for what was said today.
        """
        if self.is_explicit_request or self.is_about_a_date or self.names_a_past_time:
            return False
        return self.asks_for_a_proposal or not self.asks

    @cached_property
    def asks_for_a_proposal(self) -> bool:
        """Returns whether the message asks for something to be proposed, fetched or prepared."""
        return asks_for_a_proposal(self.text)

    @property
    def wants_a_value(self) -> bool:
        """Returns whether the message asks for a time or an amount, and not for a former one."""
        return not (self.dates or self.asks_about_the_past) and asks_for_a_value(self.text)

    @cached_property
    def asks(self) -> bool:
        """Returns whether a sentence of the message is a question or a request for information."""
        return asks_to_be_told(self.text) or any(map(asks, sentences(self.text)))

    @cached_property
    def overview(self) -> Overview | None:
        """The overview that the message asks for instead of particular memories."""
        return overview_asked_for(self.text, self.names)

    @cached_property
    def own_subject(self) -> OwnSubject | None:
        """The part of the user's life that the whole message asks for."""
        return own_subject_asked_for(self.text, self.names)

    @cached_property
    def context_words(self) -> dict[str, float]:
        """Terms of the context that the message lacks, with weights.

        They fade with each exchange back. A short message continues the user's own last words, so
        terms of the answers count less.
        """
        own, found = {*self.words, *self._name_words}, dict[str, float]()
        for age, text in enumerate(reversed(self.context)):
            is_answer = len(self.context) > 1 and age % 2 == 0
            weight = _ANSWER_WEIGHT if is_answer else _CONTEXT_WEIGHT
            weight *= _CONTEXT_DECAY ** (age // 2)
            for word in terms(text):
                if word not in own:
                    found[word] = max(found.get(word, 0.0), weight)
        return found

    @property
    def context_text(self) -> str:
        """Context as one text for the embedder."""
        return "\n".join(self.context)

    @property
    def context_weight(self) -> float:
        """Weight of the context in the query vector; the longer the message, the smaller."""
        return min(_CONTEXT_WEIGHT, 1.0 / max(1, len(drop_paired_characters(self.words))))

    @cached_property
    def names_a_past_time(self) -> bool:
        """Returns whether the message names a past time. Today does not count: greetings use it."""
        today = self.now.date() if self.now else None
        return any(
            today and date_range.start.date() < today for date_range in self._likeliest_dates
        )

    @cached_property
    def asks_about_the_past(self) -> bool:
        """Returns whether the message asks how things were, so that outdated memories answer it."""
        return self.names_a_past_time or asks_how_things_were(self.text)

    @cached_property
    def addressed_speaker(self) -> int | None:
        """Index of the name that the message asks about: 0 user, 1 character, None neither.

        A message with both names, or one that merely addresses a person, asks about neither.
        """
        sides = [
            side
            for side, name in enumerate(self.names[:2])
            if is_name(name) and _name_pattern(name).search(self.text)
        ]
        if len(sides) != 1 or _vocative_pattern(self.names[sides[0]]).search(self.text):
            return None
        return sides[0]

    def addressed_side(self, speakers: tuple[str, str]) -> int | None:
        """Returns the side of an exchange that the addressed speaker has: 0, 1, or None."""
        if self.addressed_speaker is None:
            return None
        name = self.names[self.addressed_speaker].casefold()
        sides = [side for side, speaker in enumerate(speakers) if speaker.casefold() == name]
        return sides[0] if sides else self.addressed_speaker

    @cached_property
    def text_for_embedder(self) -> str:
        """Text for the embedder, without names; the addressed speaker becomes "I" or "my"."""
        text = self.text
        if self.addressed_speaker is not None:
            name = self.names[self.addressed_speaker]
            text = _possessive_pattern(name).sub("my", text)
            text = _name_pattern(name).sub("I", text)
        for name in filter(is_name, self.names):
            text = _name_pattern(name).sub(" ", text)
        return text.strip() or self.text

    @cached_property
    def _name_words(self) -> frozenset[str]:
        names = filter(is_name, self.names)
        return frozenset(word for name in names for word in drop_paired_characters(terms(name)))

    @property
    def text_without_dates(self) -> str:
        """Text without dates and without names written in Chinese characters."""
        text = self.text
        for start, end in sorted({found.span for found in self._likeliest_dates}, reverse=True):
            text = f"{text[:start]} {text[end:]}"
        for name in filter(_HAN_NAME.fullmatch, filter(is_name, self.names)):
            text = text.replace(name, " ")
        return text


def _merge_parts(sentences: Sequence[list[str]], parts: int) -> list[list[str]]:
    """Joins neighbouring sentences into at most `parts` groups."""
    size = -(-len(sentences) // parts) or 1
    return [
        list(chain(*sentences[start : start + size])) for start in range(0, len(sentences), size)
    ]


@lru_cache(maxsize=64)
def _name_pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name) or '(?!)'}(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=64)
def _vocative_pattern(name: str) -> re.Pattern[str]:
    """Matches a name that addresses somebody: "Ana, …" or "…, Ana!"."""
    escaped = re.escape(name)
    return re.compile(
        rf"^\W*(?:\w+\W+)?{escaped}\s*[,!:，！：]|[,，]\s*{escaped}\W*$",  # noqa: RUF001
        re.IGNORECASE,
    )


@lru_cache(maxsize=64)
def _possessive_pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name) or '(?!)'}['’]s(?!\w)", re.IGNORECASE)  # noqa: RUF001


def explicit_query(text: str, now: float, search_filter: SearchFilter = NO_FILTER) -> Query:
    """Returns the query of somebody who asks for memories outright, at `now` since the epoch."""
    return Query(
        text=text,
        now=local_time(now),
        is_explicit_request=True,
        search_filter=search_filter,
    )


def local_time(seconds: float) -> datetime:
    """Returns a time, in seconds since the epoch, in this machine's time zone."""
    return datetime.fromtimestamp(seconds, UTC).astimezone()


def warm_up() -> None:
    """Loads the data and patterns that the first query of a process needs."""
    _ = cue("what is my")
    for text in (_SAMPLE_DATES, "昨天"):
        query = Query(text=text, now=local_time(0.0))
        _ = query.words, query.own_subject
    load_lexicons()
    _ = non_answer_terms()
