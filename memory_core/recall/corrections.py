"""Puts a number that was corrected at once before the wrong one: "the code is 3307", "3370 sorry".

The correction has no word of the question, so that only its place in the chat shows its subject.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

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
    first = [one for one in candidates[:_MAX_CORRECTED] if one.memory.exchange]
    following = {one.memory.id: _following(one.memory.id, store, passages) for one in first}
    known = {candidate.memory.id: candidate for candidate in candidates}
    unknown = set(chain.from_iterable(following.values())) - known.keys()
    if unknown and only != NO_FILTER:
        unknown &= store.catalog.live_seqs(list(unknown), only).keys()
    later = known | {one.memory.id: one for one in fetch_candidates([*unknown], store.fulltext)}
    raised: dict[str, Candidate] = {}
    for wrong in first:
        score = wrong.score
        for memory_id in following[wrong.memory.id]:
            right = later.get(memory_id)
            if right is None or not _corrects(right.memory, wrong.memory):
                break
            score = max(score + _BEYOND, right.score)
            raised.setdefault(memory_id, _raised(right, score, wrong))
    return (
        sorted((known | raised).values(), key=lambda one: -one.score) if raised else [*candidates]
    )


def _following(memory_id: str, store: MemoryStore, passages: PassageColumns) -> list[str]:
    """Returns the ids of the next exchanges of the conversation, in their order."""
    if memory_id not in passages.ids[: passages.weighed_count]:
        passages = store.fulltext.passages([memory_id], [])
        if memory_id not in passages.ids:
            return []  # forgotten meanwhile
    index, found = passages.ids.index(memory_id), list[str]()
    while len(found) < _MAX_CHAIN and (index := int(passages.after[index])) >= 0:
        found.append(passages.ids[index])
    return found


def _raised(right: Candidate, score: float, wrong: Candidate) -> Candidate:
    lift = right.parts.get(SUCCESSOR, 0.0) + score - right.score
    return replace(
        right,
        score=score,
        own_score=wrong.own_score,
        parts={**right.parts, SUCCESSOR: lift},
        corrects=wrong.memory.id,
    )


def _corrects(right: Memory, wrong: Memory) -> bool:
    if right.ts is None or wrong.ts is None or right.exchange is None or wrong.exchange is None:
        return False
    is_at_once = 0.0 <= right.ts - wrong.ts <= _AT_ONCE_S
    return is_at_once and corrects(right.exchange.user, wrong.exchange.user)
