"""Lets a language model judge the candidates: one call as a gate, one as a reranker.

Both follow OpenPersistentMemory's JSON contracts: keep_ids, drop_ids, reasons; top_ids.
If the model fails or its answer is invalid, the order by score stays and `fault` says why.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from ..domain.errors import LLMUnavailable
from ..domain.records import Turn, empty_mapping
from ..providers.llm.base import LanguageModel
from ..text.llm_json import find_object
from ..text.prompt_files import Prompt, PromptBook, PromptContract, numbered_line, quoted
from ..text.token_counter import beginning
from .gate import Gate, GateDecision
from .query import Query
from .rerank import RerankResult
from .results import Candidate, Dropped, DropReason

_PROMPTS = Path(__file__).parent / "prompts"
GATE = PromptContract(
    name="gate",
    folder=_PROMPTS,
    required=("message", "memories"),
    json_keys=("keep_ids", "drop_ids", "reasons"),
)
RERANK = PromptContract(
    name="rerank",
    folder=_PROMPTS,
    required=("message", "memories", "count"),
    json_keys=("top_ids",),
)

_GATE_TOKENS = 700
_RERANK_TOKENS = 320
_MAX_TEXT_CHARS, _MAX_TEXT_TOKENS = 600, 160
_MAX_PROMPT_TOKENS = 2_500  # of memories; with the rules they fit a context of 4,096
_LINE_TOKENS = 12  # of the number and the day


@dataclass(frozen=True, slots=True, kw_only=True)
class GateVerdict:
    """The ids of kept memories, surest first. `fault` says why the model could not judge."""

    kept: tuple[str, ...]
    reasons: Mapping[str, str] = field(default_factory=empty_mapping)
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMRanking:
    """The best memories' ids, best first. `fault` says why the model could not rank."""

    ids: tuple[str, ...]
    fault: str = ""


class LLMGate:
    """Keeps at most `keep_max` candidates, by one call of at most `timeout_s` seconds."""

    def __init__(
        self, llm: LanguageModel, *, keep_max: int, timeout_s: float, prompt: Prompt | None = None
    ) -> None:
        self._llm = llm
        self._prompt = prompt or PromptBook().load(GATE)
        self._keep_max = keep_max
        self._timeout_s = timeout_s

    def keep(
        self, query: str, candidates: Sequence[Candidate], *, now: datetime | None = None
    ) -> GateVerdict:
        if not candidates:
            return GateVerdict(kept=())
        turns = _fill(self._prompt, query, candidates, now=now)
        try:
            answer = self._llm.complete(
                turns, max_tokens=_GATE_TOKENS, temperature=0.0, timeout_s=self._timeout_s
            )
            verdict = find_object(answer, having="keep_ids")
            kept = _ids_of_numbers(verdict["keep_ids"], candidates)
        except (LLMUnavailable, ValueError) as exc:
            return self._verdict(_by_score(candidates, len(candidates)), {}, fault=str(exc))
        return self._verdict(kept, _reasons(verdict.get("reasons"), candidates))

    def _verdict(
        self, ids: tuple[str, ...], reasons: Mapping[str, str], *, fault: str = ""
    ) -> GateVerdict:
        excess = dict.fromkeys(ids[self._keep_max :], f"only {self._keep_max} are kept")
        return GateVerdict(kept=ids[: self._keep_max], reasons={**reasons, **excess}, fault=fault)


class LLMRerank:
    """Picks the best `k` candidates, or fewer if the model names fewer, by one call."""

    def __init__(
        self, llm: LanguageModel, *, k: int, timeout_s: float, prompt: Prompt | None = None
    ) -> None:
        self._llm = llm
        self._prompt = prompt or PromptBook().load(RERANK)
        self._k = k
        self._timeout_s = timeout_s

    def order(
        self, query: str, candidates: Sequence[Candidate], *, now: datetime | None = None
    ) -> LLMRanking:
        if not candidates or not self._k:
            return LLMRanking(ids=())
        turns = _fill(self._prompt, query, candidates, now=now, count=self._k)
        try:
            answer = self._llm.complete(
                turns, max_tokens=_RERANK_TOKENS, temperature=0.0, timeout_s=self._timeout_s
            )
            top = _ids_of_numbers(find_object(answer, having="top_ids")["top_ids"], candidates)
        except (LLMUnavailable, ValueError) as exc:
            return LLMRanking(ids=_by_score(candidates, self._k), fault=str(exc))
        return LLMRanking(ids=top[: self._k])


