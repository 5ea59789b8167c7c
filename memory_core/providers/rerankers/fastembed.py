"""Scores texts with a cross-encoder in this process, on fastembed and onnxruntime: no torch."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...domain.errors import RerankerNotReady, RerankerUnavailable
from ...domain.unicode import well_formed
from ...infra.deadlines import Deadline, call_with_timeout
from ...infra.library_logs import quiet_libraries
from .base import Scores, checked_scores

# 80 MB, fast enough without a GPU, English only.
DEFAULT_MODEL = "Xenova/ms-marco-MiniLM-L-6-v2"
# The deadline is checked between two batches.
_BATCH = 4

Score = Callable[[str, list[str]], list[float]]


class CrossEncoderReranker:
    """Reranker that raises RerankerNotReady at once until `prepare()` has returned.

    Downloads go to `cache_dir`. `model_dir` is a folder with a model's files, which is only read.
    """

    def __init__(
        self, *, cache_dir: Path, model: str = "", allow_download: bool = True,
        model_dir: Path | None = None,
    ) -> None:  # fmt: skip
        self.name = model or DEFAULT_MODEL
        self._cache_dir = cache_dir
        self._model_dir = model_dir
        self._allow_download = allow_download
        self._loading = threading.Lock()
        self._score: Score | None = None
        self._fault = ""

    def prepare(self) -> None:
        """Loads the model once, which may take minutes for a download.

        Raises RerankerUnavailable.
        """
        with self._loading:
            if self._score:
                return
            self._fault = ""
            try:
                with self._translate_errors("could not be loaded"), quiet_libraries():
                    score = self._load()
                    checked_scores(enumerate(score("a", ["a"])), count=1)
            except RerankerUnavailable as exc:
                self._fault = str(exc)
                raise
            self._score = score

    def scores(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Scores:
        score, deadline = self._ready(), Deadline(timeout_s)
        clean = [well_formed(text) for text in texts]

        def ask() -> list[float]:
            batch_scores: list[float] = []
            for start in range(0, len(clean), _BATCH):
                deadline.check()
                batch_scores += score(well_formed(query), clean[start : start + _BATCH])
            return batch_scores

        with self._translate_errors("failed"):
            rows = zip(range(len(clean)), self._with_time_limit(timeout_s, ask), strict=True)
            return checked_scores(rows, count=len(clean))

    def _with_time_limit(self, timeout_s: float, ask: Callable[[], list[float]]) -> list[float]:
        try:
            return call_with_timeout(timeout_s, ask)
        except TimeoutError as exc:
            raise RerankerUnavailable(f"{self.name} took longer than {timeout_s:g} s; lower "
                                      "reranker.candidates to speed it up") from exc  # fmt: skip

    def _load(self) -> Score:
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        self._look_up(TextCrossEncoder.list_supported_models())
        model = TextCrossEncoder(
            model_name=self.name,
            cache_dir=str(self._cache_dir),
            local_files_only=not self._allow_download,
            specific_model_path=str(self._model_dir) if self._model_dir else None,
        )
        return lambda query, texts: list(model.rerank(query, texts))

    def _look_up(self, supported: list[dict[str, Any]]) -> None:
        if self.name.lower() not in {model["model"].lower() for model in supported}:
            raise RerankerUnavailable(f"fastembed does not know this model: {self.name}; "
                                      "TextCrossEncoder.list_supported_models() lists those it "
                                      "knows; change reranker.model")  # fmt: skip

    def _ready(self) -> Score:
        if not self._score:
            raise RerankerNotReady(
                self._fault or f"the model {self.name} is {self._loading_state()}"
            )
        return self._score

    def _loading_state(self) -> str:
        is_fetched = self._allow_download and self._model_dir is None
        return "being fetched or loaded" if is_fetched else "being loaded"

    @contextmanager
    def _translate_errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except RerankerUnavailable:
            raise
        except ImportError as exc:
            raise RerankerUnavailable(f"{exc.name} is not installed: pip install fastembed"
                                      ) from exc  # fmt: skip
        except Exception as exc:  # a library raises what the ones below it do
            raise RerankerUnavailable(f"{self.name} {what}: {exc}{self._advice()}") from exc

    def _advice(self) -> str:
        if self._score:
            return ""
        if self._allow_download:
            return "; check the network connection and reranker.model"
        return "; the chat and the server fetch it once if reranker.allow_download is true"
