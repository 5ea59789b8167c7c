"""What limits would let go if they were saved, and what they let go so far, in words."""

import time
from collections.abc import Mapping

from ....config.schema import RetentionSettings
from ....domain.namespaces import Namespace
from ....memory.retention import RetentionPreview, preview_retention
from ....memory.retention_policy import RetentionLimits, limits_from_settings
from ....memory.runtime import Runtime
from ....text.locales import Words

_SECTION = "retention."


def unsaved_warning(
    runtime: Runtime, changes: Mapping[str, object], warned: Mapping[str, object], words: Words
) -> str:
    """What has to be said before these changes are saved, unless it was said of the very same."""
    if changes == warned:
        return ""
    return preview_text(preview_changes(runtime, changes), runtime, words)


def preview_changes(runtime: Runtime, changes: Mapping[str, object]) -> RetentionPreview:
    """What is over the limits as they would be after these changes, where they change them."""
    new = {it.removeprefix(_SECTION): to for it, to in changes.items() if it.startswith(_SECTION)}
    if not new:
        return RetentionPreview()
    now = runtime.settings.retention.model_dump()
    quota = limits_from_settings(RetentionSettings.model_validate(now | new))
    return preview_retention(runtime.memory, quota, now=time.time())


def preview_text(found: RetentionPreview, runtime: Runtime, words: Words) -> str:
    """What the user has to know before; nothing where all is as one would think."""
    told = []
    if found.memories:
        minutes = f"{runtime.settings.ltm_writes.undo_forget_s / 60:g}"
        counts = {"memories": found.memories, "characters": found.namespaces}
        told.append(words("limits_warning", **counts, minutes=minutes))
    if found.unreachable:
        told.append(words("limits_out_of_reach", count=found.unreachable))
    if not told:
        return ""
    if found.uncounted:
        told.append(words("limits_uncounted", count=found.uncounted))
    return " ".join([words["limits_unsaved"], *told, words["limits_again"]])


def removed_text(runtime: Runtime, namespace: Namespace | None, words: Words) -> str:
    """What these limits let go of one namespace since the program started."""
    counts = runtime.retention_worker.removed_counts(namespace) if namespace else {}
    if not counts:
        return ""
    reasons = ", ".join(f"{words[f'limits_{why}']}: {count}" for why, count in counts.items())
    return words("limits_went", count=sum(counts.values()), reasons=reasons)


def limits_text(runtime: Runtime, namespace: Namespace | None, words: Words) -> str:
    """The limits that are set, and what they let go."""
    if limits_from_settings(runtime.settings.retention) == RetentionLimits():
        return words["limits_none"]
    set_ = runtime.settings.retention.model_dump(exclude_none=True)
    limits = ", ".join(f"{name} {value:g}" for name, value in set_.items())
    return " · ".join(filter(None, (limits, removed_text(runtime, namespace, words))))
