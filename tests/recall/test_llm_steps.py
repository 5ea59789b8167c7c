"""A language model behind the score gate: it sees what passed, and may overrule the order."""

from collections.abc import Sequence

from memory_core.domain.errors import LLMUnavailable
from memory_core.domain.records import Memory, MemoryKind
from memory_core.providers.llm.fake import Reply, ScriptedLLM
from memory_core.recall.gate import ScoreGate
from memory_core.recall.llm_judge import LLMGate, LLMGateStep, LLMRerank, LLMRerankStep
from memory_core.recall.query import Query
from memory_core.recall.results import Candidate, DropReason

QUERY = Query(text="my dog")
SCORES = {"good": 0.9, "fair": 0.5, "poor": 0.1}
CANDIDATES = [
    Candidate(memory=Memory(id=it, kind=MemoryKind.KNOWLEDGE, text=it), score=score)
    for it, score in SCORES.items()
]


def gate(llm: ScriptedLLM) -> LLMGateStep:
    first = ScoreGate(min_score=0.3, min_letters=1)
    return LLMGateStep(first, LLMGate(llm, keep_max=9, timeout_s=1))


def order(reply: Reply) -> LLMRerankStep:
    return LLMRerankStep(LLMRerank(ScriptedLLM([reply]), k=1, timeout_s=1))


def ids(candidates: Sequence[Candidate]) -> list[str]:
    return [it.memory.id for it in candidates]


def test_the_model_judges_only_what_the_scores_let_pass() -> None:
    llm = ScriptedLLM(['{"keep_ids": [2], "reasons": {"1": "another dog"}}'])
    verdict = gate(llm).keep(QUERY, CANDIDATES)
    assert ids(verdict.kept) == ["fair"]
    assert {it.candidate.memory.id: it.detail for it in verdict.dropped} == {
        "poor": "score 0.10 is below 0.30",
        "good": "another dog",
    }
    assert {it.reason for it in verdict.dropped} == {DropReason.GATE}
    assert "poor" not in llm.asked[0][1].text


def test_without_the_model_the_scores_decide_and_that_is_told() -> None:
    verdict = gate(ScriptedLLM([LLMUnavailable("asleep")])).keep(QUERY, CANDIDATES)
    assert ids(verdict.kept) == ["good", "fair"]
    assert verdict.fault == "gated by score: asleep"


def test_the_models_favourite_comes_first_and_nobody_is_lost() -> None:
    assert ids(order('{"top_ids": [3]}').order(QUERY, CANDIDATES).candidates) == [
        "poor", "good", "fair",
    ]  # fmt: skip


def test_without_the_model_the_order_of_scores_stays() -> None:
    found = order(LLMUnavailable("asleep")).order(QUERY, CANDIDATES)
    assert ids(found.candidates) == ["good", "fair", "poor"]
    assert found.fault == "ordered by score: asleep"