def _fill(
    prompt: Prompt,
    query: str,
    candidates: Sequence[Candidate],
    *,
    now: datetime | None,
    count: int = 0,
) -> tuple[Turn, ...]:
    """Returns the filled prompt in the language of the message."""
    each = max(8, min(_MAX_TEXT_TOKENS, _MAX_PROMPT_TOKENS // len(candidates) - _LINE_TOKENS))
    lines = [
        numbered_line(
            number,
            replace(candidate.memory, text=beginning(candidate.memory.text, each)),
            limit=_MAX_TEXT_CHARS,
        )
        for number, candidate in enumerate(candidates, start=1)
    ]
    fields = {
        "message": quoted(query, limit=_MAX_TEXT_CHARS),
        "memories": "\n".join(lines),
        "count": str(count),
    }
    return prompt.fill(fields, like=query, now=now or datetime.now().astimezone())


def _ids_of_numbers(numbers: object, candidates: Sequence[Candidate]) -> tuple[str, ...]:
    """Returns the distinct ids for these numbers, in order, without unknown numbers.

    Raises ValueError if the answer is no list, or if no number is known.
    """
    if not isinstance(numbers, list):
        raise ValueError(
            f"the model answered with {type(numbers).__name__} instead of a list of numbers"
        )
    ids = [_id_of(number, candidates) for number in numbers]
    known = tuple(dict.fromkeys(memory_id for memory_id in ids if memory_id))
    if numbers and not known:
        raise ValueError("the model named only memories that it was not given")
    return known


def _id_of(number: object, candidates: Sequence[Candidate]) -> str:
    """Returns the id for a number written as 3, "3", "[3]" or {"id": 3}, or "" if unknown."""
    plain = number.get("id") if isinstance(number, dict) else number
    match = re.fullmatch(r"\W*(\d{1,4})\W*", str(plain))
    index = int(match[1]) if match else 0
    return candidates[index - 1].memory.id if 1 <= index <= len(candidates) else ""


def _reasons(reasons: object, candidates: Sequence[Candidate]) -> dict[str, str]:
    if not isinstance(reasons, dict):
        return {}
    by_id = {_id_of(number, candidates): str(reason) for number, reason in reasons.items()}
    return {memory_id: reason for memory_id, reason in by_id.items() if memory_id}


def _by_score(candidates: Sequence[Candidate], limit: int) -> tuple[str, ...]:
    best = sorted(candidates, key=lambda candidate: candidate.score, reverse=True)
    return tuple(candidate.memory.id for candidate in best[:limit])


class LLMGateStep:
    """Asks the model about the candidates that pass the score gate, and drops those it rejects."""

    def __init__(self, first: Gate, llm_gate: LLMGate) -> None:
        self._score_gate = first
        self._llm_gate = llm_gate

    def keep(self, query: Query, candidates: Sequence[Candidate]) -> GateDecision:
        passed = self._score_gate.keep(query, candidates)
        judged = self._llm_gate.keep(query.text, passed.kept, now=query.now)
        by_id = {candidate.memory.id: candidate for candidate in passed.kept}
        dropped = tuple(
            Dropped(
                candidate=candidate,
                reason=DropReason.GATE,
                detail=judged.reasons.get(memory_id, ""),
            )
            for memory_id, candidate in by_id.items()
            if memory_id not in judged.kept
        )
        return GateDecision(
            kept=tuple(by_id[memory_id] for memory_id in judged.kept),
            dropped=(*passed.dropped, *dropped),
            need=passed.need,
            fault=f"gated by score: {judged.fault}" if judged.fault else "",
        )


class LLMRerankStep:
    """Puts the model's picks first, and all others behind them by score."""

    def __init__(self, llm_rerank: LLMRerank) -> None:
        self._llm_rerank = llm_rerank

    def order(self, query: Query, candidates: Sequence[Candidate]) -> RerankResult:
        ranking = self._llm_rerank.order(query.text, candidates, now=query.now)
        by_id = {candidate.memory.id: candidate for candidate in candidates}
        rest = [memory_id for memory_id in by_id if memory_id not in ranking.ids]
        return RerankResult(
            candidates=tuple(by_id[memory_id] for memory_id in [*ranking.ids, *rest]),
            fault=f"ordered by score: {ranking.fault}" if ranking.fault else "",
        )
