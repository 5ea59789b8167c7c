"""The sitting that a message belongs to: it ends after a pause, and its first moment stays."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..domain.records import Exchange


@dataclass(slots=True)
class ChatSession:
    """Seconds since the epoch. `tells_today`: its prompts say which day it began on."""

    started_at: float
    last_message_at: float
    shows_today: bool = False


def session_at(
    now: float, *, known: ChatSession | None, said: Iterable[Exchange], pause_s: float
) -> ChatSession:
    """The known one as long as no pause lies between; else the one that the chat's times tell."""
    if known is not None and now - known.last_message_at < pause_s:
        known.last_message_at = now
        return known
    return ChatSession(started_at=_started_at(now, said, pause_s), last_message_at=now)


def _started_at(now: float, said: Iterable[Exchange], pause_s: float) -> float:
    began = now
    for ts in sorted((it.ts for it in said if it.ts is not None), reverse=True):
        if began - ts >= pause_s:
            break
        began = min(began, ts)
    return began
