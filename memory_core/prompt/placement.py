"""Places memories in a window. Every function returns a new window."""

from collections.abc import Sequence
from dataclasses import replace

from ..config.schema import InjectionLocation
from ..text.prompt_fence import SEPARATOR
from .window import ChatMode, ChatRow, Window

CHAT_START_MARK = "<START>"


def insert_replays(window: Window, pairs: Sequence[tuple[str, str]], depth: int) -> Window:
    """Inserts the pairs before the `depth` latest exchanges; the last reply stays last."""
    index = max(0, len(window.past_rows) - depth)
    while index > 0 and not _is_exchange_boundary(window.rows, index):
        index -= 1
    replayed = tuple(ChatRow(user=user, assistant=assistant) for user, assistant in pairs)
    return replace(window, rows=window.rows[:index] + replayed + window.rows[index:])


def _is_exchange_boundary(rows: Sequence[ChatRow], index: int) -> bool:
    """Returns whether an exchange begins here, not a tool's result or a reply without question."""
    starts_exchange = index == len(rows) or (
        bool(rows[index].question) and not rows[index].tool_text
    )
    return starts_exchange and not rows[index - 1].is_system


def prepend_to_message(window: Window, block: str) -> Window:
    """Puts the block before the user's text of this turn."""
    if not window.is_continuing:
        return replace(window, message=f"{block}{SEPARATOR}{window.message}")
    last = window.rows[-1]
    last = replace(last, user=f"{block}{SEPARATOR}{last.user}")
    return replace(window, rows=(*window.rows[:-1], last))


def append_to_system_text(window: Window, block: str) -> Window:
    text = window.system_text
    return _with_system_text(window, f"{text}{SEPARATOR}{block}" if text.strip() else block)


def insert_into_context(
    window: Window, block: str, location: InjectionLocation
) -> tuple[Window, str]:
    """Puts the block where long_term_memory does. Returns the window and a problem, or ""."""
    text = window.system_text
    if location is InjectionLocation.BEFORE_NORMAL_CONTEXT:
        return _with_system_text(window, f"{block}\n{text}".rstrip()), ""
    before, start, after = text.partition(CHAT_START_MARK)
    if not start:
        problem = (
            f"injection_location {location.value} needs {CHAT_START_MARK} in the context, which "
            f"lacks it; {InjectionLocation.BEFORE_NORMAL_CONTEXT.value} is used instead"
        )
        return _with_system_text(window, f"{block}\n{text}".rstrip()), problem
    return _with_system_text(window, f"{before}{block}\n{CHAT_START_MARK}{after}"), ""


def _with_system_text(window: Window, text: str) -> Window:
    if window.mode is ChatMode.INSTRUCT:
        return replace(window, custom_system_message=text)
    return replace(window, context=text)
