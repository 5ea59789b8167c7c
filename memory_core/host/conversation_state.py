"""Short-lived state that a conversation carries from one prompt to the next."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..domain.records import Exchange
from ..prompt.system_block import SystemBlock
from ..recall.results import Recall


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

    Otherwise returns a new one, which starts after the last pause between the chat's messages. A
    clock that was set back by as much counts as a pause.
    """
    if known is not None and abs(now - known.last_message_at) < pause_s:
        known.last_message_at = now
        return known
    start = now
    times = (exchange.ts for exchange in said if exchange.ts is not None)
    for ts in sorted(times, reverse=True):
        if start - ts >= pause_s:
            break
        start = min(start, ts)
    return ChatSession(started_at=start, last_message_at=now)


@dataclass(slots=True)
class ConversationState:
    """State of one conversation between prompts; losing it costs nothing.

    `token_scale` is the ratio of actual to estimated tokens, a guess until `is_scale_learned`.
    `system_block` is the latest, after the inputs that it was made from.
    `last_recall` is the latest, after its message and before its notices.
    `recent_scores` holds pairs of a message and its memories' scores by id.
    """

    token_scale: float = 1.0
    is_scale_learned: bool = False
    last_recall: tuple[str, Recall, tuple[str, ...]] | None = None
    session: ChatSession | None = None
    language: str = ""
    system_block: tuple[object, SystemBlock] | None = None
    recent_scores: deque[tuple[str, dict[str, float]]] = field(default_factory=deque)

    def carried_over_scores(self, question: str, turns: int) -> dict[str, float]:
        """Returns scores by id from earlier messages, halved for each message since."""
        earlier = [scores for asked, scores in reversed(self.recent_scores) if asked != question]
        carried: dict[str, float] = {}
        for age, scores in enumerate(earlier[:turns], start=1):
            for memory_id, score in scores.items():
                carried[memory_id] = max(carried.get(memory_id, 0.0), score / 2**age)
        return carried

    def remember(self, question: str, recall: Recall, turns: int, notices: tuple[str, ...]) -> None:
        self.last_recall = (question, recall, notices)
        scores = {hit.memory.id: hit.candidate.score for hit in recall.kept if hit.is_direct}
        others = [pair for pair in self.recent_scores if pair[0] != question]
        self.recent_scores = deque([*others, (question, scores)], maxlen=turns + 1)
