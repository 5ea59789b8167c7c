"""Puts a number that was corrected at once before the wrong one: "the code is 3307", "3370 sorry".

The correction has no word of the question, so that only its place in the chat shows its subject.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..domain.records import Memory
from ..storage.contract import NO_FILTER, PassageColumns, SearchFilter
from ..storage.store import MemoryStore
from ..text.bare_corrections import corrects
from .fact_versions import SUCCESSOR, fetch_candidates
from .results import Candidate

_MAX_CORRECTED = 3  # candidates whose corrections are looked for
_MAX_CHAIN = 3  # corrections of one number
_AT_ONCE_S = 1800.0
_BEYOND = 1e-6


def with_corrections(
    candidates: Sequence[Candidate],
    store: MemoryStore,
    passages: PassageColumns,
    only: SearchFilter,
) -> list[Candidate]:
    """Returns the candidates, best first, with the corrections of the best raised above these.

    A question about a former state gets them, too: the wrong number never held.
    """
    known = {candidate.memory.id: candidate for candidate in candidates}
    following = _Following(known, store, passages, only)
    raised: dict[str, Candidate] = {}
    for wrong in candidates[:_MAX_CORRECTED]:
        for right in following.corrections(wrong):
            raised.setdefault(right.memory.id, right)
    if not raised:
        return list(candidates)
    return sorted((known | raised).values(), key=lambda candidate: -candidate.score)


class _Following:
    """Finds the exchanges after a candidate in its conversation."""

    def __init__(
        self,
        known: Mapping[str, Candidate],
        store: MemoryStore,
        passages: PassageColumns,
        only: SearchFilter,
    ) -> None:
        self._known, self._store, self._passages, self._only = known, store, passages, only

    def corrections(self, wrong: Candidate) -> Iterator[Candidate]:
        """Yields what corrects this candidate, in the order in which it was said."""
        passages, score = self._passages_with(wrong.memory.id), wrong.score
        if wrong.memory.exchange is None or wrong.memory.id not in passages.ids:
            return
        index = passages.ids.index(wrong.memory.id)
        for _ in range(_MAX_CHAIN):
            index = int(passages.after[index])
            right = self._candidate(passages.ids[index]) if index >= 0 else None
            if right is None or not _corrects(right.memory, wrong.memory):
                return
            score = max(score + _BEYOND, right.score)
            lift = right.parts.get(SUCCESSOR, 0.0) + score - right.score
            yield replace(
                right,
                score=score,
                own_score=wrong.own_score,
                parts={**right.parts, SUCCESSOR: lift},
                corrects=wrong.memory.id,
            )

    def _passages_with(self, memory_id: str) -> PassageColumns:
        """Returns passages that have this memory and its neighbours."""
        known = self._passages
        is_known = memory_id in known.ids[: known.weighed_count]
        return known if is_known else self._store.fulltext.passages([memory_id], [])

    def _candidate(self, memory_id: str) -> Candidate | None:
        """Returns the memory, unless the filter excludes it."""
        if known := self._known.get(memory_id):
            return known
        if self._only != NO_FILTER and not self._store.catalog.live_seqs([memory_id], self._only):
            return None
        return next(fetch_candidates([memory_id], self._store.fulltext), None)


def _corrects(right: Memory, wrong: Memory) -> bool:
    if right.ts is None or wrong.ts is None or right.exchange is None or wrong.exchange is None:
        return False
    is_at_once = 0.0 <= right.ts - wrong.ts <= _AT_ONCE_S
    return is_at_once and corrects(right.exchange.user, wrong.exchange.user)
