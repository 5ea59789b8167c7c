"""Inverted index in sorted arrays, in memory or mapped from a file; deleted rows are left out.

The arrays never change. A memory is known by its position in `numbers`, which holds catalog rows;
all columns share that order. The postings of a term are one run of `at` (ascending positions) with
the counts of both sides beside it, capped at MAX_TERM_COUNT. LivePostings are postings with deleted
rows: term counts and positions of the rows that are still live.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....text.bm25 import K1, B

ID_BYTES = 16  # longer ids are looked up in the catalog

Array = NDArray[Any]
DTYPES = {
    "numbers": "<u4",
    "lengths": "<u4",
    "said": "<f8",
    "sittings": "<u4",
    "before": "<u4",
    "after": "<u4",
    "ids": f"S{ID_BYTES}",
    "user_vectors": "<i8",
    "assistant_vectors": "<i8",
    "at": "<u4",
    "user": "u1",
    "assistant": "u1",
    "starts": "<u8",
    "peaks": "<f4",
    "ends": "<u4",
    "letters": "u1",
    "keys": "<u8",
    "order": "<u4",
    "vectors": "<i8",
    "vectors_at": "<u4",
}
_MAX_CACHED_TERMS = 8_000  # words with a cached term number: a message looks up a hundred
_SHORT_RUN = 4_096  # postings; a longer run is searched in less time than it is read


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Columns:
    """Per memory: row, length in terms, time said (nan: unknown), session, rows before and after in
    it, live or not (0: none), id (empty: a long one), and the vector ids of both sides (0: none).
    """

    numbers: Array
    lengths: Array
    said: Array
    sittings: Array
    before: Array
    after: Array
    ids: Array
    user_vectors: Array
    assistant_vectors: Array

    def take(self, which: Array) -> "Columns":
        return Columns(
            **{column.name: getattr(self, column.name)[which] for column in fields(self)}
        )


COLUMNS = tuple(column.name for column in fields(Columns))


class ReadAhead:
    """Is told what a search of postings will read. Does nothing: these are in memory."""

    def request_run(self, first: int, last: int) -> None:
        """Requests the positions of one term's postings."""

    def request_counts(self, first: int, last: int) -> None:
        """Requests the counts of one term's postings."""

    def request_counts_at(self, which: Array) -> None:
        """Requests the counts of single postings."""

    def request_columns(self, positions: Array) -> None:
        """Requests all columns of the memories at these positions."""

    def request_vector_positions(self, which: Array) -> None:
        """Requests single items of `vectors_at`."""


NO_READ_AHEAD = ReadAhead()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Postings:
    """Terms, their postings, and the columns of the memories.

    `starts` bounds each term's run, `ends` its letters (UTF-8, in term order). `keys` are the
    terms' hashes, ascending, and `order` the terms they belong to. `peaks` has the maximum
    saturation of each term for texts of `mean` terms. `vectors` are the vector ids in the columns,
    ascending, and `vectors_at` their positions. `read_ahead` is told what a search will read.
    """

    columns: Columns
    at: Array
    user: Array
    assistant: Array
    starts: Array
    peaks: Array
    ends: Array
    letters: Array
    keys: Array
    order: Array
    vectors: Array
    vectors_at: Array
    mean: float
    read_ahead: ReadAhead

    @property
    def size(self) -> int:
        return len(self.columns.numbers)

    def term(self, number: int) -> bytes:
        first = int(self.ends[number - 1]) if number else 0
        return self.letters[first : int(self.ends[number])].tobytes()

    def terms(self, first: int, last: int) -> list[bytes]:
        """Returns the terms from `first` to before `last`."""
        begin = int(self.ends[first - 1]) if first else 0
        ends = (self.ends[first:last].astype(np.int64) - begin).tolist()
        letters = self.letters[begin : begin + (ends[-1] if ends else 0)].tobytes()
        return [letters[a:b] for a, b in zip([0, *ends[:-1]], ends, strict=True)] if ends else []

    def find(self, words: Sequence[bytes]) -> list[int]:
        """Returns the number of each word's term, -1 where there is none."""
        hashes = keys_of(words)
        firsts, ends = (self.keys.searchsorted(hashes, side) for side in ("left", "right"))
        found = [-1] * len(words)
        for index in (firsts < ends).nonzero()[0].tolist():
            same_hash = self.order[firsts[index] : ends[index]].tolist()
            found[index] = next((term for term in same_hash if self.term(term) == words[index]), -1)
        return found

    def first_from(self, letters: bytes) -> int:
        """Returns the first term that is not less than these letters."""
        return bisect_left(range(len(self.ends)), letters, key=self.term)

    def run(self, term: int) -> tuple[int, int]:
        """Returns the first position of a term's postings and the one after the last."""
        return int(self.starts[term]), int(self.starts[term + 1])

    def positions(self, rows: Array) -> tuple[Array, Array]:
        """Returns the indices of the rows that are here, and their positions."""
        numbers = self.columns.numbers
        if not len(numbers) or int(numbers[-1]) - int(numbers[0]) >= len(numbers):
            return intersect_sorted(numbers, rows)
        near = rows.astype(np.int64) - int(numbers[0])  # without gaps, numbers are offsets
        which = ((near >= 0) & (near < len(numbers))).nonzero()[0]
        return which, near[which]


