"""The process to be killed: it remembers exchanges, runs their jobs, and reports both."""

import json
import re
import time
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event

from memory_core import bootstrap
from memory_core.config.consolidation_settings import ConsolidationSettings
from memory_core.config.schema import Settings
from memory_core.consolidation.exchange_summary import ExchangeSummaries
from memory_core.consolidation.job_model import JobOptions
from memory_core.consolidation.observations import Observations
from memory_core.consolidation.runner import Runner, Step
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, MemoryKind, Turn
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.providers.llm.in_background import ForegroundModelInBackground
from memory_core.storage.index.local import LocalStore

SPACE = Namespace("ana", "mira")
SETTINGS = ConsolidationSettings(summary_min_letters=10)
EXCHANGES = 4  # said in each round, before the jobs
FACTS = ("grows", "blooms in spring", "stands in the garden")
NEVER = Event()
_NUMBER = re.compile(r"tree (\d+)")


def work(folder: Path, pipe: Connection, first: int) -> None:
    """Remembers some exchanges unless `first` is negative, then runs all jobs."""
    pipe.send(("begun", ""))
    memory = open_memory(folder)
    for number in range(first, first + EXCHANGES) if first >= 0 else ():
        said = Exchange(user=f"We planted tree {number} in the garden.", assistant="How nice!")
        memory.remember(SPACE, "talk", said)
        pipe.send(("stored", str(number)))
    model = Model(pipe)
    runner = make_runner(memory, model)
    runner.scan(SPACE, NEVER)
    while (step := runner.step(SPACE, NEVER)) is not Step.NOTHING_DUE:
        if step is Step.DONE:
            pipe.send(("done", model.last_job))
    memory.close()


class Model:
    """Answers at once, after reporting the job for which it was asked."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self.last_job = ""

    def answer(self, turns: Sequence[Turn]) -> str:
        number = _NUMBER.findall(turns[-1].text)[-1]
        is_summary = "facts" not in turns[0].text
        self.last_job = f"{'summary' if is_summary else 'facts'} {number}"
        self._pipe.send(("asked", self.last_job))
        return summary_of(number) if is_summary else facts_of(number)


def make_runner(memory: LongTermMemory, model: Model) -> Runner:
    options = JobOptions(max_tokens=200, temperature=0.0, timeout_s=5.0, max_attempts=3)
    return Runner(
        memory,
        [ExchangeSummaries(settings=SETTINGS), Observations(settings=SETTINGS)],
        ForegroundModelInBackground(ScriptedLLM(model.answer)),
        options=options,
        audit=None,
        clock=time.time,
    )


def summary_of(number: str) -> str:
    return json.dumps({"summary": f"They planted tree {number}."})


def facts_of(number: str) -> str:
    common = {"about": "user", "value": "", "status": "fact", "when": ""}
    facts = [
        {"text": f"The tree {number} {fact}.", "key": f"tree {fact}", **common} for fact in FACTS
    ]
    return json.dumps({"facts": facts})


def open_memory(folder: Path) -> LongTermMemory:
    settings = Settings()
    return LongTermMemory(
        folder,
        open_store=LocalStore,
        embedder=None,
        pipeline=bootstrap.build_pipeline(settings, None),
        limits=bootstrap.build_limits(settings),
    )


def derived_of(number: str) -> Iterator[tuple[MemoryKind, str]]:
    """Yields the kind and text of each memory that the jobs of an exchange make."""
    yield MemoryKind.SUMMARY, json.loads(summary_of(number))["summary"]
    for fact in json.loads(facts_of(number))["facts"]:
        yield MemoryKind.OBSERVATION, fact["text"]
