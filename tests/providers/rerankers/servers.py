"""Rerank servers for tests: one counts shared words, and functions for other answers."""

from collections.abc import Iterable

from tests.loopback import Answer, Asked, says_json
from tests.providers.rerankers.shared_words import shared


def counts_shared_words(asked: Asked) -> Answer:
    """Answers with the best texts first, as real servers do."""
    query, documents = asked.body["query"], asked.body["documents"]
    pairs = [(index, shared(query, text)) for index, text in enumerate(documents)]
    return ranked(sorted(pairs, key=lambda pair: -pair[1]))


def ranked(pairs: Iterable[tuple[object, object]]) -> Answer:
    return says_json(
        {"results": [{"index": index, "relevance_score": score} for index, score in pairs]}
    )
