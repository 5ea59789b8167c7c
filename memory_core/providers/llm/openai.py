"""Completes chats with any server that offers OpenAI's /v1/chat/completions."""

import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from ...domain.errors import LLMUnavailable
from ...domain.records import Role, Turn
from ...domain.unicode import well_formed
from ..openai_client import NOT_OPENAI, OpenAIClient
from ..refusals import refuses_roles
from .base import SERVER_LIMIT

T = TypeVar("T", bound=BaseModel)
_PATH = "/chat/completions"
_BETWEEN = "\n\n"


class _Loose(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)


class Message(_Loose):
    """A message or a piece of one. Servers send reasoning in one of two fields."""

    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class Choice(_Loose):
    message: Message = Message()
    delta: Message | None = None
    finish_reason: str | None = None


class Usage(_Loose):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class ChatCompletion(_Loose):
    choices: list[Choice] = []
    error: Any = None


class Chunk(_Loose):
    choices: list[Choice] = []
    error: Any = None
    usage: Usage | None = None


class Model(_Loose):
    id: str = Field(max_length=1_000)


class Models(_Loose):
    data: list[Model] = Field(min_length=1)


class OpenAILanguageModel:
    """Completes through `base_url`. An empty `model` means the first model the server lists.

    Once the server's chat template has refused the roles, they are merged.
    """

    def __init__(
        self, *, base_url: str, model: str = "", api_key: str = "", allow_remote: bool = False
    ) -> None:
        self.name = model or "the first model listed"
        self._model = model
        self._merges_roles = False
        self._lookup_lock = threading.Lock()
        self._client = OpenAIClient(
            base_url=base_url, api_key=api_key, allow_remote=allow_remote, section="llm",
            fault=LLMUnavailable,
        )  # fmt: skip

    @property
    def fault(self) -> str:
        """Returns the failure of the last call, or an empty text."""
        return self._client.last_fault

    @property
    def is_untried(self) -> bool:
        """Returns whether the server was never asked."""
        return self._client.is_untried

    def load(self) -> None:
        """Imports the client's libraries. Raises LLMUnavailable if one is missing."""
        self._client.load()

    def complete(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> str:
        """Returns the answer. Asks once, without retry; an empty answer counts as a failure."""
        wanted = chat_request(turns, max_tokens, temperature)
        return self._client.call_in_time(timeout_s, lambda: self._complete(wanted, timeout_s))

    def stream(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> Iterator[str]:
        """Yields the answer. `timeout_s` limits the wait for each piece, not for the whole."""
        for chunk in self.chunks(chat_request(turns, max_tokens, temperature), timeout_s=timeout_s):
            # Usage is reported in a chunk without choices.
            choice = chunk.choices[0] if chunk.choices else Choice()
            piece = choice.delta or choice.message
            if piece.content:
                yield piece.content
            if choice.finish_reason or choice.message.content:
                return

    def chunks(self, wanted: dict[str, Any], *, timeout_s: float) -> Generator[Chunk, None, None]:
        """Yields the chunks of a streamed answer until the server ends it."""
        try:
            yield from self._chunks(self._as_accepted(wanted), timeout_s)
            return
        except LLMUnavailable as exc:
            if not self._may_merge_roles(exc):
                raise
        for chunk in self._chunks(_with_merged_roles(wanted), timeout_s):
            self._merges_roles = True
            yield chunk

    def _chunks(self, wanted: dict[str, Any], timeout_s: float) -> Generator[Chunk, None, None]:
        sent = {"model": self._model_name(timeout_s), "stream": True, **wanted}
        for event in self._client.events(_PATH, sent, timeout_s=timeout_s):
            yield self._chunk(event, wanted)

    def fail(self, what: str) -> NoReturn:
        """Raises LLMUnavailable with the server's address."""
        self._client.fail(what)

    def _complete(self, wanted: dict[str, Any], timeout_s: float) -> str:
        try:
            return self._text(self._as_accepted(wanted), timeout_s)
        except LLMUnavailable as exc:
            if not self._may_merge_roles(exc):
                raise
        text = self._text(_with_merged_roles(wanted), timeout_s)
        self._merges_roles = True
        return text

    def _as_accepted(self, wanted: dict[str, Any]) -> dict[str, Any]:
        return _with_merged_roles(wanted) if self._merges_roles else wanted

    def _may_merge_roles(self, refusal: LLMUnavailable) -> bool:
        return bool(refusal.status) and not self._merges_roles and refuses_roles(str(refusal))

    def _text(self, wanted: dict[str, Any], timeout_s: float) -> str:
        sent = {"model": self._model_name(timeout_s), **wanted}
        answer = self._read(
            ChatCompletion, self._client.fetch_body(_PATH, sent, timeout_s=timeout_s)
        )
        if answer.error and not answer.choices:
            self._client.fail_with(answer.error, wanted)
        if not answer.choices:
            self._client.fail(NOT_OPENAI)
        choice = answer.choices[0]
        if not choice.message.content:
            self._client.fail(f"sent an empty answer (finish_reason {choice.finish_reason})")
        return choice.message.content

    def _chunk(self, event: object, wanted: Mapping[str, object]) -> Chunk:
        try:
            chunk = Chunk.model_validate(event)
        except ValueError as exc:
            self._client.fail("sent a piece that is not a chat completion", exc)
        if chunk.error:
            self._client.fail_with(chunk.error, wanted)
        return chunk

    def _model_name(self, timeout_s: float) -> str:
        with self._lookup_lock:
            if not self._model:
                self._model = self.name = self._first_listed(timeout_s)
            return self._model

    def _first_listed(self, timeout_s: float) -> str:
        body = self._client.fetch_body("/models", None, timeout_s=timeout_s)
        return self._read(Models, body).data[0].id

    def _read(self, shape: type[T], body: bytes) -> T:
        try:
            return shape.model_validate_json(body)
        except ValueError as exc:
            self._client.fail(NOT_OPENAI, exc)


def chat_request(turns: Sequence[Turn], max_tokens: int, temperature: float) -> dict[str, Any]:
    """Returns the fields of a request. SERVER_LIMIT as `max_tokens` leaves the limit out."""
    limit = {} if max_tokens == SERVER_LIMIT else {"max_tokens": max_tokens}
    return {"messages": [_message(turn) for turn in turns], "temperature": temperature, **limit}


def _with_merged_roles(wanted: dict[str, Any]) -> dict[str, Any]:
    return {**wanted, "messages": _merge_roles(wanted["messages"])}


def _merge_roles(messages: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Returns the messages with the system's as the user's, and neighbours of one role as one.

    Some chat templates know only users and assistants, in turn.
    """
    merged = list[dict[str, str]]()
    for message in messages:
        role = "user" if message["role"] == "system" else message["role"]
        if merged and merged[-1]["role"] == role:
            content = merged.pop()["content"] + _BETWEEN + message["content"]
        else:
            content = message["content"]
        merged.append({"role": role, "content": content})
    return merged


def _message(turn: Turn) -> dict[str, str]:
    # The API accepts a tool's result only together with its call, which is not stored.
    role = Role.USER if turn.role is Role.TOOL else turn.role
    return {"role": role.value, "content": well_formed(turn.text)}
