"""Runs a job once: reports trouble with storage for another try, and reports a bug of our own."""

from typing import Protocol

from ..domain.errors import OutsideServiceError, StorageError
from .retry_queue import Job, Outcome


class Reporter(Protocol):
    """Shows what is wrong until it is over."""

    def report(self, part: str, problem: str) -> None: ...

    def clear(self, part: str) -> None: ...

    def report_bug(self, what: str, exc: Exception) -> None: ...


def attempt(job: Job, part: str, reporter: Reporter) -> Outcome:
    """Runs the job. `part` says whose it is, and so does the report where it fails."""
    try:
        job()
    except (StorageError, OutsideServiceError) as exc:
        reporter.report(part, f"not remembered yet: {exc}")
        return Outcome.REFUSED
    except OSError as exc:  # a disk or a share in trouble, whichever call met it
        reporter.report(part, f"not remembered yet: {_told_by_system(exc, part)}")
        return Outcome.REFUSED
    except Exception as exc:  # noqa: BLE001  (a bug in one job must not end all writing)
        reporter.report_bug("a background job failed", exc)
        return Outcome.FAULTY
    reporter.clear(part)
    return Outcome.DONE


def _told_by_system(exc: OSError, part: str) -> str:
    """Returns the file at fault, or else the part of the work, and the reason."""
    return f"{exc.filename or part}: {exc.strerror or type(exc).__name__}"
