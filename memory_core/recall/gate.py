"""The gate decides which candidates deserve a place in the prompt."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..records import Candidate, Dropped, DropReason
from .query import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What passed, best first, and what did not. `fault` says why a gate could not judge."""

    kept: tuple[Candidate, ...]
    dropped: tuple[Dropped, ...] = ()
    fault: str = ""


class Gate(Protocol):
    def keep(self, query: Query, candidates: Sequence[Candidate]) -> Verdict: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreGate:
    """Keeps what reaches `min_score`, and is near enough where a distance is set.

    `max_cosine_distance` is long_term_memory's: 1 - cosine has to be below it; where no vector
    is at hand it cannot be judged and does not count.
    """

    min_score: float
    min_letters: int
    max_cosine_distance: float | None = None

    def keep(self, query: Query, candidates: Sequence[Candidate]) -> Verdict:
        judged = [(it, self._objection(it, query)) for it in candidates]
        return Verdict(
            kept=tuple(candidate for candidate, objection in judged if not objection),
            dropped=tuple(
                Dropped(candidate=candidate, reason=DropReason.GATE, detail=objection)
                for candidate, objection in judged
                if objection
            ),
        )

    def _objection(self, candidate: Candidate, query: Query) -> str:
        score = candidate.score
        if not query.asks_for_a_time:  # that it was said then is no reason by itself
            score -= candidate.parts.get("date", 0.0)
        if max(score, candidate.lent) < self.min_score:
            return f"score {score:.2f} is below {self.min_score:.2f}"
        exchange = candidate.memory.exchange
        if exchange and max(len(exchange.user), len(exchange.assistant)) < self.min_letters:
            return f"shorter than {self.min_letters} letters"
        cosine = candidate.cosine
        if self.max_cosine_distance is None or cosine is None:
            return ""
        distance = 1.0 - cosine
        if distance < self.max_cosine_distance:
            return ""
        return f"cosine distance {distance:.2f} is not below {self.max_cosine_distance:.2f}"
