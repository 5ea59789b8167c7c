"""The full-text index of an in-memory store: every search reads all texts."""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain

import numpy as np

from memory_core.domain.records import Memory
from memory_core.storage.contract import (
    MAX_TERM_COUNT,
    NO_FILTER,
    Column,
    PassageColumns,
    SearchFilter,
    Side,
    StoredMemory,
)
from memory_core.storage.index.catalog.rows import mentioned_times, terms_of
from memory_core.storage.log.projection import MemoryRecord
from memory_core.text import bm25

from .records import InMemoryRecords
from .rows import is_live, saturate, session_of, stored, vector_id_pair, words_of


class InMemoryFullText:
    """A FullTextIndex for one thread, and a few thousand memories."""

    def __init__(self, records: InMemoryRecords) -> None:
        self._records = records

    def search(
        self, words: Sequence[str], *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        corpus, wanted = self.corpus(words), set(words)
        mean = corpus.mean_length or 1.0
        scored = []
        for number, memory in enumerate(self._records.live(only)):
            counts = Counter(words_of(memory))
            length = counts.total() / mean
            found = (corpus.weight(w) * saturate(counts[w], length) for w in wanted)
            if not wanted.isdisjoint(counts):
                scored.append((-sum(found), number, memory.id))
        return [memory_id for _, _, memory_id in sorted(scored)[:limit]]

    def corpus(self, words: Collection[str]) -> bm25.Corpus:
        live = [words_of(memory) for memory in self._records.live()]
        return bm25.Corpus(
            size=len(live),
            mean_length=sum(map(len, live)) / max(1, len(live)),
            document_frequency={word: sum(word in text for text in live) for word in words},
        )

    def terms_with_prefix(self, letters: str, *, limit: int) -> dict[str, int]:
        counts = Counter(word for memory in self._records.live() for word in set(words_of(memory)))
        found = sorted(word for word in counts if word.startswith(letters))
        return {word: counts[word] for word in found[:limit]}

    def passages(self, found: Sequence[str], others: Sequence[str]) -> PassageColumns:
        live = {memory.id: memory for memory in self._records.live()}
        beside = {memory.id: self._neighbours(memory) for memory in live.values()}
        hits = [name for name in dict.fromkeys(found) if name in live]
        asked = [name for name in dict.fromkeys([*found, *others]) if name in live]
        weighed = dict.fromkeys([*asked, *chain(*(beside[name] for name in hits))])
        weighed.pop("", None)
        ids = dict.fromkeys([*weighed, *chain(*(beside[name] for name in weighed))])
        ids.pop("", None)
        memories = [live[name] for name in ids]
        index = {name: number for number, name in enumerate(ids)} | {"": -1}
        around = [[index.get(name, -1) for name in beside[memory.id]] for memory in memories]
        before, after = np.array(around, dtype=int).reshape(-1, 2).T
        times = [math.nan if memory.ts is None else memory.ts for memory in memories]
        return PassageColumns(
            ids=list(ids),
            row_numbers=np.arange(len(ids)),
            found_count=len(hits),
            weighed_count=len(weighed),
            lengths=np.array([len(words_of(memory)) for memory in memories], dtype=int),
            said_at=np.array(times),
            sessions=np.array([self._records.seq(self._session(memory)[0]) for memory in memories]),
            before=before,
            after=after,
            vectors=np.array([vector_id_pair(one) for one in memories], dtype=int).reshape(-1, 2),
        )

    def _neighbours(self, memory: Memory) -> tuple[str, str]:
        """Returns the ids of its live neighbours in the session, before and after; "" for none."""
        own = self._session(memory)
        live = ["", *(entry.memory.id for entry in own if is_live(entry)), ""]
        index = live.index(memory.id)
        return live[index - 1], live[index + 1]

    def term_counts(self, passages: PassageColumns, words: Sequence[str]) -> Column:
        live = {memory.id: terms_of(memory) for memory in self._records.live()}
        sides = [live.get(memory_id, ([], [])) for memory_id in passages.ids]
        counts = [[[own[side].count(word) for word in words] for own in sides] for side in Side]
        table: Column = np.minimum(np.array(counts), MAX_TERM_COUNT)
        return table.reshape(2, len(sides), len(words))

    def live_memories(self, ids: Sequence[str]) -> list[StoredMemory]:
        found = map(self._records.entries.get, dict.fromkeys(ids))
        return [stored(entry) for entry in found if entry and is_live(entry)]

    def speaker_names(self, ids: Collection[str]) -> dict[str, tuple[str, str]]:
        live = self._records.live()
        found = [(memory.id, memory.exchange) for memory in live if memory.id in ids]
        return {
            name: (own.user_name, own.assistant_name) if own else ("", "") for name, own in found
        }

    def mentioned_times(self, passages: PassageColumns) -> dict[str, list[tuple[float, float]]]:
        found = ((memory.id, mentioned_times(memory)) for memory in self._records.live())
        return {name: list(times) for name, times in found if times and name in passages.ids}

    def _session(self, memory: Memory) -> list[MemoryRecord]:
        """Returns all exchanges of its session, removed and forgotten ones too."""
        known = self._records.entries
        return session_of(known[memory.id], known.values(), self._records.first_seqs)
