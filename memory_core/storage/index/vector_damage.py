"""Describes the damage of a vector index in plain words."""

from collections.abc import Iterator

from .catalog.vector_rows import VectorRows
from .vectors.model_vectors import ModelVectors


def describe_damage(vectors: ModelVectors, vector_rows: VectorRows) -> Iterator[str]:
    found, segments = vectors.find_damage()
    if wanted := set(found) - set(vector_rows.unwanted(found)):
        yield f"{len(wanted):,} vectors are damaged"
    for name in segments:
        yield f"the vector index {name} was damaged; it will be rebuilt"
