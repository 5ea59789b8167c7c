"""A sitting and what it was about, said in its own words: no model, nothing invented."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from itertools import groupby

from ..domain.records import Memory
from ..recall.quoted_sentences import NO_QUOTES, QuotedSentences
from ..text.cleaning import clean_answer
from ..text.placeholder_names import ASSISTANT, USER, name_or_role
from ..text.search_terms import terms
from ..text.sentences import is_question, sentences
from .templates import date_in_digits

_SHORTEST, _LONGEST = 12, 240
_GAP = " … "
_HAN, _KANA = re.compile(r"[\u3400-\u9fff]"), re.compile(r"[\u3040-\u30ff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Exchanges of one conversation without a long pause between them, oldest first."""

    memories: tuple[Memory, ...]

    @property
    def started(self) -> float:
        return self.memories[0].ts or 0.0


def group_into_sessions(memories: Iterable[Memory], *, pause_s: float) -> list[Session]:
    """Dated exchanges grouped into sittings, the latest first."""
    dated = [memory for memory in memories if memory.exchange is not None and memory.ts is not None]
    dated.sort(key=lambda memory: (memory.conversation, memory.ts, memory.position, memory.turn_id))
    found = [
        Session(memories=tuple(sitting))
        for _, talk in groupby(dated, key=lambda memory: memory.conversation)
        for sitting in _split(list(talk), pause_s)
    ]
    return sorted(found, key=lambda session: session.started, reverse=True)


def _split(talk: Sequence[Memory], pause_s: float) -> Iterable[list[Memory]]:
    sitting = [talk[0]]
    for memory in talk[1:]:
        if (memory.ts or 0.0) - (sitting[-1].ts or 0.0) > pause_s:
            yield sitting
            sitting = []
        sitting.append(memory)
    yield sitting


def summarise_session(
    session: Session, *, limit: int, quoted: QuotedSentences = NO_QUOTES, tz: tzinfo | None = None
) -> str:
    """`(date) Name: sentence … sentence`: what the user stated that the sitting turned on most, but
    nothing that is quoted already. Who only asked is said to have asked; where the user said
    nothing, it is what was answered.

    Sentences are chosen by how much they hold of what recurs in the sitting (the mean weight of
    their terms, as SumBasic does: Nenkova and Vanderwende 2005), and stay in their order.
    """
    day = date_in_digits(session.started, tz)
    for way in _summary_forms(session, quoted):
        head = f"({day}) {way.head}"
        chosen = _best(way.sentences, limit - len(head) - len(way.tail))
        if chosen:
            return head + _GAP.join(chosen) + way.tail
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _SummaryForm:
    """Sentences that may tell of a sitting, and what stands around them."""

    head: str
    sentences: list[str]
    tail: str = ""


def _summary_forms(session: Session, quoted: QuotedSentences) -> Iterator[_SummaryForm]:
    """The best one first."""
    said = [memory.exchange for memory in session.memories if memory.exchange]
    user, assistant = (
        name_or_role(said[0].user_name, USER),
        name_or_role(said[0].assistant_name, ASSISTANT),
    )
    own = _new_sentences([exchange.user for exchange in said], quoted)
    yield _SummaryForm(
        head=_head(user), sentences=[sentence for sentence in own if not is_question(sentence)]
    )
    asked = [sentence for sentence in own if is_question(sentence)]
    if all(map(_is_chinese, asked)):
        yield _SummaryForm(head=f"{user or USER[1]}问：“", sentences=asked, tail="”")  # noqa: RUF001
    else:
        yield _SummaryForm(head=f"{user or USER[0]} asked: “", sentences=asked, tail="”")
    answers = _new_sentences([clean_answer(exchange.assistant) for exchange in said], quoted)
    answered = [sentence for sentence in answers if not is_question(sentence)]
    yield _SummaryForm(head=_head(assistant or ASSISTANT[0]), sentences=answered)


def _head(name: str) -> str:
    return f"{name}: " if name else ""


def _new_sentences(texts: Iterable[str], quoted: QuotedSentences) -> list[str]:
    """Sentences that are not quoted yet, of a length that can stand in a line, each once."""
    said = (
        sentence
        for text in texts
        for sentence in sentences(text)
        if not quoted.repeated_sentences(sentence)
    )
    return [sentence for sentence in dict.fromkeys(said) if _SHORTEST <= len(sentence) <= _LONGEST]


def _is_chinese(text: str) -> bool:
    return bool(_HAN.search(text)) and not _KANA.search(text)


def _best(candidates: Sequence[str], limit: int) -> list[str]:
    weights = Counter(word for text in candidates for word in set(terms(text)))
    chosen: list[int] = []
    left = limit
    while True:
        rest = [n for n in range(len(candidates)) if n not in chosen and len(candidates[n]) <= left]
        if not rest:
            return [candidates[n] for n in sorted(chosen)]
        best = max(rest, key=lambda n: (_weight(candidates[n], weights), -n))
        if not _weight(candidates[best], weights):
            return [candidates[n] for n in sorted(chosen)]
        chosen.append(best)
        left -= len(candidates[best]) + len(_GAP)
        for word in set(terms(candidates[best])):
            weights[word] = 0  # said now: what it said is no reason to say it again


def _weight(text: str, weights: Counter[str]) -> float:
    """What a sentence adds, the more the longer it is, but not in proportion."""
    words = set(terms(text))
    return sum(weights[word] for word in words) / math.sqrt(len(words)) if words else 0.0
