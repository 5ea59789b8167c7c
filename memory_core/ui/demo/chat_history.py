"""A chat as the host saves it: rows, what the page shows of them, and when they were said."""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from ...infra import durable_files
from ...prompt.window import GREETING_MARK

History = dict[str, Any]

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def empty_history() -> History:
    return {"internal": [], "visible": [], "metadata": {}}


def with_greeting(text: str, visible: str, now: datetime) -> History:
    """A chat that the character has opened."""
    return {
        "internal": [[GREETING_MARK, text]],
        "visible": [["", visible]],
        "metadata": {"assistant_0": _timestamps(now)},
    }


def with_question(history: History, text: str, visible: str, now: datetime) -> History:
    """The chat with one message more, which waits for its answer."""
    return {
        "internal": [*history["internal"], [text, ""]],
        "visible": [*history["visible"], [visible, ""]],
        "metadata": {**history["metadata"], f"user_{len(history['internal'])}": _timestamps(now)},
    }


def with_answer(history: History, text: str, visible: str, now: datetime) -> History:
    """The chat with this as its last row's answer."""
    last = len(history["internal"]) - 1
    return {
        "internal": [*history["internal"][:-1], [history["internal"][-1][0], text]],
        "visible": [*history["visible"][:-1], [history["visible"][-1][0], visible]],
        "metadata": {**history["metadata"], f"assistant_{last}": _timestamps(now)},
    }


def without_last(history: History) -> History:
    """The chat without its last row and that row's metadata."""
    last = len(history["internal"]) - 1
    gone = {f"user_{last}", f"assistant_{last}"}
    return {
        "internal": history["internal"][:-1],
        "visible": history["visible"][:-1],
        "metadata": {key: it for key, it in history["metadata"].items() if key not in gone},
    }


def before_answer(history: History) -> History:
    """What the host lends its prompt hook: the rows before the current one, all metadata."""
    return {
        "internal": history["internal"][:-1],
        "visible": history["visible"][:-1],
        "metadata": history["metadata"],
    }


def has_question(history: Mapping[str, Any]) -> bool:
    """Whether the last row is one that a person began."""
    return bool(history["internal"]) and history["internal"][-1][0] != GREETING_MARK


def read(path: Path) -> History:
    """An empty chat where there is no such file."""
    try:
        found: History = json.loads(path.read_bytes())
    except FileNotFoundError:
        return empty_history()
    return found


def write(path: Path, history: History) -> None:
    durable_files.make_folder(path.parent)
    durable_files.replace(path, json.dumps(history, indent=4, ensure_ascii=False).encode())


def unique_id(now: datetime) -> str:
    return now.strftime("%Y%m%d-%H-%M-%S")


def _timestamps(now: datetime) -> dict[str, str]:
    """In English whatever the machine's language, to the minute."""
    return {"timestamp": f"{_MONTHS[now.month - 1]} {now:%d, %Y %H:%M}"}
