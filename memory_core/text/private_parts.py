"""Finds keys, card numbers, e-mail addresses and telephone numbers, and replaces them by marks.

The patterns are those of the log of model calls (infra/redaction.py). That log may hide too much;
a memory must not lose its words. So years, decimals, amounts and the like stay.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

from ..domain.private_parts import PrivatePart
from ..domain.records import Exchange
from ..infra.lru_cache import memoize
from ..infra.redaction import DATE, DIGITS, EMAIL, LIKE_A_KEY, is_card, is_phone
from .locales import DEFAULT, mark_words

_CACHE_CHARS = 2_000_000
_LONGEST_CACHED = 8_000
_NOTHING: frozenset[PrivatePart] = frozenset()
_SHORTEST_KEY = 12
_MAY_HOLD = re.compile(r"[\d@]")  # each kind of part has one of these
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_CHINESE = "zh"
# Numbers that only look like telephone numbers.
_OTHER_NUMBERS = re.compile(
    r"(?:1[5-9]|20|21)\d\d ?[-/] ?(?:1[5-9]|20|21)\d\d"  # two years
    r"|\d+\.\d+"  # a decimal
    r"|[1-9]\d{0,2}(?:[ .]\d{3})+"  # an amount in groups of three
    r"|\d{1,3}(?:\.\d{1,3}){3}"  # an address of the Internet
    rf"|(?:{DATE.pattern})(?:[ (].*)?"  # a date, and perhaps a time of day
)


@dataclass(frozen=True, slots=True)
class _Found:
    """A private part, from `start` to `end` in its text."""

    start: int
    end: int
    part: PrivatePart


def find_parts(text: str) -> frozenset[PrivatePart]:
    """Returns the kinds of private details that the text contains."""
    return _cached_parts(text) if len(text) <= _LONGEST_CACHED else _parts_in(text)


def _parts_in(text: str) -> frozenset[PrivatePart]:
    return frozenset(found.part for found in _all_found(text)) or _NOTHING


# Each message of a chat looks at all of its rows that are not stored, often thousands.
_cached_parts = lru_cache(maxsize=32_768)(_parts_in)


def redact_parts(text: str, parts: Collection[PrivatePart]) -> str:
    """Returns the text with these kinds of parts replaced by marks such as `[key removed]`.

    The marks are in the language of the text, so that equal texts stay equal in every language of
    the tab. A text that was redacted once stays as it is.
    """
    before = ""
    while before != text:  # a part directly after another is found once that one is gone
        before, text = text, _redact_found(text, parts)
    return text


def parts_of(exchange: Exchange) -> frozenset[PrivatePart]:
    """Returns the kinds of private details in any text of the exchange; not in its metadata."""
    found = find_parts(exchange.user) | find_parts(exchange.assistant)
    return found.union(*(find_parts(turn.text) for turn in exchange.turns))


def redact_exchange(exchange: Exchange, parts: Collection[PrivatePart]) -> Exchange:
    """Returns the exchange with these parts replaced by marks in each of its texts."""
    return replace(
        exchange,
        user=redact_parts(exchange.user, parts),
        assistant=redact_parts(exchange.assistant, parts),
        turns=tuple(replace(turn, text=redact_parts(turn.text, parts)) for turn in exchange.turns),
    )


def redacted_forms(exchange: Exchange, parts: Collection[PrivatePart]) -> Iterator[Exchange]:
    """Yields the forms that the exchange may have been stored in, with fewest marks first."""
    for count in range(1, len(parts) + 1):
        for chosen in combinations(sorted(parts), count):
            yield redact_exchange(exchange, chosen)


def stored_keys(exchanges: Iterable[Exchange]) -> frozenset[str]:
    """Returns the content keys of all forms in which these exchanges may have been stored."""
    keys: set[str] = set()
    for exchange in exchanges:
        keys.add(exchange.key)
        if parts := parts_of(exchange):
            keys.update(form.key for form in redacted_forms(exchange, parts))
    return frozenset(keys)


def _redact_found(text: str, parts: Collection[PrivatePart]) -> str:
    wanted = [found for found in _all_found(text) if found.part in parts]
    if not wanted:
        return text
    marks = mark_words(_CHINESE if _HAN.search(text) else DEFAULT)
    pieces, end = [], 0
    for found in wanted:
        pieces += [text[end : found.start], marks[f"removed_{found.part}"]]
        end = found.end
    return "".join([*pieces, text[end:]])


@memoize(chars=_CACHE_CHARS)
def _all_found(text: str) -> tuple[_Found, ...]:
    """Returns the private details in order. Of two that overlap, keeps the one found first."""
    if not _MAY_HOLD.search(text):
        return ()
    taken, covered = [], bytearray(len(text))
    for found in (*_keys(text), *_emails(text), *_numbers(text)):
        if not any(covered[found.start : found.end]):
            taken.append(found)
            covered[found.start : found.end] = b"\x01" * (found.end - found.start)
    return tuple(sorted(taken, key=lambda found: found.start))


def _keys(text: str) -> Iterator[_Found]:
    """Yields API keys. A word such as "skateboarding" has no digit."""
    for match in LIKE_A_KEY.finditer(text):
        written = match[0].rstrip(".-")
        is_long = len(written) >= _SHORTEST_KEY and any(map(str.isdecimal, written))
        if is_long and not _UUID.fullmatch(written):
            yield _Found(match.start(), match.start() + len(written), PrivatePart.KEY)


def _emails(text: str) -> Iterable[_Found]:
    if "@" not in text:  # true of most texts; the pattern is slow in long words
        return ()
    return (_Found(*match.span(), PrivatePart.EMAIL) for match in EMAIL.finditer(text))


def _numbers(text: str) -> Iterator[_Found]:
    for match in DIGITS.finditer(text):
        if is_card(match[0]):
            yield _Found(*match.span(), PrivatePart.CARD)
        elif is_phone(match[0]) and not _OTHER_NUMBERS.fullmatch(match[0]):
            yield _Found(*match.span(), PrivatePart.PHONE)
