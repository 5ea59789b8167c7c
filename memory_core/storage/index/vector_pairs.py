"""Reads the vectors of memories, a pair for each."""

from collections.abc import Mapping

from ...providers.embedders.base import Vectors
from ..contract import Side
from .vectors.model_vectors import ModelVectors

VectorPair = tuple[Vectors | None, Vectors | None]


def vectors_by_side(
    vectors: ModelVectors, named: Mapping[str, Mapping[Side, int]]
) -> dict[str, VectorPair]:
    """Returns id → the vectors of both sides, for memories that have any."""
    rows = vectors.rows([number for own in named.values() for number in own.values()])
    both = {
        memory_id: (rows.get(sides.get(Side.USER, 0)), rows.get(sides.get(Side.ASSISTANT, 0)))
        for memory_id, sides in named.items()
    }
    return {name: pair for name, pair in both.items() if any(row is not None for row in pair)}
