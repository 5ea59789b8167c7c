"""Postings with deleted rows: term counts and positions of the rows that are still live."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from .postings import Array, Postings, are_in_sorted, encoded, intersect_sorted, keys_of

_MAX_CACHED_TERMS = 8_000  # words with a cached term number: a message looks up a hundred
_SHORT_RUN = 4_096  # postings; a longer run is searched in less time than it is read


class LivePostings:
    """Postings without the deleted positions `void` (ascending). Immutable."""

    def __init__(
        self, postings: Postings, void: Array | None = None, known: dict[str, int] | None = None
    ) -> None:
        self.postings = postings
        self.deleted_positions = np.empty(0, dtype="<u4") if void is None else void.astype("<u4")
        self._known = {} if known is None else known

    def without(self, rows: Array) -> "LivePostings":
        """Returns these postings without these rows."""
        _, positions = self.postings.positions(rows)
        if not len(positions):
            return self
        return LivePostings(
            self.postings, np.union1d(self.deleted_positions, positions), self._known
        )

    def only(self, rows: Array) -> "LivePostings":
        """Returns these postings with only these rows."""
        stays = np.zeros(self.postings.size, dtype=bool)
        stays[self.postings.positions(rows)[1]] = True
        return LivePostings(self.postings, np.flatnonzero(~(stays & self.is_live)), self._known)

    def between(self, first: int, last: int) -> "LivePostings":
        """Returns these postings with the rows from `first` to `last` only."""
        numbers = self.postings.columns.numbers
        inside = (numbers >= first) & (numbers <= last)
        return LivePostings(self.postings, np.flatnonzero(~(inside & self.is_live)), self._known)

    @property
    def live_count(self) -> int:
        return self.postings.size - len(self.deleted_positions)

    @property
    def is_live(self) -> Array:
        """Returns a boolean array over all positions: false where the row is deleted."""
        is_live = np.ones(self.postings.size, dtype=bool)
        is_live[self.deleted_positions] = False
        return is_live

    def positions(self, rows: Array) -> tuple[Array, Array]:
        """Returns the indices of the rows that are live here, and their positions."""
        which, positions = self.postings.positions(rows)
        if len(self.deleted_positions) and len(positions):
            holds = ~are_in_sorted(positions, self.deleted_positions)
            return which[holds], positions[holds]
        return which, positions

    def positions_with_vectors(self, vectors: Array) -> tuple[Array, Array]:
        """Returns the indices of vector ids that live memories here want, and their positions."""
        which, near = intersect_sorted(self.postings.vectors, vectors)
        self.postings.read_ahead.request_vector_positions(near)
        positions = self.postings.vectors_at[near]
        if len(self.deleted_positions):
            holds = ~are_in_sorted(positions, self.deleted_positions)
            return which[holds], positions[holds]
        return which, positions

    def terms(self, words: Sequence[str]) -> Mapping[str, int]:
        """Returns word → number of its term, -1 where no text holds it."""
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
        """Returns how many live texts hold the term."""
        if term < 0:
            return 0
        first, last = self.postings.run(term)
        if not len(self.deleted_positions):
            return last - first
        self.postings.read_ahead.request_run(first, last)
        deleted = are_in_sorted(self.deleted_positions, self.postings.at[first:last])
        return last - first - int(deleted.sum())

    def positions_with_term(self, term: int) -> Array:
        """Returns the live positions whose texts hold the term."""
        if term < 0:
            return np.empty(0, dtype="<u4")
        first, last = self.postings.run(term)
        positions = self.postings.at[first:last]
        self.postings.read_ahead.request_run(first, last)
        return (
            positions[~are_in_sorted(positions, self.deleted_positions)]
            if len(self.deleted_positions)
            else positions
        )

    def counts(self, terms: Sequence[int], positions: Array) -> tuple[Array, Array, Array, Array]:
        """Returns the counts of the terms at these positions, where they are not 0: the indices of
        the positions, the indices of the terms, and the counts in both sides.

        A short run is read whole. In a long one the positions are looked up.
        """
        postings = self.postings
        held = [index for index, term in enumerate(terms) if term >= 0]
        numbers = np.array([terms[index] for index in held], dtype=np.int64)
        firsts, lasts = (postings.starts[number].tolist() for number in (numbers, numbers + 1))
        ends = list(zip(firsts, lasts, strict=True))
        for first, last in ends:
            postings.read_ahead.request_run(first, last)
        ranks = np.zeros(postings.size, dtype=np.int32)  # of the positions, from 1
        ranks[positions] = np.arange(1, len(positions) + 1)
        ascending = np.sort(positions)
        parts = [
            np.arange(first, last)
            if last - first <= _SHORT_RUN
            else first + intersect_sorted(postings.at[first:last], ascending)[1]
            for first, last in ends
        ]
        found = np.concatenate([np.empty(0, dtype=np.int64), *parts])
        columns = np.array(held, dtype=np.int64).repeat([len(part) for part in parts])
        rows = ranks[postings.at[found]] - 1
        which = (rows >= 0).nonzero()[0]
        found = found[which]
        postings.read_ahead.request_counts_at(found)
        return rows[which], columns[which], postings.user[found], postings.assistant[found]

    def terms_with_prefix(self, letters: bytes) -> Iterator[tuple[bytes, int]]:
        """Yields the terms with this prefix, in byte order, with the number of live texts that hold
        them.
        """
        for term in range(self.postings.first_from(letters), len(self.postings.ends)):
            word = self.postings.term(term)
            if not word.startswith(letters):
                return
            if held := self.document_frequency(term):
                yield word, held
