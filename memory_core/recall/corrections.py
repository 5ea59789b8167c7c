"""Finds corrections by their place in the chat, and puts those of a number before the wrong one.

"3370 sorry" has no word of the question that "the code is 3307" answers.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from ..domain.records import Memory
from ..storage.contract import NO_FILTER, PassageColumns, SearchFilter, StoredMemory
from ..storage.store import MemoryStore
from ..text.number_corrections import corrects, names_a_number
from ..text.statement_corrections import corrected_statement
from .fact_versions import SUCCESSOR, fetch_candidates
from .results import Candidate

_MAX_EXAMINED = 8  # candidates that may have been corrected
_MAX_CORRECTED = 3  # candidates whose corrections are looked for
_MAX_CORRECTIONS = 3  # corrections of one number
_AT_ONCE_S = 1800.0
_BEYOND = 1e-6


def corrections_of(memory: Memory, store: MemoryStore) -> Iterator[StoredMemory]:
    """Yields the live exchanges right behind this one that only correct a value of it."""
    if memory.exchange is None:
        return
    following = _following(memory.id, store, store.fulltext.passages([memory.id], []))
    for stored in store.fulltext.live_memories(following):
        if not _corrects(stored.memory, memory, judge=corrects_in_words):
            return
        yield stored


def with_corrections(
    candidates: Sequence[Candidate],
    store: MemoryStore,
    passages: PassageColumns,
    only: SearchFilter,
) -> list[Candidate]:
    """Returns the candidates, best first, with the corrections of the best raised above these.

    A question about a former state gets them, too: the wrong number never held.
    """
    said = ((one, one.memory.exchange) for one in candidates[:_MAX_EXAMINED])
    numbered = (one for one, exchange in said if exchange and names_a_number(exchange.user))
    first = list(islice(numbered, _MAX_CORRECTED))
    following = {one.memory.id: _following(one.memory.id, store, passages) for one in first}
    known = {candidate.memory.id: candidate for candidate in candidates}
    unknown = set(chain.from_iterable(following.values())) - known.keys()
    if unknown and only != NO_FILTER:
        unknown &= store.catalog.live_seqs(list(unknown), only).keys()
    fetched = fetch_candidates(unknown, {}, store.fulltext)
    later = known | {one.memory.id: one for one in fetched}
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
    while len(found) < _MAX_CORRECTIONS and (index := int(passages.after[index])) >= 0:
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


def corrects_in_words(message: str, statement: str) -> bool:
    """Returns whether the message says nothing but another number, name or day in its place."""
    return corrects(message, statement) or bool(corrected_statement(statement, message))


def _corrects(right: Memory, wrong: Memory, judge: Callable[[str, str], bool] = corrects) -> bool:
    if right.exchange is None or wrong.exchange is None or not _follows_at_once(right, wrong):
        return False
    return judge(right.exchange.user, wrong.exchange.user)


def _follows_at_once(right: Memory, wrong: Memory) -> bool:
    is_dated = right.ts is not None and wrong.ts is not None
    return is_dated and 0.0 <= (right.ts or 0.0) - (wrong.ts or 0.0) <= _AT_ONCE_S
