"""Decides by the switch *Remember* whether new messages are stored, or excluded for good.

The host's times tell which messages of a chat were said before it was off, or after that.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...infra.lru_cache import LRUCache
from ...memory.remember_switch import OffPeriod, RememberPhase, RememberSwitch
from ...prompt.window import ChatRow
from ..chat.exchanges import Speakers, to_exchanges, version_times

# The host gives minutes, and an hour occurs twice when the clock is set back.
_TIMES_VARY_S = 3660.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRules:
    """Whether new exchanges are stored, and whether they are excluded for good.

    `spared` are content keys of exchanges that are not excluded.
    """

    stores: bool = True
    excludes: bool = False
    spared: frozenset[str] = frozenset()


STORE_ALL = WriteRules()
UNSTORED = WriteRules(stores=False, excludes=True)


def current_rules(switch: RememberSwitch) -> WriteRules:
    """Returns the rules for messages that are said now."""
    if switch.is_off:
        return UNSTORED
    return WriteRules(stores=switch.state.stores)


def rules_for_rows(
    switch: RememberSwitch,
    rows: Sequence[ChatRow],
    speakers: Speakers,
    asked: LRUCache[str, bool] | None = None,
) -> WriteRules:
    """Returns the rules for a chat that may have messages from before and after a switch.

    `asked` has whether Remember was off for messages whose prompt was built lately.
    """
    state, spared = switch.state, frozenset[str]()
    if state.excludes and (period := state.period):
        is_starting = state.phase is RememberPhase.STARTING_OFF
        outside = [
            row
            for row in rows
            if not (was_off := asked.get(row.question) if asked else None)
            and (was_off is False or _is_outside(row, period, is_starting=is_starting))
        ]
        spared = frozenset(exchange.key for exchange in to_exchanges(outside, speakers))
    return WriteRules(stores=state.stores, excludes=state.excludes, spared=spared)


def _is_outside(row: ChatRow, period: OffPeriod, *, is_starting: bool) -> bool:
    """Returns whether the row was not said or changed in the period.

    A row without times counts as said before a period that starts just now, and as said in any
    other.
    """
    times = list(_times(row))
    if is_starting:
        return all(time is None or time <= period.since for time in times)
    known = [time for time in times if time is not None]
    if len(known) < len(times) or not known:
        return False
    is_later = period.until is not None and min(known) >= period.until
    return is_later or max(known) < period.since - _TIMES_VARY_S


def _times(row: ChatRow) -> Iterator[float | None]:
    """Yields the times of all versions of both messages; None for a message without times."""
    for text, meta in ((row.question, row.user_meta), (row.assistant, row.assistant_meta)):
        if text:
            yield from _side_times(meta)


def _side_times(meta: Mapping[str, Any] | None) -> list[float | None]:
    return [*version_times(meta)] or [None]
