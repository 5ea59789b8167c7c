"""Shows the texts of a memory to people, with the words that matched."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ....domain.records import Memory
from ....domain.unicode import well_formed
from ....text.excerpts import excerpt
from ....text.search_terms import simplified, terms
from ....text.topics import lexicon_of
from .markup import escaped

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")  # noqa: RUF001
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af\u0e00-\u0e7f]")
_EVERYDAY = frozenset("我你您他她它们的了是在有和跟对也都就还不很这那哪什么吗呢吧啊过把被给让")
_WORD_AND_A_HALF = 3  # characters

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A part of a text as HTML with the matching words marked, and those words."""

    html: str
    matched: tuple[str, ...] = ()


def edited_fields(memory: Memory, user: str, character: str) -> dict[str, str]:
    """Returns the fields that LongTermMemory.edit takes for these two sides."""
    return {"user": user, "assistant": character} if memory.exchange else {"text": user}


def passage(text: str, wanted: Collection[str], limit: int) -> Passage:
    """Returns the sentences with most of the search terms `wanted`, on one line."""
    shown = " ".join(excerpt(well_formed(text), limit, words=frozenset(wanted)).split())
    spans = _readable(shown, frozenset(wanted))
    matched = dict.fromkeys(shown[start:end].casefold() for start, end in spans)
    return Passage(html=_marked(shown, spans), matched=tuple(matched))


def marked(text: str, wanted: Collection[str]) -> str:
    """Returns a text as HTML in which each word with one of these search terms is marked."""
    return _marked(text, _readable(text, frozenset(wanted)))


def _marked(text: str, spans: Iterable[Span]) -> str:
    pieces, last = [], 0
    for start, end in spans:
        pieces += [escaped(text[last:start]), f"<mark>{escaped(text[start:end])}</mark>"]
        last = end
    return "".join([*pieces, escaped(text[last:])])


def _readable(text: str, wanted: frozenset[str]) -> list[Span]:
    if not wanted:
        return []
    joined = _joined_spans(_matching_spans(simplified(text), wanted))
    return [span for whole in joined for span in _readable_spans(text, whole)]


def _matching_spans(text: str, wanted: frozenset[str]) -> Iterable[Span]:
    longest_first = sorted(wanted, key=len, reverse=True)
    inside = re.compile(f"(?=({'|'.join(map(re.escape, longest_first))}))")
    for found in _WORD.finditer(text):
        if _HAN.search(found.group()):  # words without blanks between them
            yield from (part.span(1) for part in inside.finditer(text, *found.span()))
        elif not wanted.isdisjoint(terms(found.group())):
            yield found.span()


def _readable_spans(text: str, span: Span) -> list[Span]:
    """Returns the readable parts of a match of neighbouring characters.

    Everyday characters alone are dropped. Three characters may be a known word and half of another
    one, as the last three of 水果过敏; else they stay whole.
    """
    start, end = span
    if not _HAN.match(text, start):
        return [span]
    if _EVERYDAY.issuperset(text[start:end]):
        return []
    if end - start != _WORD_AND_A_HALF:
        return [span]
    halves = ((start, end - 1), (start + 1, end))
    known = lexicon_of("zh")
    inside = [half for half in halves if text[slice(*half)] in known]
    return inside if len(inside) == 1 else [span]


def _joined_spans(spans: Iterable[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, end in spans:
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def clipped(text: str, limit: int) -> str:
    """Returns the text in one line: its first `limit` characters, and "…" in place of the rest."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[:limit]}…"
