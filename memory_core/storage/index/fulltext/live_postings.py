"""Postings of which some no longer hold, and what is asked of them: who holds a word, how often."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from .postings import Array, Postings, are_in_sorted, encoded, intersect_sorted, keys_of

_MAX_CACHED_TERMS = 2_000  # words whose place is remembered


class LivePostings:
    """`void` are the positions that hold no longer, ascending. Never changed; for many threads."""

    def __init__(
        self, postings: Postings, void: Array | None = None, known: dict[str, int] | None = None
    ) -> None:
        self.postings = postings
        self.deleted_positions = np.empty(0, dtype="<u4") if void is None else void.astype("<u4")
        self._known = {} if known is None else known

    def without(self, rows: Array) -> "LivePostings":
        """The same, but that these rows no longer hold here."""
        _, positions = self.postings.positions(rows)
        if not len(positions):
            return self
        return LivePostings(
            self.postings, np.union1d(self.deleted_positions, positions), self._known
        )

    def only(self, rows: Array) -> "LivePostings":
        """The same, but that no others than these rows hold here any more."""
        stays = np.zeros(self.postings.size, dtype=bool)
        stays[self.postings.positions(rows)[1]] = True
        return LivePostings(self.postings, np.flatnonzero(~(stays & self.is_live)), self._known)

    def between(self, first: int, last: int) -> "LivePostings":
        """The same for the rows from the first to the last of these."""
        numbers = self.postings.columns.numbers
        inside = (numbers >= first) & (numbers <= last)
        return LivePostings(self.postings, np.flatnonzero(~(inside & self.is_live)), self._known)

    @property
    def live_count(self) -> int:
        return self.postings.size - len(self.deleted_positions)

    @property
    def is_live(self) -> Array:
        """Whether each position still holds."""
        kept = np.ones(self.postings.size, dtype=bool)
        kept[self.deleted_positions] = False
        return kept

    def positions(self, rows: Array) -> tuple[Array, Array]:
        """Which of these rows, by their index, hold here, and at which positions."""
        which, positions = self.postings.positions(rows)
        if len(self.deleted_positions) and len(positions):
            holds = ~are_in_sorted(positions, self.deleted_positions)
            return which[holds], positions[holds]
        return which, positions

    def positions_with_vectors(self, vectors: Array) -> tuple[Array, Array]:
        """Which of these vector ids, by their index, a memory here has, and at which positions."""
        which, near = intersect_sorted(self.postings.vectors, vectors)
        positions = self.postings.vectors_at[near]
        if len(self.deleted_positions):
            holds = ~are_in_sorted(positions, self.deleted_positions)
            return which[holds], positions[holds]
        return which, positions

    def terms(self, words: Sequence[str]) -> Mapping[str, int]:
        """The number of each word's term, or -1."""
        known = self._known
        found = {word: term for word in words if (term := known.get(word)) is not None}
        asked = [word for word in words if word not in found]
        if asked:
            plain = [encoded(word) for word in asked]
            terms = self.postings.find(plain, keys_of(plain))
            found.update(zip(asked, terms, strict=True))
            if len(known) > _MAX_CACHED_TERMS:
                known.clear()
            known.update(found)
        return found

    def document_frequency(self, term: int) -> int:
        """How many hold it."""
        if term < 0:
            return 0
        first, last = self.postings.run(term)
        return last - first - self._count_deleted_in(first, last)

    def positions_with_term(self, term: int) -> Array:
        """The positions that hold it."""
        if term < 0:
            return np.empty(0, dtype="<u4")
        first, last = self.postings.run(term)
        positions = self.postings.at[first:last]
        return (
            positions[~are_in_sorted(positions, self.deleted_positions)]
            if len(self.deleted_positions)
            else positions
        )

    def _count_deleted_in(self, first: int, last: int) -> int:
        if not len(self.deleted_positions):
            return 0
        return int(are_in_sorted(self.deleted_positions, self.postings.at[first:last]).sum())

    def counts(self, term: int, positions: Array) -> tuple[Array, Array, Array]:
        """Which of these positions, by their index, hold the term, and how often on either side."""
        first, last = self.postings.run(term)
        run = self.postings.at[first:last]
        which, near = intersect_sorted(run, positions)
        found = first + near
        return which, self.postings.user[found], self.postings.assistant[found]

    def terms_with_prefix(self, letters: bytes) -> Iterator[tuple[bytes, int]]:
        """The terms that begin so and are held, in the order of their bytes, and by how many."""
        for term in range(self.postings.first_from(letters), len(self.postings.ends)):
            word = self.postings.term(term)
            if not word.startswith(letters):
                return
            if held := self.document_frequency(term):
                yield word, held
