"""Texts on the limits: the memories that they would remove if saved, and those removed so far."""

import time
from collections.abc import Mapping

from ....config.schema import RetentionSettings
from ....domain.namespaces import Namespace
from ....memory.retention import RetentionPreview, preview_retention
from ....memory.retention_policy import RetentionLimits, limits_from_settings
from ....memory.runtime import Runtime
from ....text.locales import Words
from .wording import undo_minutes, undo_text

_SECTION = "retention."


def unsaved_warning(
    runtime: Runtime, changes: Mapping[str, object], warned: Mapping[str, object], words: Words
) -> str:
    """Returns the warning to show before a save, unless it was shown for the same changes."""
    if changes == warned:
        return ""
    return preview_text(preview_changes(runtime, changes), runtime, words)


def preview_changes(runtime: Runtime, changes: Mapping[str, object]) -> RetentionPreview:
    """Counts the memories that would be over the limits after these changes."""
    new = {
        key.removeprefix(_SECTION): value
        for key, value in changes.items()
        if key.startswith(_SECTION)
    }
    if not new:
        return RetentionPreview()
    now = runtime.settings.retention.model_dump()
    quota = limits_from_settings(RetentionSettings.model_validate(now | new))
    return preview_retention(runtime.memory, quota, now=time.time())


def preview_text(found: RetentionPreview, runtime: Runtime, words: Words) -> str:
    """Returns the warning, or an empty string if nothing would be removed."""
    lines = []
    if found.memories:
        counts = {"memories": found.memories, "characters": found.namespaces}
        lines.append(undo_text(words, undo_minutes(runtime), "limits_warning", **counts))
    if found.unreachable:
        lines.append(words("limits_out_of_reach", count=found.unreachable))
    if not lines:
        return ""
    if found.uncounted:
        lines.append(words("limits_uncounted", count=found.uncounted))
    return words["sentence_gap"].join([words["limits_unsaved"], *lines, words["limits_again"]])


def removed_text(runtime: Runtime, namespace: Namespace | None, words: Words) -> str:
    """Describes what the limits removed from one namespace since the program started."""
    counts = runtime.retention_worker.removed_counts(namespace) if namespace else {}
    if not counts:
        return ""
    reasons = words["list_comma"].join(
        words("label_and_value", label=words[f"limits_{why}"], value=count)
        for why, count in counts.items()
    )
    return words("limits_went", count=sum(counts.values()), reasons=reasons)


def limits_text(runtime: Runtime, namespace: Namespace | None, words: Words) -> str:
    """Returns the configured limits and the numbers of memories removed by them."""
    if limits_from_settings(runtime.settings.retention) == RetentionLimits():
        return words["limits_none"]
    set_ = runtime.settings.retention.model_dump(exclude_none=True)
    limits = words["list_comma"].join(f"{name} {value:g}" for name, value in set_.items())
    return " · ".join(filter(None, (limits, removed_text(runtime, namespace, words))))
