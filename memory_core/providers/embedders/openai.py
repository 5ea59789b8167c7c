"""Embeds with any server that offers OpenAI's /v1/embeddings."""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from pydantic import Field

from ...domain.errors import ConfigError, EmbedderUnavailable
from ...domain.unicode import well_formed
from ..openai_client import OpenAIClient, StrictAnswer, may_be_too_much
from .base import Vectors, checked_rows, empty_rows

_BATCH = 64
# After a refusal the batch is halved, then the text, down to a length that every model reads.
_SHORTEST = 256
# 16,384 numbers of 32 letters for each text, and some space around them.
_LONGEST_ROW = 2**19
_LONGEST_REST = 2**16


class _Row(StrictAnswer):
    embedding: list[float] = Field(min_length=1)
    index: int | None = None


class _Answer(StrictAnswer):
    data: list[_Row]


class OpenAIEmbedder:
    """Embeds through `base_url`; `dimensions` 0 takes the width of the first vector seen."""

    def __init__(
        self, *, base_url: str, model: str, api_key: str = "", dimensions: int = 0,
        timeout_s: float = 30.0, allow_remote: bool = False,
    ) -> None:  # fmt: skip
        if not model:
            raise ConfigError(
                "embedder.model is empty: the name of the server's model is needed",
                key="embedder.model")  # fmt: skip
        self.name = model
        self.dim = dimensions
        self.fingerprint = f"openai:{model}:{dimensions}" if dimensions else f"openai:{model}"
        self._dimensions = dimensions
        self._timeout_s = timeout_s
        self._client = OpenAIClient(
            base_url=base_url, api_key=api_key, allow_remote=allow_remote, section="embedder",
            fault=EmbedderUnavailable,
        )  # fmt: skip

    @property
    def is_untried(self) -> bool:
        """Returns whether the server was never asked."""
        return self._client.is_untried

    def embed(self, texts: Sequence[str]) -> Vectors:
        starts = range(0, len(texts), _BATCH)
        batches = [_clean(texts[start : start + _BATCH]) for start in starts]
        rows = [self._checked(self._raw(batch, self._timeout_s), len(batch)) for batch in batches]
        return np.concatenate(rows) if rows else empty_rows(self.dim)

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        rows = self._client.call_in_time(timeout_s, lambda: self._raw(_clean([text]), timeout_s))
        row: Vectors = self._checked(rows, 1)[0]
        return row

    def _raw(self, texts: list[str], timeout_s: float) -> list[list[float]]:
        try:
            return self._request(texts, timeout_s)
        except EmbedderUnavailable as exc:
            if not may_be_too_much(exc) or (len(texts) == 1 and len(texts[0]) <= _SHORTEST):
                raise
        return [row for part in _halves(texts) for row in self._raw(part, timeout_s)]

    def _request(self, texts: list[str], timeout_s: float) -> list[list[float]]:
        wanted: dict[str, Any] = {"dimensions": self._dimensions} if self._dimensions else {}
        body = self._client.fetch_body(
            "/embeddings",
            {"model": self.name, "input": texts, "encoding_format": "float", **wanted},
            timeout_s=timeout_s,
            longest=len(texts) * _LONGEST_ROW + _LONGEST_REST,
        )
        try:
            return _in_order(_Answer.model_validate_json(body).data, len(texts))
        except ValueError as exc:
            self._fail_on_bad_answer(exc)

    def _checked(self, rows: list[list[float]], count: int) -> Vectors:
        try:
            vectors = checked_rows(rows, count=count, dim=self.dim)
        except ValueError as exc:
            self._fail_on_bad_answer(exc)
        self.dim = vectors.shape[1]
        return vectors

    def _fail_on_bad_answer(self, exc: ValueError) -> NoReturn:
        self._client.fail(
            f"sent no usable embeddings: is {self.name!r} an embedding model, and are "
            f"embedder.base_url and embedder.dimensions right? ({exc})", exc)  # fmt: skip


def _clean(texts: Sequence[str]) -> list[str]:
    # OpenAI's own server refuses the empty string.
    return [well_formed(text) or " " for text in texts]


def _halves(texts: list[str]) -> list[list[str]]:
    if len(texts) == 1:
        return [[texts[0][: max(_SHORTEST, len(texts[0]) // 2)]]]
    middle = len(texts) // 2
    return [texts[:middle], texts[middle:]]


def _in_order(rows: list[_Row], count: int) -> list[list[float]]:
    if len(rows) != count:
        raise ValueError(f"{count} texts, but {len(rows)} vectors")
    if all(row.index is not None for row in rows):
        rows = sorted(rows, key=lambda row: row.index or 0)
        if [row.index for row in rows] != list(range(count)):
            raise ValueError(f"{count} texts, but their vectors have other indices")
    return [row.embedding for row in rows]
