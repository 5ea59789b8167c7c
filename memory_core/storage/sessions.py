"""The sitting that a message belongs to: it ends after a pause, and its first moment stays."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..domain.records import Exchange


@dataclass(slots=True)
class Sitting:
    """Seconds since the epoch. `tells_today`: its prompts say which day it began on."""

    began: float
    last: float
    tells_today: bool = False


def sitting_at(
    now: float, *, known: Sitting | None, said: Iterable[Exchange], pause_s: float
) -> Sitting:
    """The known one as long as no pause lies between; else the one that the chat's times tell."""
    if known is not None and now - known.last < pause_s:
        known.last = now
        return known
    return Sitting(began=_began(now, said, pause_s), last=now)


def _began(now: float, said: Iterable[Exchange], pause_s: float) -> float:
    began = now
    for ts in sorted((it.ts for it in said if it.ts is not None), reverse=True):
        if began - ts >= pause_s:
            break
        began = min(began, ts)
    return began
