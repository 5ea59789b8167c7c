"""Caches the lengths of a namespace's memories between searches."""

from collections.abc import Iterable, Mapping

import numpy as np

from ..contract import Column
from .postings import BLOCK, LENGTH
from .term_postings import Corpus

Block = tuple[int, int, bytes | None]  # its number, its version, and its data unless known


class KnownLengths:
    """The blocks of lengths as they were read last. Immutable."""

    def __init__(self, blocks: Mapping[int, tuple[int, Column]]) -> None:
        """`blocks`: number → version and lengths."""
        self._blocks = blocks
        self._corpus = Corpus.of(0, 0, np.zeros(0))

    @property
    def versions(self) -> list[int]:
        return [version for version, _ in self._blocks.values()]

    def updated(self, rows: Iterable[Block]) -> "KnownLengths":
        """Returns the lengths of these blocks; those without data have a known version."""
        known = dict(self._blocks.values())
        blocks = {
            block: (version, known[version] if data is None else np.frombuffer(data, LENGTH))
            for block, version, data in rows
        }
        is_unchanged = blocks.keys() == self._blocks.keys() and all(
            version in known for version, _ in blocks.values()
        )
        return self if is_unchanged else KnownLengths(blocks)

    def corpus(self, live: int, length: int) -> Corpus:
        """Returns the corpus of `live` memories whose lengths add up to `length`."""
        corpus = self._corpus
        if (corpus.size, corpus.length) != (live, length):
            corpus = self._corpus = Corpus.of(live, length, self._by_row())
        return corpus

    def _by_row(self) -> Column:
        """Returns the length of each memory by its number; 0 for those that are not live."""
        found: Column = np.zeros((max(self._blocks, default=-1) + 1) * BLOCK, np.float64)
        for block, (_, lengths) in self._blocks.items():
            found[block * BLOCK : block * BLOCK + len(lengths)] = lengths
        return found


NO_LENGTHS = KnownLengths({})
