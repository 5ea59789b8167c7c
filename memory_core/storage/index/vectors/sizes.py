"""Numbers of rows per chunk, per segment and per merged segment."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSizes:
    """`chunk`: rows written to zarr at once. `segment`: rows, in whole chunks, that are searched
    exactly until an index is built over them. `merge`: neighbouring segments merged into one;
    `merges`: how often.

    Measured with 384 numbers a row and one thread: comparing with 32,768 rows takes .9 ms, an index
    .1 to .3 ms whatever its size; building over 8 * 32,768 rows takes seconds.
    """

    chunk: int = 4096
    segment: int = 32_768
    merge: int = 4
    merges: int = 2

    @property
    def levels(self) -> list[int]:
        """Returns how many rows segments hold, largest first."""
        return [self.segment * self.merge**level for level in range(self.merges, -1, -1)]


DEFAULT_SIZES = ChunkSizes()
