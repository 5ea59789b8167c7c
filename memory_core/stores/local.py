"""The store on this machine's disk: SQLite catalogue, FTS5 words, zarr vectors, FAISS."""

import threading
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from .. import durable
from ..embedders.base import Vectors
from ..records import Memory
from ..transcript.entries import Entry, erased
from ..transcript.lines import Line
from ..transcript.reconcile import Known
from .base import Hit, Page, Unembedded
from .catalogue import Catalogue
from .vectors import VectorFile


class LocalStore:
    """A MemoryStore in one folder; deleting the folder costs nothing but the time to refill it."""

    def __init__(self, folder: Path) -> None:
        durable.make_folder(folder)
        self._folder = folder
        self._catalogue = Catalogue(folder / "catalogue.sqlite")
        self._vectors: VectorFile | None = None
        self._lock = threading.RLock()

    def positions(self) -> Mapping[str, int]:
        return self._catalogue.positions()

    def apply(self, lines: Sequence[Line], positions: Mapping[str, int]) -> None:
        before = self._vectors_of([line.id for line in lines])
        self._catalogue.apply(lines, positions)
        self._discard_unwanted(before)

    def clear(self) -> None:
        self._catalogue.clear()

    def get(self, ids: Sequence[str]) -> dict[str, Entry]:
        return self._catalogue.get(ids)

    def seqs(self, ids: Sequence[str]) -> dict[str, int]:
        return self._catalogue.seqs(ids)

    def known(self, conversation: str) -> list[Known]:
        return self._catalogue.known(conversation)

    def conversation(self, conversation: str, limit: int) -> list[Memory]:
        return self._catalogue.conversation(conversation, limit)

    def find_key(self, key: str) -> str | None:
        return self._catalogue.find_key(key)

    def copies(self, keys: Collection[str]) -> list[str]:
        return self._catalogue.copies(keys)

    def latest(self, page: Page) -> list[Memory]:
        return self._catalogue.latest(page)

    def standing(self) -> list[Memory]:
        return self._catalogue.standing()

    def forgotten(self) -> list[Entry]:
        return self._catalogue.forgotten()

    def erase(self, ids: Sequence[str]) -> None:
        doomed = list(self._catalogue.vector_ids_of(ids).values())
        found = self._catalogue.get(ids)
        self._catalogue.erase(list(found), {it: erased(found[it]) for it in found})
        with self._lock:
            if self._vectors is not None:
                self._vectors.erase(doomed)

    def search_words(
        self, words: Sequence[str], *, limit: int, until_seq: int | None = None
    ) -> list[Hit]:
        return self._catalogue.search_words(words, limit=limit, until_seq=until_seq)

    def search_vectors(
        self, query: Vectors, *, limit: int, until_seq: int | None = None
    ) -> list[Hit]:
        if self._vectors is None:
            return []
        hidden = self._catalogue.born_after(until_seq) if until_seq is not None else 0
        with self._lock:
            ids, scores = self._vectors.search(query, limit + hidden)
        named = self._catalogue.by_vectors(ids, until_seq)
        hits = [
            Hit(id=named[it], score=score)
            for it, score in zip(ids, scores, strict=True)
            if it in named
        ]
        return hits[:limit]

    def cosines(self, query: Vectors, ids: Sequence[str]) -> dict[str, float]:
        if self._vectors is None or not ids:
            return {}
        vectors = self._vectors
        with self._lock:
            known = {
                memory_id: it
                for memory_id, it in self._catalogue.vector_ids_of(ids).items()
                if it in vectors
            }
            rows = vectors.rows(list(known.values()))
        if not known or rows.shape[1:] != query.shape:
            return {}
        return dict(zip(known, (rows @ query).tolist(), strict=True))

    def times(self, ids: Sequence[str]) -> dict[str, float]:
        return self._catalogue.times(ids)

    def said_within(
        self, since: float, until: float, *, limit: int, until_seq: int | None = None
    ) -> dict[str, float]:
        return self._catalogue.said_within(since, until, limit=limit, until_seq=until_seq)

    def use_model(self, fingerprint: str, dim: int) -> None:
        with self._lock:
            vectors = VectorFile(self._folder, fingerprint=fingerprint, dim=dim)
            vectors.keep_only(self._catalogue.vector_ids())
            self._vectors = vectors

    def unembedded(self, limit: int) -> list[Unembedded]:
        with self._lock:
            vectors = self._vectors
            if vectors is None:
                return []
            return self._catalogue.texts(vectors.lacks, limit)

    def add_vectors(self, vector_ids: Sequence[int], vectors: Vectors) -> None:
        with self._lock:
            if self._vectors is not None:
                wanted = self._catalogue.by_vectors(vector_ids, None)
                fresh = [at for at, it in enumerate(vector_ids) if it in wanted]
                self._vectors.add([vector_ids[at] for at in fresh], vectors[fresh])

    def counts(self) -> dict[str, int]:
        embedded = len(self._vectors) if self._vectors is not None else 0
        return self._catalogue.counts() | {"embedded": embedded}

    def close(self) -> None:
        self._catalogue.close()

    def _vectors_of(self, ids: Sequence[str]) -> set[int]:
        if self._vectors is None:
            return set()
        return set(self._catalogue.vector_ids_of(list(dict.fromkeys(ids))).values())

    def _discard_unwanted(self, candidates: set[int]) -> None:
        """An edited or vanished text's vector must not be found again."""
        with self._lock:
            if self._vectors is not None and candidates:
                wanted = self._catalogue.by_vectors(list(candidates), None)
                self._vectors.discard(list(candidates - set(wanted)))
