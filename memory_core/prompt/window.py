"""The chat that a prompt is built from, as immutable values, and how it is cut to fit.

Each row has its own metadata. The oldest rows are dropped in blocks. The ends of the blocks depend
only on the chat's beginning, never on an earlier turn. The first row shown therefore stays the same
for many turns, and the model server can reuse its cache.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import accumulate
from typing import Any

from ..domain.records import EMPTY_MAPPING
from ..infra.lru_cache import cached_property
from ..text.cleaning import GREETING_MARK, MEDIA_MARK
from ..text.commands.parser import is_command_message
from ..text.language import chat_language
from ..text.token_counter import estimate_tokens

SAFETY_MARGIN = 0.03
BLOCK_COUNT = 4
TOKENS_PER_MESSAGE = 8
TOKENS_PER_IMAGE = 600
_ROWS_READ = 50  # for the language of the chat
TokenCount = Callable[[str], int]


class ChatMode(StrEnum):
    CHAT = "chat"
    CHAT_INSTRUCT = "chat-instruct"
    INSTRUCT = "instruct"


@dataclass(frozen=True, kw_only=True)
class ChatRow:
    """A user's message and the reply. `extra` holds the tool text and details of API rows.

    A row stays for many turns; the metadata is the host's own and may change meanwhile.
    """

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

    @cached_property
    def text_tokens(self) -> int:
        """Estimated tokens of the texts."""
        texts = [text for text in (self.user, self.assistant, self.tool_text) if text.strip()]
        return sum(estimate_tokens(text) + TOKENS_PER_MESSAGE for text in texts)


@dataclass(frozen=True, kw_only=True)
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

    @cached_property
    def language(self) -> str:
        """The language of the latest messages other than commands, or else of their answers.

        It is "" if none is certain.
        """
        past = self.past_rows[: -_ROWS_READ - 1 : -1]
        said = (row.question for row in past if not is_command_message(row.question))
        return chat_language(said) or chat_language(row.assistant for row in past)

    @property
    def past_rows(self) -> tuple[ChatRow, ...]:
        """The rows before the current one."""
        return self.rows[:-1] if self.is_continuing else self.rows


def without_greeting_mark(text: str) -> str:
    text = text.replace(MEDIA_MARK, "").strip()
    return "" if text == GREETING_MARK else text


def attachments(meta: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    return list(meta.get("attachments") or ()) if meta else []


def fit_window(window: Window, *, limit_tokens: int, reserved_tokens: int, scale: float) -> Window:
    """Drops the fewest blocks of rows so that rows, system text, message and memory fit.

    `scale` is the ratio of actual to estimated tokens.
    `reserved_tokens` are actual tokens kept free for memory. A window that cannot fit is returned
    as small as possible. Rows with images stay: the host passes all images of a chat to the model
    and needs a mark for each.
    """
    costs = list(map(_row_cost, window.rows))
    system = _system_cost(window)
    room = (limit_tokens * (1 - SAFETY_MARGIN) - reserved_tokens) / scale - system
    room -= _message_cost(window)
    if sum(costs) <= room:
        return window
    block = max(1, (limit_tokens - reserved_tokens - system) // BLOCK_COUNT)
    start = _first_shown_row(window, costs, room=room, block=block)
    kept = tuple(row for row in window.rows[:start] if row.has_image) + window.rows[start:]
    return replace(window, rows=kept)


def keep_latest_exchanges(window: Window, exchanges: int) -> Window:
    """Returns the window with only its latest `exchanges`, at least one if an answer is continued.

    A row without a user's text, or with a tool's, belongs to the exchange before it.
    """
    starts = [
        index for index, row in enumerate(window.past_rows) if row.question and not row.tool_text
    ]
    wanted = max(exchanges, 0 if window.question else 1)
    if wanted >= len(starts):
        return window
    first = starts[-wanted] if wanted else len(window.past_rows)
    return replace(window, rows=window.rows[first:])


def estimate_window_tokens(window: Window) -> int:
    """Returns the estimated tokens of the rows, the system text and the message."""
    return sum(map(_row_cost, window.rows)) + _system_cost(window) + _message_cost(window)


def _first_shown_row(window: Window, costs: Sequence[int], *, room: float, block: int) -> int:
    """Returns the index of the first row shown, after a whole number of blocks."""
    before = list(accumulate(costs, initial=0))
    droppable = [0 if row.has_image else cost for row, cost in zip(window.rows, costs, strict=True)]
    dropped = list(accumulate(droppable, initial=0))
    start = 0
    for edge in range(0, before[-1] + block, block):
        start = _next_conversation_start(window, bisect_left(before, edge))
        if before[-1] - dropped[start] <= room:
            break
    return start


def _next_conversation_start(window: Window, index: int) -> int:
    """Returns the first row from `index` on that can begin a conversation.

    The result is never past the current row.
    """
    last = len(window.past_rows)
    later = range(min(index, last), last)
    if index == 0:
        return 0
    with_question = (row for row in later if window.rows[row].question)
    complete = (row for row in later if not window.rows[row].is_orphan_tool_result)
    return next(with_question, next(complete, last))


def _row_cost(row: ChatRow) -> int:
    return (
        row.text_tokens
        + _attachments_cost(row.user_meta)
        + _tools_cost(row.assistant_meta)
        + _tools_cost(row.tool_details)
    )


def _attachments_cost(meta: Mapping[str, Any] | None) -> int:
    return sum(
        TOKENS_PER_IMAGE if attachment.get("type") == "image" else estimate_tokens(str(attachment))
        for attachment in attachments(meta)
    )


def _tools_cost(meta: Mapping[str, Any] | None) -> int:
    if not meta:
        return 0
    calls = [*(meta.get("tool_sequence") or ()), *(meta.get("tool_calls") or ())]
    return sum(estimate_tokens(str(call)) + TOKENS_PER_MESSAGE for call in calls)


def _system_cost(window: Window) -> int:
    texts = {
        ChatMode.CHAT: (window.context,),
        ChatMode.INSTRUCT: (window.custom_system_message,),
        ChatMode.CHAT_INSTRUCT: (window.context, window.custom_system_message),
    }[window.mode]
    return sum(estimate_tokens(text) + TOKENS_PER_MESSAGE for text in texts if text.strip())


def _message_cost(window: Window) -> int:
    return (
        estimate_tokens(window.message)
        + 2 * TOKENS_PER_MESSAGE
        + _attachments_cost(window.message_user_meta)
        + _tools_cost(window.message_assistant_meta)
    )
