"""Private parts of an exchange: of its two texts, and of all turns between them."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import chain, combinations

from ..domain.private_parts import PrivatePart
from ..domain.records import Exchange
from .private_parts import find_parts, redact_parts


def parts_of(exchange: Exchange) -> frozenset[PrivatePart]:
    """Returns the kinds of private parts in any text of the exchange; not in its metadata."""
    texts = [exchange.user, exchange.assistant, *(turn.text for turn in exchange.turns)]
    return frozenset(chain.from_iterable(map(find_parts, texts)))


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
    """Returns the content keys of these exchanges in all forms that may be stored of them."""
    found = [
        (exchange.key, *(form.key for form in redacted_forms(exchange, parts_of(exchange))))
        for exchange in exchanges
    ]
    return frozenset(chain.from_iterable(found))
