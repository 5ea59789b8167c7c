"""The row of Health about the language model's background work."""

import math

from ....consolidation.service import Consolidation
from ....consolidation.status import WorkPace, WorkStatus
from ....domain.errors import StorageError
from ....domain.namespaces import Namespace
from ....text.locales import Words
from ....text.problem_text import problem_text


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
    lines += [
        words("work_put_off", reason=problem_text(reason, words)) for reason in counts.reasons
    ]
    if usage.calls:
        lines.append(
            words(
                "work_usage",
                count=usage.calls,
                read=usage.prompt_tokens,
                written=usage.completion_tokens,
            )
        )
    return lines + _pace_lines(status.pace, words)


def _pace_lines(pace: WorkPace | None, words: Words) -> list[str]:
    """Returns lines on the time for the due jobs, and on a model that seems unfit for them."""
    if pace is None:
        return []
    lines = []
    if pace.s_left:
        minutes = math.ceil(pace.s_left / 60)
        lines.append(words("work_pace", seconds=math.ceil(pace.s_per_answer), count=minutes))
    if pace.is_unfit:
        lines.append(words("work_unfit", failures=pace.failures, count=pace.calls))
    return lines
