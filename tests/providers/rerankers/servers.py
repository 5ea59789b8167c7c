"""Rerank servers: one that counts shared words, and how answers of any sort are made."""

from collections.abc import Iterable

from tests.loopback import Answer, Asked, says_json
from tests.providers.rerankers.shared_words import shared


def counts_shared_words(asked: Asked) -> Answer:
    """Best first, as the real ones answer."""
    query, documents = asked.body["query"], asked.body["documents"]
    found = [(at, shared(query, text)) for at, text in enumerate(documents)]
    return ranked(sorted(found, key=lambda it: -it[1]))


def ranked(found: Iterable[tuple[object, object]]) -> Answer:
    return says_json({"results": [{"index": at, "relevance_score": it} for at, it in found]})
