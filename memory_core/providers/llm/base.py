"""The contracts of language models: for calls that somebody waits for, and for background work."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ...domain.records import Turn
from ...infra.deadlines import Interrupt

SERVER_LIMIT = -1  # max_tokens: as many as the server allows
CUT_OFF, REPEATS = "length", "repeats"  # values of finish_reason
LONGEST_WAIT_S = 1_800.0  # for a piece of an answer of a slow model


class LanguageModel(Protocol):
    """Completes a chat. Raises LLMUnavailable, and nothing else, when it cannot answer now.

    `max_tokens` may be SERVER_LIMIT.
    """

    @property
    def name(self) -> str: ...

    def complete(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> str:
        """Returns the whole answer, or fails after about `timeout_s` seconds."""
        ...

    def stream(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> Iterator[str]:
        """Yields pieces of the answer as they arrive; joined they are the whole answer."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMRequest:
    """A request of background work. `timeout_s` limits the wait for each piece of the answer.

    `schema` is the JSON schema of the answer; a server that knows no schemas ignores it.
    """

    turns: tuple[Turn, ...]
    max_tokens: int = SERVER_LIMIT
    temperature: float = 0.0
    timeout_s: float = 120.0
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """An answer without its reasoning, and the tokens it cost.

    `finish_reason` is CUT_OFF for an answer that reached its limit, REPEATS for one that was cut
    because it repeated itself.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish_reason: str = ""


class BackgroundModel(Protocol):
    """A language model for work that nobody waits for.

    Raises LLMUnavailable and its subclasses only: LLMInterrupted soon after `interrupt` is set,
    LLMRefused where the request itself is at fault.
    """

    @property
    def name(self) -> str: ...

    def ask(self, request: LLMRequest, interrupt: Interrupt) -> Completion: ...
