"""A store that keeps nothing on disk and searches by brute force: the oracle for all others."""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from .. import bm25
from ..embedders.base import Vectors
from ..records import Memory, MemoryKind
from ..terms import terms
from ..transcript.entries import Entry, State, erased, fold
from ..transcript.lines import Line
from ..transcript.reconcile import Known
from .base import Hit, Page, Unembedded
from .rows import known_of, vector_id_of


class InMemoryStore:
    """A MemoryStore for tests and throw-away use. Not for more than a few thousand memories."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._born: dict[str, int] = {}
        self._positions: dict[str, int] = {}
        self._vectors: dict[int, Vectors] = {}
        self._model = ""

    def positions(self) -> Mapping[str, int]:
        return dict(self._positions)

    def apply(self, lines: Sequence[Line], positions: Mapping[str, int]) -> None:
        for line in lines:
            after = fold(self._entries.get(line.id), line)
            if after is not None:
                self._entries[line.id] = after
                self._born.setdefault(line.id, line.seq)
        self._positions |= positions

    def clear(self) -> None:
        self._entries, self._born, self._positions = {}, {}, {}

    def get(self, ids: Sequence[str]) -> dict[str, Entry]:
        return {it: self._entries[it] for it in ids if it in self._entries}

    def seqs(self, ids: Sequence[str]) -> dict[str, int]:
        found = self.get(ids).items()
        return {it: entry.seq for it, entry in found if entry.state is State.LIVE}

    def known(self, conversation: str) -> list[Known]:
        return [known_of(it) for it in self._talk(conversation) if it.state is not State.REMOVED]

    def conversation(self, conversation: str, limit: int) -> list[Memory]:
        live = [it.memory for it in self._talk(conversation) if it.state is State.LIVE]
        return live[max(0, len(live) - limit) :]

    def _talk(self, conversation: str) -> list[Entry]:
        found = [
            entry
            for entry in self._entries.values()
            if entry.memory.conversation == conversation
            and entry.memory.kind is MemoryKind.EXCHANGE
        ]
        return sorted(found, key=lambda entry: (entry.place, self._born[entry.memory.id]))

    def find_key(self, key: str) -> str | None:
        found = [it.conversation for it in self._live() if it.text and it.key == key]
        return found[-1] if found else None

    def copies(self, keys: Collection[str]) -> list[str]:
        return [it.id for it in self._live() if it.key in keys]

    def latest(self, page: Page) -> list[Memory]:
        wanted = set(page.words)
        found = [
            it
            for it in self._live()
            if wanted <= set(terms(it.text))
            and (page.before is None or (it.ts is not None and it.ts < page.before))
        ]
        found.sort(key=lambda it: (_dated(it), self._born[it.id]), reverse=True)
        return found[page.offset : page.offset + page.limit]

    def standing(self) -> list[Memory]:
        return [it for it in self._live() if it.stands]

    def forgotten(self) -> list[Entry]:
        return [
            entry
            for entry in self._entries.values()
            if entry.state is State.FORGOTTEN and entry.has_words
        ]

    def erase(self, ids: Sequence[str]) -> None:
        for it in self.get(ids):
            self._entries[it] = erased(self._entries[it])

    def search_words(
        self, words: Sequence[str], *, limit: int, until_seq: int | None = None
    ) -> list[Hit]:
        live = {it.id: terms(it.text) for it in self._live()}
        lengths = [len(text) for text in live.values()]
        corpus = bm25.Corpus(size=len(live), mean_length=sum(lengths) / max(1, len(live)))
        weights = {
            word: bm25.idf(corpus, sum(1 for text in live.values() if word in text))
            for word in set(words)
        }
        hits = [
            Hit(id=it, score=bm25.score(text, weights, corpus))
            for it, text in live.items()
            if self._is_born(it, until_seq) and not weights.keys().isdisjoint(text)
        ]
        return sorted(hits, key=lambda hit: (-hit.score, self._born[hit.id]))[:limit]

    def search_vectors(
        self, query: Vectors, *, limit: int, until_seq: int | None = None
    ) -> list[Hit]:
        ids = [it.id for it in self._live() if self._is_born(it.id, until_seq)]
        found = self.cosines(query, ids)
        hits = [Hit(id=it, score=score) for it, score in found.items()]
        return sorted(hits, key=lambda hit: -hit.score)[:limit]

    def cosines(self, query: Vectors, ids: Sequence[str]) -> dict[str, float]:
        vector_ids = {it: vector_id_of(entry.memory) for it, entry in self.get(ids).items()}
        return {
            it: float(self._vectors[vector_id] @ query)
            for it, vector_id in vector_ids.items()
            if vector_id in self._vectors
        }

    def times(self, ids: Sequence[str]) -> dict[str, float]:
        known = {it: self._entries[it].memory.ts for it in ids if it in self._entries}
        return {it: ts for it, ts in known.items() if ts is not None}

    def said_within(
        self, since: float, until: float, *, limit: int, until_seq: int | None = None
    ) -> dict[str, float]:
        times = self.times([it.id for it in self._live() if self._is_born(it.id, until_seq)])
        within = [(it, ts) for it, ts in times.items() if since <= ts < until]
        return dict(sorted(within, key=lambda pair: -pair[1])[:limit])

    def use_model(self, fingerprint: str, dim: int) -> None:
        if self._model != f"{fingerprint} {dim}":
            self._vectors = {}
        self._model = f"{fingerprint} {dim}"

    def unembedded(self, limit: int) -> list[Unembedded]:
        if not self._model:
            return []
        wanted = [Unembedded(vector_id=vector_id_of(it), text=it.text) for it in self._live()]
        return [it for it in reversed(wanted) if it.vector_id not in self._vectors][:limit]

    def add_vectors(self, vector_ids: Sequence[int], vectors: Vectors) -> None:
        self._vectors |= dict(zip(vector_ids, vectors, strict=True))

    def counts(self) -> dict[str, int]:
        states = Counter(entry.state.value for entry in self._entries.values())
        talks = {entry.memory.conversation for entry in self._entries.values()} - {""}
        wanted = {vector_id_of(it) for it in self._live()}
        return {state.value: states[state.value] for state in State} | {
            "conversations": len(talks),
            "last_seq": max(self._born.values(), default=0),
            "embedded": len(wanted & set(self._vectors)),
        }

    def close(self) -> None:
        return

    def _live(self) -> list[Memory]:
        live = [entry.memory for entry in self._entries.values() if entry.state is State.LIVE]
        return sorted(live, key=lambda it: self._born[it.id])

    def _is_born(self, memory_id: str, until_seq: int | None) -> bool:
        return until_seq is None or self._born[memory_id] <= until_seq


def _dated(memory: Memory) -> float:
    return -math.inf if memory.ts is None else memory.ts
