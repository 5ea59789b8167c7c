"""A memory with exchanges, a scripted model, and a runner over both."""

import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from memory_core.config.consolidation_settings import ConsolidationSettings
from memory_core.consolidation.audit_log import AuditLog
from memory_core.consolidation.contract import Worker
from memory_core.consolidation.exchange_summary import ExchangeSummaries
from memory_core.consolidation.job_model import JobOptions
from memory_core.consolidation.runner import Runner, Step
from memory_core.domain.records import Memory, MemoryKind, Turn
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.llm.fake import Reply, ScriptedLLM
from memory_core.providers.llm.in_background import ForegroundModelInBackground
from memory_core.storage.contract import Page
from memory_core.storage.job_store import JobCounts, open_jobs
from tests.builders import SPACE, Clock, opened_namespace, said

NEVER = threading.Event()
SETTINGS = ConsolidationSettings(summary_min_letters=10)
WORKER = ExchangeSummaries.name
Script = Callable[[Sequence[Turn]], Reply]


def summary(text: object) -> str:
    return json.dumps({"summary": text}, ensure_ascii=False)


def make_runner(
    memory: LongTermMemory,
    llm: ScriptedLLM,
    *,
    workers: Sequence[Worker] | None = None,
    audit: AuditLog | None = None,
    clock: Clock | None = None,
) -> Runner:
    options = JobOptions(max_tokens=200, temperature=0.0, timeout_s=5.0, max_attempts=3)
    return Runner(
        memory,
        workers or [ExchangeSummaries(settings=SETTINGS)],
        ForegroundModelInBackground(llm),
        options=options,
        audit=audit,
        clock=clock or Clock(),
    )


def run_all(runner: Runner) -> list[Step]:
    """Scans and runs all due jobs; returns the outcomes."""
    runner.scan(SPACE, NEVER)
    steps: list[Step] = []
    while (step := runner.step(SPACE, NEVER)) is not Step.NOTHING_DUE:
        steps.append(step)
        assert len(steps) < 10_000
    return steps


def remember(memory: LongTermMemory, text: str, answer: str = "I see, tell me more.") -> str:
    return memory.remember(SPACE, "talk", said(text, answer))


def summaries(memory: LongTermMemory) -> list[Memory]:
    found = memory.latest(SPACE, Page(limit=10_000))
    return [one for one in found if one.kind is MemoryKind.SUMMARY]


def texts(memory: LongTermMemory) -> set[str]:
    return {one.text for one in summaries(memory)}


def folder(memory: LongTermMemory) -> Path:
    return opened_namespace(memory, SPACE).folder


def counts(memory: LongTermMemory, now: float) -> JobCounts:
    with open_jobs(folder(memory)) as jobs:
        return jobs.counts(now, [WORKER])
