"""Search casts wide: words, vectors and dates, each candidate with the parts of its score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from ..embedders.base import Vectors
from ..records import Candidate
from ..stores.base import Hit, MemoryStore
from ..transcript.entries import Entry, State
from .dates import proximity
from .query import Query

# In units of one rare word (bm25.py); tuned on the development half of LoCoMo.
WORD_WEIGHT = 1.0
VECTOR_WEIGHT = 1.4
DATE_WEIGHT = 0.5
_CROWD = 9  # the tenth best
UNRELATED_COSINE = 0.2  # what MiniLM gives two texts that have nothing to do with each other


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far to look: at most `limit` candidates, none younger than `until_seq`."""

    limit: int
    until_seq: int | None = None


def search(
    store: MemoryStore, query: Query, vector: Vectors | None, reach: Reach
) -> list[Candidate]:
    """The best candidates, best first. Without a vector, by words and dates alone."""
    words = _worded(store, query, reach)
    near = _near(store, vector, reach, words)
    dated = _dated(store, query, reach, [*words, *near, *query.sticky])
    found = (
        Found(
            id=memory_id,
            words=words.get(memory_id),
            cosine=near.get(memory_id),
            date=dated.get(memory_id),
            lent=query.sticky.get(memory_id, 0.0),
        )
        for memory_id in {**words, **near, **dated, **query.sticky}
    )
    best = nsmallest(reach.limit, found, key=lambda it: (-it.score, -it.lent))
    return _fetched(store, best)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What each search says of one memory, None: it did not find it.

    A score lent by an earlier message keeps it eligible but puts it before nothing.
    """

    id: str
    words: float | None
    cosine: float | None
    date: float | None
    lent: float

    @property
    def score(self) -> float:
        return sum(self.parts().values())

    def parts(self) -> dict[str, float]:
        parts = {}
        if self.words is not None:
            parts["words"] = WORD_WEIGHT * self.words
        if self.cosine is not None:
            parts["vector"] = VECTOR_WEIGHT * max(0.0, self.cosine - UNRELATED_COSINE)
        if self.date is not None:
            parts["date"] = DATE_WEIGHT * self.date
        return parts


def _worded(store: MemoryStore, query: Query, reach: Reach) -> dict[str, float]:
    """How well each memory answers the part of the message that it answers best."""
    limit = 2 * reach.limit // max(1, len(query.parts))
    hits = [
        store.search_words(words, limit=limit, until_seq=reach.until_seq) for words in query.parts
    ]
    weights = [_sharpness(part) if len(hits) > 1 else 1.0 for part in hits]
    found: dict[str, float] = {}
    for part, weight in zip(hits, weights, strict=True):
        for hit in part:
            found[hit.id] = max(weight * hit.score, found.get(hit.id, 0.0))
    return found


def _sharpness(hits: Sequence[Hit]) -> float:
    """1 where a part of a message singles memories out, down to 0.3 where many answer it alike, as
    they do a figure of speech.
    """
    if not hits:
        return 1.0
    common = hits[_CROWD].score if len(hits) > _CROWD else 0.0
    return 1.0 - 0.7 * common / (hits[0].score or 1.0)


def _near(
    store: MemoryStore, vector: Vectors | None, reach: Reach, words: Mapping[str, float]
) -> dict[str, float]:
    """Cosines of the nearest, and of all that the words found."""
    if vector is None:
        return {}
    hits = store.search_vectors(vector, limit=reach.limit, until_seq=reach.until_seq)
    near = {hit.id: hit.score for hit in hits}
    return near | store.cosines(vector, [it for it in words if it not in near])


def _dated(store: MemoryStore, query: Query, reach: Reach, ids: Sequence[str]) -> dict[str, float]:
    """How near to a time that the message names each of these was said, and others said then."""
    if not query.times:
        return {}
    times = store.times(ids)
    if query.asks_for_a_time:
        for it in query.times:
            within = (it.start.timestamp(), it.end.timestamp())
            times |= store.said_within(*within, limit=reach.limit, until_seq=reach.until_seq)
    return {memory_id: proximity(ts, query.times) for memory_id, ts in times.items()}


def _fetched(store: MemoryStore, best: Sequence[Found]) -> list[Candidate]:
    """Their memories, in this order; what is lent a score may have been forgotten since."""
    entries = store.get([it.id for it in best])
    return [
        _candidate(it, entries[it.id])
        for it in best
        if it.id in entries and entries[it.id].state is State.LIVE
    ]


def _candidate(found: Found, entry: Entry) -> Candidate:
    return Candidate(
        memory=entry.memory,
        score=found.score,
        parts=found.parts(),
        cosine=found.cosine,
        lent=found.lent,
        chat_key=entry.chat.key if entry.chat else "",
    )
