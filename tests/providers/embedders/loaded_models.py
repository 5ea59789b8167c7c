"""Models that several tests share, because loading one takes a second."""

from functools import cache

from memory_core.providers.embedders.built_in import BuiltInEmbedder


@cache
def loaded_built_in() -> BuiltInEmbedder:
    """Returns the built-in model, ready to embed."""
    embedder = BuiltInEmbedder()
    embedder.prepare()
    return embedder
