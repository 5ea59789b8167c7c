"""Reads a request for a chat completion: its owner, and the settings for this message."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any
from urllib.parse import unquote

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...config.section import Count, PositiveCount
from ..errors import RequestRefused

# Open WebUI asks the chat's own model for a title, tags and follow-up questions. All of these
# prompts begin and are built like this, and must not become memories.
_TASK_START = "### Task:"
_TASK_PART = "<chat_history>"
_OPENWEBUI_USER = "x-openwebui-user-id"
_OPENWEBUI_NAME = "x-openwebui-user-name"  # with % escapes
_OPENWEBUI_CHAT = "x-openwebui-chat-id"
_TEMPORARY_CHATS = ("temporary:", "local")  # the latter in its older versions

LONGEST_NAME = 500  # of a user, a character or a conversation, in letters
_USER_ELSEWHERE = ("user_id", "metadata.user_id", "metadata.user")  # as other calls name it
_LIKENESS = 0.8  # of a misspelt field
_RECALL_FIELDS = ("candidate_n", "retrieve_k", "use_gate", "gate_keep_max", "use_rerank")


class ChatMetadata(BaseModel):
    """The fields of `metadata` that this server reads; it passes on all others."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    conversation_id: str | None = Field(default=None, max_length=LONGEST_NAME)
    conv_id: str | None = Field(default=None, max_length=LONGEST_NAME)
    character: str | None = Field(default=None, max_length=LONGEST_NAME)
    user_name: str | None = Field(default=None, max_length=LONGEST_NAME)
    incognito: bool = False
    explain: bool = False
    recent_turns: Count | None = None
    candidate_n: PositiveCount | None = None
    retrieve_k: Count | None = None
    use_gate: bool | None = None
    gate_keep_max: PositiveCount | None = None
    use_rerank: bool | None = None

    @property
    def recall_settings(self) -> dict[str, Any]:
        """Returns the settings of recall that this message changes."""
        values = self.model_dump(include=set(_RECALL_FIELDS))
        return {key: value for key, value in values.items() if value is not None}

    @property
    def wants_judge(self) -> bool:
        """Returns whether the language model is to choose among the found memories."""
        return bool(self.use_gate or self.use_rerank)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """`body` is the request as it was sent. Without `is_stored` its words stay off the disk.

    With `is_task` a front end asks for itself, for instance for a title, and its user says nothing.
    """

    body: Mapping[str, Any]
    metadata: ChatMetadata
    user: str
    conversation: str
    is_stored: bool = True
    is_task: bool = False

    @property
    def notes(self) -> list[str]:
        """Names fields that are in the wrong place, or look like misspelt ones of this server.

        Others may have fields of their own there, so these are passed on.
        """
        own = list(ChatMetadata.model_fields)
        given = self.body.get("metadata")
        foreign = [str(key) for key in given or () if key not in own] if given else []
        near = {key: get_close_matches(key, own, n=1, cutoff=_LIKENESS) for key in foreign}
        misplaced = [key for key in own if key in self.body]
        return [
            *(f"{key} is not read beside messages: send metadata.{key}" for key in misplaced),
            *(
                f"metadata.{key} is not known here: do you mean metadata.{found[0]}?"
                for key, found in near.items()
                if found
            ),
        ]

    @property
    def misplaced_user(self) -> str:
        """Returns the field that seems to name the user in place of `user`, or ""."""
        given = {*self.body, *(f"metadata.{key}" for key in self.body.get("metadata") or ())}
        return next((name for name in _USER_ELSEWHERE if name in given), "")

    @property
    def is_incognito(self) -> bool:
        return self.metadata.incognito or self.is_task

    @property
    def is_streaming(self) -> bool:
        return bool(self.body.get("stream"))

    def for_backend(self, messages: object) -> dict[str, Any]:
        """Returns the request for the backend: these messages, without this server's fields."""
        own = ChatMetadata.model_fields.keys()
        given = self.body.get("metadata")
        left = {k: v for k, v in given.items() if k not in own} if isinstance(given, dict) else {}
        rest = {key: value for key, value in self.body.items() if key != "metadata"}
        return {**rest, "messages": messages, **({"metadata": left} if left else {})}


def read_request(body: Mapping[str, Any], headers: Mapping[str, str]) -> ChatRequest:
    """Returns the request. Raises RequestRefused for one that cannot be understood."""
    metadata = _metadata(body.get("metadata"))
    user = body.get("user")
    if user is not None and not isinstance(user, str):
        raise RequestRefused("user must be a text", param="user")
    if not isinstance(body.get("stream"), bool | None):
        raise RequestRefused("stream must be true or false", param="stream")
    metadata = _with_open_webui_headers(metadata, headers)
    return ChatRequest(
        body=body,
        metadata=metadata,
        user=user or headers.get(_OPENWEBUI_USER, ""),
        conversation=metadata.conversation_id
        or metadata.conv_id
        or headers.get(_OPENWEBUI_CHAT, ""),
        is_task=_OPENWEBUI_USER in headers and _is_task(body.get("messages")),
    )


def _with_open_webui_headers(metadata: ChatMetadata, headers: Mapping[str, str]) -> ChatMetadata:
    """Returns the metadata with the fields that Open WebUI sends as headers."""
    told: dict[str, Any] = {}
    if headers.get(_OPENWEBUI_CHAT, "").startswith(_TEMPORARY_CHATS):
        told["incognito"] = True
    if not metadata.user_name and _OPENWEBUI_NAME in headers:
        told["user_name"] = unquote(headers[_OPENWEBUI_NAME])
    return metadata.model_copy(update=told)


def _is_task(messages: object) -> bool:
    """Returns whether the request comes from Open WebUI itself instead of its user."""
    last = messages[-1] if isinstance(messages, list) and messages else {}
    text = last.get("content") if isinstance(last, dict) else ""
    return isinstance(text, str) and text.startswith(_TASK_START) and _TASK_PART in text


def _metadata(given: object) -> ChatMetadata:
    if given is None:
        return ChatMetadata()
    if not isinstance(given, dict):
        raise RequestRefused("metadata must be an object", param="metadata")
    try:
        return ChatMetadata.model_validate(given)
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_context=False, include_input=False)[0]
        field = ".".join(map(str, ("metadata", *first["loc"])))
        raise RequestRefused(f"{field}: {first['msg']}", param=field) from exc
