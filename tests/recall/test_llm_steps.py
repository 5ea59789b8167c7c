"""Tests of the language model's steps in the pipeline, after the score gate."""

from collections.abc import Sequence

from memory_core.domain.errors import LLMUnavailable
from memory_core.domain.records import Memory, MemoryKind
from memory_core.providers.llm.fake import Reply, ScriptedLLM
from memory_core.recall.gate import ScoreGate
from memory_core.recall.llm_judge import LLMGate, LLMRerank
from memory_core.recall.query import Query
from memory_core.recall.results import Candidate, DropReason

QUERY = Query(text="my dog")
SCORES = {"good": 0.9, "fair": 0.5, "poor": 0.1}
CANDIDATES = [
    Candidate(memory=Memory(id=memory_id, kind=MemoryKind.KNOWLEDGE, text=memory_id), score=score)
    for memory_id, score in SCORES.items()
]


def gate(llm: ScriptedLLM) -> LLMGate:
    first = ScoreGate(min_score=0.3, min_letters=1)
    return LLMGate(first, llm, keep_max=9, timeout_s=1)


def order(reply: Reply) -> LLMRerank:
    return LLMRerank(ScriptedLLM([reply]), k=1, timeout_s=1)


def ids(candidates: Sequence[Candidate]) -> list[str]:
    return [candidate.memory.id for candidate in candidates]


def test_llm_gate_judges_only_what_the_score_gate_passed() -> None:
    llm = ScriptedLLM(['{"keep_ids": [2], "reasons": {"1": "another dog"}}'])
    verdict = gate(llm).keep(QUERY, CANDIDATES)
    assert ids(verdict.kept) == ["fair"]
    assert {dropped.candidate.memory.id: dropped.detail for dropped in verdict.dropped} == {
        "poor": "score 0.10 is below 0.30",
        "good": "another dog",
    }
    assert {dropped.reason for dropped in verdict.dropped} == {DropReason.GATE}
    assert "poor" not in llm.asked[0][1].text


def test_llm_gate_falls_back_to_scores_with_a_fault() -> None:
    verdict = gate(ScriptedLLM([LLMUnavailable("asleep")])).keep(QUERY, CANDIDATES)
    assert ids(verdict.kept) == ["good", "fair"]
    assert verdict.fault == "gated by score: asleep"


def test_llm_rerank_puts_the_models_pick_first_and_loses_none() -> None:
    assert ids(order('{"top_ids": [3]}').order(QUERY, CANDIDATES).candidates) == [
        "poor", "good", "fair",
    ]  # fmt: skip


def test_llm_rerank_keeps_the_score_order_without_the_model() -> None:
    found = order(LLMUnavailable("asleep")).order(QUERY, CANDIDATES)
    assert ids(found.candidates) == ["good", "fair", "poor"]
    assert found.fault == "ordered by score: asleep"
