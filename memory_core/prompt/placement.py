"""Where memories stand in a window; every function gives a new one."""

from collections.abc import Sequence
from dataclasses import replace

from ..config.schema import InjectionLocation
from ..text.prompt_fence import SEPARATOR
from .window import ChatMode, ChatRow, Window

CHAT_START_MARK = "<START>"


def insert_replays(window: Window, pairs: Sequence[tuple[str, str]], depth: int) -> Window:
    """Complete pairs before the `depth` latest exchanges, so that the last reply stays last."""
    at = _replay_position(window, depth)
    replayed = tuple(ChatRow(user=user, assistant=assistant) for user, assistant in pairs)
    return replace(window, rows=window.rows[:at] + replayed + window.rows[at:])


def _replay_position(window: Window, depth: int) -> int:
    at = max(0, len(window.past_rows) - depth)
    while at > 0 and not _is_exchange_boundary(window.rows, at):
        at -= 1
    return at


def _is_exchange_boundary(rows: Sequence[ChatRow], at: int) -> bool:
    """Whether a new exchange begins at `at`: not a tool's result, not a reply to nothing."""
    begins = at == len(rows) or (bool(rows[at].question) and not rows[at].tool_text)
    return begins and not rows[at - 1].is_system


def prepend_to_message(window: Window, block: str) -> Window:
    """The block before the user's text of this turn."""
    if not window.is_continuing:
        return replace(window, message=f"{block}{SEPARATOR}{window.message}")
    last = window.rows[-1]
    last = replace(last, user=f"{block}{SEPARATOR}{last.user}")
    return replace(window, rows=(*window.rows[:-1], last))


def append_to_system_text(window: Window, block: str) -> Window:
    text = _system_text(window)
    return _with_system_text(window, f"{text}{SEPARATOR}{block}" if text.strip() else block)


def insert_into_context(
    window: Window, block: str, location: InjectionLocation
) -> tuple[Window, str]:
    """Where long_term_memory puts memories; the text is what was wrong, or empty."""
    text = _system_text(window)
    if location is InjectionLocation.BEFORE_NORMAL_CONTEXT:
        return _with_system_text(window, f"{block}\n{text}".rstrip()), ""
    before, start, after = text.partition(CHAT_START_MARK)
    if not start:
        problem = (
            f"injection_location {location.value} needs {CHAT_START_MARK} in the context; "
            f"{InjectionLocation.BEFORE_NORMAL_CONTEXT.value} was used"
        )
        return _with_system_text(window, f"{block}\n{text}".rstrip()), problem
    return _with_system_text(window, f"{before}{block}\n{CHAT_START_MARK}{after}"), ""


def _system_text(window: Window) -> str:
    return window.custom_system_message if window.mode is ChatMode.INSTRUCT else window.context


def _with_system_text(window: Window, text: str) -> Window:
    if window.mode is ChatMode.INSTRUCT:
        return replace(window, custom_system_message=text)
    return replace(window, context=text)
