"""Lets a language model judge the candidates: one call as a gate, one as a reranker.

Both follow OpenPersistentMemory's JSON contracts: keep_ids, drop_ids, reasons; top_ids.
If the model fails or its answer is invalid, the order by score stays and `fault` says why.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from ..domain.errors import LLMUnavailable
from ..domain.records import Turn
from ..providers.llm.base import LanguageModel
from ..text.llm_json import find_object
from ..text.prompt_files import Prompt, PromptBook, PromptContract, numbered_line, quoted
from ..text.token_counter import beginning
from .gate import Gate, GateDecision, RecallAmount
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


class LLMGate:
    """Asks the model about the candidates that pass the `first` gate, and drops those it rejects.

    Keeps at most `keep_max` of them, by one call of at most `timeout_s` seconds.
    """

    def __init__(
        self, first: Gate, llm: LanguageModel, *, keep_max: int, timeout_s: float,
        prompt: Prompt | None = None,
    ) -> None:  # fmt: skip
        self._first = first
        self._llm = llm
        self._prompt = prompt or PromptBook().load(GATE)
        self._keep_max = keep_max
        self._timeout_s = timeout_s

    def keep(self, query: Query, candidates: Sequence[Candidate]) -> GateDecision:
        passed = self._first.keep(query, candidates)
        by_id = {candidate.memory.id: candidate for candidate in passed.kept}
        fault = ""
        try:
            ids, reasons = self._ask(query, passed.kept)
        except (LLMUnavailable, ValueError) as exc:
            ids, reasons, fault = _by_score(passed.kept), {}, f"gated by score: {exc}"
        kept = ids[: self._keep_max]
        reasons |= dict.fromkeys(ids[self._keep_max :], f"only {self._keep_max} are kept")
        rejected = (
            Dropped(candidate=candidate, reason=DropReason.GATE, detail=reasons.get(memory_id, ""))
            for memory_id, candidate in by_id.items()
            if memory_id not in kept
        )
        judged = replace(
            passed,
            kept=tuple(by_id[memory_id] for memory_id in kept),
            dropped=(*passed.dropped, *rejected),
            sticky=passed.sticky.intersection(kept),
            fault=fault,
        )
        # What the model keeps is surely wanted; without its verdict the scores still count.
        if fault or not kept:
            return judged
        return replace(judged, amount=RecallAmount.FULL, is_by_score=False)

    def _ask(
        self, query: Query, candidates: Sequence[Candidate]
    ) -> tuple[tuple[str, ...], dict[str, str]]:
        """Returns the ids of the memories to keep, surest first, and reasons by id."""
        if not candidates:
            return (), {}
        turns = _fill(self._prompt, query, candidates)
        answer = self._llm.complete(
            turns, max_tokens=_GATE_TOKENS, temperature=0.0, timeout_s=self._timeout_s
        )
        verdict = find_object(answer, having="keep_ids")
        kept = _ids_of_numbers(verdict["keep_ids"], candidates)
        return kept, _reasons(verdict.get("reasons"), candidates)


class LLMRerank:
    """Puts the model's picks first, at most `k` by one call, and all others behind them."""

    def __init__(
        self, llm: LanguageModel, *, k: int, timeout_s: float, prompt: Prompt | None = None
    ) -> None:
        self._llm = llm
        self._prompt = prompt or PromptBook().load(RERANK)
        self._k = k
        self._timeout_s = timeout_s

    def order(self, query: Query, candidates: Sequence[Candidate]) -> RerankResult:
        fault = ""
        try:
            ids = self._ask(query, candidates)
        except (LLMUnavailable, ValueError) as exc:
            ids, fault = _by_score(candidates), f"ordered by score: {exc}"
        by_id = {candidate.memory.id: candidate for candidate in candidates}
        first = ids[: self._k]
        rest = [memory_id for memory_id in by_id if memory_id not in first]
        return RerankResult(
            candidates=tuple(by_id[memory_id] for memory_id in [*first, *rest]), fault=fault
        )

    def _ask(self, query: Query, candidates: Sequence[Candidate]) -> tuple[str, ...]:
        """Returns the ids of the model's picks, best first."""
        if not candidates or not self._k:
            return ()
        turns = _fill(self._prompt, query, candidates, count=self._k)
        answer = self._llm.complete(
            turns, max_tokens=_RERANK_TOKENS, temperature=0.0, timeout_s=self._timeout_s
        )
        return _ids_of_numbers(find_object(answer, having="top_ids")["top_ids"], candidates)


def _fill(
    prompt: Prompt, query: Query, candidates: Sequence[Candidate], *, count: int = 0
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
        "message": quoted(query.text, limit=_MAX_TEXT_CHARS),
        "memories": "\n".join(lines),
        "count": str(count),
    }
    now = query.now or datetime.now().astimezone()
    return prompt.fill(fields, like=query.text, now=now)


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


def _by_score(candidates: Sequence[Candidate]) -> tuple[str, ...]:
    best = sorted(candidates, key=lambda candidate: candidate.score, reverse=True)
    return tuple(candidate.memory.id for candidate in best)
