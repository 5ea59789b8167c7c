"""What recall is asked: the message, who talks, and what must not come back."""

import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from itertools import chain

from ..domain.records import empty_mapping
from ..storage.contract import NO_FILTER, SearchFilter
from ..text.dates.find_dates import DateRange, find_dates, with_adjacent_years
from ..text.placeholder_names import is_name
from ..text.search_terms import drop_contained_pairs, terms
from ..text.sentences import abridge, sentences
from ..text.topics import topics
from .cue import cue
from .evidence import NeedFeatures

_FEW_WORDS = 1
_MAX_PARTS = 3
_CONTEXT_WORD = 0.5
_FADES = 0.7
_ASKS = re.compile(r"[?？][\"'”’」』）)\s]*$")  # noqa: RUF001
_HAN_NAME = re.compile("[\u3400-\u9fff]{2,}")
_WITHIN_SENTENCE = re.compile(r"(?<=[^\W_] )[^\W\d_]{2,}")


@dataclass(frozen=True, kw_only=True)
class Query:
    """`names` are the user's and the character's, of which "You" and "AI" count as none; `context`
    is what was said just before, latest last.
    `conversation` is the chat in which it is asked: what holds in another alone does not come.
    `shown` holds content keys of what the prompt holds anyway, `stale` ids of memories that the
    chat no longer says, `standing` of those that the system block holds whole, `sticky` the scores
    that earlier messages lend to what they recalled.
    `now` is when it is asked; without it no time is understood. `only_named_dates`: what is of
    another time than an explicit date of the message must not come. `is_wanted`: a memory was asked
    for outright, so that nobody has to guess. `only` restricts what may come. `evidence` comes from
    the search.
    """

    text: str
    names: tuple[str, ...] = ()
    conversation: str = ""
    context: tuple[str, ...] = ()
    shown_keys: frozenset[str] = frozenset()
    stale_ids: frozenset[str] = frozenset()
    in_system_block: frozenset[str] = frozenset()
    carried_over_scores: Mapping[str, float] = field(default_factory=empty_mapping)
    now: datetime | None = None
    only_named_dates: bool = False
    is_explicit_request: bool = False
    search_filter: SearchFilter = NO_FILTER
    need_features: NeedFeatures | None = None

    @property
    def truncated(self) -> "Query":
        """Itself with no more text than recall can look at while somebody waits."""
        return replace(self, text=abridge(self.text), context=tuple(map(abridge, self.context)))

    def judged_by(self, evidence: NeedFeatures) -> "Query":
        """Returns the query with this evidence; all that was read from its text stays known."""
        found = copy(self)
        object.__setattr__(found, "need_features", evidence)
        return found

    @cached_property
    def dates(self) -> tuple[DateRange, ...]:
        """The times that the message names; a day without a year is the last and the next one."""
        return with_adjacent_years(self._likeliest_dates, self.now) if self.now else ()

    @cached_property
    def _likeliest_dates(self) -> tuple[DateRange, ...]:
        return find_dates(self.text, self.now) if self.now else ()

    @property
    def required_dates(self) -> tuple[DateRange, ...]:
        """The times to which the message restricts what may come, if to any."""
        return tuple(it for it in self.dates if it.is_explicit) if self.only_named_dates else ()

    @cached_property
    def words(self) -> list[str]:
        """The terms to search for, without those of a time and the names, which say nothing here:
        every memory has the names, and what was said "yesterday" was not said yesterday.
        """
        return [word for part in self.parts for word in part]

    @cached_property
    def parts(self) -> list[list[str]]:
        """The words sentence by sentence, in at most three parts: a question is not to be drowned
        by what is said around it.
        """
        found = [
            ([word for word in terms(it) if word not in self._name_words], it)
            for it in sentences(self.text_without_dates)
        ]
        spoken = [(words, _ASKS.search(it) is not None) for words, it in found if words]
        asked = [words for words, asks in spoken if asks]
        if len(spoken) <= _MAX_PARTS or len(asked) in (0, len(spoken)):
            return _merge_parts([words for words, _ in spoken], _MAX_PARTS)
        told = [words for words, asks in spoken if not asks]
        questions = _merge_parts(asked, _MAX_PARTS - 1)
        return [*questions, *_merge_parts(told, _MAX_PARTS - len(questions))]

    @cached_property
    def topics(self) -> list[str]:
        """The everyday topics that the message touches, as search terms."""
        return list(dict.fromkeys(topics(self.text)))

    @cached_property
    def proper_words(self) -> frozenset[str]:
        """The terms of what begins with a capital letter in the middle of a sentence."""
        found = (it for it in _WITHIN_SENTENCE.findall(self.text) if it[0].isupper())
        return frozenset(word for it in found for word in terms(it)) - self._name_words

    @cached_property
    def is_about_a_date(self) -> bool:
        """Whether the message is about a time and hardly anything else."""
        return bool(self.dates) and len(drop_contained_pairs(self.words)) <= _FEW_WORDS

    @cached_property
    def context_words(self) -> dict[str, float]:
        """The terms of the turns before that the message itself lacks: less for each turn back."""
        own, found = {*self.words, *self._name_words}, dict[str, float]()
        for age, text in enumerate(reversed(self.context)):
            for word in terms(text):
                if word not in own:
                    found.setdefault(word, _CONTEXT_WORD * _FADES**age)
        return found

    @property
    def context_text(self) -> str:
        """The context for the embedder."""
        return "\n".join(self.context)

    @property
    def context_weight(self) -> float:
        """How far the context draws the message's vector: less, the more the message says."""
        return min(_CONTEXT_WORD, 1.0 / max(1, len(drop_contained_pairs(self.words))))

    @cached_property
    def names_a_past_time(self) -> bool:
        """Whether it names a time that has begun, today left out: people greet with that."""
        today = self.now.date() if self.now else None
        return any(today and it.start.date() < today for it in self._likeliest_dates)

    @cached_property
    def addressed_speaker(self) -> int | None:
        """Which of the two names the message holds, where it holds only one of them and does not
        merely call somebody by it.
        """
        named = [
            at
            for at, name in enumerate(self.names[:2])
            if is_name(name) and _name_pattern(name).search(self.text)
        ]
        if len(named) != 1 or _vocative_pattern(self.names[named[0]]).search(self.text):
            return None
        return named[0]

    def addressed_side(self, speakers: tuple[str, str]) -> int | None:
        """The same as one of the two sides of an exchange, whoever speaks first in it."""
        if self.addressed_speaker is None:
            return None
        name = self.names[self.addressed_speaker].casefold()
        sides = [side for side, it in enumerate(speakers) if it.casefold() == name]
        return sides[0] if sides else self.addressed_speaker

    @property
    def text_for_embedder(self) -> str:
        """The text for the embedder, which knows no names: as the one asked about would say it."""
        text = self.text
        if self.addressed_speaker is not None:
            name = self.names[self.addressed_speaker]
            text = _possessive_pattern(name).sub("my", text)
            text = _name_pattern(name).sub("I", text)
        for name in filter(is_name, self.names):
            text = _name_pattern(name).sub(" ", text)
        return text.strip() or self.text

    @cached_property
    def own_names(self) -> frozenset[str]:
        """The words of the names of the two who talk, in small letters."""
        return frozenset(it for name in self.names for it in name.casefold().split())

    @cached_property
    def _name_words(self) -> frozenset[str]:
        names = filter(is_name, self.names)
        return frozenset(word for name in names for word in drop_contained_pairs(terms(name)))

    @property
    def text_without_dates(self) -> str:
        """The text without its times, nor the names that stand in it without blanks."""
        text = self.text
        for start, end in sorted({it.span for it in self.dates}, reverse=True):
            text = f"{text[:start]} {text[end:]}"
        for name in filter(_HAN_NAME.fullmatch, filter(is_name, self.names)):
            text = text.replace(name, " ")
        return text


