"""A store that keeps all in memory and searches by brute force: the oracle of the other stores."""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain

import numpy as np

from ...domain.records import Memory
from ...providers.embedders.base import Vectors
from ...text import bm25
from .. import contract
from ..contract import (
    NO_FILTER,
    Column,
    DerivedFilter,
    Page,
    PassageColumns,
    PendingEmbedding,
    RetentionCandidate,
    SearchFilter,
    Side,
    StoredMemory,
)
from ..listing import ListedMemories, ListQuery, SessionQuery, SessionSpan
from ..log.diff import KnownExchange
from ..log.events import Event
from ..log.projection import MemoryRecord, MemoryStatus, apply_event, without_text
from .catalog import consistency
from .catalog.rows import mentioned_times, terms_of
from .in_memory_listing import list_memories, list_sessions
from .in_memory_rows import (
    chat_key,
    is_allowed,
    is_derived_as,
    is_live,
    is_said_or_mentioned_within,
    known_exchange,
    live_vector_ids,
    session_of,
    stored,
    texts_by_side,
    time_of,
    vector_id_pair,
    vector_ids,
    words_of,
)


class InMemoryStore:
    """A MemoryStore for tests and throw-away use. For one thread, and a few thousand memories."""

    def __init__(self) -> None:
        self._entries: dict[str, MemoryRecord] = {}
        self._first_seqs: dict[str, int] = {}
        self._positions: dict[str, int] = {}
        self._last_applied_seq = 0
        self._vectors: dict[int, Vectors] = {}
        self._unusable_vectors: set[int] = set()
        self._model = ("", 0)

    def positions(self, logs: Collection[str] | None = None) -> Mapping[str, int]:
        return {log: end for log, end in self._positions.items() if logs is None or log in logs}

    def apply(
        self,
        lines: Sequence[Event],
        positions: Mapping[str, int],
        *,
        since: Mapping[str, int] | None = None,
    ) -> bool:
        if since not in (None, self._positions):
            return False
        for line in lines:
            before = self._entries.get(line.id)
            after = apply_event(before, line)
            if after is not None:
                self._entries[line.id] = after
                self._first_seqs.setdefault(line.id, line.seq)
                for unwanted in live_vector_ids(before) - live_vector_ids(after):
                    self._vectors.pop(unwanted, None)
        self._last_applied_seq = max([self._last_applied_seq, *(line.seq for line in lines)])
        self._positions |= positions
        return True

    def clear(self) -> None:
        self._entries, self._first_seqs, self._positions, self._last_applied_seq = {}, {}, {}, 0

    def get(self, ids: Sequence[str]) -> dict[str, MemoryRecord]:
        return {
            memory_id: self._entries[memory_id] for memory_id in ids if memory_id in self._entries
        }

    def last_seqs(self, ids: Sequence[str]) -> dict[str, int]:
        return {name: entry.seq for name, entry in self.get(ids).items() if is_live(entry)}

    def known_exchanges(self, conversation: str) -> list[KnownExchange]:
        return [known_exchange(entry, conversation) for entry in self._shown(conversation)]

    def conversation(self, conversation: str, limit: int) -> list[Memory]:
        live = [entry.memory for entry in self._shown(conversation) if is_live(entry)]
        return live[max(0, len(live) - limit) :]

    def exchanges_by_content(self, keys: Collection[str]) -> list[tuple[str, MemoryRecord]]:
        exchanges = (entry for entry in self._entries.values() if entry.chat is not None)
        found = [(chat_key(entry), entry) for entry in exchanges if chat_key(entry) in keys]
        return sorted(found, key=lambda pair: self._seq(pair[1]))

    def _shown(self, conversation: str) -> list[MemoryRecord]:
        """Returns what the conversation shows now, in its order."""
        found = [entry for entry in self._entries.values() if conversation in entry.positions]
        return sorted(found, key=lambda entry: (entry.positions[conversation], self._seq(entry)))

    def _seq(self, entry: MemoryRecord) -> int:
        return self._first_seqs[entry.memory.id]

    def last_position(self, conversation: str) -> float:
        shown = self._shown(conversation)
        return max((entry.positions[conversation] for entry in shown), default=0.0)

    def conversation_of_content(self, key: str) -> str | None:
        said = (entry for entry in self._entries.values() if is_live(entry) and entry.chat)
        found = [entry.memory.conversation for entry in said if chat_key(entry) == key]
        return found[-1] if found else None

    def ids_by_content(self, keys: Collection[str]) -> list[str]:
        with_text = (entry for entry in self._entries.values() if entry.memory.text)
        known = (entry for entry in with_text if entry.status is not MemoryStatus.FORGOTTEN)
        return [entry.memory.id for entry in known if entry.memory.key in keys]

    def latest(self, page: Page) -> list[Memory]:
        wanted = set(page.words)
        live = [memory for memory in self._live() if wanted <= set(words_of(memory))]
        end = page.before
        found = [memory for memory in live if end is None or -math.inf < time_of(memory) < end]
        found.sort(key=lambda memory: (time_of(memory), self._first_seqs[memory.id]), reverse=True)
        return found[page.offset : page.offset + page.limit]

    def list_memories(self, query: ListQuery) -> ListedMemories:
        return list_memories([self._entries[memory.id] for memory in self._live()], query)

    def list_sessions(self, query: SessionQuery) -> list[SessionSpan]:
        return list_sessions([self._entries[memory.id] for memory in self._live()], query)

    def always_in_prompt(self) -> list[Memory]:
        return [memory for memory in self._live() if memory.is_always_in_prompt]

    def find_derived(self, only: DerivedFilter) -> list[Memory]:
        return [memory for memory in self._live() if is_derived_as(memory, only)]

    def has_forgotten(self) -> bool:
        return any(entry.status is MemoryStatus.FORGOTTEN for entry in self._entries.values())

    def forgotten(self) -> list[MemoryRecord]:
        with_text = (entry for entry in self._entries.values() if entry.has_text)
        return [entry for entry in with_text if entry.status is MemoryStatus.FORGOTTEN]

    def retention_candidates(self, limit: int) -> list[RetentionCandidate]:
        live = self._retention_candidates(MemoryStatus.LIVE)
        removed = self._retention_candidates(MemoryStatus.REMOVED)
        return sorted(live[:limit] + removed[:limit], key=self._age)

    def count_retention_candidates(self, *, before: float | None = None) -> int:
        if before is None:
            return len(self._retention_candidates(MemoryStatus.LIVE))
        both = [
            *self._retention_candidates(MemoryStatus.LIVE),
            *self._retention_candidates(MemoryStatus.REMOVED),
        ]
        return sum(candidate.ts is not None and candidate.ts < before for candidate in both)

    def _retention_candidates(self, state: MemoryStatus) -> list[RetentionCandidate]:
        found = [
            RetentionCandidate(id=entry.memory.id, ts=entry.memory.ts, is_live=is_live(entry))
            for entry in self._entries.values()
            if entry.status is state and not entry.memory.is_always_in_prompt
        ]
        return sorted(found, key=self._age)

    def _age(self, candidate: RetentionCandidate) -> tuple[float, int]:
        return -math.inf if candidate.ts is None else candidate.ts, self._first_seqs[candidate.id]

    def erase(self, ids: Sequence[str]) -> None:
        for memory_id in self.get(ids):
            self._entries[memory_id] = without_text(self._entries[memory_id])

    def consistent_read(self) -> AbstractContextManager[None]:
        return nullcontext()

    def search_words(
        self, words: Sequence[str], *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        corpus, wanted = self.corpus(words), set(words)
        mean = corpus.mean_length or 1.0
        scored = []
        for memory in self._live():
            counts = Counter(words_of(memory))
            length = counts.total() / mean
            found = (corpus.weight(w) * bm25.saturate(counts[w], length) for w in wanted)
            if self._is_allowed(memory, only) and not wanted.isdisjoint(counts):
                scored.append((-sum(found), self._first_seqs[memory.id], memory.id))
        return [memory_id for _, _, memory_id in sorted(scored)[:limit]]

    def corpus(self, words: Collection[str]) -> bm25.Corpus:
        live = [words_of(memory) for memory in self._live()]
        return bm25.Corpus(
            size=len(live),
            mean_length=sum(map(len, live)) / max(1, len(live)),
            document_frequency={word: sum(word in text for text in live) for word in words},
        )

    def terms_with_prefix(self, letters: str, *, limit: int) -> dict[str, int]:
        counts = Counter(word for memory in self._live() for word in set(words_of(memory)))
        found = sorted(word for word in counts if word.startswith(letters))
        return {word: counts[word] for word in found[:limit]}

    def filter_ids(self, ids: Collection[str], only: SearchFilter) -> list[str]:
        known = (memory for memory in self._live() if memory.id in ids)
        return [memory.id for memory in known if self._is_allowed(memory, only)]

    def passages(self, found: Sequence[str], others: Sequence[str]) -> PassageColumns:
        live = {memory.id: memory for memory in self._live()}
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
            sessions=np.array([self._seq(self._session(memory)[0]) for memory in memories]),
            before=before,
            after=after,
            vectors=np.array([vector_id_pair(one) for one in memories], dtype=int).reshape(-1, 2),
        )

    def _neighbours(self, memory: Memory) -> tuple[str, str]:
        """Returns the ids of the live ones before and after it in its session; "" for none."""
        own = self._session(memory)
        live = ["", *(entry.memory.id for entry in own if is_live(entry)), ""]
        index = live.index(memory.id)
        return live[index - 1], live[index + 1]

    def term_counts(self, passages: PassageColumns, words: Sequence[str]) -> Column:
        live = {memory.id: terms_of(memory) for memory in self._live()}
        sides = [live.get(memory_id, ([], [])) for memory_id in passages.ids]
        counts = [[[own[side].count(word) for word in words] for own in sides] for side in Side]
        table: Column = np.minimum(np.array(counts), contract.MAX_TERM_COUNT)
        return table.reshape(2, len(sides), len(words))

    def fetch_memories(
        self, passages: PassageColumns, which: Sequence[int]
    ) -> dict[int, StoredMemory]:
        found = {index: self._entries.get(passages.ids[index]) for index in which}
        return {index: stored(entry) for index, entry in found.items() if entry and is_live(entry)}

    def speaker_names(self, ids: Collection[str]) -> dict[str, tuple[str, str]]:
        found = [(memory.id, memory.exchange) for memory in self._live() if memory.id in ids]
        return {
            name: (own.user_name, own.assistant_name) if own else ("", "") for name, own in found
        }

    def mentioned_times(self, ids: Collection[str]) -> dict[str, list[tuple[float, float]]]:
        found = ((memory.id, mentioned_times(memory)) for memory in self._live())
        return {name: list(times) for name, times in found if times and name in ids}

    def _session(self, memory: Memory) -> list[MemoryRecord]:
        """Returns all exchanges of its session, removed and forgotten ones too."""
        return session_of(self._entries[memory.id], self._entries.values(), self._first_seqs)

    def search_vectors(
        self, query: Vectors, *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        if query.shape != (self._model[1],):
            return []
        ids = [memory.id for memory in self._live() if self._is_allowed(memory, only)]
        best = {
            memory_id: max(float(row @ query) for row in pair if row is not None)
            for memory_id, pair in self.vectors(ids).items()
        }
        return sorted(best, key=lambda memory_id: -best[memory_id])[:limit]

    def vectors(self, ids: Collection[str]) -> dict[str, tuple[Vectors | None, Vectors | None]]:
        both = {memory.id: self._pair(memory) for memory in self._live() if memory.id in ids}
        return {name: pair for name, pair in both.items() if any(row is not None for row in pair)}

    def _pair(self, memory: Memory) -> tuple[Vectors | None, Vectors | None]:
        user, assistant = vector_id_pair(memory)
        return self._vectors.get(user), self._vectors.get(assistant)

    def cosines(self, passages: PassageColumns, query: Vectors) -> Column:
        ids = passages.ids[: passages.weighed_count]
        if query.shape != (self._model[1],):
            return np.full((len(ids), len(Side)), np.nan)
        pairs = self.vectors(ids)
        rows = chain(*(pairs.get(memory_id, (None, None)) for memory_id in ids))
        found = [math.nan if row is None else float(row @ query) for row in rows]
        return np.array(found).reshape(len(ids), len(Side))

    def embedded_pairs(self, limit: int) -> list[str]:
        whole = [one for one in self._live() if all(row is not None for row in self._pair(one))]
        whole.sort(key=vector_id_pair)
        return [memory.id for memory in whole[:limit]]

    def search_dates(
        self, since: float, until: float, *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        allowed = [memory for memory in reversed(self._live()) if self._is_allowed(memory, only)]
        found = [memory for memory in allowed if is_said_or_mentioned_within(memory, since, until)]
        found.sort(key=time_of, reverse=True)
        return [memory.id for memory in found[:limit]]

    def use_model(self, fingerprint: str, dim: int) -> None:
        if self._model != (fingerprint, dim):
            self._vectors, self._unusable_vectors = {}, set()
        self._model = (fingerprint, dim)

    def has_other_models(self) -> bool:
        return False

    def pending_embeddings(self, limit: int) -> list[PendingEmbedding]:
        if not self._model[0]:
            return []
        known = self._unusable_vectors | set(self._vectors)
        wanted = [
            PendingEmbedding(vector_id=vector_id, text=texts_by_side(memory)[side])
            for memory in reversed(self._live())
            for vector_id, side in vector_ids(memory).items()
        ]
        return [pending for pending in wanted if pending.vector_id not in known][:limit]

    def add_vectors(self, vector_ids: Sequence[int], vectors: Vectors) -> None:
        wanted = self._wanted()
        for vector_id, row in zip(vector_ids, vectors, strict=True):
            if vector_id in wanted and np.isclose(np.linalg.norm(row), 1.0, atol=0.05):
                self._vectors[vector_id] = row
            elif vector_id in wanted:
                self._unusable_vectors.add(vector_id)

    def last_applied_seq(self) -> int:
        return self._last_applied_seq

    def last_seq(self) -> int:
        return max(self._first_seqs.values(), default=0)

    def counts(self) -> dict[str, int]:
        states = Counter(entry.status.value for entry in self._entries.values())
        first = {entry.memory.conversation for entry in self._entries.values()} - {""}
        conversations = first.union(*(entry.positions for entry in self._entries.values()))
        wanted = self._wanted()
        return {state.value: states[state.value] for state in MemoryStatus} | {
            "conversations": len(conversations),
            "last_seq": self.last_seq(),
            "vectors": len(wanted),
            "embedded": len(wanted & set(self._vectors)),
            "lacking": len(wanted - set(self._vectors) - self._unusable_vectors),
        }

    def maintain(self) -> bool:
        return False

    def find_inconsistencies(self, folded: Mapping[str, MemoryRecord]) -> dict[str, list[str]]:
        return consistency.find_inconsistencies(self, folded)

    def find_damage(self) -> list[str]:
        return []

    def is_in_place(self) -> bool:
        return True

    def close(self) -> None:
        return

    def _wanted(self) -> set[int]:
        return {vector_id for memory in self._live() for vector_id in vector_ids(memory)}

    def _live(self) -> list[Memory]:
        live = [entry.memory for entry in self._entries.values() if is_live(entry)]
        return sorted(live, key=lambda memory: self._first_seqs[memory.id])

    def _is_allowed(self, memory: Memory, only: SearchFilter) -> bool:
        return is_allowed(self._entries[memory.id], self._first_seqs[memory.id], only)
