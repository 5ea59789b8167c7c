"""A model for meaning without weights, loaded by name as a person's own would be."""

from memory_core.providers.embedders.fake import FakeEmbedder


class WordCounts(FakeEmbedder):
    def __init__(self, *, settings: object) -> None:
        super().__init__(dim=64)
