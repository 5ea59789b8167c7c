"""Embeds with fastembed on onnxruntime: no torch, and a small model that is downloaded once."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .local_model import LoadedModel, LocalEmbedder, UnknownModel

_DEFAULT_MB = 220


class FastEmbedEmbedder(LocalEmbedder):
    """Embedder on fastembed, an optional package.

    Downloads go to `cache_dir`. `model_dir` is a folder with a model's files, which is only read.
    """

    _package = "fastembed"

    def __init__(
        self, *, cache_dir: Path, model: str = "", allow_download: bool = True,
        model_dir: Path | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            kind="fastembed", model=model, allow_download=allow_download, download_mb=_DEFAULT_MB,
            downloads=cache_dir,
        )  # fmt: skip
        self._cache_dir = cache_dir
        self._model_dir = model_dir

    def _is_local(self) -> bool:
        return self._model_dir is not None or super()._is_local()

    def _fetch_arguments(self) -> Sequence[str]:
        from fastembed import TextEmbedding

        self._look_up(TextEmbedding.list_supported_models())
        return ("fastembed", self.name, str(self._cache_dir))

    def _load(self) -> LoadedModel:
        from fastembed import TextEmbedding

        self._look_up(TextEmbedding.list_supported_models())
        model = TextEmbedding(
            model_name=self.name,
            cache_dir=str(self._cache_dir),
            local_files_only=self._loads_locally,
            specific_model_path=str(self._model_dir) if self._model_dir else None,
        )
        return LoadedModel(
            encode_documents=lambda texts: list(model.passage_embed(texts)),
            encode_query=lambda texts: list(model.query_embed(texts)),
        )

    def _look_up(self, supported: list[dict[str, Any]]) -> None:
        models = {model["model"].lower(): model for model in supported}
        model = models.get(self.name.lower())
        if model is None:
            raise UnknownModel("fastembed does not know this model; TextEmbedding."
                               "list_supported_models() lists those it knows")  # fmt: skip
        self.dim = model["dim"]
        self.download_mb = round(model["size_in_GB"] * 1000)
