"""From a query to what enters the prompt: search, drop what is shown, gate, rerank, split."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from ..storage.contract import NO_FILTER, MemoryStore, SearchFilter
from ..text.cleaning import clean_answer
from ..text.commands.parser import is_command_message
from .gate import Gate, GateDecision, RecallAmount
from .query import Query
from .repeated_questions import demote_repeats, prefer_answers
from .rerank import Reranker
from .results import ALREADY_IN_SYSTEM_BLOCK, Candidate, Dropped, DropReason, Form, Recall, Recalled
from .search import SearchResult, SearchScope, search
from .vector_score import QueryVector

_IN_FULL = 3  # behind so many, short lines let all that is kept stand within the budget


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallLimits:
    """How many: candidates sought, exchanges replayed, further lines, and all together at most."""

    candidates: int
    replay: int
    lines: int
    most: int | None = None

    @property
    def all(self) -> int:
        """Replays and lines together."""
        both = self.replay + self.lines
        return both if self.most is None else min(both, self.most)

    def for_amount(self, amount: RecallAmount) -> "RecallLimits":
        """Returns how many of these a message gets."""
        if amount is RecallAmount.FULL:
            return self
        few = (self.lines + 1) // 2 if amount is RecallAmount.FEW else 0
        return replace(self, replay=0, lines=few)


class Pipeline:
    """Recall without I/O of its own beyond the store's."""

    def __init__(
        self, *, gate: Gate, reranker: Reranker, sizes: RecallLimits, min_letters: int = 1
    ) -> None:
        """Messages with fewer than `min_letters` are not found by their words."""
        self._gate = gate
        self._min_letters = min_letters
        self._reranker = reranker
        self._sizes = sizes

    def recall(
        self,
        store: MemoryStore,
        query: Query,
        meaning: QueryVector | None,
        *,
        only: SearchFilter = NO_FILTER,
    ) -> Recall:
        """What fits this query now; without a meaning, by words and dates alone."""
        started = time.perf_counter()
        found = self.choose(query, [self.search(store, query, meaning, only=only)])
        return replace(found, elapsed_ms=(time.perf_counter() - started) * 1000)

    def search(
        self,
        store: MemoryStore,
        query: Query,
        meaning: QueryVector | None,
        *,
        only: SearchFilter = NO_FILTER,
    ) -> SearchResult:
        """The candidates of one store."""
        reach = SearchScope(
            limit=self._sizes.candidates, search_filter=only, min_letters=self._min_letters
        )
        return search(store, query, meaning, reach)

    def choose(self, query: Query, sought: Sequence[SearchResult]) -> Recall:
        """The best of all that was found, in one order: scores mean the same in every store."""
        found = sorted(
            chain.from_iterable(result.candidates for result in sought),
            key=lambda candidate: (
                candidate.is_outside_dates,
                -candidate.score,
                -candidate.carried_over,
            ),
        )
        evidence = max(
            (result.need_features for result in sought), key=lambda features: features.share
        )
        query = query.judged_by(evidence)
        unseen, dropped = _drop_unwanted(found[: self._sizes.candidates], query)
        verdict = self._gate.keep(query, unseen)
        order = self._reranker.order(query, verdict.kept)
        ordered = prefer_answers(query.text, demote_repeats(query.text, order.candidates))
        kept, left = self._split(ordered, verdict)
        return Recall(
            kept=kept,
            dropped=(*dropped, *verdict.dropped, *left),
            degraded_reasons=tuple(fault for fault in (verdict.fault, order.fault) if fault),
            notes=tuple(dict.fromkeys(result.note for result in sought if result.note)),
            need=verdict.need,
        )

    def _split(
        self, ordered: Sequence[Candidate], verdict: GateDecision
    ) -> tuple[tuple[Recalled, ...], tuple[Dropped, ...]]:
        """Gives each candidate its form; direct hits come before what an earlier message left."""
        ordered = sorted(ordered, key=lambda candidate: candidate.memory.id in verdict.sticky)
        sizes = self._sizes.for_amount(verdict.amount)
        whole = [
            candidate
            for candidate in ordered[: sizes.all]
            if candidate.memory.id not in verdict.sticky
        ]
        forms = chain(
            _forms(whole, sizes.replay, sizes.lines),
            ((candidate, Form.LINE) for candidate in ordered[len(whole) : sizes.all]),
        )
        few = verdict.amount is RecallAmount.FEW
        kept = tuple(
            Recalled(
                candidate=candidate,
                form=form,
                is_brief=few or (form is Form.LINE and place >= _IN_FULL),
                is_direct=candidate.memory.id not in verdict.sticky,
            )
            for place, (candidate, form) in enumerate(forms)
        )
        ids = {recalled.memory.id for recalled in kept}
        left = (candidate for candidate in ordered if candidate.memory.id not in ids)
        reason = DropReason.GATE if few else DropReason.LIMIT
        detail = f"room for {len(kept)} only"
        return kept, tuple(_dropped(left, reason, detail))


