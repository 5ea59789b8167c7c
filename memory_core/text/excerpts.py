"""Picks the sentences of a text that best answer a message."""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Sequence, Set
from itertools import chain
from math import log
from typing import NamedTuple

from ..infra.lru_cache import memoize
from .questions import asks_for_a_value, has_a_value
from .search_terms import terms
from .sentences import (
    GAP,
    Span,
    abridge,
    is_question,
    join_spans,
    letter_width,
    sentence_spans,
)
from .topics import MARK, topics, topics_by_word

_VALUE = f"{MARK}value"  # stands for a number or a weekday in a sentence
_WORDS = re.compile(r"\w+|[?？]")  # noqa: RUF001
_MORE = " …"
_MIN_PART = 20  # letters of a sentence that is cut off
_LOOKED_AT = 20_000  # letters: a pasted book must not delay the message that recalls it
_MAX_TOPIC_CHARS = 2_000  # of a longer text, each sentence would take too long
_LOOKED_UP = 40  # words searched in such a long text
_CACHE_CHARS = 1_000_000


def words_wanted(message: str) -> frozenset[str]:
    """Returns the words for an excerpt that answers this message.

    They are its search terms and topics, and a mark for values if it asks "when" or "how much".
    """
    text = abridge(message)
    value = (_VALUE,) if asks_for_a_value(text) else ()
    return frozenset((*terms(text), *topics(text), *value))


def excerpt(text: str, limit: int, *, words: Collection[str] = ()) -> str:
    """Returns the sentences with most of `words`, which words_wanted() names, without duplicates.

    The result has at most `limit` characters. Without words, the first sentences are returned.
    Omitted sentences show as "…", except at the beginning. If the best sentence alone is longer
    than `limit`, it is cut around `words`, between words if possible. The beginning of another
    sentence fills the rest. Of a very long text, only the part with the most of `words` is
    searched.
    """
    text = text.strip()
    if len(text) > _LOOKED_AT:
        plain_words = (word for word in words if not word.startswith(MARK))
        longest_first = sorted(plain_words, key=lambda word: (-len(word), word))
        text = _densest_part(text, *longest_first[:_LOOKED_UP])
    if len(text) <= limit:
        return text
    ranked = _ranked(text, *sorted(words))
    best = text[slice(*ranked.spans[ranked.order[0]])]
    return _cut(best, limit, words) if len(best) > limit else _joined(text, ranked, limit)


