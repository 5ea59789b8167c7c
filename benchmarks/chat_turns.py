"""Questions as messages in the middle of a chat, made by rule: "what about the other one?".

People leave out the name of a thing that they have just mentioned. So each question has four forms:
* plain: as the file has it, nothing said before;
* unrelated before: the same, after the last exchange of a session drawn with a fixed seed;
* elliptic: without its specific words that the related exchange has, nothing said before;
* elliptic in context: the elliptic one, after the related exchange.

The related exchange is the one with most of the question's specific words (the sum of
log(exchanges / those with the word); the earlier of equals). Specific is what at most a tenth of
the exchanges have, no stop word and no name of the two who talk; in Chinese, a pair of characters.
Both exchanges said before are of sessions that hold no evidence, and the prompt shows them, so that
they cannot be recalled. A question that shares no specific word with any is left out of all four.
"""

import math
import random
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from benchmarks.locomo import Conversation, Place, Question
from memory_core.domain.records import Exchange
from memory_core.text.search_terms import terms

PLAIN, UNRELATED = "plain", "unrelated before"
ELLIPTIC, IN_CONTEXT = "elliptic", "elliptic in context"
WAYS = (PLAIN, UNRELATED, ELLIPTIC, IN_CONTEXT)
_SEED = 20
_SPECIFIC = 0.1
_WORDS = re.compile(r"(?=([\u3400-\u9fff]{2}))|([^\W_\u3400-\u9fff]+)")
_CHARACTER = re.compile("[\u3400-\u9fff]")
_GAPS = re.compile(r"\s+(?=[\s?!.,])")

Terms = Mapping[Place, Collection[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """The exchange that a question follows, and the words that it then leaves out."""

    exchange: Exchange
    words: Collection[str]


def chat_turns(conversation: Conversation) -> Iterator[Question]:
    """Returns every question in all four forms, which are its categories."""
    said = {place: _terms(it) for place, it in conversation.exchanges.items()}
    rarity = _rarity(conversation, said)
    for question in conversation.questions:
        elsewhere = _elsewhere(conversation, question)
        related = _related(question, elsewhere, said, rarity)
        if related:
            yield from _ways(question, related, _unrelated(question, elsewhere))


def elliptic(text: str, words: Collection[str]) -> str:
    """Returns the text without these words, in any inflected form."""
    cut: set[int] = set()
    for match in _WORDS.finditer(text):
        group = match.lastindex or 0
        if not _specific(match[group]).isdisjoint(words):
            cut.update(range(*match.span(group)))
    left = "".join(" " if index in cut else letter for index, letter in enumerate(text))
    return _GAPS.sub("", left).strip()


def _ways(question: Question, related: Related, unrelated: Exchange) -> Iterator[Question]:
    plain = replace(question, category=PLAIN)
    short = replace(question, category=ELLIPTIC, text=elliptic(question.text, related.words))
    yield plain
    yield replace(plain, category=UNRELATED).after(unrelated)
    yield short
    yield replace(short, category=IN_CONTEXT).after(related.exchange)


def _elsewhere(conversation: Conversation, question: Question) -> dict[Place, Exchange]:
    """Returns the exchanges of all sessions without evidence."""
    sessions = {place.session for place in question.evidence}
    return {
        place: exchange
        for place, exchange in conversation.exchanges.items()
        if place.session not in sessions
    }


def _related(
    question: Question,
    elsewhere: Mapping[Place, Exchange],
    said: Terms,
    rarity: Mapping[str, float],
) -> Related | None:
    asked = [term for term in dict.fromkeys(terms(question.text)) if term in rarity]
    shared = {
        place: [question for question in asked if question in said[place]] for place in elsewhere
    }
    best = max(shared, key=lambda place: sum(map(rarity.__getitem__, shared[place])), default=None)
    if best is None or not shared[best]:
        return None
    return Related(exchange=elsewhere[best], words=shared[best])


def _unrelated(question: Question, elsewhere: Mapping[Place, Exchange]) -> Exchange:
    last = {place.session: it for place, it in elsewhere.items()}
    return random.Random(f"{_SEED} {question.text}").choice(list(last.values()))


def _rarity(conversation: Conversation, said: Terms) -> dict[str, float]:
    """Returns the rarity of each specific word."""
    often = Counter(word for words in said.values() for word in words)
    names = {term for name in conversation.speakers for term in terms(name)}
    most = _SPECIFIC * len(said)
    return {
        word: math.log(len(said) / times)
        for word, times in often.items()
        if times <= most and word not in names
    }


def _terms(exchange: Exchange) -> frozenset[str]:
    return _specific(f"{exchange.user}\n{exchange.assistant}")


def _specific(text: str) -> frozenset[str]:
    return frozenset(term for term in terms(text) if not _CHARACTER.fullmatch(term))
