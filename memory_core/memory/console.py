"""Writes one-line notes to the console: at the start, at each recall and at each write.

They show no text of a chat unless the setting console_texts is on.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..config.loader import describe, display_value
from ..config.schema import Settings
from ..domain.namespaces import Namespace
from ..domain.private_parts import GuardAction
from ..domain.records import Exchange
from ..domain.unicode import visible_name
from ..recall.results import Form
from ..storage.log.diff import Diff
from ..text.excerpts import excerpt
from ..text.repeats import is_repeat
from ..version import VERSION
from .guard import GuardReport
from .traces import Trace

_log = logging.getLogger("long_term_memory")
_LONGEST_NAME = 60
_LONGEST_TEXT = 160
_SETTINGS_A_LINE = 4
GUARD_OUTCOMES = {
    GuardAction.REDACT: "stored with a mark",
    GuardAction.SKIP: "left out",
    GuardAction.ASK: "held back for a review",
}


def log_start(settings: Settings, root: Path) -> None:
    _note(f"version {VERSION}, memories in {visible_name(str(root))}")
    log_settings(settings)


def log_settings(settings: Settings) -> None:
    """Notes the settings that differ from their defaults; secrets are masked."""
    changed = list(_changed(settings))
    if not changed:
        _note("all settings have their defaults")
    for start in range(0, len(changed), _SETTINGS_A_LINE):
        _note(f"settings that differ: {', '.join(changed[start : start + _SETTINGS_A_LINE])}")


def log_recall(namespace: Namespace, trace: Trace, settings: Settings) -> None:
    """Notes how much was recalled, or why nothing was."""
    candidates = len(trace.recall.kept) + len(trace.recall.dropped)
    if trace.skipped:
        _note(f"no recall for {_name(namespace)}: {visible_name(trace.skipped)}")
        return
    recalled = [part for part in trace.injected if part.form in (Form.REPLAY, Form.LINE)]
    forms = Counter(part.form for part in recalled)
    by_form = f" ({forms[Form.REPLAY]} replayed, {_with_count(forms[Form.LINE], 'line')})"
    _note(
        f"recalled {len(recalled)} of {_with_count(candidates, 'candidate')} "
        f"for {_name(namespace)} "
        f"in {trace.added_ms:.0f} ms{by_form if recalled else ''}"
    )
    if settings.console_texts:
        _log_texts("recalled", (part.text for part in recalled))


def log_write(namespace: Namespace, diff: Diff, settings: Settings) -> None:
    """Notes how many memories changed; nothing if none did."""
    repeats = sum(is_repeat(added.exchange) for added in diff.added)
    counts = {
        "remembered": len(diff.added),
        "changed": len(diff.changed),
        "taken out": len(diff.removed),
    }
    changes = ", ".join(f"{count} {verb}" for verb, count in counts.items() if count)
    if not changes:
        return
    repeated = f" ({_with_count(repeats, 'repeat')} of what the chat said before)"
    _note(f"{_name(namespace)}: {changes}{repeated if repeats else ''}")
    if settings.console_texts:
        _log_texts("remembered", map(_exchange_text, diff.new_exchanges))


def log_import(namespace: Namespace, exchanges: int) -> None:
    _note(f"{_name(namespace)}: {_with_count(exchanges, 'exchange')} of past chats gone through")


def log_note(namespace: Namespace, text: str, settings: Settings) -> None:
    _note(f"{_name(namespace)}: a note kept")
    if settings.console_texts:
        _log_texts("kept", [text])


def log_guarded(report: GuardReport) -> None:
    """Notes the number of memories that the guard changed or skipped, and why; no words of them."""
    done = GUARD_OUTCOMES[report.action]
    parts = ", ".join(sorted(report.parts))
    _note(f"{_name(report.namespace)}: {report.count} {done} by the guard ({parts})")


def log_forgotten(namespace: Namespace, count: int) -> None:
    _note(f"{_name(namespace)}: {count} forgotten")


def _changed(settings: Settings) -> Iterator[str]:
    values = settings.model_dump(mode="json")
    for setting in describe():
        value: object = values
        for part in setting.key.split("."):
            value = value[part] if isinstance(value, dict) else None
        if value != setting.default:
            yield f"{setting.key} = {visible_name(display_value(setting.key, value))}"


def _log_texts(verb: str, texts: Iterable[str]) -> None:
    for text in texts:
        _note(f"{verb}: {visible_name(excerpt(' '.join(text.split()), _LONGEST_TEXT))}")


def _exchange_text(exchange: Exchange) -> str:
    return f"{exchange.user} / {exchange.assistant}"


def _note(text: str) -> None:
    _log.info("Long-term memory: %s", text)


def _name(namespace: Namespace) -> str:
    return visible_name(namespace.character or namespace.scope)[:_LONGEST_NAME]


def _with_count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
