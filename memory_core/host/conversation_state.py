"""What the earlier messages of a conversation leave for its next prompt."""

from collections import deque
from dataclasses import dataclass, field

from ..domain.namespaces import Namespace
from ..infra.lru_cache import LRUCache
from ..recall.results import Recall
from ..storage.sessions import ChatSession

_MAX_CONVERSATIONS = 256


@dataclass(slots=True)
class ConversationState:
    """What one conversation's earlier messages leave for the next: nothing that must survive.

    `scale` is actual tokens over estimated ones, a guess until `learned`; `recalls` holds
    (message, id → score) pairs.
    """

    token_scale: float = 1.0
    is_scale_learned: bool = False
    last_recall: tuple[str, Recall] | None = None
    session: ChatSession | None = None
    recent_scores: deque[tuple[str, dict[str, float]]] = field(default_factory=deque)

    def carried_over_scores(self, question: str, turns: int) -> dict[str, float]:
        """The scores that earlier messages lend, halved for each message since."""
        earlier = [scores for said, scores in reversed(self.recent_scores) if said != question]
        lent: dict[str, float] = {}
        for age, scores in enumerate(earlier[:turns], start=1):
            for memory_id, score in scores.items():
                lent[memory_id] = max(lent.get(memory_id, 0.0), score / 2**age)
        return lent

    def remember(self, question: str, recall: Recall, turns: int) -> None:
        self.last_recall = (question, recall)
        scores = {it.memory.id: it.candidate.score for it in recall.kept if it.is_direct}
        kept = [pair for pair in self.recent_scores if pair[0] != question]
        self.recent_scores = deque([*kept, (question, scores)], maxlen=turns + 1)


class ConversationStates:
    """The conversations talked in last."""

    def __init__(self) -> None:
        self._recent: LRUCache[tuple[Namespace, str], ConversationState] = LRUCache(
            _MAX_CONVERSATIONS
        )

    def get(self, key: tuple[Namespace, str]) -> ConversationState:
        thread = self._recent.get(key) or ConversationState()
        self._recent.put(key, thread)
        return thread

    def forget_namespace(self, namespace: Namespace) -> None:
        self._recent.drop_where(lambda key: key[0] == namespace)
