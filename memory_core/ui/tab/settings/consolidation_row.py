"""The row of Health about the language model's background work."""

from ....consolidation.service import Consolidation
from ....consolidation.status import WorkStatus
from ....domain.errors import StorageError
from ....domain.namespaces import Namespace
from ....text.locales import Words


def consolidation_text(work: Consolidation, namespace: Namespace | None, words: Words) -> str:
    """Returns the state of the work, with the queue of the namespace that is shown."""
    state = words[f"work_{work.state()}"]
    if namespace is None:
        return state
    try:
        return "\n".join([state, *_lines(work.status(namespace), words)])
    except StorageError as exc:
        return f"{state}\n{exc}"


def _lines(status: WorkStatus, words: Words) -> list[str]:
    counts, usage = status.counts, status.usage
    lines = []
    if counts.due or counts.later or counts.resting:
        put_off = counts.later + counts.resting
        lines.append(words("work_jobs", due=counts.due, put_off=put_off))
    lines += [words("work_put_off", reason=reason) for reason in counts.reasons]
    if usage.calls:
        lines.append(
            words(
                "work_usage",
                count=usage.calls,
                read=usage.prompt_tokens,
                written=usage.completion_tokens,
            )
        )
    return lines
