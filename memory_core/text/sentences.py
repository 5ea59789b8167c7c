"""Text into sentences, with or without blanks between them, and the best of them for a query."""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from math import log

from ..infra.lru_cache import memoize
from .search_terms import terms

_END = re.compile(
    r"""(?<![.!?…])[.!?…]++["'”’)\]]*+(?=\s)"""  # noqa: RUF001
    r"""|[。！？｡]+["'」』”’）]*"""  # noqa: RUF001
    r"""|(?=\n)"""
)
_NO_END = re.compile(r"(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|vs|e\.g|i\.e|cf|No|[A-Z])\.$")
_ASKS = re.compile(r"[?？][\"'”’」』”）)]*$")  # noqa: RUF001
# Questions that come without their sign: "where did I put it", "你喜欢茶吗", "元気ですか".
_ASKS_PLAINLY = re.compile(
    r"""(?:what|where|when|who|why|how|which)(?:['’]s|\s+(?:is|are|was|were|do|does|did|can|could
        |will|would|should|has|have|had))\b(?!\s+clear)
    |(?:do|does|did|can|could|will|would|is|are|was|were|should|have|has|shall|may)(?:n['’]t)?\s+
        (?:i|you|we|he|she|it|they|my|your|the|there|that|this)\b
    |.{0,200}(?:[吗嗎][。!！]*|(?:です|ます|ました|でした)か。?)\Z""",  # noqa: RUF001
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_WORDS = re.compile(r"\w+|[?？]")  # noqa: RUF001
_GAP = " … "
_MORE = " …"
_LONGEST_GIST = 4000
_LEAST_PART = 20
_LOOKED_AT = 20_000  # a pasted book must not hold up the message that recalls it
_LOOKED_UP = 40  # words in a text of that kind
_CACHE_CHARS = 1_000_000

Span = tuple[int, int]


def sentences(text: str) -> list[str]:
    """The sentences in order, without the blanks around them; a line's end also ends one."""
    return [text[start:end] for start, end in _spans(text)]


def is_question(sentence: str) -> bool:
    """Returns whether it asks, by its sign or by the words that it begins or ends with."""
    return bool(_ASKS.search(sentence) or _ASKS_PLAINLY.match(sentence))


def remove_sentences(text: str, left_out: Collection[str]) -> str:
    """The text without these sentences, which show as "…" where anything was said before."""
    spans = _spans(text)
    kept = [span for span in spans if text[slice(*span)] not in left_out]
    return _joined(text, kept)


def abridge(message: str) -> str:
    """Of a long message its beginning and its end: there people say what they want."""
    half = _LONGEST_GIST // 2
    return message if len(message) <= _LONGEST_GIST else f"{message[:half]}\n{message[-half:]}"


def excerpt(text: str, limit: int, *, words: Collection[str] = ()) -> str:
    """The whole sentences that say most about `words` (search terms), at most `limit` characters,
    each once.

    Without words these are the first ones. Left-out sentences show as "…", but before the
    first one kept. Only where the best sentence alone is longer than `limit` is it cut, between
    words if it has any, around `words`. Of a very long text only the part is looked at that holds
    the most of `words`, the first of such.
    """
    text = text.strip()
    if len(text) > _LOOKED_AT:
        text = _densest_part(text, *sorted(words, key=lambda it: (-len(it), it))[:_LOOKED_UP])
    return text if len(text) <= limit else _excerpt(text, limit, *sorted(words))


@memoize(chars=_CACHE_CHARS)
def _densest_part(text: str, *words: str) -> str:
    """Found by plain look-ups: a search term is mostly what its words begin with."""
    folded = text.lower()
    if len(folded) != len(text):  # of a few letters: then no position would be the same
        folded = "".join(it.lower()[:1] for it in text)
    starts = range(0, len(text) - _LOOKED_AT // 2, _LOOKED_AT // 2)
    held = {at: _count_held(folded, at, words) for at in starts}
    start = max(starts, key=lambda at: held[at])
    return text[start : start + _LOOKED_AT].strip()


def _count_held(folded: str, start: int, words: Collection[str]) -> int:
    return sum(folded.find(word, start, start + _LOOKED_AT) >= 0 for word in words)


@memoize(chars=_CACHE_CHARS)
def _excerpt(text: str, limit: int, *words: str) -> str:
    spans = _spans(text)
    said = [text[slice(*span)] for span in spans]
    ranked = _ranked(said, words)
    best = said[ranked[0]]
    if len(best) > limit:
        return _cut(best, limit, words)
    chosen = _choose_fitting(_Gaps(spans, len(text)), ranked, list(map(_plain, said)), limit)
    kept = [spans[at] for at in chosen]
    shown = _shown(text, kept)
    return shown if len(shown) <= limit else _joined(text, kept)


def _ranked(said: Sequence[str], words: Collection[str]) -> list[int]:
    """The best one first: what holds most of the words, above all of those that few others hold.
    Among equals what tells comes before what asks, and the first before the others.
    """
    held = [set(terms(it)).intersection(words) if words else set[str]() for it in said]
    counts = Counter(chain.from_iterable(held))
    weights = {word: log(1.0 + len(said) / count) for word, count in counts.items()}
    scores = [sum(weights[word] for word in sorted(it)) for it in held]
    asks = [_ASKS.search(it) is not None for it in said] if counts else [False] * len(said)
    return sorted(range(len(said)), key=lambda at: (-scores[at], asks[at], at))


def _plain(sentence: str) -> str:
    """The words alone; the sentence itself where it has none."""
    return " ".join(_WORDS.findall(sentence.casefold())) or sentence


def _spans(text: str) -> list[Span]:
    edges = [0, *(match.end() for match in _END.finditer(text) if _ends(text, match)), len(text)]
    return [span for start, end in pairwise(edges) if (span := _trim_span(text, start, end))]


def _ends(text: str, match: re.Match[str]) -> bool:
    return match.group() != "." or not _NO_END.search(text, max(0, match.end() - 8), match.end())


def _trim_span(text: str, start: int, end: int) -> Span | None:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return (start, start + len(piece.strip())) if piece.strip() else None


@dataclass(frozen=True, slots=True)
class _Gaps:
    """What stands between sentences of a text of this length, where those between are left out;
    -1 is before the first, their number behind the last.
    """

    spans: Sequence[Span]
    length: int

    def width(self, before: int, after: int) -> int:
        if before < 0:
            return 0
        if after == len(self.spans):
            return 0 if self.spans[before][1] == self.length else len(_MORE)
        is_next = after == before + 1
        return self.spans[after][0] - self.spans[before][1] if is_next else len(_GAP)

    def length_added(self, before: int, at: int, after: int) -> int:
        """How much longer the text gets with this one between those two."""
        start, end = self.spans[at]
        gaps = self.width(before, at) + self.width(at, after) - self.width(before, after)
        return end - start + gaps


def _choose_fitting(gaps: _Gaps, ranked: list[int], plain: Sequence[str], limit: int) -> list[int]:
    """The best one, which fits, and what fits beside it, also once a gap has closed; what says the
    same as one of them is left out.
    """
    chosen = [-1, len(gaps.spans)]
    said: set[str] = set()
    length, count, left = 0, 0, ranked
    while len(chosen) != count:
        count, waiting, left = len(chosen), left, []
        for at in waiting:
            where = bisect(chosen, at)
            longer = length + gaps.length_added(chosen[where - 1], at, chosen[where])
            if plain[at] not in said and (longer <= limit or not said):
                chosen.insert(where, at)
                said.add(plain[at])
                length = longer
            else:
                left.append(at)
    return chosen[1:-1]


def _shown(text: str, spans: Sequence[Span]) -> str:
    return _joined(text, spans) + ("" if spans[-1][1] == len(text) else _MORE)


def _joined(text: str, spans: Iterable[Span]) -> str:
    """The spans as they stand in the text, blanks between neighbours included."""
    joined, last = "", 0
    for start, end in spans:
        between = text[last:start]
        if joined:
            joined += _GAP if between.strip() else between
        joined += text[start:end]
        last = end
    return joined


def _cut(sentence: str, limit: int, words: Collection[str]) -> str:
    """Its beginning, or the part that says most about `words` where that is another."""
    start = _best_start(sentence, limit, words)
    if not start or limit < _LEAST_PART:
        return _head(sentence, limit)
    part = sentence[start:]
    if not sentence[start - 1].isspace():
        part = part.partition(" ")[2] if " " in part[: limit // 2] else part
    part = part.lstrip()
    return "…" + (part if len(part) < limit else _head(part, limit - 1))


def _best_start(sentence: str, limit: int, words: Collection[str]) -> int:
    if not words:
        return 0
    step = max(1, limit // 4)
    starts = range(0, max(1, len(sentence) - limit + step), step)
    held = {at: len(set(terms(sentence[at : at + limit])).intersection(words)) for at in starts}
    return max(starts, key=lambda at: held[at])


def _head(sentence: str, limit: int) -> str:
    head = sentence[: max(0, limit - 1)]
    whole_words = head.rpartition(" ")[0] if not sentence[len(head)].isspace() else head
    return (whole_words or head).rstrip() + "…"
