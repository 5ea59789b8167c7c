"""Recognises exchanges that are memories already, from another conversation or from before."""

from collections.abc import Callable, Mapping, Sequence

from ..domain.records import Exchange
from ..storage.contract import Catalog
from ..storage.log.projection import MemoryStatus
from ..storage.log.same_exchange import match_known
from ..storage.log.tombstones import keys_by_tombstone
from .write_buffer import WriteBuffer


class KnownExchanges:
    """Looks up exchanges in one catalog, and in the events that wait for it.

    `secrets` returns the keys of tombstone hashes; it is called only if anything was forgotten.
    """

    def __init__(
        self, catalog: Catalog, buffer: WriteBuffer, secrets: Callable[[], Sequence[str]]
    ) -> None:
        self._catalog = catalog
        self._write_buffer = buffer
        self._secrets = secrets

    def match(self, log: str, said: Sequence[Exchange]) -> Mapping[int, str]:
        """Returns index → id of the exchanges that are known, with the same time.

        Branches, uploaded or renamed chats and swipes bring exchanges that are known already.
        """
        if not said:
            return {}
        keys = self._keys_by_tombstone(said)
        wanted = keys.keys() | {exchange.key for exchange in said}
        # The buffer first: the store may take over its events meanwhile.
        buffered = self._write_buffer.exchanges_with_keys(wanted)
        known = [*self._catalog.exchanges_by_content(wanted), *buffered]
        return match_known(log, said, [(keys.get(key, key), entry) for key, entry in known])

    def _keys_by_tombstone(self, said: Sequence[Exchange]) -> Mapping[str, str]:
        """Returns tombstone hash → content key; empty if nothing was ever forgotten."""
        return (
            keys_by_tombstone(self._secrets(), said)
            if self._catalog.summary().has_forgotten
            else {}
        )


def conversation_with(catalog: Catalog, key: str) -> str | None:
    """Returns the conversation of the latest live exchange with this content; None if none."""
    found = [record for _, record in catalog.exchanges_by_content([key])]
    live = [record.memory for record in found if record.status is MemoryStatus.LIVE]
    return live[-1].conversation if live else None
