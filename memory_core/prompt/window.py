"""Immutable values for the chat that a prompt is built from; each row has its own metadata."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ..domain.records import EMPTY_MAPPING

GREETING_MARK = "<|BEGIN-VISIBLE-CHAT|>"
MEDIA_MARK = "<__media__>"


class ChatMode(StrEnum):
    CHAT = "chat"
    CHAT_INSTRUCT = "chat-instruct"
    INSTRUCT = "instruct"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRow:
    """A user's message and the reply. `extra` holds the tool text and details of API rows."""

    user: str
    assistant: str
    extra: tuple[Any, ...] = ()
    user_meta: Mapping[str, Any] | None = None
    assistant_meta: Mapping[str, Any] | None = None

    @property
    def tool_text(self) -> str:
        return str(self.extra[0] or "").strip() if self.extra else ""

    @property
    def tool_details(self) -> Mapping[str, Any]:
        if len(self.extra) < 2:
            return EMPTY_MAPPING
        return self.extra[1] if isinstance(self.extra[1], Mapping) else EMPTY_MAPPING

    @property
    def is_system(self) -> bool:
        return len(self.extra) > 1 and self.tool_details.get("role") == "system"

    @property
    def is_orphan_tool_result(self) -> bool:
        """Returns whether the row is a tool's result whose call is in an earlier row."""
        return bool(self.tool_text) and not self.tool_details.get("tool_calls")

    @property
    def question(self) -> str:
        """Text written by a person; empty for system text and for the mark of a greeting."""
        return "" if self.is_system else without_greeting_mark(self.user)

    @property
    def is_tool_step(self) -> bool:
        """Returns whether the row is a tool's call or result, still to be followed by an answer."""
        return bool(
            self.tool_text
            or self.tool_details.get("tool_calls")
            or self.tool_details.get("tool_call_id")
        )

    @property
    def is_greeting(self) -> bool:
        return self.user.strip() == GREETING_MARK

    @property
    def has_image(self) -> bool:
        return MEDIA_MARK in self.user or any(
            attachment.get("type") == "image" for attachment in attachments(self.user_meta)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The part of a chat that one prompt may show.

    `message` is the user's text of this turn. With `is_continuing` it is empty, and the last row is
    continued. `message_*_meta` belong to the row that does not exist yet. `other_metadata` belongs
    to no row.
    """

    rows: tuple[ChatRow, ...] = ()
    message: str = ""
    message_user_meta: Mapping[str, Any] | None = None
    message_assistant_meta: Mapping[str, Any] | None = None
    other_metadata: Mapping[str, Any] = field(default_factory=lambda: EMPTY_MAPPING)
    is_continuing: bool = False
    mode: ChatMode = ChatMode.INSTRUCT
    context: str = ""
    custom_system_message: str = ""
    name1: str = "User"
    name2: str = "Assistant"

    @property
    def question(self) -> str:
        """The user's text to recall for; if it is empty, no memories are recalled."""
        if self.is_continuing:
            return self.rows[-1].question if self.rows else ""
        return without_greeting_mark(self.message)

    @property
    def system_text(self) -> str:
        """The text before the rows, which the host's modes keep in different places."""
        return self.custom_system_message if self.mode is ChatMode.INSTRUCT else self.context

    @property
    def continues_greeting(self) -> bool:
        return self.is_continuing and bool(self.rows) and self.rows[-1].is_greeting

    @property
    def past_rows(self) -> tuple[ChatRow, ...]:
        """The rows before the current one."""
        return self.rows[:-1] if self.is_continuing else self.rows


def without_greeting_mark(text: str) -> str:
    text = text.replace(MEDIA_MARK, "").strip()
    return "" if text == GREETING_MARK else text


def attachments(meta: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    return list(meta.get("attachments") or ()) if meta else []
