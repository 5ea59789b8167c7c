"""Converts the host's dicts to a Window and back, without changing or sharing them."""

import html
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...domain.errors import HostError
from ...prompt.window import ChatMode, ChatRow, Window
from ...text.cleaning import GREETING_MARK
from ...text.commands.parser import parse_slash_command, strip_command
from .exchanges import parse_rows, row_keys

_ROW_KEY = re.compile(r"(?:user|assistant)_(0|[1-9]\d*)")
_COMMAND_STARTS = frozenset("/／ \t\r\n\u3000")  # noqa: RUF001
_IMMUTABLE_TYPES = (str, int, float, type(None))

HostDict = dict[str, Any]


def from_host(
    user_input: str, state: Mapping[str, Any], history: Mapping[str, Any], continuing: bool
) -> Window:
    """Returns the chat as a window, without its current row unless `continuing`.

    Takes `history` as the prompt hook gets it. Raises HostError for an unknown history or mode.
    """
    # A deep copy of a long chat is slow, so the metadata is shared until to_host() copies it.
    try:
        metadata = history.get("metadata") or {}
        rows = parse_rows(history["internal"], metadata)
    except (AttributeError, LookupError, TypeError, ValueError) as exc:
        raise HostError(f"the chat has an unknown structure: {type(exc).__name__}") from exc
    user_keys, assistant_keys = row_keys(len(rows) + 1)
    user, character = speaker_names(state)
    return Window(
        rows=rows,
        message="" if continuing else user_input,
        message_user_meta=None if continuing else metadata.get(user_keys[len(rows)]),
        message_assistant_meta=None if continuing else metadata.get(assistant_keys[len(rows)]),
        other_metadata=_other_metadata(metadata, len(rows) + (not continuing)),
        is_continuing=continuing,
        mode=_mode(state),
        context=state.get("context") or "",
        custom_system_message=state.get("custom_system_message") or "",
        name1=user,
        name2=character,
    )


def from_unreadable(user_input: str, state: Mapping[str, Any]) -> Window:
    """Returns a window with only the message, for a chat with unreadable rows."""
    try:
        mode = _mode(state)
    except HostError:
        mode = ChatMode.CHAT
    user, character = speaker_names(state)
    return Window(
        message=user_input,
        mode=mode,
        context=state.get("context") or "",
        custom_system_message=state.get("custom_system_message") or "",
        name1=user,
        name2=character,
    )


def to_unreadable(
    window: Window, state: Mapping[str, Any], history: Mapping[str, Any]
) -> tuple[str, HostDict, HostDict]:
    """Returns text, state and history like to_host(), but keeps the rows of the host's history."""
    current, new_state, _ = to_host(window, state, {})
    new_state["history"] = new_history = _copy_plain(history)
    return current, new_state, new_history


def strip_commands(window: Window) -> Window:
    """Returns the window for the model, without memory commands at the start of messages."""
    rows, message = list(window.rows), window.message
    for index, row in enumerate(rows):
        if row.user[:1] in _COMMAND_STARTS and not row.is_system:
            rows[index] = replace(row, user=strip_command(row.user, chat_language=window.language))
    if parse_slash_command(message):
        message = strip_command(message, chat_language=window.language)
    return replace(window, rows=tuple(rows), message=message)


def to_host(
    window: Window, state: Mapping[str, Any], history: Mapping[str, Any]
) -> tuple[str, HostDict, HostDict]:
    """Returns copies of the user's text, state and history for the host's prompt builder."""
    known = {"internal", "visible", "metadata"}
    new_history = {
        **{key: _copy_plain(value) for key, value in history.items() if key not in known},
        "internal": [[row.user, row.assistant, *_copy_plain(row.extra)] for row in window.rows],
        "visible": [_visible(row) for row in window.rows],
        "metadata": _metadata(window),
    }
    new_state = {key: _copy_plain(value) for key, value in state.items() if key != "history"}
    new_state["history"] = new_history
    for key in ("context", "custom_system_message"):
        if state.get(key) or getattr(window, key):
            new_state[key] = getattr(window, key)
    current = window.rows[-1].user if window.is_continuing else window.message
    return current, new_state, new_history


def speaker_names(state: Mapping[str, Any]) -> tuple[str, str]:
    """Returns the names of user and character; in instruct mode, another chat's are left over."""
    if state.get("mode", ChatMode.INSTRUCT) == ChatMode.INSTRUCT:
        return Window.name1, Window.name2
    return state.get("name1") or "", state.get("name2") or ""


def _mode(state: Mapping[str, Any]) -> ChatMode:
    try:
        return ChatMode(state.get("mode", ChatMode.INSTRUCT))
    except ValueError as exc:
        raise HostError(f"the host's chat mode is unknown: {exc}") from exc


def _other_metadata(metadata: Mapping[str, Any], count: int) -> HostDict:
    """Returns the metadata that belongs to none of the first `count` rows."""
    users, assistants = (keys[:count] for keys in row_keys(count))
    named = sum(map(metadata.__contains__, users)) + sum(map(metadata.__contains__, assistants))
    if named == len(metadata):
        return {}
    names = metadata.keys() - set(users) - set(assistants)
    return {key: value for key, value in metadata.items() if key in names}


def _visible(row: ChatRow) -> list[Any]:
    """Returns the row as the host would show it; the prompt builder does not read it."""
    user = "" if row.user == GREETING_MARK else html.escape(row.user)
    return [user, html.escape(row.assistant), *_copy_plain(row.extra)]


def _metadata(window: Window) -> HostDict:
    metas = [(row.user_meta, row.assistant_meta) for row in window.rows]
    if not window.is_continuing:
        metas.append((window.message_user_meta, window.message_assistant_meta))
    user_keys, assistant_keys = row_keys(len(metas))
    metadata = {
        key: _copy_plain(meta)
        for user_key, assistant_key, pair in zip(user_keys, assistant_keys, metas, strict=False)
        for key, meta in zip((user_key, assistant_key), pair, strict=True)
        if meta is not None
    }
    others = {
        key: _copy_plain(meta)
        for key, meta in window.other_metadata.items()
        if not _is_row_key(key, len(metas))
    }
    return {**others, **metadata}


def _is_row_key(key: str, rows: int) -> bool:
    """Returns whether the key names one of the first `rows` rows.

    Stale metadata of a removed row must not pass to the row that took its index.
    """
    match = _ROW_KEY.fullmatch(key)
    return match is not None and int(match[1]) < rows


def _copy_plain(value: Any) -> Any:  # noqa: ANN401 - the host may store any type
    """Copies plain containers deeply; shares other objects, such as locks."""
    if isinstance(value, _IMMUTABLE_TYPES):
        return value
    if isinstance(value, Mapping):
        return {key: _copy_plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_copy_plain(inner) for inner in value]
    if isinstance(value, tuple):
        return tuple(_copy_plain(inner) for inner in value)
    return set(value) if isinstance(value, set) else value
