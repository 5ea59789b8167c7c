"""Splits text into sentences, with or without blanks between them, and picks the best ones."""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log

from ..infra.lru_cache import memoize
from .search_terms import terms

_END = re.compile(  # the character comes first, for which the engine searches fast
    r"""[.!?…。！？｡\n](?:(?<=\n)"""  # noqa: RUF001
    r"""|(?<=[。！？｡])[。！？｡]*["'」』”’）]*"""  # noqa: RUF001
    r"""|(?<=[.!?…])(?<![.!?…][.!?…])[.!?…]*+["'”’)\]]*+(?=\s))"""  # noqa: RUF001
)
_NO_END = re.compile(r"(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|vs|e\.g|i\.e|cf|No|[A-Z])\.$")
# The day in a German date: "vom 5. bis zum 9. Oktober".
_ORDINAL = re.compile(r"(?<![\d.,])\d{1,2}\.$")
_AFTER_ORDINAL = re.compile(
    r"\s+(?:bis|und|oder|Jan(?:uar)?|Jän(?:ner)?|Feb(?:ruar)?|März|Apr(?:il)?|Mai|Juni?|Juli?"
    r"|Aug(?:ust)?|Sept?(?:ember)?|Okt(?:ober)?|Nov(?:ember)?|Dez(?:ember)?"
    r"|Klasse|Stock|Geburtstag)s?\b"
)
_ASKS = re.compile(r"[?？][\"'”’」』”）)]*$")  # noqa: RUF001
# Questions without a question mark: "where did I put it"; then "你喜欢茶吗", "元気ですか".
_ASKS_PLAINLY = re.compile(
    r"""(?:what|where|when|who|why|how|which)(?:['’]?s\b|\s+(?:is|are|was|were|do|does|did|can|could
        |will|would|should|has|have|had))\b(?!\s+clear)
    |(?:do|does|did|can|could|will|would|is|are|was|were|should|have|has|shall|may)(?:n?['’]?t)?\s+
        (?:i|you|u|ya|we|he|she|it|they|my|your|the|there|that|this)\b
    |how\s+(?:much|many|old|long|often|far)\b.{0,40}\b(?:is|are|was|were|do|does|did|will)\b""",  # noqa: RUF001
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_ASKS_UNSPACED = re.compile(
    r".{0,200}(?:[吗嗎][。!！]*|(?:です|ます|ました|でした)か。?)\Z",  # noqa: RUF001
    re.DOTALL,
)
_WORDS = re.compile(r"\w+|[?？]")  # noqa: RUF001
_HAN_OR_KANA = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_GAP = " … "
_MORE = " …"
_LONGEST_GIST = 4000
_LEAST_PART = 20
_LOOKED_AT = 20_000  # letters: a pasted book must not delay the message that recalls it
_LOOKED_UP = 40  # words searched in such a long text
_CACHE_CHARS = 1_000_000

Span = tuple[int, int]


def sentences(text: str) -> list[str]:
    """Returns the stripped sentences in order. A line break also ends a sentence."""
    return [text[start:end] for start, end in _each_span(text)]


def each_sentence(text: str) -> Iterator[str]:
    """Yields the sentences of sentences(), without reading further than is asked for."""
    for start, end in _each_span(text):
        yield text[start:end]


def is_question(sentence: str) -> bool:
    """Returns True for a question mark, or for the first or last words of a question."""
    return bool(
        _ASKS.search(sentence)
        or _ASKS_PLAINLY.match(sentence)
        or (not sentence.isascii() and _ASKS_UNSPACED.match(sentence))
    )


def remove_sentences(text: str, left_out: Collection[str]) -> str:
    """Returns the text without these sentences. Gaps show as "…", except at the beginning."""
    spans = [span for span in _each_span(text) if text[slice(*span)] not in left_out]
    return _joined(text, spans)


def abridge(message: str) -> str:
    """Returns only the beginning and the end of a long message, where people state requests."""
    half = _LONGEST_GIST // 2
    return message if len(message) <= _LONGEST_GIST else f"{message[:half]}\n{message[-half:]}"


def letter_width(text: str) -> int:
    """Returns the number of letters; a character of Chinese or Japanese counts twice."""
    return len(text) + len(_HAN_OR_KANA.findall(text))


def excerpt(text: str, limit: int, *, words: Collection[str] = ()) -> str:
    """Returns the whole sentences that hold most of `words` (search terms), without duplicates.

    The result has at most `limit` characters. Without words, the first sentences are returned.
    Omitted sentences show as "…", except at the beginning. If the best sentence alone is longer
    than `limit`, it is cut around `words`, between words if possible. Of a very long text, only
    the part with the most of `words` is searched.
    """
    text = text.strip()
    if len(text) > _LOOKED_AT:
        longest_first = sorted(words, key=lambda word: (-len(word), word))
        text = _densest_part(text, *longest_first[:_LOOKED_UP])
    return text if len(text) <= limit else _excerpt(text, limit, *sorted(words))


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


@memoize(chars=_CACHE_CHARS)
def _excerpt(text: str, limit: int, *words: str) -> str:
    spans = list(_each_span(text))
    parts = [text[slice(*span)] for span in spans]
    ranked = _ranked(parts, words)
    best = parts[ranked[0]]
    if len(best) > limit:
        return _cut(best, limit, words)
    chosen = _choose_fitting(_Gaps(spans, len(text)), ranked, list(map(_plain, parts)), limit)
    chosen_spans = [spans[index] for index in chosen]
    shown = _shown(text, chosen_spans)
    return shown if len(shown) <= limit else _joined(text, chosen_spans)


def _ranked(parts: Sequence[str], words: Collection[str]) -> list[int]:
    """Returns indices of sentences, best first: most of the words, rare words counting more.

    Among equals, statements come before questions, and earlier sentences before later ones.
    """
    matches = [set(terms(part)).intersection(words) if words else set[str]() for part in parts]
    counts = Counter(chain.from_iterable(matches))
    weights = {word: log(1.0 + len(parts) / count) for word, count in counts.items()}
    scores = [sum(weights[word] for word in sorted(matched)) for matched in matches]
    asks = [_ASKS.search(part) is not None for part in parts] if counts else [False] * len(parts)
    return sorted(range(len(parts)), key=lambda index: (-scores[index], asks[index], index))


def _plain(sentence: str) -> str:
    """Returns the words in lower case, or the sentence itself if it has none."""
    return " ".join(_WORDS.findall(sentence.casefold())) or sentence


def _each_span(text: str) -> Iterator[Span]:
    """Yields the start and end of each stripped sentence."""
    start = 0
    for match in chain(_END.finditer(text), (None,)):
        end = match.end() if match else len(text)
        before = (text, max(0, end - 8), end)
        if (match and match[0] == ".") and (
            _NO_END.search(*before)
            or (_ORDINAL.search(*before) and _AFTER_ORDINAL.match(text, end))
        ):
            continue  # the full stop of an abbreviation or an ordinal
        piece = text[start:end]
        if stripped := piece.strip():
            first = start + len(piece) - len(piece.lstrip())
            yield first, first + len(stripped)
        start = end


@dataclass(frozen=True, slots=True)
class _Gaps:
    """Widths of the gaps that omitted sentences leave in a text of this length.

    Index -1 stands for the beginning of the text, the number of sentences for its end.
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

    def length_added(self, before: int, index: int, after: int) -> int:
        """Returns the extra length of the text with sentence `index` between the other two."""
        start, end = self.spans[index]
        gaps = self.width(before, index) + self.width(index, after) - self.width(before, after)
        return end - start + gaps


def _choose_fitting(gaps: _Gaps, ranked: list[int], plain: Sequence[str], limit: int) -> list[int]:
    """Returns the indices of the sentences that fit, in order; the best one always fits.

    Tries skipped sentences again, because closing a gap saves space. Leaves out duplicates.
    """
    chosen = [-1, len(gaps.spans)]
    used: set[str] = set()
    length, count, skipped = 0, 0, ranked
    while len(chosen) != count:
        count, waiting, skipped = len(chosen), skipped, []
        for index in waiting:
            position = bisect(chosen, index)
            longer = length + gaps.length_added(chosen[position - 1], index, chosen[position])
            if plain[index] not in used and (longer <= limit or not used):
                chosen.insert(position, index)
                used.add(plain[index])
                length = longer
            else:
                skipped.append(index)
    return chosen[1:-1]


def _shown(text: str, spans: Sequence[Span]) -> str:
    return _joined(text, spans) + ("" if spans[-1][1] == len(text) else _MORE)


def _joined(text: str, spans: Iterable[Span]) -> str:
    """Joins the spans, with the text's own blanks between neighbours and "…" in gaps."""
    joined, last = "", 0
    for start, end in spans:
        between = text[last:start]
        if joined:
            joined += _GAP if between.strip() else between
        joined += text[start:end]
        last = end
    return joined


def _cut(sentence: str, limit: int, words: Collection[str]) -> str:
    """Returns the part of the sentence with the most of `words`, else its beginning."""
    start = 0
    if words:
        step = max(1, limit // 4)
        starts = range(0, max(1, len(sentence) - limit + step), step)
        found = [terms(sentence[start : start + limit]) for start in starts]
        counts = [len(set(part).intersection(words)) for part in found]
        start = starts[counts.index(max(counts))]
    if not start or limit < _LEAST_PART:
        return _head(sentence, limit)
    part = sentence[start:]
    if not sentence[start - 1].isspace():
        part = part.partition(" ")[2] if " " in part[: limit // 2] else part
    part = part.lstrip()
    return "…" + (part if len(part) < limit else _head(part, limit - 1))


def _head(sentence: str, limit: int) -> str:
    head = sentence[: max(0, limit - 1)]
    whole_words = head.rpartition(" ")[0] if not sentence[len(head)].isspace() else head
    return (whole_words or head).rstrip() + "…"
