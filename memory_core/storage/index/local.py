"""The store on this machine's disk: SQLite catalogue, sealed words, zarr vectors, FAISS."""

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import compress
from pathlib import Path

import numpy as np

from ...domain.errors import StorageFailed
from ...domain.records import Memory
from ...infra import durable_files
from ...providers.embedders.base import Vectors
from ...text.bm25 import Corpus
from ..contract import ALL, Column, Evictable, Fetched, Only, Page, Passages, Side, Unembedded
from ..log.diff import Known
from ..log.events import Line
from ..log.projection import Entry
from .catalog import consistency
from .catalog.catalog import Catalogue, Kept
from .catalog.database import Database
from .catalog.rewrite import opened, put_on_disk, rewritten
from .catalog.vector_rows import VectorMarks
from .catalog.writes import apply_lines, erase_words
from .filtered_vector_search import Meant
from .fulltext.compaction import SEALED_FROM, Sealing
from .fulltext.fulltext_search import Lexical
from .fulltext.word_index import WordIndex
from .vector_reconciliation import Agreement
from .vectors.model_folders import KEPT_S, ModelFolders
from .vectors.sizes import USUAL, Sizes
from .vectors.vector_index import VectorFile

_EMBEDDED = "turns"  # part of the model's name: files from when exchanges were embedded whole go
_FEW, _STEPS = 8192, 8  # vectors that are looked through at once, and steps that takes at most


