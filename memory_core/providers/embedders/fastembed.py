"""Embeds with fastembed on onnxruntime: no torch, and a small model that is downloaded once."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import bare_onnx
from .local_model import DEFAULT_MODEL, LoadedModel, LocalEmbedder, UnknownModel

_DEFAULT_MB = 220


class FastEmbedEmbedder(LocalEmbedder):
    """Embedder on fastembed. The default model also runs without it (bare_onnx.py).

    Downloads go to `cache_dir`, in which the default model may also be placed by hand. `model_dir`
    is a folder with a model's files, which is only read.
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

    @property
    def files_page(self) -> str:
        """The page to download the files from by hand; empty if no folder is searched for them."""
        return (
            f"https://huggingface.co/{bare_onnx.REPOSITORY}" if self.name == DEFAULT_MODEL else ""
        )

    def _is_local(self) -> bool:
        return self._model_dir is not None or super()._is_local()

    def _load(self) -> LoadedModel:
        if not self._is_bare():
            return self._through_fastembed()
        return bare_onnx.load(
            cache_dir=self._cache_dir,
            allow_download=not self._loads_locally,
            model_dir=self._model_dir or bare_onnx.user_placed_model(self._cache_dir),
        )

    def _is_bare(self) -> bool:
        """Returns whether onnxruntime runs the model without fastembed."""
        placed = bare_onnx.user_placed_model(self._cache_dir)
        is_bare = placed is not None or importlib.util.find_spec("fastembed") is None
        return is_bare and self.name == DEFAULT_MODEL

    def _fetch_arguments(self) -> Sequence[str]:
        if self._is_bare():
            return ("snapshot", bare_onnx.REPOSITORY, str(self._cache_dir), *bare_onnx.FILES)
        from fastembed import TextEmbedding

        self._look_up(TextEmbedding.list_supported_models())
        return ("fastembed", self.name, str(self._cache_dir))

    def _through_fastembed(self) -> LoadedModel:
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
