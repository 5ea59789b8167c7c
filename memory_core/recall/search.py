"""Search casts wide: words, meaning, dates and neighbours bring the candidates; then each is
weighed by all of them.

    score = 1.7 words + 0.3 sitting + 0.7 date + trust · (1.1 turn + 0.4 exchange)

Words and sitting are shares of the message (words.py), turn and exchange are what the embedder
says (meaning.py). date is how near to a time that the message names a memory was said, or lies what
it speaks of, whichever is nearer; the score's parts tell which. The weights were tuned on the
development half of LoCoMo; docs/recall.md.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain

import numpy as np

from ..dates.named import Named, proximity
from ..records import Candidate
from ..stores.base import MemoryStore, Passage
from ..transcript.entries import Entry, State
from .counts import Table
from .meaning import Meaning, Pair
from .need import Evidence
from .query import Query
from .vocabulary import Vocabulary, vocabulary
from .words import LEAST_MASS, Words

WEIGHTS = {
    "words": 1.7,
    "sitting": 0.3,
    "said_at": 0.7,
    "happened_at": 0.7,
    "turn": 1.1,
    "exchange": 0.4,
}
_FEW, _FEW_SHARE = 2, 0.01  # memories, or of all


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far to look: at most `limit` candidates, none younger than `until_seq`."""

    limit: int
    until_seq: int | None = None

    def covers(self, passage: Passage) -> bool:
        return self.until_seq is None or passage.born <= self.until_seq


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """The best candidates, best first, and what speaks for the message's wanting any."""

    candidates: list[Candidate]
    evidence: Evidence


def search(store: MemoryStore, query: Query, meaning: Meaning | None, reach: Reach) -> Sought:
    """Without a meaning, by words and dates alone."""
    known = vocabulary(store, [*query.words, *query.context_words])
    hits = _worded(store, query, known, reach)
    others = [*_near(store, meaning, reach), *_dated(store, query, reach), *query.sticky]
    passages, weighed = _passages(store, hits, others)
    board = Board(
        query,
        passages,
        known=known,
        hits=sum(it in passages for it in hits),
        meaning=meaning,
        pairs=store.vectors(passages) if meaning else {},
    )
    old_enough = (it for it in weighed if reach.covers(passages[it]))
    best = nsmallest(reach.limit, old_enough, key=board.order)
    return Sought(candidates=_fetched(store, board, best), evidence=board.evidence)


class Board:
    """All passages at hand with their score, in parts."""

    def __init__(
        self,
        query: Query,
        passages: Mapping[str, Passage],
        *,
        known: Vocabulary,
        hits: int,
        meaning: Meaning | None,
        pairs: Mapping[str, Pair],
    ) -> None:
        self._query = query
        self._corpus = known.corpus
        self._passages = list(passages.values())
        self._meaning = meaning
        self._pairs = [pairs.get(it, (None, None)) for it in passages]
        self._row = {it: at for at, it in enumerate(passages)}
        self._words = Words(query, self._passages, known, hits=hits).matched()
        self._columns = self._weighted()
        self._scores = np.sum(list(self._columns.values()), axis=0)

    def order(self, memory_id: str) -> tuple[bool, float, float]:
        """Less is better; a score lent by an earlier message puts it before no direct hit."""
        outside = self.is_outside(memory_id)
        return outside, -self._scores[self._row[memory_id]], -self.lent(memory_id)

    def is_outside(self, memory_id: str) -> bool:
        """Whether it was neither said nor speaks of the only times that will do."""
        only = self._query.only_within
        return bool(only) and max(_nearness(self._passages[self._row[memory_id]], only)) < 1.0

    def lent(self, memory_id: str) -> float:
        return self._query.sticky.get(memory_id, 0.0)

    def parts(self, memory_id: str) -> dict[str, float]:
        """What adds up to the score; without what says nothing."""
        at = self._row[memory_id]
        parts = {name: float(column[at]) for name, column in self._columns.items()}
        return {name: value for name, value in parts.items() if value}

    def cosine(self, memory_id: str) -> float | None:
        """That of its nearer turn."""
        pair = self._pairs[self._row[memory_id]]
        return self._meaning.best_cosine(pair) if self._meaning else None

    @property
    def evidence(self) -> Evidence:
        words = {word: self._corpus.weight(word) for word in self._query.words}
        held = {word for word in words if self._corpus.held.get(word)}
        found = float(self._words.found.max(initial=0.0))
        return Evidence(
            share=found / max(LEAST_MASS, sum(words.values())),
            found=found,
            known=sum(words[it] for it in held),
            unknown=len(words) - len(held),
            rare=any(self._corpus.held[it] <= self._few for it in held),
            proper=not held.isdisjoint(self._query.proper_words),
            asks_back=self._query.asks_back,
            named=self._query.asked_about is not None,
        )

    @property
    def _few(self) -> float:
        return max(_FEW, _FEW_SHARE * self._corpus.size)

    def _weighted(self) -> dict[str, Table]:
        said_at, happened_at = self._dates()
        columns = {
            "words": self._words.share,
            "sitting": self._words.sitting,
            "said_at": said_at,
            "happened_at": happened_at,
        }
        if self._meaning:
            asked = [self._query.side_asked_about(it.names) for it in self._passages]
            trust = self._meaning.backdrop.trust(self._query.text)
            turn, exchange = self._meaning.nearness(self._pairs, asked)
            columns |= {"turn": trust * turn, "exchange": trust * exchange}
        return {name: WEIGHTS[name] * column for name, column in columns.items()}

    def _dates(self) -> tuple[Table, Table]:
        """How near to a time that the message names each was said, or is what it speaks of: the
        nearer counts, the other is 0.
        """
        near = np.array([_nearness(it, self._query.times) for it in self._passages]).reshape(-1, 2)
        said_nearer = near[:, 0] >= near[:, 1]
        return near[:, 0] * said_nearer, near[:, 1] * ~said_nearer


