"""Embedding servers for tests: one serves the fake embedder, others fail."""

import socket

from memory_core.providers.embedders.fake import FakeEmbedder
from tests.loopback import Answer, Asked, says_json


def serves_the_fake(asked: Asked) -> Answer:
    return embeddings(FakeEmbedder().embed(asked.body["input"]).tolist())


def embeddings(rows: object) -> Answer:
    data = [{"index": index, "embedding": row} for index, row in enumerate(rows)]
    return says_json({"data": data})


def url_of_nobody() -> str:
    """Returns an address on loopback without a server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"
