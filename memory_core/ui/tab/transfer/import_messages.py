"""The progress and result of an import in the words of the tab."""

from collections.abc import Iterator, Sequence

from ....admin.importers.engine import ImportFailure, ImportProgress, ImportResult
from ....admin.importers.job import ImportPhase, ImportStatus
from ....admin.importers.survey import Survey
from ....text.locales import Words
from ..common.status import escaped, paragraph

_MINUTE, _HOUR = 60.0, 3600.0
_MAX_LISTED = 10


def status_html(status: ImportStatus, words: Words) -> str:
    """Returns the status as HTML, or an empty string before an import has started."""
    return "".join(_lines(status, words))


def _lines(status: ImportStatus, words: Words) -> Iterator[str]:
    if status.phase is ImportPhase.SURVEYING:
        yield paragraph(words("import_looking", **_counts(status.progress)))
    if status.survey:
        yield paragraph(_survey_text(status.survey, words))
        yield paragraph(_embedding_text(status.embedding_s, words))
    if status.phase is ImportPhase.IMPORTING:
        yield paragraph(_progress_text(status.progress, words))
    if status.result:
        yield paragraph(_result_text(status.result, words))
    if status.phase is ImportPhase.FAILED:
        yield paragraph(words("failed", reason=status.fault))
    last = status.result or status.survey
    if last and last.cancelled:
        yield paragraph(words["import_cancelled"])
    if last and not status.is_running:
        yield _failures_html(last.failures, words)


def _survey_text(found: Survey, words: Words) -> str:
    return words(
        "import_looked",
        exchanges=found.exchanges,
        chats=found.chats,
        spaces=len(found.namespaces),
        undated=found.undated,
        writing=duration_text(found.writing_s, words),
    )


def _embedding_text(seconds: float | None, words: Words) -> str:
    if seconds is None:
        return words["import_embedding_unknown"]
    return words("import_embedding", time=duration_text(seconds, words)) if seconds else ""


def _progress_text(progress: ImportProgress, words: Words) -> str:
    seconds = progress.remaining_s
    left = "" if seconds is None else words("import_left", time=duration_text(seconds, words))
    return words("import_importing", left=left, **_counts(progress))


def _counts(progress: ImportProgress) -> dict[str, int]:
    return {
        "exchanges": progress.exchanges,
        "chats": progress.chats,
        "of_exchanges": progress.total_exchanges,
        "of_chats": progress.total_chats,
    }


def _result_text(result: ImportResult, words: Words) -> str:
    return words(
        "import_done",
        time=duration_text(result.elapsed_s, words),
        added=result.added,
        changed=result.changed,
        removed=result.removed,
        known=result.exchanges - result.added - result.changed,
    )


def _failures_html(failures: Sequence[ImportFailure], words: Words) -> str:
    if not failures:
        return ""
    items = [failure.reason for failure in failures[:_MAX_LISTED]]
    if len(failures) > len(items):
        items.append(words("import_more", count=len(failures) - len(items)))
    listed = "".join(f"<li>{escaped(item)}</li>" for item in items)
    return paragraph(words("import_failures", count=len(failures))) + f"<ul>{listed}</ul>"


def duration_text(seconds: float, words: Words) -> str:
    if seconds < _MINUTE:
        return words("seconds", count=max(1, round(seconds)))
    if seconds < _HOUR:
        return words("minutes", count=round(seconds / _MINUTE))
    return words("hours", count=round(seconds / _HOUR, 1))
