"""Writes short notes to the console: at the start, at each recall and at each write.

Each is one line. It shows no word of a chat unless the setting console_texts is on.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..config.loader import describe, shown_value
from ..config.schema import Settings
from ..domain.control_characters import visible_name
from ..domain.namespaces import Namespace
from ..domain.records import Exchange
from ..recall.results import Form
from ..storage.log.diff import Diff
from ..text.repeats import is_repeat
from ..text.sentences import excerpt
from ..version import VERSION
from .traces import Trace

_log = logging.getLogger("long_term_memory")
_LONGEST_NAME = 60
_LONGEST_TEXT = 160
_SETTINGS_A_LINE = 4


def tell_start(settings: Settings, root: Path) -> None:
    _note(f"version {VERSION}, memories in {visible_name(str(root))}")
    tell_settings(settings)


def tell_settings(settings: Settings) -> None:
    """Notes the settings that differ from their defaults; secrets are masked."""
    found = list(_changed(settings))
    if not found:
        _note("all settings have their defaults")
    for at in range(0, len(found), _SETTINGS_A_LINE):
        _note(f"settings that differ: {', '.join(found[at : at + _SETTINGS_A_LINE])}")


def tell_recall(namespace: Namespace, trace: Trace, settings: Settings) -> None:
    """Notes how much was recalled, or why nothing was."""
    candidates = len(trace.recall.kept) + len(trace.recall.dropped)
    if trace.skipped:
        _note(f"no recall for {_name(namespace)}: {visible_name(trace.skipped)}")
        return
    recalled = [it for it in trace.injected if it.form in (Form.REPLAY, Form.LINE)]
    forms = Counter(it.form for it in recalled)
    how = f" ({forms[Form.REPLAY]} replayed, {_counted(forms[Form.LINE], 'line')})"
    _note(
        f"recalled {len(recalled)} of {_counted(candidates, 'candidate')} for {_name(namespace)} "
        f"in {trace.added_ms:.0f} ms{how if recalled else ''}"
    )
    _tell_texts("recalled", (it.text for it in recalled), settings)


def tell_write(namespace: Namespace, diff: Diff, settings: Settings) -> None:
    """Notes what changed in the memories; without changes it says nothing."""
    if not diff:
        return
    repeats = sum(is_repeat(it.exchange) for it in diff.added)
    counts = {
        "remembered": len(diff.added),
        "changed": len(diff.changed),
        "taken out": len(diff.removed),
    }
    did = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    said_before = f" ({_counted(repeats, 'repeat')} of what the chat said before)"
    _note(f"{_name(namespace)}: {did}{said_before if repeats else ''}")
    new = [*(it.exchange for it in diff.added), *(it.exchange for it in diff.changed)]
    _tell_texts("remembered", map(_said, new), settings)


def tell_import(namespace: Namespace, exchanges: int) -> None:
    _note(f"{_name(namespace)}: {_counted(exchanges, 'exchange')} of past chats gone through")


def tell_note(namespace: Namespace, text: str, settings: Settings) -> None:
    _note(f"{_name(namespace)}: a note kept")
    _tell_texts("kept", [text], settings)


def tell_forgotten(namespace: Namespace, count: int) -> None:
    _note(f"{_name(namespace)}: {count} forgotten")


def _changed(settings: Settings) -> Iterator[str]:
    values = settings.model_dump(mode="json")
    for knob in describe():
        value: object = values
        for part in knob.key.split("."):
            value = value[part] if isinstance(value, dict) else None
        if value != knob.default:
            yield f"{knob.key} = {visible_name(shown_value(knob.key, value))}"


def _tell_texts(what: str, texts: Iterable[str], settings: Settings) -> None:
    if settings.console_texts:
        for text in texts:
            _note(f"{what}: {visible_name(excerpt(' '.join(text.split()), _LONGEST_TEXT))}")


def _said(exchange: Exchange) -> str:
    return f"{exchange.user} / {exchange.assistant}"


def _note(text: str) -> None:
    _log.info("Long-term memory: %s", text)


def _name(namespace: Namespace) -> str:
    return visible_name(namespace.character or namespace.scope)[:_LONGEST_NAME]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
