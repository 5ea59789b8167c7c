"""Loads a user's own embedder and checks everything it returns or raises."""

from collections.abc import Sequence
from typing import cast

from ...config.model_settings import EmbedderSettings
from ...domain.errors import EmbedderUnavailable
from ...infra.deadlines import call_with_timeout
from ...infra.plugins import build_plugin, translate_errors
from .base import Embedder, Vectors, checked_rows, empty_rows


def custom_embedder(settings: EmbedderSettings) -> Embedder:
    """Builds `Class(settings=settings)` for kind package.module:Class. Raises ConfigError."""
    built = build_plugin(settings.kind, key="embedder.kind", settings=settings, protocol=Embedder)
    return CheckedEmbedder(cast(Embedder, built))


class CheckedEmbedder:
    """Wraps a foreign embedder: checks its rows and translates its errors."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = str(embedder.name)
        self.dim = int(embedder.dim)
        self.fingerprint = str(embedder.fingerprint)

    def embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return empty_rows(self.dim)
        with translate_errors(self.name, EmbedderUnavailable):
            return self._checked(self._embedder.embed(texts), len(texts))

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        def ask() -> Vectors:
            return self._embedder.embed_query(text, timeout_s=timeout_s)

        with translate_errors(self.name, EmbedderUnavailable):
            row: Vectors = self._checked([call_with_timeout(timeout_s, ask)], 1)[0]
            return row

    def _checked(self, rows: object, count: int) -> Vectors:
        vectors = checked_rows(rows, count=count, dim=self.dim)
        self.dim = vectors.shape[1]
        return vectors
