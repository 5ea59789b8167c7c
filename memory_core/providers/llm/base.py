"""The contract of every language model."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from ...domain.records import Turn


class LanguageModel(Protocol):
    """Completes a chat. Raises LLMUnavailable, and nothing else, when it cannot answer now."""

    name: str

    def complete(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> str: ...

    def stream(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> Iterator[str]:
        """Yields pieces of the answer as they arrive; joined they are the whole answer."""
        ...
