"""Looks up whether what is new in a conversation was met in another: then it is the same memory."""

from collections.abc import Callable, Mapping, Sequence

from ..domain.records import Exchange
from ..storage.contract import MemoryStore
from ..storage.log.same_exchange import met_before
from ..storage.log.tombstones import keys_by_seal
from .write_buffer import Pending


class Meeting:
    """Of what one store knows, and of what was added and waits for it.

    `secrets` are those that seals may be made with, asked for only where anything was forgotten.
    """

    def __init__(
        self, store: MemoryStore, pending: Pending, secrets: Callable[[], Sequence[str]]
    ) -> None:
        self._store = store
        self._pending = pending
        self._secrets = secrets

    def met(self, log: str, said: Sequence[Exchange]) -> Mapping[int, str]:
        """Which of what is new was met before, at the same time: index → id.

        A branch, an uploaded or renamed chat and a swipe back bring what is known already.
        """
        if not said:
            return {}
        keys = self._keys(said)
        wanted = keys.keys() | {it.key for it in said}
        waiting = self._pending.said(wanted)  # first: meanwhile the store may follow
        known = [*self._store.said(wanted), *waiting]
        return met_before(log, said, [(keys.get(key, key), entry) for key, entry in known])

    def _keys(self, said: Sequence[Exchange]) -> Mapping[str, str]:
        """seal → key, where anything was ever forgotten."""
        return keys_by_seal(self._secrets(), said) if self._store.has_forgotten() else {}