@lru_cache(maxsize=16_384)
def key_of(word: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(word, digest_size=8).digest(), "little")


def keys_of(words: Sequence[bytes]) -> Array:
    return np.array([key_of(word) for word in words], dtype="<u8")


def encoded(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")


def saturation(user: Array, assistant: Array, lengths: Array, mean: float) -> Array:
    """Returns BM25's saturated term frequency from the counts in both sides of texts of these
    lengths, against the `mean`.
    """
    counts = user.astype(np.float32) + assistant
    norms = lengths * np.float32(K1 * B / mean) + np.float32(K1 * (1.0 - B))
    return np.asarray(counts / (counts + norms), dtype=np.float32)


def intersect_sorted(ordered: Array, values: Array) -> tuple[Array, Array]:
    """Returns the indices of values that occur in the ascending `ordered`, and where they do."""
    if not len(ordered):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    values = values.astype(ordered.dtype, copy=False)  # else all of `ordered` would be converted
    near = ordered.searchsorted(values)  # a method: this is called a hundred times a message
    near[near == len(ordered)] = 0
    which = (ordered[near] == values).nonzero()[0]
    return which, near[which]


def are_in_sorted(values: Array, ordered: Array) -> Array:
    """Returns a boolean array: which values occur in the ascending `ordered`."""
    found = np.zeros(len(values), dtype=bool)
    found[intersect_sorted(ordered, values)[0]] = True
    return found


def by_vectors(columns: Columns) -> dict[str, Array]:
    """Returns the arrays that map vector ids to positions."""
    both = np.concatenate((columns.user_vectors, columns.assistant_vectors))
    order = np.argsort(both, kind="stable")
    order = order[both[order] != 0]
    positions = order % max(1, len(columns.numbers))
    found = {"vectors": both[order], "vectors_at": positions}
    return {name: column.astype(DTYPES[name]) for name, column in found.items()}


def dictionary(terms: Sequence[bytes], counts: Sequence[int]) -> dict[str, Array]:
    """Returns the arrays that map words to terms, from the ordered terms and their run lengths."""
    keys = keys_of(terms)
    order = np.argsort(keys, kind="stable")
    joined = np.frombuffer(b"".join(terms), dtype=np.uint8)
    found = {
        "starts": np.concatenate(([0], np.cumsum(counts, dtype=np.uint64))),
        "ends": np.cumsum([len(word) for word in terms], dtype=np.uint32),
        "letters": joined,
        "keys": keys[order],
        "order": order,
    }
    return {name: column.astype(DTYPES[name]) for name, column in found.items()}


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
            terms = self.postings.find([encoded(word) for word in asked])
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
