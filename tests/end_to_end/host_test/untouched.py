"""The host's files and page, for a comparison with a run without the extension."""

import json
import re
import time
from dataclasses import dataclass
from pathlib import Path

from .page import ChatPage
from .running import until
from .sandbox import Sandbox

# Nothing but times may differ: in a chat's metadata and in the name of a fresh notebook file.
_TIMES = re.compile(
    r'"timestamp": "[A-Z][a-z]{2} \d{2}, \d{4} \d{2}:\d{2}"|\d{4}-\d{2}-\d{2}_\d{2}h\d{2}m\d{2}s'
)
_AUTOSAVE_S = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The texts of the files without times."""

    chats: tuple[str, ...]
    settings: str
    context_box: str


def what_is_kept(sandbox: Sandbox, fresh_page: ChatPage) -> Kept:
    """`fresh_page` was opened after the last turn: it shows what the host holds by now."""
    settings = sandbox.user_data / "settings.yaml"
    until(lambda: _age_s(settings) > _AUTOSAVE_S, within_s=30, what="settings.yaml is saved")
    chats = sorted(chat_files(sandbox), key=lambda path: path.stem)
    return Kept(
        chats=tuple(_timeless(whole(path)) for path in chats),
        settings=_timeless(settings),
        context_box=fresh_page.context_box(),
    )


def chat_files(sandbox: Sandbox) -> list[Path]:
    logs = sandbox.user_data / "logs"
    return [*logs.glob("chat/*/*.json"), *logs.glob("instruct/*.json")]


def saved_rows(path: Path) -> list[tuple[str, str]]:
    rows = json.loads(whole(path).read_text(encoding="utf-8"))["internal"]
    return [(row[0].strip(), row[1].strip()) for row in rows]


def whole(path: Path) -> Path:
    """Waits for a chat that is being written."""
    until(lambda: path.read_bytes().endswith(b"}"), within_s=2.0, what=f"{path} is whole")
    return path


def check_same(with_us: Kept, without_us: Kept) -> None:
    """Compares byte by byte. Raises AssertionError with the first difference."""
    assert len(with_us.chats) == len(without_us.chats), "not the same number of saved chats"
    for ours, theirs in zip(with_us.chats, without_us.chats, strict=True):
        _check_equal("a saved chat", ours, theirs)
    _check_equal("settings.yaml", with_us.settings, without_us.settings)
    _check_equal("the Context box", with_us.context_box, without_us.context_box)


def _check_equal(what: str, ours: str, theirs: str) -> None:
    pairs = enumerate(zip(ours, theirs, strict=False))
    at = next((place for place, (one, other) in pairs if one != other), min(len(ours), len(theirs)))
    assert ours == theirs, f"{what}: {ours[at - 60 : at + 60]!r}, not {theirs[at - 60 : at + 60]!r}"


def _timeless(path: Path) -> str:
    return _TIMES.sub("TIME", path.read_bytes().decode("utf-8"))


def _age_s(path: Path) -> float:
    return time.time() - path.stat().st_mtime
