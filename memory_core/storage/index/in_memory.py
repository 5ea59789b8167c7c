"""A store that keeps nothing on disk and searches by brute force: the oracle for all others."""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain

import numpy as np

from ...domain.records import Memory, MemoryKind
from ...providers.embedders.base import Vectors
from ...text import bm25
from .. import contract
from ..contract import (
    NO_FILTER,
    Column,
    Page,
    PassageColumns,
    PendingEmbedding,
    RetentionCandidate,
    SearchFilter,
    Side,
    StoredMemory,
)
from ..log.diff import KnownExchange
from ..log.events import Event
from ..log.projection import MemoryRecord, MemoryStatus, apply_event, without_text
from .catalog import consistency
from .catalog.rows import mentioned_times, terms_of
from .in_memory_rows import (
    chat_key,
    is_allowed,
    is_mentioned_or_said_within,
    known_exchange,
    live_vector_ids,
    own_key,
    split_into_sessions,
    texts_by_side,
    time_or_minus_infinity,
    vector_id_pair,
    vector_ids,
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
        found = self.get(ids).items()
        return {
            memory_id: entry.seq for memory_id, entry in found if entry.status is MemoryStatus.LIVE
        }

    def known_exchanges(self, conversation: str) -> list[KnownExchange]:
        return [known_exchange(entry, conversation) for entry in self._shown(conversation)]

    def conversation(self, conversation: str, limit: int) -> list[Memory]:
        live = [
            entry.memory for entry in self._shown(conversation) if entry.status is MemoryStatus.LIVE
        ]
        return live[max(0, len(live) - limit) :]

    def exchanges_by_content(self, keys: Collection[str]) -> list[tuple[str, MemoryRecord]]:
        exchanges = (entry for entry in self._entries.values() if entry.chat is not None)
        found = [(chat_key(entry), entry) for entry in exchanges if chat_key(entry) in keys]
        return sorted(found, key=lambda pair: self._first_seqs[pair[1].memory.id])

    def _shown(self, conversation: str) -> list[MemoryRecord]:
        found = [entry for entry in self._entries.values() if conversation in entry.positions]
        return sorted(
            found,
            key=lambda entry: (entry.positions[conversation], self._first_seqs[entry.memory.id]),
        )

    def _exchanges_first_in(self, conversation: str) -> list[MemoryRecord]:
        found = [
            entry
            for entry in self._entries.values()
            if entry.memory.conversation == conversation
            and entry.memory.kind is MemoryKind.EXCHANGE
        ]
        return sorted(
            found, key=lambda entry: (entry.first_position, self._first_seqs[entry.memory.id])
        )

    def last_position(self, conversation: str) -> float:
        return max(
            (entry.positions[conversation] for entry in self._shown(conversation)), default=0.0
        )

    def conversation_of_content(self, key: str) -> str | None:
        said = (
            entry
            for entry in self._entries.values()
            if entry.status is MemoryStatus.LIVE and entry.chat
        )
        found = [entry.memory.conversation for entry in said if chat_key(entry) == key]
        return found[-1] if found else None

    def ids_by_content(self, keys: Collection[str]) -> list[str]:
        known = [
            entry.memory
            for entry in self._entries.values()
            if entry.status is not MemoryStatus.FORGOTTEN
        ]
        return [memory.id for memory in known if memory.text and memory.key in keys]

    def latest(self, page: Page) -> list[Memory]:
        wanted = set(page.words)
        found = [
            memory
            for memory in self._live()
            if wanted <= set(chain(*terms_of(memory)))
            and (page.before is None or (memory.ts is not None and memory.ts < page.before))
        ]
        found.sort(
            key=lambda memory: (time_or_minus_infinity(memory), self._first_seqs[memory.id]),
            reverse=True,
        )
        return found[page.offset : page.offset + page.limit]

    def always_in_prompt(self) -> list[Memory]:
        return [memory for memory in self._live() if memory.is_always_in_prompt]

    def has_forgotten(self) -> bool:
        return any(entry.status is MemoryStatus.FORGOTTEN for entry in self._entries.values())

    def forgotten(self) -> list[MemoryRecord]:
        return [
            entry
            for entry in self._entries.values()
            if entry.status is MemoryStatus.FORGOTTEN and entry.has_text
        ]

    def retention_candidates(self, limit: int) -> list[RetentionCandidate]:
        live, removed = (
            self._retention_candidates(status)
            for status in (MemoryStatus.LIVE, MemoryStatus.REMOVED)
        )
        return sorted(live[:limit] + removed[:limit], key=self._age)

    def count_retention_candidates(self, *, before: float | None = None) -> int:
        if before is None:
            return len(self._retention_candidates(MemoryStatus.LIVE))
        both = self._retention_candidates(MemoryStatus.LIVE) + self._retention_candidates(
            MemoryStatus.REMOVED
        )
        return sum(candidate.ts is not None and candidate.ts < before for candidate in both)

    def _retention_candidates(self, state: MemoryStatus) -> list[RetentionCandidate]:
        found = [
            RetentionCandidate(
                id=entry.memory.id, ts=entry.memory.ts, is_live=state is MemoryStatus.LIVE
            )
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
            counts = Counter(chain(*terms_of(memory)))
            length = counts.total() / mean
            found = (corpus.weight(w) * bm25.saturate(counts[w], length) for w in wanted)
            if self._is_allowed(memory, only) and not wanted.isdisjoint(counts):
                scored.append((-sum(found), self._first_seqs[memory.id], memory.id))
        return [memory_id for _, _, memory_id in sorted(scored)[:limit]]

    def corpus(self, words: Collection[str]) -> bm25.Corpus:
        live = [list(chain(*terms_of(memory))) for memory in self._live()]
        return bm25.Corpus(
            size=len(live),
            mean_length=sum(map(len, live)) / max(1, len(live)),
            document_frequency={word: sum(word in text for text in live) for word in words},
        )

    def terms_with_prefix(self, letters: str, *, limit: int) -> dict[str, int]:
        live = Counter(it for memory in self._live() for it in set(chain(*terms_of(memory))))
        found = sorted(it for it in live if it.startswith(letters))
        return {it: live[it] for it in found[:limit]}

    def filter_ids(self, ids: Collection[str], only: SearchFilter) -> list[str]:
        return [
            memory.id
            for memory in self._live()
            if memory.id in ids and self._is_allowed(memory, only)
        ]

    def passages(self, found: Sequence[str], others: Sequence[str]) -> PassageColumns:
        live = {memory.id: memory for memory in self._live()}
        hits = [memory_id for memory_id in dict.fromkeys(found) if memory_id in live]
        asked = [memory_id for memory_id in dict.fromkeys([*found, *others]) if memory_id in live]
        beside = {memory_id: self._neighbours(memory) for memory_id, memory in live.items()}
        weighed = list(dict.fromkeys([*asked, *chain(*(beside[memory_id] for memory_id in hits))]))
        weighed = [memory_id for memory_id in weighed if memory_id]
        ids = [
            memory_id
            for memory_id in dict.fromkeys(
                [*weighed, *chain(*(beside[memory_id] for memory_id in weighed))]
            )
            if memory_id
        ]
        index = {memory_id: index for index, memory_id in enumerate(ids)} | {"": -1}
        return PassageColumns(
            ids=ids,
            row_numbers=np.arange(len(ids)),
            found_count=len(hits),
            weighed_count=len(weighed),
            lengths=np.array(
                [len(list(chain(*terms_of(live[memory_id])))) for memory_id in ids], dtype=int
            ),
            said_at=np.array(
                [math.nan if (ts := live[memory_id].ts) is None else ts for memory_id in ids]
            ),
            sessions=np.array(
                [self._first_seqs[self._session(live[memory_id])[0].memory.id] for memory_id in ids]
            ),
            before=np.array([index.get(beside[memory_id][0], -1) for memory_id in ids], dtype=int),
            after=np.array([index.get(beside[memory_id][1], -1) for memory_id in ids], dtype=int),
            vectors=np.array(
                [vector_id_pair(live[memory_id]) for memory_id in ids], dtype=int
            ).reshape(-1, 2),
        )

    def _neighbours(self, memory: Memory) -> tuple[str, str]:
        """The live ones before and after it in its sitting; empty for none."""
        own = self._session(memory)
        live = ["", *(entry.memory.id for entry in own if entry.status is MemoryStatus.LIVE), ""]
        index = live.index(memory.id)
        return live[index - 1], live[index + 1]

    def term_counts(self, passages: PassageColumns, words: Sequence[str]) -> Column:
        live = {memory.id: terms_of(memory) for memory in self._live()}
        return np.array(
            [
                [
                    [
                        min(
                            contract.MAX_TERM_COUNT, live.get(memory_id, ([], []))[side].count(word)
                        )
                        for word in words
                    ]
                    for memory_id in passages.ids
                ]
                for side in Side
            ]
        ).reshape(2, len(passages.ids), len(words))

    def fetch_memories(
        self, passages: PassageColumns, which: Sequence[int]
    ) -> dict[int, StoredMemory]:
        found = {index: self._entries.get(passages.ids[index]) for index in which}
        live = {
            index: memory_id
            for index, memory_id in found.items()
            if memory_id and memory_id.status is MemoryStatus.LIVE
        }
        return {
            index: StoredMemory(
                memory_id.memory, own_key(memory_id), chat_key(memory_id) if memory_id.chat else ""
            )
            for index, memory_id in live.items()
        }

    def speaker_names(self, ids: Collection[str]) -> dict[str, tuple[str, str]]:
        found = ((memory.id, memory.exchange) for memory in self._live() if memory.id in ids)
        return {
            memory_id: (own.user_name, own.assistant_name) if own else ("", "")
            for memory_id, own in found
        }

    def mentioned_times(self, ids: Collection[str]) -> dict[str, list[tuple[float, float]]]:
        found = {
            memory.id: list(mentioned_times(memory)) for memory in self._live() if memory.id in ids
        }
        return {memory_id: times for memory_id, times in found.items() if times}

    def _session(self, memory: Memory) -> list[MemoryRecord]:
        """Returns all exchanges of its session, removed and forgotten ones too."""
        if memory.kind is not MemoryKind.EXCHANGE:
            return [self._entries[memory.id]]
        sessions = split_into_sessions(self._exchanges_first_in(memory.conversation))
        return next(own for own in sessions if self._entries[memory.id] in own)

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
        return {
            memory_id: pair
            for memory_id, pair in both.items()
            if any(row is not None for row in pair)
        }

    def _pair(self, memory: Memory) -> tuple[Vectors | None, Vectors | None]:
        user, assistant = vector_id_pair(memory)
        return self._vectors.get(user), self._vectors.get(assistant)

    def cosines(self, passages: PassageColumns, query: Vectors) -> Column:
        ids = passages.ids[: passages.weighed_count]
        if query.shape != (self._model[1],):
            return np.full((len(ids), len(Side)), np.nan)
        pairs = self.vectors(ids)
        found = [
            [
                math.nan if row is None else float(row @ query)
                for row in pairs.get(memory_id, (None, None))
            ]
            for memory_id in ids
        ]
        return np.array(found).reshape(len(ids), len(Side))

    def embedded_pairs(self, limit: int) -> list[str]:
        whole = (
            memory for memory in self._live() if all(row is not None for row in self._pair(memory))
        )
        return [
            memory.id for memory in sorted(whole, key=lambda memory: next(iter(vector_ids(memory))))
        ][:limit]

    def search_dates(
        self, since: float, until: float, *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        found = [
            memory
            for memory in reversed(self._live())
            if self._is_allowed(memory, only) and is_mentioned_or_said_within(memory, since, until)
        ]
        return [
            memory.id
            for memory in sorted(found, key=lambda memory: -time_or_minus_infinity(memory))[:limit]
        ]

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
        return [it for it in wanted if it.vector_id not in known][:limit]

    def add_vectors(self, vector_ids: Sequence[int], vectors: Vectors) -> None:
        given, wanted = zip(vector_ids, vectors, strict=True), self._wanted()
        for it, row in ((it, row) for it, row in given if it in wanted):
            if np.isclose(np.linalg.norm(row), 1.0, atol=0.05):
                self._vectors[it] = row
            else:
                self._unusable_vectors.add(it)

    def last_applied_seq(self) -> int:
        return self._last_applied_seq

    def last_seq(self) -> int:
        return max(self._first_seqs.values(), default=0)

    def counts(self) -> dict[str, int]:
        states = Counter(entry.status.value for entry in self._entries.values())
        born = {entry.memory.conversation for entry in self._entries.values()} - {""}
        talks = born.union(*(entry.positions for entry in self._entries.values()))
        wanted = self._wanted()
        return {state.value: states[state.value] for state in MemoryStatus} | {
            "conversations": len(talks),
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
        live = [
            entry.memory for entry in self._entries.values() if entry.status is MemoryStatus.LIVE
        ]
        return sorted(live, key=lambda memory: self._first_seqs[memory.id])

    def _is_allowed(self, memory: Memory, only: SearchFilter) -> bool:
        return is_allowed(self._entries[memory.id], self._first_seqs[memory.id], only)
