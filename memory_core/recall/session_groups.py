"""Groups the exchanges of conversations into sessions, which contain no long pause."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..domain.records import Memory

SESSION_KEY = "session"  # as Derivation.key: the memory sums up one whole session


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Exchanges of one conversation without a long pause in between, oldest first."""

    memories: tuple[Memory, ...]

    @property
    def started(self) -> float:
        return self.memories[0].ts or 0.0

    @property
    def last_said(self) -> float:
        return self.memories[-1].ts or 0.0

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(memory.id for memory in self.memories)


def group_into_sessions(memories: Iterable[Memory], *, pause_s: float) -> list[Session]:
    """Groups dated exchanges into sessions, the latest first. `pause_s` is in seconds."""
    dated = [memory for memory in memories if memory.exchange is not None and memory.ts is not None]
    dated.sort(key=lambda memory: (memory.conversation, memory.ts, memory.position, memory.turn_id))
    sessions = [
        Session(memories=tuple(exchanges))
        for _, group in groupby(dated, key=lambda memory: memory.conversation)
        for exchanges in _split(list(group), pause_s)
    ]
    return sorted(sessions, key=lambda session: session.started, reverse=True)


def session_around(memory: Memory, memories: Iterable[Memory], *, pause_s: float) -> Session | None:
    """Returns the session of these memories in which `memory` was said; None if there is none.

    `memory` need not be one of them: it may be forgotten. Then the result lacks it.
    """
    own = {other.id: other for other in memories}
    sessions = group_into_sessions([*(own | {memory.id: memory}).values()], pause_s=pause_s)
    found = next((session for session in sessions if memory.id in session.ids), None)
    rest = tuple(other for other in found.memories if other.id in own) if found else ()
    return Session(memories=rest) if rest else None


def with_keywords(text: str, keywords: str) -> str:
    """Returns the text of a summary, with words for search at its end."""
    return f"{text} [{keywords}]" if keywords else text


def without_keywords(summary: Memory) -> str:
    """Returns the text of a session's summary without the words for search."""
    keywords = summary.derived.value if summary.derived else ""
    return summary.text.removesuffix(f" [{keywords}]") if keywords else summary.text


def _split(memories: Sequence[Memory], pause_s: float) -> Iterable[list[Memory]]:
    session = [memories[0]]
    for memory in memories[1:]:
        if (memory.ts or 0.0) - (session[-1].ts or 0.0) > pause_s:
            yield session
            session = []
        session.append(memory)
    yield session
