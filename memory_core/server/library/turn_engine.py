"""Executes one turn of a chat in this process: recall, ask the model, store.

The turn is planned and stored as the server does.
"""

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...domain.errors import ConfigError, LLMUnavailable
from ...domain.namespaces import API_PREFIX, Namespace, Scope
from ...domain.records import Role, Turn
from ...infra.circuit_breaker import Backoff
from ...memory.runtime import Runtime
from ...providers.llm.base import LanguageModel
from ..chat.messages import Message, text_of
from ..chat.request import read_request
from ..chat.retrieved import StoreResult
from ..chat.turn_recall import TurnRecall, chat_owner
from ..chat.turn_storage import TurnStorage
from ..chat.turns import NewCharacters, PreparedTurn

_NO_MODEL = (
    "no language model is configured: give base_url, e.g. http://127.0.0.1:8000/v1, or llm, or set "
    "llm.base_url"
)
_ROLES = {"developer": Role.SYSTEM, "function": Role.TOOL}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRequest:
    """A message of a user with the messages before it, as OpenAI's API has them.

    `metadata` holds the server's fields for one message. The exchange is not stored if
    `is_stored` is False. Without `temperature` and `max_tokens` the settings count.
    """

    owner: Namespace
    conversation: str
    messages: Sequence[Message]
    metadata: Mapping[str, Any] | None = None
    is_stored: bool = True
    temperature: float | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """Repeats a request after a failure that may pass. Waits in the caller's thread."""

    wait: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def pieces(
        self, ask: Callable[[], Iterator[str]], *, retries: int, limit_s: float
    ) -> Iterator[str]:
        """Yields the pieces of an answer. Raises LLMUnavailable.

        Asks again at most `retries` times, only before the first piece, and only within `limit_s`
        seconds after the first request.
        """
        end = self.clock() + limit_s
        backoff = Backoff()
        for _ in range(retries):
            try:
                answer = ask()
                first = next(answer, None)
            except LLMUnavailable as exc:
                wait_s = backoff.after(exc)
                if self.clock() + wait_s > end:
                    raise
                self.wait(wait_s)
                continue
            if first is not None:
                yield first
                yield from answer
            return
        yield from ask()


class TurnEngine:
    """Synchronous, safe for many threads."""

    def __init__(self, runtime: Runtime, *, retries: Retries | None = None) -> None:
        self.runtime = runtime
        self._retries = retries or Retries()
        new_characters = NewCharacters(runtime)
        self._recall = TurnRecall(runtime, new_characters)
        self._storage = TurnStorage(runtime, new_characters)

    def prepare(self, wanted: CompletionRequest) -> PreparedTurn:
        """Returns the turn with its memories. Raises RequestRefused for bad messages or fields."""
        owner = wanted.owner
        given = {
            "user_name": owner.user.removeprefix(API_PREFIX),
            **(wanted.metadata or {}),
            "conversation_id": wanted.conversation or None,
            "character": owner.character if owner.scope is Scope.CHARACTER else None,
        }
        body = {"messages": list(wanted.messages), "metadata": given}
        request = replace(read_request(body, {}), is_stored=wanted.is_stored)
        return self._recall.prepare(request, owner.user)

    def complete(self, wanted: CompletionRequest, turn: PreparedTurn) -> tuple[str, StoreResult]:
        """Returns the answer, and whether the exchange is on disk. Raises LLMUnavailable."""
        complete = self.model().complete
        answer = "".join(
            self._pieces(lambda turns, **limits: iter([complete(turns, **limits)]), wanted, turn)
        )
        if not wanted.is_stored:
            return answer, StoreResult()
        return answer, self._storage.store(turn, answer, is_partial=False)

    def stream(
        self, wanted: CompletionRequest, turn: PreparedTurn
    ) -> Generator[str, None, tuple[str, StoreResult]]:
        """Yields the answer piece by piece. Returns it, and whether the exchange is on disk.

        Stores the text however the stream ends.
        """
        pieces: list[str] = []
        is_whole, stored = False, StoreResult()
        try:
            for piece in self._pieces(self.model().stream, wanted, turn):
                pieces.append(piece)
                yield piece
            is_whole = True
        finally:
            if wanted.is_stored:
                stored = self._storage.store(turn, "".join(pieces), is_partial=not is_whole)
        return "".join(pieces), stored

    def model(self) -> LanguageModel:
        """Returns the language model. Raises ConfigError if there is none."""
        model = self.runtime.models.llm
        if model is None:
            problems = [
                found for found in self.runtime.models.problems if "language model" in found
            ]
            raise ConfigError("; ".join(problems) or _NO_MODEL, key="llm.base_url")
        return model

    def _pieces(
        self, ask: Callable[..., Iterator[str]], wanted: CompletionRequest, turn: PreparedTurn
    ) -> Iterator[str]:
        """Yields the answer piece by piece, after repetitions if need be."""
        settings, backend = self.runtime.settings.llm, self.runtime.settings.backend
        temperature, max_tokens = wanted.temperature, wanted.max_tokens
        turns = _turns(turn.messages)
        limits = {
            "max_tokens": backend.max_tokens if max_tokens is None else max_tokens,
            "temperature": backend.temperature if temperature is None else temperature,
            "timeout_s": settings.timeout_s,
        }
        return self._retries.pieces(
            lambda: ask(turns, **limits), retries=settings.retries, limit_s=settings.timeout_s
        )


def owner_of(user: str, character: str = "") -> Namespace:
    """Returns the owner of a user's chats with a character, or without any.

    Raises ConfigError for an empty user, and for one that is no text.
    """
    if not isinstance(user, str):
        raise ConfigError(f"user must be a text, not {type(user).__name__}", key="user")
    if not user:
        raise ConfigError("user must not be empty: memories belong to somebody", key="user")
    return chat_owner(user, character)


def _turns(messages: Sequence[Message]) -> list[Turn]:
    return [Turn(role=_role(str(message["role"])), text=text_of(message)) for message in messages]


def _role(name: str) -> Role:
    return _ROLES.get(name) or (Role(name) if name in set(Role) else Role.USER)
