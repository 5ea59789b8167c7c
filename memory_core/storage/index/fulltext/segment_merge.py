"""Builds postings from terms, and merges postings piece by piece in bounded memory."""

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import NamedTuple

import numpy as np

from ...contract import MAX_TERM_COUNT
from .postings import (
    DTYPES,
    ID_BYTES,
    NO_READ_AHEAD,
    Array,
    Columns,
    LivePostings,
    Postings,
    by_vectors,
    dictionary,
    encoded,
    saturation,
)

Runs = tuple[Array, Array, Array]  # positions, counts of the user's side, of the assistant's
_TERMS, _POSTINGS = 2_048, 1 << 17  # per block


class IndexedRow(NamedTuple):
    """A memory as the catalog has it: the terms of both sides, separated by blanks, and its
    columns.
    """

    row: int
    user: str
    assistant: str
    id: str
    ts: float | None
    session: int
    before: int
    after: int
    user_vector: int = 0
    assistant_vector: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PostingBlock:
    """The postings of some consecutive terms, with the `sizes` of their runs."""

    terms: list[bytes]
    sizes: Array
    at: Array
    user: Array
    assistant: Array
    peaks: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MergedPostings:
    """Result of a merge: the columns, the number of postings, and these in blocks."""

    columns: Columns
    count: int
    mean: float
    blocks: Iterator[PostingBlock]


def build_postings(memories: Sequence[IndexedRow]) -> Postings:
    """Builds the postings of memories given in the order of their rows."""
    known: defaultdict[str, int] = defaultdict()
    known.default_factory = known.__len__
    codes, sizes = array("i"), array("i")
    for side in chain.from_iterable((row.user, row.assistant) for row in memories):
        words = side.split()
        codes.extend(map(known.__getitem__, words))
        sizes.append(len(words))
    terms = sorted(known)  # by code points, which is also their byte order
    owners = 2 * len(memories)
    said = np.empty(len(terms), dtype=np.int64)
    said[[known[term] for term in terms]] = np.arange(0, owners * len(terms), max(1, owners))
    said = said[codes]
    said += np.repeat(np.arange(owners), sizes)
    lengths = np.array(sizes).reshape(-1, 2).sum(axis=1)
    counted = _count_terms(said, len(memories))
    return _finished([encoded(term) for term in terms], counted, _columns(memories, lengths))


def _columns(memories: Sequence[IndexedRow], lengths: Array) -> Columns:
    found = {
        "numbers": [row.row for row in memories],
        "lengths": lengths,
        "said": [np.nan if row.ts is None else row.ts for row in memories],
        "sittings": [row.session for row in memories],
        "before": [row.before for row in memories],
        "after": [row.after for row in memories],
        "ids": [_short(row.id) for row in memories],
        "user_vectors": [row.user_vector for row in memories],
        "assistant_vectors": [row.assistant_vector for row in memories],
    }
    return Columns(**{name: np.array(column, dtype=DTYPES[name]) for name, column in found.items()})


def _short(memory_id: str) -> bytes:
    """Returns the encoded id, or b"" if it does not fit or would be cut."""
    plain = encoded(memory_id)
    return plain if len(plain) <= ID_BYTES and not plain.endswith(b"\0") else b""


def _count_terms(said: Array, size: int) -> tuple[Array, Array, Array, Array]:
    """Returns (terms, positions, counts of both sides), one value for each term of each text.

    `said` encodes, for each word, its term's number times both sides of all texts, plus the side it
    occurs in; it is sorted in place.
    """
    said.sort()
    pairs = said >> 1
    is_first = np.ones(len(pairs), dtype=bool)
    np.not_equal(pairs[1:], pairs[:-1], out=is_first[1:])
    first = np.flatnonzero(is_first)
    totals = np.diff(first, append=len(said))
    said &= 1
    assistant = np.add.reduceat(said, first) if len(first) else totals
    user, assistant = (
        np.minimum(counts, MAX_TERM_COUNT) for counts in (totals - assistant, assistant)
    )
    return *np.divmod(pairs[first], max(1, size)), user, assistant


def _finished(
    terms: list[bytes], counted: tuple[Array, Array, Array, Array], columns: Columns
) -> Postings:
    codes, positions, user, assistant = counted
    sizes = np.bincount(codes, minlength=len(terms))
    mean = mean_length(columns)
    piece = _piece(terms, sizes, (positions, user, assistant), columns, mean)
    return load_postings(
        MergedPostings(columns=columns, count=len(positions), mean=mean, blocks=iter([piece]))
    )


def mean_length(columns: Columns) -> float:
    return max(1.0, float(columns.lengths.mean())) if len(columns.lengths) else 1.0


def _piece(
    terms: list[bytes],
    sizes: Array,
    runs: tuple[Array, Array, Array],
    columns: Columns,
    mean: float,
) -> PostingBlock:
    """Returns the block without the terms that no text holds."""
    positions, user, assistant = runs
    held = np.flatnonzero(sizes)
    sizes = sizes[held]
    found = saturation(user, assistant, columns.lengths[positions], mean)
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)
    return PostingBlock(
        terms=[terms[piece] for piece in held],
        sizes=sizes,
        at=positions.astype(DTYPES["at"]),
        user=user.astype(DTYPES["user"]),
        assistant=assistant.astype(DTYPES["assistant"]),
        peaks=np.maximum.reduceat(found, starts) if len(found) else found,
    )


