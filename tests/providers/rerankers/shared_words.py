"""Score of the rerankers in tests: the number of words that query and text share."""

from collections.abc import Sequence

VOCABULARY = ["the", "cat", "sleeps", "wakes", "dog", "barks", "我", "喜欢", "猫", "a"]


def shared(query: str, text: str) -> int:
    """Returns the number of shared words. A word that the text has twice counts twice."""
    words = text.lower().split()
    return sum(words.count(word) for word in query.lower().split())


def best_first(query: str, texts: Sequence[str]) -> list[int]:
    return sorted(range(len(texts)), key=lambda index: -shared(query, texts[index]))
