"""A chat in the host's file format: internal rows, visible rows and timestamps."""

import html
import json
import threading
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from ...infra import durable_files
from ...text.cleaning import GREETING_MARK

History = dict[str, Any]

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_file_lock = threading.Lock()


def empty_history() -> History:
    return {"internal": [], "visible": [], "metadata": {}}


def with_greeting(text: str, visible: str, now: datetime) -> History:
    """Returns a chat that opens with the character's greeting."""
    return {
        "internal": [[GREETING_MARK, text]],
        "visible": [["", visible]],
        "metadata": {"assistant_0": _timestamps(now)},
    }


def with_question(history: History, text: str, now: datetime) -> History:
    """Returns the chat with one more message, which has no answer yet."""
    return {
        "internal": [*history["internal"], [text, ""]],
        "visible": [*history["visible"], [html.escape(text), ""]],
        "metadata": {**history["metadata"], f"user_{len(history['internal'])}": _timestamps(now)},
    }


def with_answer(history: History, text: str, visible: str, now: datetime) -> History:
    """Returns the chat with this answer in its last row."""
    last = len(history["internal"]) - 1
    return {
        "internal": [*history["internal"][:-1], [history["internal"][-1][0], text]],
        "visible": [*history["visible"][:-1], [history["visible"][-1][0], visible]],
        "metadata": {**history["metadata"], f"assistant_{last}": _timestamps(now)},
    }


def without_last(history: History) -> History:
    """Returns the chat without its last row and that row's metadata."""
    last = len(history["internal"]) - 1
    removed = {f"user_{last}", f"assistant_{last}"}
    return {
        "internal": history["internal"][:-1],
        "visible": history["visible"][:-1],
        "metadata": {
            key: value for key, value in history["metadata"].items() if key not in removed
        },
    }


def questions(history: Mapping[str, Any]) -> dict[int, str]:
    """Returns the row and the text of each message of the user, in order."""
    asked = [str(row[0]) for row in history["internal"]]
    return {row: text for row, text in enumerate(asked) if text != GREETING_MARK}


def with_other_question(history: History, row: int, text: str) -> History:
    """Returns the chat with this message in the row; all answers stay."""
    return {
        **history,
        "internal": _with_first(history["internal"], row, text),
        "visible": _with_first(history["visible"], row, html.escape(text)),
    }


def _with_first(rows: list[list[str]], row: int, text: str) -> list[list[str]]:
    return [[text, *one[1:]] if index == row else one for index, one in enumerate(rows)]


def before_answer(history: History) -> History:
    """Returns the history that the prompt hook gets: all rows but the last, all metadata."""
    return {
        "internal": history["internal"][:-1],
        "visible": history["visible"][:-1],
        "metadata": history["metadata"],
    }


def has_question(history: Mapping[str, Any]) -> bool:
    """Returns True if the last row is the user's, not a greeting."""
    return bool(history["internal"]) and history["internal"][-1][0] != GREETING_MARK


def read(path: Path) -> History:
    """Reads a chat; a missing file is an empty chat."""
    try:
        with _file_lock:
            content = path.read_bytes()
    except FileNotFoundError:
        return empty_history()
    found: History = json.loads(content)
    return found


def write(path: Path, history: History) -> None:
    """Overwrites the file in place, as the host does. A new inode would mean another chat."""
    content = json.dumps(history, indent=4, ensure_ascii=False).encode()
    with _file_lock:
        if path.exists():
            path.write_bytes(content)
        else:
            durable_files.make_folder(path.parent)
            durable_files.replace(path, content)


def unique_id(now: datetime) -> str:
    return now.strftime("%Y%m%d-%H-%M-%S")


def _timestamps(now: datetime) -> dict[str, str]:
    """Returns the time to the minute, in English whatever the locale."""
    return {"timestamp": f"{_MONTHS[now.month - 1]} {now:%d, %Y %H:%M}"}
