"""An import in the words of the tab."""

from collections.abc import Iterator, Sequence

from ....admin.importers.engine import Failure, Progress, Result
from ....admin.importers.job import Phase, Status
from ....admin.importers.survey import Survey
from ....text.locales import Words
from ..common.status import escaped, line

_MINUTE, _HOUR = 60.0, 3600.0
_MOST_TOLD = 10


def told(status: Status, words: Words) -> str:
    """As HTML; empty before anything was begun."""
    return "".join(_lines(status, words))


def _lines(status: Status, words: Words) -> Iterator[str]:
    if status.phase is Phase.LOOKING:
        yield line(words("import_looking", **_counts(status.progress)))
    if status.survey:
        yield line(_looked(status.survey, words))
        yield line(_embedding(status.embedding_s, words))
    if status.phase is Phase.IMPORTING:
        yield line(_importing(status.progress, words))
    if status.result:
        yield line(_done(status.result, words))
    if status.phase is Phase.FAILED:
        yield line(words("failed", reason=status.fault))
    last = status.result or status.survey
    if last and last.cancelled:
        yield line(words["import_cancelled"])
    if last and not status.is_running:
        yield _failures(last.failures, words)


def _looked(found: Survey, words: Words) -> str:
    return words(
        "import_looked",
        exchanges=found.exchanges,
        chats=found.chats,
        spaces=len(found.namespaces),
        undated=found.undated,
        writing=duration(found.writing_s, words),
    )


def _embedding(seconds: float | None, words: Words) -> str:
    if seconds is None:
        return words["import_embedding_unknown"]
    return words("import_embedding", time=duration(seconds, words)) if seconds else ""


def _importing(progress: Progress, words: Words) -> str:
    seconds = progress.left_s
    left = "" if seconds is None else words("import_left", time=duration(seconds, words))
    return words("import_importing", left=left, **_counts(progress))


def _counts(progress: Progress) -> dict[str, int]:
    return {
        "exchanges": progress.exchanges,
        "chats": progress.chats,
        "of_exchanges": progress.of_exchanges,
        "of_chats": progress.of_chats,
    }


def _done(result: Result, words: Words) -> str:
    return words(
        "import_done",
        time=duration(result.elapsed_s, words),
        added=result.added,
        changed=result.changed,
        removed=result.removed,
        known=result.exchanges - result.added - result.changed,
    )


def _failures(failures: Sequence[Failure], words: Words) -> str:
    if not failures:
        return ""
    items = [it.reason for it in failures[:_MOST_TOLD]]
    if len(failures) > len(items):
        items.append(words("import_more", count=len(failures) - len(items)))
    listed = "".join(f"<li>{escaped(it)}</li>" for it in items)
    return line(words("import_failures", count=len(failures))) + f"<ul>{listed}</ul>"


def duration(seconds: float, words: Words) -> str:
    if seconds < _MINUTE:
        return words("seconds", count=max(1, round(seconds)))
    if seconds < _HOUR:
        return words("minutes", count=round(seconds / _MINUTE))
    return words("hours", count=round(seconds / _HOUR, 1))