def _nearness(passage: Passage, named: Sequence[Named]) -> tuple[float, float]:
    """Of when it was said, and of what it speaks of, to these times: 0 … 1."""
    times = [(it.start.timestamp(), it.end.timestamp()) for it in named]
    said = 0.0 if passage.ts is None else proximity((passage.ts, passage.ts), times)
    return said, max((proximity(it, times) for it in passage.happened), default=0.0)


def _worded(store: MemoryStore, query: Query, known: Vocabulary, reach: Reach) -> list[str]:
    """What the words find, the message's own first."""
    limit = max(1, 2 * reach.limit // max(1, len(query.parts)))
    asked = [known.widened(it) for it in (*query.parts, query.context_words)]
    found = [store.search_words(it, limit=limit, until_seq=reach.until_seq) for it in asked if it]
    return list(dict.fromkeys(chain.from_iterable(found)))


def _near(store: MemoryStore, meaning: Meaning | None, reach: Reach) -> list[str]:
    if meaning is None:
        return []
    return store.search_vectors(meaning.vector, limit=reach.limit, until_seq=reach.until_seq)


def _dated(store: MemoryStore, query: Query, reach: Reach) -> list[str]:
    """What was said at a time that the message names, or speaks of it."""
    found = (
        store.within(
            it.start.timestamp(), it.end.timestamp(), limit=reach.limit, until_seq=reach.until_seq
        )
        for it in query.times
    )
    return list(dict.fromkeys(chain.from_iterable(found)))


def _passages(
    store: MemoryStore, hits: Sequence[str], others: Sequence[str]
) -> tuple[dict[str, Passage], list[str]]:
    """What was found, then the neighbours of the hits, then theirs; all but the last are weighed.

    An answer often stands beside the exchange that has the question's words.
    """
    found = store.passages({*hits, *others})
    found = {it: found[it] for it in dict.fromkeys([*hits, *others]) if it in found}
    beside = store.passages(_beside((found[it] for it in hits if it in found), found))
    weighed = found | beside
    around = store.passages(_beside(weighed.values(), weighed))
    return weighed | around, list(weighed)


def _beside(passages: Iterable[Passage], known: Container[str]) -> set[str]:
    ids = {memory_id for it in passages for memory_id in (it.before, it.after) if memory_id}
    return {memory_id for memory_id in ids if memory_id not in known}


def _fetched(store: MemoryStore, board: Board, best: Sequence[str]) -> list[Candidate]:
    """Their memories, in this order; any may have been forgotten since."""
    entries = store.get(best)
    return [
        _candidate(entries[it], board)
        for it in best
        if it in entries and entries[it].state is State.LIVE
    ]


def _candidate(entry: Entry, board: Board) -> Candidate:
    memory_id = entry.memory.id
    parts = board.parts(memory_id)
    return Candidate(
        memory=entry.memory,
        score=sum(parts.values()),
        parts=parts,
        cosine=board.cosine(memory_id),
        lent=board.lent(memory_id),
        is_outside=board.is_outside(memory_id),
        chat_key=entry.chat.key if entry.chat else "",
    )