def _merge_parts(sentences: Sequence[list[str]], parts: int) -> list[list[str]]:
    """Neighbours together, so that there are at most so many."""
    size = -(-len(sentences) // parts) or 1
    return [list(chain(*sentences[at : at + size])) for at in range(0, len(sentences), size)]


@lru_cache(maxsize=64)
def _name_pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name) or '(?!)'}(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=64)
def _vocative_pattern(name: str) -> re.Pattern[str]:
    """Ana, …; … , Ana!"""
    said = re.escape(name)
    return re.compile(
        rf"^\W*(?:\w+\W+)?{said}\s*[,!:，！：]|[,，]\s*{said}\W*$",  # noqa: RUF001
        re.IGNORECASE,
    )


@lru_cache(maxsize=64)
def _possessive_pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name) or '(?!)'}['’]s(?!\w)", re.IGNORECASE)  # noqa: RUF001


def local_time(seconds: float) -> datetime:
    """This moment in the time zone of this machine; seconds since the epoch."""
    return datetime.fromtimestamp(seconds, UTC).astimezone()


def warm_up() -> None:
    """Loads and compiles, before anybody waits, what the first query of a process needs."""
    _ = cue("a")
    _ = Query(text="walking yesterday, 昨天", now=local_time(0.0)).words
    _ = topics("walking")
