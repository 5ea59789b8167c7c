"""Where memories stand in a window; every function gives a new one."""

from collections.abc import Sequence
from dataclasses import replace

from ..config.schema import InjectionLocation
from ..text.prompt_fence import SEPARATOR
from .window import Mode, Row, Window

START = "<START>"


def insert_replays(window: Window, pairs: Sequence[tuple[str, str]], depth: int) -> Window:
    """Complete pairs before the `depth` latest exchanges, so that the last reply stays last."""
    at = _replay_position(window, depth)
    replayed = tuple(Row(user=user, assistant=assistant) for user, assistant in pairs)
    return replace(window, rows=window.rows[:at] + replayed + window.rows[at:])


def _replay_position(window: Window, depth: int) -> int:
    at = max(0, len(window.past) - depth)
    while at > 0 and not _can_part(window.rows, at):
        at -= 1
    return at


def _can_part(rows: Sequence[Row], at: int) -> bool:
    """Whether a new exchange begins at `at`: not a tool's result, not a reply to nothing."""
    begins = at == len(rows) or (bool(rows[at].question) and not rows[at].tool)
    return begins and not rows[at - 1].is_system


def at_head_of_message(window: Window, block: str) -> Window:
    """The block before the user's text of this turn."""
    if not window.continuing:
        return replace(window, message=f"{block}{SEPARATOR}{window.message}")
    last = window.rows[-1]
    last = replace(last, user=f"{block}{SEPARATOR}{last.user}")
    return replace(window, rows=(*window.rows[:-1], last))


def after_system_text(window: Window, block: str) -> Window:
    text = _system_text(window)
    return _with_system_text(window, f"{text}{SEPARATOR}{block}" if text.strip() else block)


def in_context(window: Window, block: str, location: InjectionLocation) -> tuple[Window, str]:
    """Where long_term_memory puts memories; the text is what was wrong, or empty."""
    text = _system_text(window)
    if location is InjectionLocation.BEFORE_NORMAL_CONTEXT:
        return _with_system_text(window, f"{block}\n{text}".rstrip()), ""
    before, start, after = text.partition(START)
    if not start:
        problem = (
            f"injection_location {location.value} needs {START} in the context; "
            f"{InjectionLocation.BEFORE_NORMAL_CONTEXT.value} was used"
        )
        return _with_system_text(window, f"{block}\n{text}".rstrip()), problem
    return _with_system_text(window, f"{before}{block}\n{START}{after}"), ""


def _system_text(window: Window) -> str:
    return window.custom_system_message if window.mode is Mode.INSTRUCT else window.context


def _with_system_text(window: Window, text: str) -> Window:
    if window.mode is Mode.INSTRUCT:
        return replace(window, custom_system_message=text)
    return replace(window, context=text)
