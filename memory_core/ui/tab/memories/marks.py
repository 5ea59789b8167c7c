"""Shortens texts around the words of a search and marks these words, as HTML."""

import re
from collections.abc import Collection

from ....text.excerpts import excerpt
from ....text.search_terms import terms
from ..common.status import escaped

_LONGEST_MARKED = 20_000
_WORD = re.compile(r"\w+(?:['’]\w+)*")  # noqa: RUF001
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def shortened(text: str, limit: int, words: Collection[str]) -> str:
    """Returns the sentences with most of these search terms, on one line, as HTML."""
    return marked(" ".join(excerpt(text, limit, words=words).split()), words)


def marked(text: str, words: Collection[str]) -> str:
    """Returns a text as HTML in which each word with one of these search terms is marked."""
    if not words or len(text) > _LONGEST_MARKED:
        return escaped(text)
    unspaced = sorted((word for word in words if _UNSPACED.search(word)), key=len, reverse=True)
    pattern = re.compile("|".join([*map(re.escape, unspaced), _WORD.pattern]))
    wanted, parts, end = frozenset(words), list[str](), 0
    for found in pattern.finditer(text):
        parts.append(escaped(text[end : found.start()]))
        parts.append(_piece(found[0], wanted, found[0] in unspaced))
        end = found.end()
    return "".join([*parts, escaped(text[end:])])


def _piece(word: str, wanted: frozenset[str], is_wanted: bool) -> str:
    if _UNSPACED.search(word) and not is_wanted:
        return _within(word, wanted)
    has_term = is_wanted or not wanted.isdisjoint(terms(word))
    return f"<mark>{escaped(word)}</mark>" if has_term else escaped(word)


def _within(run: str, wanted: frozenset[str]) -> str:
    """Marks the terms inside a run of a language without blanks."""
    inside = sorted((word for word in wanted if word in run), key=len, reverse=True)
    if not inside:
        return escaped(run)
    pattern = "|".join(map(re.escape, inside))
    pieces = re.split(f"({pattern})", run)
    return "".join(
        f"<mark>{escaped(piece)}</mark>" if index % 2 else escaped(piece)
        for index, piece in enumerate(pieces)
    )
