"""Builds a runner from the settings, and runs single jobs for a person who waits for them."""

from collections.abc import Callable, Sequence

from ..config.schema import Settings
from ..domain.errors import ConfigError, LLMUnavailable
from ..domain.namespaces import Namespace
from ..infra.deadlines import Interrupt
from ..memory.factories import Models
from ..memory.installation import Installation
from ..memory.long_term_memory import LongTermMemory
from ..memory.runtime import Runtime
from .audit_log import AuditLog
from .contract import Result, Task, Worker
from .job_model import AuditedJobModel, JobOptions
from .registry import build_workers
from .runner import Runner, results_of

_LOGS = "logs"


def build_runner(
    memory: LongTermMemory,
    settings: Settings,
    models: Models,
    *,
    home: Installation,
    clock: Callable[[], float],
) -> Runner:
    """Returns a runner with the workers of the settings. Raises ConfigError."""
    if models.background is None:
        message = "no language model is configured for background work: set llm.base_url"
        raise ConfigError(message, key="llm.base_url")
    return Runner(
        memory,
        build_workers(settings, models.prompts),
        models.background,
        options=_job_options(settings),
        audit=_audit_log(home, settings),
        clock=clock,
    )


def run_in_foreground(
    runtime: Runtime, namespace: Namespace, worker: Worker, task: Task, interrupt: Interrupt
) -> Sequence[Result]:
    """Returns the results of a job, which waits neither in the queue nor for a quiet moment.

    Raises LLMUnavailable, also without a model, and BadAnswer.
    """
    settings, background = runtime.settings, runtime.models.background
    if background is None:
        raise LLMUnavailable("no language model is configured (llm.base_url)")
    model = AuditedJobModel(
        worker.name,
        task,
        model=background,
        options=_job_options(settings),
        interrupt=interrupt,
        audit=_audit_log(runtime.installation, settings),
    )
    try:
        return results_of(worker, task, model)
    finally:
        memory = runtime.memory
        with memory.shared.open_jobs(memory.folder_of(namespace)) as jobs:
            jobs.add_usage(worker.name, model.usage)


def _job_options(settings: Settings) -> JobOptions:
    return JobOptions(
        max_tokens=settings.consolidation.max_tokens,
        temperature=settings.consolidation.temperature,
        timeout_s=settings.llm.background_timeout_s,
        max_attempts=settings.consolidation.max_attempts,
    )


def _audit_log(home: Installation, settings: Settings) -> AuditLog | None:
    """Returns the log of model calls; None if it is switched off."""
    if not settings.consolidation.audit_log:
        return None
    folder = home.folder / home.data_folder / _LOGS
    return AuditLog(folder, keeps_texts=settings.consolidation.audit_texts)
