"""Embedding servers: one that serves the fake, and the ways in which one goes wrong."""

import socket

from memory_core.providers.embedders.fake import FakeEmbedder
from tests.loopback import Answer, Asked, says_json


def serves_the_fake(asked: Asked) -> Answer:
    return embeddings(FakeEmbedder().embed(asked.body["input"]).tolist())


def embeddings(rows: object) -> Answer:
    data = [{"index": at, "embedding": row} for at, row in enumerate(rows)]
    return says_json({"data": data})


def url_of_nobody() -> str:
    """An address on loopback where nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"
