"""Keyed hashes that recognise an exchange again, without any text of it."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b

from ..domain.records import Exchange
from ..domain.unicode import well_formed

_HASH_BYTES = 10


def with_hashes(
    secret: bytes, conversation: str, shown: Sequence[Exchange]
) -> Iterator[tuple[Exchange, tuple[str, ...]]]:
    """Yields each exchange with hashes of its content, and of its message's position and time.

    The position is the conversation and the message before it, so it stays when the answer is
    regenerated; the time stays in a branch or a renamed chat, too. An empty message is identified
    by the whole exchange before it. A dated message that repeats the one before it has no position:
    "Continue" may follow "Continue" again, at another time.
    """
    before, before_key = "", ""
    for exchange in shown:
        user, key = exchange.user, exchange.key
        place = before if user else before_key
        parts: list[tuple[str, ...]] = [("content", key)]
        is_dated = bool(user) and exchange.ts is not None
        if not is_dated or user != place:
            parts.append(("place", conversation, place, user))
        if is_dated:
            parts.append(("time", f"{exchange.ts:.0f}", place, user))
        yield exchange, tuple(keyed_hash(secret, *part) for part in parts)
        before, before_key = user or key, key


def unnamed_chat_hash(secret: bytes, message: str) -> str:
    """Returns the hash of a chat's first message, whose chat gets a name with the first answer."""
    return keyed_hash(secret, "unnamed", message)


@lru_cache(maxsize=16_384)  # each message of a long chat hashes the whole chat again
def keyed_hash(secret: bytes, *parts: str) -> str:
    joined = well_formed("\x1f".join(part.strip() for part in parts))
    return blake2b(joined.encode(), key=secret, digest_size=_HASH_BYTES).hexdigest()
