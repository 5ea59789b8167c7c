"""Recognises exchanges that are already memories, from another conversation or an earlier time."""

from collections.abc import Mapping, Sequence

from ..domain.records import Exchange
from ..storage.contract import Catalog
from ..storage.log.contract import Log
from ..storage.log.diff import match_known
from ..storage.log.erasure import forgotten_messages, keys_by_tombstone
from ..storage.log.projection import MemoryRecord, MemoryStatus
from .write_buffer import WriteBuffer

_JUST_SAID_S = 300.0  # the host's times are whole minutes, and answers may take some


def match_known_exchanges(
    catalog: Catalog,
    buffer: WriteBuffer,
    event_log: Log,
    *,
    log: str,
    said: Sequence[Exchange],
    now: float = 0.0,
) -> Mapping[int, str]:
    """Returns index → id of the exchanges that are known, with the same time.

    Branches, uploaded or renamed chats and swipes contain exchanges that are already known. They
    are looked up in the catalog and in the buffered events. A forgotten message is recognised with
    another answer, too, in a branch and in an older history of its chat. One that left its chat and
    was said just before `now`, in seconds since the epoch, is a new one.
    """
    if not said:
        return {}
    forgotten = catalog.summary().has_forgotten
    content_keys = keys_by_tombstone(event_log.secrets(), said) if forgotten else {}
    wanted = content_keys.keys() | {exchange.key for exchange in said}
    buffered = buffer.exchanges_with_keys(wanted)  # first: the store may take them over meanwhile
    known = [*catalog.exchanges_by_content(wanted), *buffered]
    found = match_known(log, said, [(content_keys.get(key, key), entry) for key, entry in known])
    left = {index: exchange for index, exchange in enumerate(said) if index not in found}
    if not found:  # no branch
        is_known_chat = forgotten and event_log.has_log(log)
        latest = now - _JUST_SAID_S
        left = {
            n: one
            for n, one in left.items()
            if is_known_chat and one.ts is not None and one.ts < latest
        }
    if forgotten and left:  # seldom, since all notes are read
        found = {**_forgotten(catalog, event_log, log, left), **found}
    return found


def _forgotten(
    catalog: Catalog, event_log: Log, log: str, said: Mapping[int, Exchange]
) -> dict[int, str]:
    """Returns index → id of the forgotten exchanges whose messages these are."""
    ids = forgotten_messages(event_log.read("").events, said)
    records = catalog.get([name for names in ids.values() for name in names])
    matches: dict[int, str] = {}
    for index, names in ids.items():
        free = [name for name in names if name in records and name not in matches.values()]
        same = (name for name in free if _is_forgotten_elsewhere(records[name], said[index], log))
        if memory_id := next(same, ""):
            matches[index] = memory_id
    return matches


def _is_forgotten_elsewhere(entry: MemoryRecord, exchange: Exchange, log: str) -> bool:
    is_forgotten = entry.status is MemoryStatus.FORGOTTEN and log not in entry.positions
    return is_forgotten and entry.memory.ts == exchange.ts


def conversation_with(catalog: Catalog, key: str) -> str | None:
    """Returns the conversation of the latest live exchange with this content; None if none."""
    found = [record for _, record in catalog.exchanges_by_content([key])]
    live = [record.memory for record in found if record.status is MemoryStatus.LIVE]
    return live[-1].conversation if live else None
