"""Splits off earlier questions that resemble the message and got no answer.

"What's my dog called" has all words of today's question, but if its answer was "I'm not sure you
ever told me", it is of no use. At the gate its score would be the best, and the statement that
answers the question would be dropped by comparison. An explicit search lists it last.
"""

# ruff: noqa: RUF001

import re
from collections.abc import Sequence

from ..domain.records import Memory
from ..infra.lru_cache import memoize
from ..text.cleaning import clean_answer
from ..text.common_words import word_weights
from ..text.questions import asks
from ..text.search_terms import indivisible_terms
from ..text.sentences import each_sentence
from .non_answers import is_non_answer, non_answer_terms
from .results import Candidate, Dropped, DropReason

_DETAIL = "a question like this one, which got no answer"
_MAX_NEW = 0.9  # rare words of its own: "Did you know that I live in Oslo?" states a fact
_MAX_ASKED = 1.1  # rare words of questions that name what they ask for: "what breed is my dog"
_NAMES_WHAT_IT_ASKS = re.compile(
    r"\W*(?:(?:so|and|hey|und|et|y|а|и)\s+)?(?:(?:what|where|who|when|how)s?|which|why"
    r"|was(?!\s+(?:i|my|the|that|this|it|he|she|we)\b)|wo|wer|wann|wie|welche[rsnm]?|warum"
    r"|quel(?:le)?s?|qui|que|quand|où|comment|combien"
    r"|qué|qui[eé]n|cu[aá]l|cuándo|cuánt[oa]s?|dónde|cómo|кто|что|где|когда|как|сколько)\b"
    r"(?!\s+if\b|[^\n]*(?:,|[.?!\n]\s*\w))"  # a further clause may state something
    r"|[^，。？?]{0,60}(?:什[么麼]|哪|[谁誰]|多少|怎[么麼]|[几幾]|何|どこ|いつ|なぜ)[^，。？?]*[。？?]?\Z",
    re.IGNORECASE,
)
_CACHE_CHARS = 500_000


def split_unanswered(
    text: str, candidates: Sequence[Candidate]
) -> tuple[list[Candidate], list[Dropped]]:
    """Splits off questions with hardly any new word whose answer says "I do not know"."""
    if not any([_only_asks(candidate.memory) for candidate in candidates]):
        return list(candidates), []
    known = non_answer_terms() | indivisible_terms(text)
    left: list[Candidate] = []
    dropped: list[Dropped] = []
    for candidate in candidates:
        if _is_unanswered(candidate.memory, known):
            found = Dropped(candidate=candidate, reason=DropReason.GATE, detail=_DETAIL)
            dropped.append(found)
        else:
            left.append(candidate)
    return left, dropped


def _is_unanswered(memory: Memory, known: frozenset[str]) -> bool:
    exchange = memory.exchange
    if exchange is None or not _only_asks(memory):
        return False
    asked = indivisible_terms(exchange.user)
    if _may_contain_answer(exchange.user, asked - known):
        return False
    return is_non_answer(clean_answer(exchange.assistant), known | asked)


def _may_contain_answer(question: str, new: frozenset[str]) -> bool:
    """Returns whether the new words of a question may contain an answer."""
    weight = sum(word_weights(new, question).values())
    if _NAMES_WHAT_IT_ASKS.match(question):
        return len(new) > 1 and weight > _MAX_ASKED
    return weight > _MAX_NEW


def asks_in_vain(memory: Memory) -> bool:
    """Returns whether an exchange only asks, and its answer only says "I do not know"."""
    exchange = memory.exchange
    if exchange is None or not _only_asks(memory):
        return False
    known = non_answer_terms() | indivisible_terms(exchange.user)
    return is_non_answer(clean_answer(exchange.assistant), known)


def _only_asks(memory: Memory) -> bool:
    return memory.exchange is not None and _has_only_questions(memory.exchange.user)


@memoize(chars=_CACHE_CHARS)
def _has_only_questions(text: str) -> bool:
    """Returns whether there are sentences, and each is a question."""
    return bool(text.strip()) and all(map(asks, each_sentence(text)))
