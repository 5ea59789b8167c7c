"""Scores texts with any server that offers /rerank: Jina, Cohere, vLLM, llama.cpp, Infinity."""

from collections.abc import Sequence

from pydantic import AliasChoices, Field

from ...domain.errors import RerankerUnavailable
from ...domain.unicode import well_formed
from ..openai_client import OpenAIClient, StrictAnswer, may_be_too_much
from .base import Scores, checked_scores

# After a refusal query and texts are cut to this many letters, which every model accepts.
_SHORTEST = 250


class _Result(StrictAnswer):
    index: int
    score: float = Field(validation_alias=AliasChoices("relevance_score", "score"))


class _Answer(StrictAnswer):
    results: list[_Result] = Field(validation_alias=AliasChoices("results", "data"))


class EndpointReranker:
    """Asks `base_url`/rerank. An empty `model` is not sent: servers with one model need none."""

    def __init__(
        self, *, base_url: str, model: str = "", api_key: str = "", allow_remote: bool = False
    ) -> None:
        self.name = model or base_url
        self._model = model
        self._client = OpenAIClient(
            base_url=base_url, api_key=api_key, allow_remote=allow_remote, section="reranker",
            fault=RerankerUnavailable,
        )  # fmt: skip

    @property
    def is_untried(self) -> bool:
        """Returns whether the server was never asked."""
        return self._client.is_untried

    def prepare(self) -> None:
        """Loads the HTTP client, which takes about a second."""
        self._client.load()

    def scores(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Scores:
        if not texts:
            return {}
        return self._client.call_in_time(timeout_s, lambda: self._scores(query, texts, timeout_s))

    def _scores(self, query: str, texts: Sequence[str], timeout_s: float) -> Scores:
        try:
            return self._request(query, texts, timeout_s)
        except RerankerUnavailable as exc:
            if not may_be_too_much(exc) or max(map(len, [query, *texts])) <= _SHORTEST:
                raise
        return self._request(query[:_SHORTEST], [text[:_SHORTEST] for text in texts], timeout_s)

    def _request(self, query: str, texts: Sequence[str], timeout_s: float) -> Scores:
        sent: dict[str, object] = {"model": self._model} if self._model else {}
        sent |= {
            "query": _clean(query),
            "documents": [_clean(text) for text in texts],
            "top_n": len(texts),
        }
        body = self._client.fetch_body("/rerank", sent, timeout_s=timeout_s)
        try:
            results = _Answer.model_validate_json(body).results
            pairs = ((result.index, result.score) for result in results)
            return checked_scores(pairs, count=len(texts))
        except ValueError as exc:
            self._client.fail(
                f"sent no usable scores: is {self.name!r} a reranker, and is "
                f"reranker.base_url right? ({exc})", exc)  # fmt: skip


def _clean(text: str) -> str:
    # Some servers refuse the empty string.
    return well_formed(text) or " "