class LocalStore:
    """A MemoryStore in one folder; deleting the folder costs nothing but the time to refill it."""

    def __init__(
        self, folder: Path, *, sealed_from: int = SEALED_FROM, sizes: Sizes = USUAL
    ) -> None:
        with suppress(StorageFailed):  # what is above it may only be read
            durable_files.make_folder(folder)
        self._folder = folder
        self._database = Database(folder / "catalogue.sqlite")
        self._catalogue = Catalogue(self._database)
        self._marks = VectorMarks(self._database)
        self._sealed_from = sealed_from
        self._begin()
        self._sizes = sizes
        self._vectors: VectorFile | None = None
        self._agreement: Agreement | None = None
        self._models = ModelFolders(folder)
        self._lock = threading.RLock()
        self._upkeep = threading.RLock()  # taken before the other, by whoever is long at it
        self._since_copied: list[tuple[Sequence[Line], Mapping[str, int]]] | None = None

    def positions(self, logs: Collection[str] | None = None) -> Mapping[str, int]:
        return self._catalogue.positions(logs)

    def apply(
        self,
        lines: Sequence[Line],
        positions: Mapping[str, int],
        *,
        since: Mapping[str, int] | None = None,
    ) -> bool:
        ids = {line.id for line in lines}
        with self._lock:  # no vector may come in for a text that changes meanwhile
            before = self._vectors_of(ids)
            is_done = self._catalogue.apply(lines, positions, since=since)
            if is_done and self._since_copied is not None:
                self._since_copied.append((lines, dict(positions)))
            self._follow(before, self._vectors_of(ids))
        if self._upkeep.acquire(blocking=False):
            try:
                self._sealing.bound()
            finally:
                self._upkeep.release()
        return is_done

    def clear(self) -> None:
        self._database.begin_anew()
        self._begin()
        self._sealing.sweep()
        self._agreement = None  # what comes again shall find its vectors; the rest goes later

    def _begin(self) -> None:
        words = WordIndex(self._database, self._folder)
        self._lexical = Lexical(self._database, words)
        self._sealing = Sealing(self._database, self._folder, words, sealed_from=self._sealed_from)

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

    def last_place(self, conversation: str) -> float:
        return self._catalogue.last_place(conversation)

    def find_key(self, key: str) -> str | None:
        return self._catalogue.find_key(key)

    def copies(self, keys: Collection[str]) -> list[str]:
        return self._catalogue.copies(keys)

    def latest(self, page: Page) -> list[Memory]:
        rows = self._lexical.holding(page.words).tolist() if page.words else None
        return self._catalogue.latest(page, rows)

    def standing(self) -> list[Memory]:
        return self._catalogue.standing()

    def has_forgotten(self) -> bool:
        return self._catalogue.has_forgotten()

    def forgotten(self) -> list[Entry]:
        return self._catalogue.forgotten()

    def evictable(self, limit: int) -> list[Evictable]:
        return self._catalogue.evictable(limit)

    def evictable_count(self, *, before: float | None = None) -> int:
        return self._catalogue.evictable_count(before=before)

    def erase(self, ids: Sequence[str]) -> None:
        with self._upkeep:  # the vectors first: an entry without words is not asked for again
            self._erase_vectors()
            self._sealing.forget(ids)
            self._erase_words(ids)

    def _erase_vectors(self) -> None:
        with self._writing():
            vectors, folder = self._vectors, self._models.last()
            if vectors is None and folder is not None:
                vectors = VectorFile.left_in(folder, sizes=self._sizes)
            if folder is not None:
                self._models.drop_others(folder)
            if vectors is None:  # what was never embedded is nowhere
                self._marks.forget_all_gone()
                return
        steps = Agreement(self._catalogue, self._marks, vectors).erasing()
        is_more = True
        while is_more:  # whoever applies lines waits for one step at most
            with self._writing():
                is_more = next(steps, None) is not None

    def _erase_words(self, ids: Collection[str]) -> None:
        """What is applied while the new file is made is applied to that, too."""
        if self._database.is_in_memory:
            with self._database.writing() as db:
                erase_words(db, ids)
            return
        generation, _ = self._database.version()
        with self._lock:
            self._since_copied = []
        try:
            with rewritten(self._database, self._folder, ids) as anew, self._lock:
                with opened(anew) as db:
                    for lines, positions in self._since_copied:
                        apply_lines(db, lines, positions)
                put_on_disk(anew)
                self._database.exchange(anew, generation)
        finally:
            self._since_copied = None

    def moment(self) -> AbstractContextManager[None]:
        return self._lexical.moment()

    def search_words(self, words: Sequence[str], *, limit: int, only: Only = ALL) -> list[str]:
        return self._lexical.search(words, limit=limit, only=only)

    def corpus(self, words: Collection[str]) -> Corpus:
        return self._lexical.corpus(words)

    def beginning_with(self, letters: str, *, limit: int) -> dict[str, int]:
        return self._lexical.beginning_with(letters, limit=limit)

    def among(self, ids: Collection[str], only: Only) -> list[str]:
        return self._catalogue.among(ids, only)

    def passages(self, found: Sequence[str], others: Sequence[str]) -> Passages:
        return self._lexical.passages(found, others)

    def counted(self, passages: Passages, words: Sequence[str]) -> Column:
        return self._lexical.counted(passages, words)

    def fetched(self, passages: Passages, which: Sequence[int]) -> dict[int, Fetched]:
        numbers = passages.numbers[list(which)].tolist()
        known = self._catalogue.fetched(numbers)
        found = {at: known[row] for at, row in zip(which, numbers, strict=True) if row in known}
        return {at: it for at, it in found.items() if it.memory.id == passages.ids[at]}

    def names(self, ids: Collection[str]) -> dict[str, tuple[str, str]]:
        return self._lexical.names(ids)

    def happened(self, ids: Collection[str]) -> dict[str, list[tuple[float, float]]]:
        return self._lexical.happened(ids)

    def search_vectors(self, query: Vectors, *, limit: int, only: Only = ALL) -> list[str]:
        vectors = self._vectors
        if vectors is None:
            return []
        meant = Meant(vectors, self._marks, self._lexical)
        return self._lexical.given_out(meant.search(query, limit, only))

    def vectors(self, ids: Collection[str]) -> dict[str, tuple[Vectors | None, Vectors | None]]:
        if self._vectors is None:
            return {}
        named = self._catalogue.vector_ids_of(ids)
        rows = self._vectors.rows([it for sides in named.values() for it in sides.values()])
        both = {
            memory_id: (rows.get(sides.get(Side.USER, 0)), rows.get(sides.get(Side.ASSISTANT, 0)))
            for memory_id, sides in named.items()
        }
        return {it: pair for it, pair in both.items() if any(row is not None for row in pair)}

    def cosines(self, passages: Passages, query: Vectors) -> Column:
        wanted = passages.vectors[: passages.weighed]
        if self._vectors is None:
            return np.full(wanted.shape, np.nan)
        return self._vectors.cosines(query, wanted.reshape(-1)).reshape(wanted.shape)

    def embedded_pairs(self, limit: int) -> list[str]:
        return [] if self._vectors is None else self._catalogue.pairs(limit)

    def within(self, since: float, until: float, *, limit: int, only: Only = ALL) -> list[str]:
        return self._catalogue.within(since, until, limit=limit, only=only)

    def use_model(self, fingerprint: str, dim: int) -> None:
        with self._upkeep, self._writing():
            model = f"{fingerprint} {_EMBEDDED}"
            folder = self._models.take(f"{model} {dim}")
            if self._vectors is not None:
                self._vectors.close()
            self._vectors = VectorFile(folder, fingerprint=model, dim=dim, sizes=self._sizes)
            self._agree()
            if not self._catalogue.texts(1):
                self._models.drop_others(folder, older_s=KEPT_S)

    def keeps_another_model(self) -> bool:
        with self._lock:
            return self._vectors is not None and self._models.has_others()

    def unembedded(self, limit: int) -> list[Unembedded]:
        with self._lock:
            if self._vectors is None:
                return []
            for _ in range(_STEPS):  # of a catalogue made anew: nothing is embedded twice
                waiting = self._catalogue.texts(limit)
                ids = [it.vector_id for it in waiting]
                known = self._vectors.knows(ids).tolist()
                self._mark(list(compress(ids, known)))
                lacking = [it for it, is_known in zip(waiting, known, strict=True) if not is_known]
                if lacking or not waiting:
                    return lacking
            return []

    def add_vectors(self, vector_ids: Sequence[int], vectors: Vectors) -> None:
        with self._writing():
            if self._vectors is not None:
                wanted = self._catalogue.wanted(vector_ids)
                fresh = np.flatnonzero(np.isin(vector_ids, wanted)).tolist()
                self._vectors.add([vector_ids[at] for at in fresh], vectors[fresh])
                self._mark(vector_ids)
                known = self._vectors.knows(wanted).tolist()
                useless = [it for it, is_known in zip(wanted, known, strict=True) if not is_known]
                self._catalogue.mark(useless, Kept.USELESS)

    def reached(self) -> int:
        return self._catalogue.reached()

    def last_seq(self) -> int:
        return self._catalogue.last_seq()

    def counts(self) -> dict[str, int]:
        counts = self._catalogue.counts()
        without = {"embedded": 0, "lacking": counts["vectors"]} if self._vectors is None else {}
        return counts | without

    def maintain(self) -> bool:
        with self._upkeep:
            return self._sealing.step() or self._keep_vectors()

    def _keep_vectors(self) -> bool:
        """One step; what takes long is done beside, while others search and write."""
        with self._writing():
            vectors, agreement = self._vectors, self._agreement
            if vectors is None or (agreement is not None and agreement.step()):
                return vectors is not None
            self._agreement = None
        with durable_files.naming(self._folder):
            return vectors.maintain()

    def _agree(self) -> None:
        """Of few vectors at once; of many in the background."""
        if self._vectors is not None:
            agreement = Agreement(self._catalogue, self._marks, self._vectors)
            self._agreement = agreement
            if self._vectors.on_disk <= _FEW:
                any(not agreement.step() for _ in range(_STEPS))

    def faults(self, folded: Mapping[str, Entry]) -> dict[str, list[str]]:
        return consistency.faults(self, folded)

    def damage(self) -> list[str]:
        return [*self._database.damage(), *self._lexical.damage(), *self._damaged_vectors()]

    def _damaged_vectors(self) -> Iterator[str]:
        vectors, folder = self._vectors, self._models.last()
        if vectors is None and folder is not None:
            vectors = VectorFile.left_in(folder, sizes=self._sizes)
        if vectors is None:
            return
        found, segments = vectors.damaged()
        if vectors is not self._vectors:
            vectors.close()
        wanted = set(found) - set(self._marks.unwanted(found))
        if wanted:
            yield f"{len(wanted):,} vectors are damaged"
        for name in segments:
            yield f"the vectors' index {name} was damaged; it is built anew in time"

    def is_in_place(self) -> bool:
        return self._database.is_in_place()

    def close(self) -> None:
        if self._vectors is not None:
            self._vectors.close()
        self._lexical.close()
        self._database.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """For one thread at a time; raises StorageFailed where the disk takes no vectors."""
        with self._lock, durable_files.naming(self._folder):
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
                self._vectors.revive(after)
                self._mark(after)

    def _mark(self, vector_ids: Collection[int]) -> None:
        """Notes which of these are embedded."""
        if self._vectors is not None and vector_ids:
            ids = list(vector_ids)
            known = self._vectors.knows(ids).tolist()
            here = [it for it, is_known in zip(ids, known, strict=True) if is_known]
            self._catalogue.mark(here, Kept.EMBEDDED)
