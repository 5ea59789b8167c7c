"""What limits would let go if they were saved, and what they let go so far, in words."""

import time
from collections.abc import Mapping

from ....config.schema import RetentionSettings
from ....domain.namespaces import Namespace
from ....memory.retention import Preview, preview
from ....memory.retention_policy import Quota, quota_of
from ....memory.runtime import Runtime
from ....text.locales import Words

_SECTION = "retention."


def objection(
    runtime: Runtime, changes: Mapping[str, object], warned: Mapping[str, object], words: Words
) -> str:
    """What has to be said before these changes are saved, unless it was said of the very same."""
    if changes == warned:
        return ""
    return warning(would_go(runtime, changes), runtime, words)


def would_go(runtime: Runtime, changes: Mapping[str, object]) -> Preview:
    """What is over the limits as they would be after these changes, where they change them."""
    new = {it.removeprefix(_SECTION): to for it, to in changes.items() if it.startswith(_SECTION)}
    if not new:
        return Preview()
    now = runtime.settings.retention.model_dump()
    quota = quota_of(RetentionSettings.model_validate(now | new))
    return preview(runtime.memory, quota, now=time.time())


def warning(found: Preview, runtime: Runtime, words: Words) -> str:
    """What the user has to know before; nothing where all is as one would think."""
    told = []
    if found.memories:
        minutes = f"{runtime.settings.ltm_writes.undo_forget_s / 60:g}"
        counts = {"memories": found.memories, "characters": found.namespaces}
        told.append(words("limits_warning", **counts, minutes=minutes))
    if found.out_of_reach:
        told.append(words("limits_out_of_reach", count=found.out_of_reach))
    if not told:
        return ""
    if found.uncounted:
        told.append(words("limits_uncounted", count=found.uncounted))
    return " ".join([words["limits_unsaved"], *told, words["limits_again"]])


def went(runtime: Runtime, namespace: Namespace | None, words: Words) -> str:
    """What these limits let go of one namespace since the program started."""
    counts = runtime.keeper.went(namespace) if namespace else {}
    if not counts:
        return ""
    reasons = ", ".join(f"{words[f'limits_{why}']}: {count}" for why, count in counts.items())
    return words("limits_went", count=sum(counts.values()), reasons=reasons)


def state(runtime: Runtime, namespace: Namespace | None, words: Words) -> str:
    """The limits that are set, and what they let go."""
    if quota_of(runtime.settings.retention) == Quota():
        return words["limits_none"]
    set_ = runtime.settings.retention.model_dump(exclude_none=True)
    limits = ", ".join(f"{name} {value:g}" for name, value in set_.items())
    return " · ".join(filter(None, (limits, went(runtime, namespace, words))))
