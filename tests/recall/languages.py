"""Fake embedders that know some languages, small enough to check by eye."""

from collections.abc import Sequence

import numpy as np

from memory_core.domain.errors import EmbedderUnavailable
from memory_core.providers.embedders.base import Vectors
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.recall.languages import all_probes

_WIDTH = 1024


class Linguist(FakeEmbedder):
    """Gives the paraphrases of these languages' probes equal vectors; hashes all other words.

    `asked` counts the texts that it embedded, `queries` lists those of messages.
    """

    def __init__(self, *languages: str, name: str = "linguist") -> None:
        super().__init__(dim=_WIDTH)
        self.name, self.fingerprint = name, f"{name}:{'+'.join(languages)}"
        self.asked: list[str] = []
        self.queries: list[str] = []
        self.is_down = False
        self._meanings = {
            text: f"{language}subject{number}"
            for language in languages
            for number, pair in enumerate(all_probes()[language].pairs)
            for text in pair
        }

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.is_down:
            raise EmbedderUnavailable(f"{self.name} cannot be reached")
        self.asked += texts
        return super().embed([self._meanings.get(text, text) for text in texts])

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        self.queries.append(text)
        row: Vectors = super().embed([self._meanings.get(text, text)])[0]
        return row


class Constant(FakeEmbedder):
    """Returns the same vector for every text."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.tile(np.eye(1, self.dim, dtype=np.float32), (len(texts), 1))
