"""What the earlier messages of a conversation leave for its next prompt."""

from collections import deque
from dataclasses import dataclass, field

from ..domain.namespaces import Namespace
from ..infra.lru_cache import Recent
from ..recall.results import Recall
from ..storage.sessions import Sitting

_MOST_THREADS = 256


@dataclass(slots=True)
class Thread:
    """What one conversation's earlier messages leave for the next: nothing that must survive.

    `scale` is actual tokens over estimated ones, a guess until `learned`; `recalls` holds
    (message, id → score) pairs.
    """

    scale: float = 1.0
    learned: bool = False
    last: tuple[str, Recall] | None = None
    sitting: Sitting | None = None
    recalls: deque[tuple[str, dict[str, float]]] = field(default_factory=deque)

    def lent(self, question: str, turns: int) -> dict[str, float]:
        """The scores that earlier messages lend, halved for each message since."""
        earlier = [scores for said, scores in reversed(self.recalls) if said != question]
        lent: dict[str, float] = {}
        for age, scores in enumerate(earlier[:turns], start=1):
            for memory_id, score in scores.items():
                lent[memory_id] = max(lent.get(memory_id, 0.0), score / 2**age)
        return lent

    def remember(self, question: str, recall: Recall, turns: int) -> None:
        self.last = (question, recall)
        scores = {it.memory.id: it.candidate.score for it in recall.kept if it.is_direct}
        kept = [pair for pair in self.recalls if pair[0] != question]
        self.recalls = deque([*kept, (question, scores)], maxlen=turns + 1)


class Threads:
    """The conversations talked in last."""

    def __init__(self) -> None:
        self._recent: Recent[tuple[Namespace, str], Thread] = Recent(_MOST_THREADS)

    def of(self, key: tuple[Namespace, str]) -> Thread:
        thread = self._recent.get(key) or Thread()
        self._recent.put(key, thread)
        return thread

    def drop(self, namespace: Namespace) -> None:
        self._recent.drop(lambda key: key[0] == namespace)
