"""Looks up whether what is new in a conversation was met in another: then it is the same memory."""

from collections.abc import Callable, Mapping, Sequence

from ..domain.records import Exchange
from ..storage.contract import MemoryStore
from ..storage.log.same_exchange import match_known
from ..storage.log.tombstones import keys_by_tombstone
from .write_buffer import WriteBuffer


class KnownExchanges:
    """Of what one store knows, and of what was added and waits for it.

    `secrets` are those that seals may be made with, asked for only where anything was forgotten.
    """

    def __init__(
        self, store: MemoryStore, pending: WriteBuffer, secrets: Callable[[], Sequence[str]]
    ) -> None:
        self._store = store
        self._write_buffer = pending
        self._secrets = secrets

    def match(self, log: str, said: Sequence[Exchange]) -> Mapping[int, str]:
        """Which of what is new was met before, at the same time: index → id.

        A branch, an uploaded or renamed chat and a swipe back bring what is known already.
        """
        if not said:
            return {}
        keys = self._keys_by_tombstone(said)
        wanted = keys.keys() | {it.key for it in said}
        waiting = self._write_buffer.exchanges_with_keys(
            wanted
        )  # first: meanwhile the store may follow
        known = [*self._store.exchanges_by_content(wanted), *waiting]
        return match_known(log, said, [(keys.get(key, key), entry) for key, entry in known])

    def _keys_by_tombstone(self, said: Sequence[Exchange]) -> Mapping[str, str]:
        """seal → key, where anything was ever forgotten."""
        return keys_by_tombstone(self._secrets(), said) if self._store.has_forgotten() else {}
