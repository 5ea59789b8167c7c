"""The fields of OpenAI's answers that this program reads."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


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
