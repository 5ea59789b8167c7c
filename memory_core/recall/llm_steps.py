"""A language model's verdict as gate and reranker, behind the scores that it may overrule."""

from collections.abc import Sequence

from ..domain.records import Candidate, Dropped, DropReason
from .gate import Gate, Verdict
from .llm_judge import LLMGate, LLMRerank
from .query import Query
from .rerank import Order


class JudgedGate:
    """What passes the first gate is shown to the model; what it does not keep is dropped."""

    def __init__(self, first: Gate, llm_gate: LLMGate) -> None:
        self._first = first
        self._llm_gate = llm_gate

    def keep(self, query: Query, candidates: Sequence[Candidate]) -> Verdict:
        passed = self._first.keep(query, candidates)
        judged = self._llm_gate.keep(query.text, passed.kept)
        known = {it.memory.id: it for it in passed.kept}
        dropped = tuple(
            Dropped(candidate=it, reason=DropReason.GATE, detail=judged.reasons.get(key, ""))
            for key, it in known.items()
            if key not in judged.kept
        )
        return Verdict(
            kept=tuple(known[key] for key in judged.kept),
            dropped=(*passed.dropped, *dropped),
            need=passed.need,
            fault=f"the gate went by score: {judged.fault}" if judged.fault else "",
        )


class JudgedOrder:
    """The model's favourites first, all others behind in the order of their scores."""

    def __init__(self, llm_rerank: LLMRerank) -> None:
        self._llm_rerank = llm_rerank

    def order(self, query: Query, candidates: Sequence[Candidate]) -> Order:
        ranking = self._llm_rerank.order(query.text, candidates)
        known = {it.memory.id: it for it in candidates}
        rest = [it for it in known if it not in ranking.ids]
        return Order(
            candidates=tuple(known[key] for key in [*ranking.ids, *rest]),
            fault=f"ordered by score: {ranking.fault}" if ranking.fault else "",
        )
