"""The session that a message belongs to: it ends after a pause, and its start never changes."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..domain.records import Exchange


@dataclass(slots=True)
class ChatSession:
    """A session of a chat; times in seconds since the epoch.

    With `shows_today`, its prompts name the day on which it began.
    """

    started_at: float
    last_message_at: float
    shows_today: bool = False


def session_at(
    now: float, *, known: ChatSession | None, said: Iterable[Exchange], pause_s: float
) -> ChatSession:
    """Returns the known session, extended to `now`, unless a pause lies between.

    Otherwise returns a new one, which starts after the last pause between the chat's messages.
    """
    if known is not None and now - known.last_message_at < pause_s:
        known.last_message_at = now
        return known
    return ChatSession(started_at=_started_at(now, said, pause_s), last_message_at=now)


def _started_at(now: float, said: Iterable[Exchange], pause_s: float) -> float:
    start = now
    times = (exchange.ts for exchange in said if exchange.ts is not None)
    for ts in sorted(times, reverse=True):
        if start - ts >= pause_s:
            break
        start = min(start, ts)
    return start
