"""Builds a runner from the settings, for the running program and for the command line."""

from collections.abc import Callable
from pathlib import Path

from ..config.schema import Settings
from ..domain.errors import ConfigError
from ..memory.factories import Models
from ..memory.installation import Installation
from ..memory.long_term_memory import LongTermMemory
from .audit_log import AuditLog
from .job_model import JobModelOptions
from .registry import build_workers
from .runner import Runner, RunnerOptions

_LOGS = "logs"


def build_runner(
    memory: LongTermMemory,
    settings: Settings,
    models: Models,
    *,
    audit: AuditLog | None,
    clock: Callable[[], float],
) -> Runner:
    """Returns a runner with the workers of the settings. Raises ConfigError."""
    if models.background is None:
        message = "no language model is configured for background work: set llm.base_url"
        raise ConfigError(message, key="llm.base_url")
    asking = job_model_options(settings)
    options = RunnerOptions(asking=asking, max_attempts=settings.consolidation.max_attempts)
    workers = build_workers(settings, models.prompts)
    return Runner(memory, workers, models.background, options=options, audit=audit, clock=clock)


def job_model_options(settings: Settings) -> JobModelOptions:
    return JobModelOptions(
        max_tokens=settings.consolidation.max_tokens,
        temperature=settings.consolidation.temperature,
        timeout_s=settings.llm.background_timeout_s,
    )


def build_audit_log(home: Installation, settings: Settings) -> AuditLog | None:
    """Returns the log of model calls; None if it is switched off."""
    if not settings.consolidation.audit_log:
        return None
    return AuditLog(audit_folder(home), keeps_texts=settings.consolidation.audit_texts)


def audit_folder(home: Installation) -> Path:
    return home.folder / home.data_folder / _LOGS