def load_postings(merged: MergedPostings) -> Postings:
    """Loads a whole merge into memory."""
    pieces = list(merged.blocks)
    terms = [term for piece in pieces for term in piece.terms]
    sizes = [size for piece in pieces for size in piece.sizes.tolist()]
    runs = {
        name: np.concatenate([getattr(piece, name) for piece in pieces] or [np.empty(0)]).astype(
            DTYPES[name]
        )
        for name in ("at", "user", "assistant", "peaks")
    }
    runs |= by_vectors(merged.columns) | dictionary(terms, sizes)
    return Postings(columns=merged.columns, mean=merged.mean, read_ahead=NO_READ_AHEAD, **runs)


def merge_postings(sources: Sequence[LivePostings]) -> MergedPostings:
    """Merges sources that share no live row."""
    kept = [source.is_live for source in sources]
    columns = _joined(
        [source.postings.columns.take(which) for source, which in zip(sources, kept, strict=True)]
    )
    order = np.argsort(columns.numbers)
    columns = columns.take(order)
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    parts, first = [], 0
    for source, which in zip(sources, kept, strict=True):
        moved = np.full(source.postings.size, -1, dtype=np.int64)
        count = int(which.sum())
        moved[which] = places[first : first + count]
        parts.append(_MergeCursor(source.postings, moved))
        first += count
    mean = mean_length(columns)
    return MergedPostings(
        columns=columns,
        count=sum(part.count for part in parts),
        mean=mean,
        blocks=_merged_pieces(parts, columns, mean),
    )


def _joined(columns: Sequence[Columns]) -> Columns:
    return Columns(
        **{
            column.name: np.concatenate([getattr(own, column.name) for own in columns])
            for column in fields(Columns)
        }
    )


class _MergeCursor:
    """One source during a merge: `moved` has the new position of each old one, -1 for none."""

    def __init__(self, postings: Postings, moved: Array) -> None:
        self.postings = postings
        self.new_positions = moved
        self.next = 0

    @property
    def count(self) -> int:
        """Returns how many postings remain."""
        if not len(self.new_positions) or self.new_positions.min() >= 0:
            return len(self.postings.at)
        positions = self.postings.at
        steps = range(0, len(positions), _POSTINGS)
        return sum(
            int((self.new_positions[positions[step : step + _POSTINGS]] >= 0).sum())
            for step in steps
        )

    @property
    def is_done(self) -> bool:
        return self.next >= len(self.postings.ends)

    def last_of_chunk(self) -> bytes:
        """Returns the last term of this source's next chunk."""
        starts = self.postings.starts
        full = int(np.searchsorted(starts, starts[self.next] + np.uint64(_POSTINGS), side="right"))
        last = min(self.next + _TERMS, max(self.next + 1, full - 1), len(self.postings.ends))
        return self.postings.term(last - 1)

    def take(self, last: bytes) -> tuple[list[bytes], Array, Runs]:
        """Takes the terms up to `last`: the terms, the index of each posting's term, and the
        postings.
        """
        begin, end = self.next, self.postings.first_from(last + b"\0")
        self.next = max(begin, end)
        starts = self.postings.starts[begin : self.next + 1].astype(np.int64)
        span = slice(int(starts[0]), int(starts[-1]))
        codes = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        positions = self.new_positions[self.postings.at[span]]
        stays = positions >= 0
        runs = (
            positions[stays],
            self.postings.user[span][stays],
            self.postings.assistant[span][stays],
        )
        return self.postings.terms(begin, self.next), codes[stays], runs


def _merged_pieces(
    parts: Sequence[_MergeCursor], columns: Columns, mean: float
) -> Iterator[PostingBlock]:
    while waiting := [cursor for cursor in parts if not cursor.is_done]:
        last = min(cursor.last_of_chunk() for cursor in waiting)
        yield _merged_piece([cursor.take(last) for cursor in waiting], columns, mean)


def _merged_piece(
    taken: Sequence[tuple[list[bytes], Array, Runs]],
    columns: Columns,
    mean: float,
) -> PostingBlock:
    terms = sorted({term for own, _, _ in taken for term in own})
    number = {term: number for number, term in enumerate(terms)}
    numbers = [np.array([number[term] for term in own], dtype=np.int64) for own, _, _ in taken]
    codes = np.concatenate([new[own] for new, (_, own, _) in zip(numbers, taken, strict=True)])
    positions, user, assistant = (
        np.concatenate([runs[n] for _, _, runs in taken]) for n in range(3)
    )
    order = np.argsort(codes * max(1, len(columns.numbers)) + positions, kind="stable")
    sizes = np.bincount(codes, minlength=len(terms))
    return _piece(terms, sizes, (positions[order], user[order], assistant[order]), columns, mean)
