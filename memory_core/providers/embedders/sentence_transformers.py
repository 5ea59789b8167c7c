"""Embeds with sentence-transformers on torch: any model of its hub, or a folder."""

from collections.abc import Sequence
from pathlib import Path

from .local_model import LoadedModel, LocalEmbedder

_DEFAULT_MB = 490


class SentenceTransformersEmbedder(LocalEmbedder):
    """Embedder on sentence-transformers, an optional package. `model` is a hub name or a folder."""

    _package = "sentence-transformers"

    def __init__(
        self, *, model: str = "", cache_dir: Path | None = None, allow_download: bool = True
    ) -> None:
        super().__init__(
            kind="sentence-transformers",
            model=model,
            allow_download=allow_download,
            download_mb=_DEFAULT_MB,
            downloads=cache_dir,
        )
        self._cache_dir = cache_dir

    def _fetch_arguments(self) -> Sequence[str]:
        return ("sentence-transformers", self.name, str(self._cache_dir or ""))

    def _load(self) -> LoadedModel:
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(
            self.name,
            cache_folder=str(self._cache_dir) if self._cache_dir else None,
            local_files_only=self._loads_locally,
        )

        def encode(texts: list[str]) -> object:
            return model.encode(texts, convert_to_numpy=True, show_progress_bar=False)

        return LoadedModel(encode_documents=encode, encode_query=encode)