def _forms(
    candidates: Iterable[Candidate], replay: int, lines: int
) -> Iterator[tuple[Candidate, Form]]:
    """The best whole exchanges are replayed, all else becomes lines."""
    for candidate in candidates:
        if replay and _is_whole_exchange(candidate):
            replay -= 1
            yield candidate, Form.REPLAY
        elif lines:
            lines -= 1
            yield candidate, Form.LINE


def _is_whole_exchange(candidate: Candidate) -> bool:
    exchange = candidate.memory.exchange
    return bool(exchange and exchange.user.strip() and exchange.assistant.strip())


def _drop_unwanted(
    candidates: Sequence[Candidate], query: Query
) -> tuple[list[Candidate], list[Dropped]]:
    """Drops what the prompt holds anyway, what the chat no longer says, what is of another time
    than must be, and second copies.
    """
    seen: set[str] = set()
    unseen: list[Candidate] = []
    dropped: list[Dropped] = []
    for found in candidates:
        candidate = _without_recited_memories(found)
        reason = _drop_reason(candidate, query, seen)
        if not _is_conversation(candidate):
            detail = "it was said to the memory, or by it"
            dropped.append(Dropped(candidate=found, reason=DropReason.STALE, detail=detail))
        elif reason is None:
            seen.add(candidate.key)
            unseen.append(candidate)
        else:
            stands = reason is DropReason.SHOWN and candidate.memory.id in query.in_system_block
            detail = ALREADY_IN_SYSTEM_BLOCK if stands else ""
            dropped.append(Dropped(candidate=candidate, reason=reason, detail=detail))
    return unseen, dropped


def _drop_reason(candidate: Candidate, query: Query, seen: set[str]) -> DropReason | None:
    is_shown = not query.shown_keys.isdisjoint((candidate.key, candidate.chat_key))
    if is_shown or candidate.memory.id in query.in_system_block:
        return DropReason.SHOWN
    if candidate.memory.id in query.stale_ids:
        return DropReason.STALE
    if candidate.is_outside_dates:
        return DropReason.DATE
    return DropReason.DUPLICATE if candidate.key in seen else None


def _without_recited_memories(candidate: Candidate) -> Candidate:
    """Without what an answer lists from memory: it was written before that was known."""
    exchange = candidate.memory.exchange
    if exchange is None or (answer := clean_answer(exchange.assistant)) == exchange.assistant:
        return candidate
    memory = replace(candidate.memory, exchange=replace(exchange, assistant=answer))
    return replace(candidate, memory=memory)


def _is_conversation(candidate: Candidate) -> bool:
    exchange = candidate.memory.exchange
    if exchange is None:
        return True
    return bool(exchange.user or exchange.assistant) and not is_command_message(exchange.user)


def _dropped(candidates: Iterable[Candidate], reason: DropReason, detail: str) -> Iterator[Dropped]:
    return (Dropped(candidate=candidate, reason=reason, detail=detail) for candidate in candidates)
