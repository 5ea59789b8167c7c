"""Runs a job that a person waits for, without the queue and without waiting for a quiet moment."""

from collections.abc import Sequence

from ..domain.errors import LLMUnavailable
from ..domain.namespaces import Namespace
from ..infra.deadlines import NEVER, Interrupt
from ..memory.runtime import Runtime
from .assembly import build_audit_log, job_model_options
from .contract import Result, Task, Worker
from .job_model import AuditedJobModel
from .runner import results_of


def run_in_foreground(
    runtime: Runtime, namespace: Namespace, worker: Worker, task: Task, interrupt: Interrupt = NEVER
) -> Sequence[Result]:
    """Returns the results of a job. Raises LLMUnavailable, also without a model, and BadAnswer."""
    settings, background = runtime.settings, runtime.models.background
    if background is None:
        raise LLMUnavailable("no language model is configured (llm.base_url)")
    model = AuditedJobModel(
        worker.name,
        task,
        model=background,
        options=job_model_options(settings),
        interrupt=interrupt,
        audit=build_audit_log(runtime.installation, settings),
    )
    try:
        return results_of(worker, task, model)
    finally:
        memory = runtime.memory
        with memory.shared.open_jobs(memory.folder_of(namespace)) as jobs:
            jobs.add_usage(worker.name, model.usage)
