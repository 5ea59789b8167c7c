"""Recognises exchanges that are already memories, from another conversation or an earlier time."""

from collections.abc import Callable, Mapping, Sequence

from ..domain.records import Exchange
from ..storage.contract import Catalog
from ..storage.log.projection import MemoryStatus
from ..storage.log.same_exchange import match_known
from ..storage.log.tombstones import keys_by_tombstone
from .write_buffer import WriteBuffer

Secrets = Callable[[], Sequence[str]]


def match_known_exchanges(
    catalog: Catalog, buffer: WriteBuffer, secrets: Secrets, *, log: str, said: Sequence[Exchange]
) -> Mapping[int, str]:
    """Returns index → id of the exchanges that are known, with the same time.

    Branches, uploaded or renamed chats and swipes contain exchanges that are already known. They
    are looked up in the catalog and in the buffered events. `secrets` returns the keys of
    tombstone hashes; it is called only if anything was forgotten.
    """
    if not said:
        return {}
    forgotten = catalog.summary().has_forgotten
    content_keys = keys_by_tombstone(secrets(), said) if forgotten else {}
    wanted = content_keys.keys() | {exchange.key for exchange in said}
    buffered = buffer.exchanges_with_keys(wanted)  # first: the store may take them over meanwhile
    known = [*catalog.exchanges_by_content(wanted), *buffered]
    return match_known(log, said, [(content_keys.get(key, key), entry) for key, entry in known])


def conversation_with(catalog: Catalog, key: str) -> str | None:
    """Returns the conversation of the latest live exchange with this content; None if none."""
    found = [record for _, record in catalog.exchanges_by_content([key])]
    live = [record.memory for record in found if record.status is MemoryStatus.LIVE]
    return live[-1].conversation if live else None