@memoize(chars=_CACHE_CHARS)
def _densest_part(text: str, *words: str) -> str:
    # A plain search for terms is enough: words mostly begin with their search term.
    folded = text.lower()
    if len(folded) != len(text):  # a few letters change their length, which would shift positions
        folded = "".join(char.lower()[:1] for char in text)
    starts = range(0, len(text) - _LOOKED_AT // 2, _LOOKED_AT // 2)
    counts = {start: _count_words(folded, start, words) for start in starts}
    best = max(starts, key=lambda start: counts[start])
    return text[best : best + _LOOKED_AT].strip()


def _count_words(folded: str, start: int, words: Collection[str]) -> int:
    return sum(folded.find(word, start, start + _LOOKED_AT) >= 0 for word in words)


def _joined(text: str, ranked: "_Ranked", limit: int) -> str:
    """Returns the sentences that fit, and the beginning of one more."""
    spans, chosen = ranked.spans, _choose_fitting(text, ranked, limit)
    whole = [spans[index] for index in chosen]
    used = {ranked.plain[index] for index in chosen}
    left_out = (spans[index] for index in ranked.order if ranked.plain[index] not in used)
    shown = _shown(text, whole)
    partial = next(left_out, None)
    if partial and (filled := _with_beginning(text, whole, partial, limit - len(shown))):
        return filled
    return shown if len(shown) <= limit else join_spans(text, whole)


def _with_beginning(text: str, whole: Sequence[Span], left_out: Span, room: int) -> str:
    """Returns the whole sentences and the beginning of one more, or "" if hardly any of it fits."""
    start, end = left_out
    ends = [end for _, end in whole if end <= start]
    between = text[ends[-1] : start] if ends else GAP
    room -= len(GAP) if between.strip() else len(between)  # an indented line has a wide blank
    part = _beginning(text[start:end], room) if end - start > room else ""
    if letter_width(part) < _MIN_PART:
        return ""
    return _shown(text, sorted((*whole, (start, start + len(part)))))


class _Ranked(NamedTuple):
    """The sentences of a text, their words without marks, and their indices, best first."""

    spans: Sequence[Span]
    plain: Sequence[str]
    order: Sequence[int]


@memoize(chars=_CACHE_CHARS)
def _ranked(text: str, *words: str) -> _Ranked:
    """Ranks the sentences: those with most of the words first, rare words counting more.

    Among equals, statements come before questions, and earlier sentences before later ones.
    Cached, because a memory is cut to several lengths until it fits.
    """
    spans = list(sentence_spans(text))
    parts = [text[start:end] for start, end in spans]
    named = topics_by_word(text) if words and len(text) <= _MAX_TOPIC_CHARS else ()
    marks = set(words).intersection(chain((_VALUE,), *named))
    matches = [_words_and_marks(part, marks).intersection(words) if words else () for part in parts]
    counts = Counter(chain.from_iterable(matches))
    weights = {word: log(1.0 + len(parts) / count) for word, count in counts.items()}
    scores = [sum(weights[word] for word in sorted(matched)) for matched in matches]
    asks = [is_question(part) for part in parts] if counts else [False] * len(parts)
    best_first = sorted(range(len(parts)), key=lambda index: (-scores[index], asks[index], index))
    return _Ranked(spans, list(map(_plain, parts)), best_first)


def _words_and_marks(sentence: str, marks: Set[str]) -> set[str]:
    """Returns a sentence's search terms, and its topics and mark of values if `marks` has such."""
    found = set(terms(sentence))
    if _VALUE in marks and has_a_value(sentence):
        found.add(_VALUE)
    if marks - {_VALUE}:
        found.update(*topics_by_word(sentence))
    return found


def _plain(sentence: str) -> str:
    """Returns the words in lower case, or the sentence itself if it has none."""
    return " ".join(_WORDS.findall(sentence.casefold())) or sentence


def _choose_fitting(text: str, ranked: _Ranked, limit: int) -> list[int]:
    """Returns the indices of the sentences that fit, in order; the best one always fits.

    Tries skipped sentences again, because closing a gap saves space. Leaves out duplicates.
    """
    spans, chosen = ranked.spans, [ranked.order[0]]
    used = {ranked.plain[chosen[0]]}
    length = len(_shown(text, [spans[chosen[0]]]))
    count, skipped = 0, ranked.order[1:]
    while len(chosen) != count:
        count, waiting, skipped = len(chosen), skipped, []
        for index in waiting:
            if ranked.plain[index] in used:
                continue
            position = bisect(chosen, index)
            around = [spans[one] for one in chosen[max(0, position - 1) : position + 1]]
            longer = length + _length_added(text, spans[index], around)
            if longer > limit:
                skipped.append(index)
                continue
            chosen.insert(position, index)
            used.add(ranked.plain[index])
            length = longer
    return chosen


def _length_added(text: str, span: Span, neighbours: Sequence[Span]) -> int:
    """Returns the extra length of an excerpt with this sentence between its neighbours."""
    return len(_shown(text, sorted((*neighbours, span)))) - len(_shown(text, neighbours))


def _shown(text: str, spans: Sequence[Span]) -> str:
    return join_spans(text, spans) + ("" if spans[-1][1] == len(text) else _MORE)


def _cut(sentence: str, limit: int, words: Collection[str]) -> str:
    """Returns the part of the sentence with the most of `words`, else its beginning."""
    start = 0
    if words:
        step = max(1, limit // 4)
        starts = range(0, max(1, len(sentence) - limit + step), step)
        found = [terms(sentence[start : start + limit]) for start in starts]
        counts = [len(set(part).intersection(words)) for part in found]
        start = starts[counts.index(max(counts))]
    if not start or limit < _MIN_PART:
        return _head(sentence, limit)
    part = sentence[start:]
    if not sentence[start - 1].isspace():
        part = part.partition(" ")[2] if " " in part[: limit // 2] else part
    part = part.lstrip()
    return "…" + (part if len(part) < limit else _head(part, limit - 1))


def _head(sentence: str, limit: int) -> str:
    return _beginning(sentence, limit - 1) + "…"


def _beginning(sentence: str, limit: int) -> str:
    """Returns less than the whole sentence, at most `limit` letters, in whole words if possible."""
    head = sentence[: max(0, limit)]
    whole_words = head.rpartition(" ")[0] if not sentence[len(head)].isspace() else head
    return (whole_words or head).rstrip()
