"""Programs on several machines share the language model's jobs; one of them is killed."""

import os
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.contract import Page
from memory_core.storage.postgres.opening import postgres_engine
from tests.builders import open_memory, said
from tests.consolidation.servers import HeldUp
from tests.loopback import Asked, Loopback, serve
from tests.scale.servers import wait_until
from tests.scale.test_serve import PROJECT

SPACES = [Namespace("ana", name) for name in ("mira", "nora", "kai")]
STORIES = 2  # of each character
MACHINES = 2


def opened(dsn: str, folder: Path) -> LongTermMemory:
    engine = postgres_engine(dsn, folder / "memories", time_limit_s=10)
    return open_memory(folder, open_store=engine)


def tell_stories(dsn: str, folder: Path) -> None:
    memory = open_memory(
        folder, open_store=postgres_engine(dsn, folder / "memories", time_limit_s=10)
    )
    for number, space in enumerate(SPACES):
        for told in range(STORIES):
            text = f"This is my story number {STORIES * number + told}."
            memory.remember(space, "talk", said(text, "I see, tell me more."))
    memory.close()


def told_summaries(dsn: str, folder: Path) -> list[str]:
    memory = open_memory(
        folder, open_store=postgres_engine(dsn, folder / "memories", time_limit_s=10)
    )
    found = [one for space in SPACES for one in memory.latest(space, Page(limit=99))]
    memory.close()
    return sorted(one.text for one in found if one.kind is MemoryKind.SUMMARY)


def begin(stack: ExitStack, folder: Path, dsn: str, model: Loopback) -> subprocess.Popen[bytes]:
    """Starts `consolidate` on a machine of its own; it ends with the stack."""
    environ = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(PROJECT), os.environ.get("PYTHONPATH", "")]),
        "LTM_STORE__BACKEND": "postgres",
        "LTM_STORE__DSN": dsn,
        "LTM_EMBEDDER__KIND": "none",
        "LTM_LLM__BASE_URL": model.url,
        "LTM_LLM__MODEL": "storyteller",
        "LTM_CONSOLIDATION__WORKERS": "exchange_summary",
        "LTM_CONSOLIDATION__SUMMARY_MIN_LETTERS": "10",
        "LTM_CONSOLIDATION__AUDIT_LOG": "false",
    }
    command = [sys.executable, "-m", "memory_core", "consolidate", "--storage", str(folder)]
    program = subprocess.Popen(command, cwd=PROJECT, env=environ, stdout=subprocess.DEVNULL)
    stack.callback(program.wait)
    stack.callback(program.kill)
    return program


def story_of(asked: Asked) -> str:
    return str(
        asked.body["messages"][-1]["content"].partition("story number ")[2].partition(".")[0]
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows kills in another way")
def test_each_job_is_done_once_though_one_machine_is_killed(own_dsn: str, tmp_path: Path) -> None:
    tell_stories(own_dsn, tmp_path / "first")
    held_up = HeldUp(at_once=1)
    with serve(held_up) as model, ExitStack() as stack:
        killed = begin(stack, tmp_path / "killed", own_dsn, model)
        wait_until(lambda: len(model.asked) == 2, "the second story was not asked about")
        others = [begin(stack, tmp_path / f"machine-{n}", own_dsn, model) for n in range(MACHINES)]
        killed.kill()
        killed.wait()
        held_up.release()
        assert [one.wait() for one in others] == [0] * MACHINES
        all_but_one = [f"Ana told story {n}." for n in range(len(SPACES) * STORIES)]
        interrupted = all_but_one.pop(int(story_of(model.asked[1])))
        assert told_summaries(own_dsn, tmp_path / "first") == sorted(all_but_one)
        with psycopg.connect(own_dsn, autocommit=True) as connection:  # as if its time were over
            connection.execute("UPDATE ltm.jobs SET claimed_until = '-infinity'")
        assert begin(stack, tmp_path / "later", own_dsn, model).wait() == 0
        assert told_summaries(own_dsn, tmp_path / "first") == sorted([*all_but_one, interrupted])
        calls = Counter(map(story_of, model.asked))
        assert calls.pop(story_of(model.asked[1])) == 2
        assert set(calls.values()) == {1}
