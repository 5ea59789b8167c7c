"""The store on this machine's disk: SQLite catalogue, FTS5 words, zarr vectors, FAISS."""

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from .. import durable
from ..bm25 import Corpus
from ..embedders.base import Vectors
from ..records import Memory
from ..transcript.entries import Entry, erased
from ..transcript.lines import Line
from ..transcript.reconcile import Known
from .base import Page, Passage, Side, Unembedded
from .catalogue import Catalogue, Kept
from .database import Database
from .lexical import Lexical
from .vectors import VectorFile

_EMBEDDED = "turns"  # part of the model's name: files from when exchanges were embedded whole go


class LocalStore:
    """A MemoryStore in one folder; deleting the folder costs nothing but the time to refill it."""

    def __init__(self, folder: Path) -> None:
        durable.make_folder(folder)
        self._folder = folder
        self._database = Database(folder / "catalogue.sqlite")
        self._catalogue = Catalogue(self._database)
        self._lexical = Lexical(self._database)
        self._vectors: VectorFile | None = None
        self._lock = threading.RLock()

    def positions(self) -> Mapping[str, int]:
        return self._catalogue.positions()

    def apply(self, lines: Sequence[Line], positions: Mapping[str, int]) -> None:
        ids = {line.id for line in lines}
        with self._lock:  # no vector may come in for a text that changes meanwhile
            before = self._vectors_of(ids)
            self._catalogue.apply(lines, positions)
            self._follow(before, self._vectors_of(ids))

    def clear(self) -> None:
        self._database.begin_anew()
        self._lexical = Lexical(self._database)  # what the old one counted is gone

    def get(self, ids: Sequence[str]) -> dict[str, Entry]:
        return self._catalogue.get(ids)

    def seqs(self, ids: Sequence[str]) -> dict[str, int]:
        return self._catalogue.seqs(ids)

    def known(self, conversation: str) -> list[Known]:
        return self._catalogue.known(conversation)

    def conversation(self, conversation: str, limit: int) -> list[Memory]:
        return self._catalogue.conversation(conversation, limit)

    def said(self, keys: Collection[str]) -> list[tuple[str, Entry]]:
        return self._catalogue.said(keys)

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
        found = self._catalogue.get(ids)
        with self._writing():  # the vectors first: an entry without words is not asked for again
            vectors = self._vectors
            if vectors is None:
                vectors = VectorFile.left_in(self._folder)
            if vectors is not None:
                vectors.keep_only(self._catalogue.vector_ids())
        self._catalogue.erase({it: erased(entry) for it, entry in found.items()})

    def search_words(
        self, words: Sequence[str], *, limit: int, until_seq: int | None = None
    ) -> list[str]:
        return self._lexical.search(words, limit=limit, until_seq=until_seq)

    def corpus(self, words: Collection[str]) -> Corpus:
        return self._lexical.corpus(words)

    def beginning_with(self, letters: str, *, limit: int) -> dict[str, int]:
        return self._lexical.beginning_with(letters, limit=limit)

    def passages(self, ids: Collection[str]) -> dict[str, Passage]:
        return self._lexical.passages(ids)

    def search_vectors(
        self, query: Vectors, *, limit: int, until_seq: int | None = None
    ) -> list[str]:
        if self._vectors is None:
            return []
        hidden = self._catalogue.born_after(until_seq) if until_seq is not None else 0
        sought = len(Side) * (limit + hidden)
        while True:
            with self._lock:
                ids, _ = self._vectors.search(query, sought)
            named = self._catalogue.by_vectors(ids, until_seq)
            found = list(dict.fromkeys(named[it] for it in ids if it in named))
            if len(found) >= limit or len(ids) < sought:
                return found[:limit]
            sought *= 4  # a rebuild left vectors of what is no more

    def vectors(self, ids: Collection[str]) -> dict[str, tuple[Vectors | None, Vectors | None]]:
        if self._vectors is None:
            return {}
        named = self._catalogue.vector_ids_of(ids)
        with self._lock:
            wanted = (it for sides in named.values() for it in sides.values())
            known = [it for it in wanted if it in self._vectors]
            rows = dict(zip(known, self._vectors.rows(known), strict=True))
        both = {
            memory_id: (rows.get(sides.get(Side.USER, 0)), rows.get(sides.get(Side.ASSISTANT, 0)))
            for memory_id, sides in named.items()
        }
        return {it: pair for it, pair in both.items() if any(row is not None for row in pair)}

    def embedded_pairs(self, limit: int) -> list[str]:
        with self._lock:
            vectors = self._vectors
            return [] if vectors is None else self._catalogue.pairs(vectors.__contains__, limit)

    def within(
        self, since: float, until: float, *, limit: int, until_seq: int | None = None
    ) -> list[str]:
        return self._catalogue.within(since, until, limit=limit, until_seq=until_seq)

    def use_model(self, fingerprint: str, dim: int) -> None:
        with self._writing():
            model = f"{fingerprint} {_EMBEDDED}"
            vectors = VectorFile(self._folder, fingerprint=model, dim=dim)
            vectors.keep_only(self._catalogue.vector_ids())
            self._catalogue.mark_all(vectors.__contains__)
            self._vectors = vectors

    def unembedded(self, limit: int) -> list[Unembedded]:
        return [] if self._vectors is None else self._catalogue.texts(limit)

    def add_vectors(self, vector_ids: Sequence[int], vectors: Vectors) -> None:
        with self._writing():
            if self._vectors is not None:
                wanted = self._catalogue.by_vectors(vector_ids, None)
                fresh = [at for at, it in enumerate(vector_ids) if it in wanted]
                self._vectors.add([vector_ids[at] for at in fresh], vectors[fresh])
                self._mark(vector_ids)

    def counts(self) -> dict[str, int]:
        without = {"embedded": 0} if self._vectors is None else {}
        return self._catalogue.counts() | without

    def close(self) -> None:
        self._database.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """For one thread at a time; raises StorageFailed where the disk takes no vectors."""
        with self._lock, durable.naming(self._folder):
            yield

    def _vectors_of(self, ids: Collection[str]) -> set[int]:
        if self._vectors is None:
            return set()
        named = self._catalogue.vector_ids_of(ids)
        return {it for sides in named.values() for it in sides.values()}

    def _follow(self, before: set[int], after: set[int]) -> None:
        """An edited or vanished text's vector must not be found again; a known one comes back."""
        with self._lock:
            if self._vectors is not None:
                self._vectors.discard(before - after)
                self._mark(after)

    def _mark(self, vector_ids: Collection[int]) -> None:
        """Notes which of these are embedded, and which would be no unit row again."""
        if self._vectors is not None:
            given = {it for it in vector_ids if not self._vectors.lacks(it)}
            embedded = {it for it in given if it in self._vectors}
            self._catalogue.mark(embedded, Kept.EMBEDDED)
            self._catalogue.mark(given - embedded, Kept.USELESS)
