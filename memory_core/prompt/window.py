"""The chat that a prompt is made of, as values: each row carries its own metadata."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ..domain.records import NOTHING

GREETING = "<|BEGIN-VISIBLE-CHAT|>"
MEDIA = "<__media__>"


class Mode(StrEnum):
    CHAT = "chat"
    CHAT_INSTRUCT = "chat-instruct"
    INSTRUCT = "instruct"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A user's message and the reply; `extra` is what API rows have behind: tool text, details."""

    user: str
    assistant: str
    extra: tuple[Any, ...] = ()
    user_meta: Mapping[str, Any] | None = None
    assistant_meta: Mapping[str, Any] | None = None

    @property
    def tool(self) -> str:
        return str(self.extra[0] or "").strip() if self.extra else ""

    @property
    def details(self) -> Mapping[str, Any]:
        if len(self.extra) < 2:
            return NOTHING
        return self.extra[1] if isinstance(self.extra[1], Mapping) else NOTHING

    @property
    def is_system(self) -> bool:
        return len(self.extra) > 1 and self.details.get("role") == "system"

    @property
    def is_orphan(self) -> bool:
        """A tool's result whose call stands in an earlier row."""
        return bool(self.tool) and not self.details.get("tool_calls")

    @property
    def question(self) -> str:
        """What a person really wrote here; system text and the mark of a greeting are not that."""
        return "" if self.is_system else real_text(self.user)

    @property
    def is_tool_step(self) -> bool:
        """Returns whether it is a tool's call or result, which an answer still follows."""
        return bool(self.tool or self.details.get("tool_calls") or self.details.get("tool_call_id"))

    @property
    def is_greeting(self) -> bool:
        return self.user.strip() == GREETING

    @property
    def has_image(self) -> bool:
        return MEDIA in self.user or any(
            attachment.get("type") == "image" for attachment in attachments(self.user_meta)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """All of the chat that one prompt may show.

    `message` is the user's text of this turn; when `continuing` it is empty and the last row is
    the one continued. `message_*_meta` belong to the row that does not exist yet.
    `other_metadata` names no row.
    """

    rows: tuple[Row, ...] = ()
    message: str = ""
    message_user_meta: Mapping[str, Any] | None = None
    message_assistant_meta: Mapping[str, Any] | None = None
    other_metadata: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    continuing: bool = False
    mode: Mode = Mode.INSTRUCT
    context: str = ""
    custom_system_message: str = ""
    name1: str = "User"
    name2: str = "Assistant"

    @property
    def question(self) -> str:
        """The user's real text to recall for; where it is empty nothing is injected."""
        if self.continuing:
            return self.rows[-1].question if self.rows else ""
        return real_text(self.message)

    @property
    def continues_greeting(self) -> bool:
        return self.continuing and bool(self.rows) and self.rows[-1].is_greeting

    @property
    def past(self) -> tuple[Row, ...]:
        """The rows before the current one."""
        return self.rows[:-1] if self.continuing else self.rows


def real_text(text: str) -> str:
    text = text.replace(MEDIA, "").strip()
    return "" if text == GREETING else text


def attachments(meta: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    return list(meta.get("attachments") or ()) if meta else []
