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
from memory_core.storage.engine import postgres_engine
from memory_core.ui.cli.main import main
from tests.builders import open_memory, said
from tests.consolidation.servers import HeldUp
from tests.loopback import Asked, serve
from tests.programs import Program
from tests.scale.servers import wait_until
from tests.scale.test_serve import PROJECT

SPACES = [Namespace("ana", name) for name in ("mira", "nora", "kai")]
STORIES = 2  # of each character


def opened(dsn: str, folder: Path) -> LongTermMemory:
    engine = postgres_engine(dsn, folder / "memories", time_limit_s=10)
    return open_memory(folder, open_store=engine)


def tell_stories(dsn: str, folder: Path) -> None:
    memory = opened(dsn, folder)
    for number, space in enumerate(SPACES):
        for told in range(STORIES):
            text = f"This is my story number {STORIES * number + told}."
            memory.remember(space, "talk", said(text, "I see, tell me more."))
    memory.close()


def told_summaries(dsn: str, folder: Path) -> list[str]:
    memory = opened(dsn, folder)
    found = [one for space in SPACES for one in memory.latest(space, Page(limit=99))]
    memory.close()
    return sorted(one.text for one in found if one.kind is MemoryKind.SUMMARY)


@pytest.fixture
def settings(own_dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets what all machines have in common, but not the address of the model."""
    chosen = {
        "STORE__BACKEND": "postgres",
        "STORE__DSN": own_dsn,
        "EMBEDDER__KIND": "none",
        "LLM__MODEL": "storyteller",
        "CONSOLIDATION__WORKERS": "exchange_summary",
        "CONSOLIDATION__SUMMARY_MIN_LETTERS": "10",
        "CONSOLIDATION__AUDIT_LOG": "false",
    }
    for name, value in chosen.items():
        monkeypatch.setenv(f"LTM_{name}", value)


def words(folder: Path) -> list[str]:
    return ["consolidate", "--storage", str(folder)]


def begin(stack: ExitStack, folder: Path) -> subprocess.Popen[bytes]:
    """Starts `consolidate` on a machine of its own; it ends with the stack."""
    paths = os.pathsep.join([str(PROJECT), os.environ.get("PYTHONPATH", "")])
    program = Program(
        [sys.executable, "-m", "memory_core", *words(folder)],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.DEVNULL,
    )
    stack.callback(program.wait)
    stack.callback(program.kill)
    return program


def story_of(asked: Asked) -> str:
    return str(
        asked.body["messages"][-1]["content"].partition("story number ")[2].partition(".")[0]
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows kills in another way")
@pytest.mark.usefixtures("settings")
def test_each_job_is_done_once_though_one_machine_is_killed(
    own_dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell_stories(own_dsn, tmp_path / "first")
    held_up = HeldUp(at_once=1)
    with serve(held_up) as model, ExitStack() as stack:
        monkeypatch.setenv("LTM_LLM__BASE_URL", model.url)
        killed = begin(stack, tmp_path / "killed")
        wait_until(lambda: len(model.asked) == 2, "the second story was not asked about")
        killed.kill()
        killed.wait()
        other = begin(stack, tmp_path / "other")
        wait_until(lambda: len(model.asked) == 3, "another machine does not go on")
        held_up.release()
        assert main(words(tmp_path / "third")) == 0  # while the other one works
        assert other.wait() == 0
        all_but_one = [f"Ana told story {n}." for n in range(len(SPACES) * STORIES)]
        interrupted = all_but_one.pop(int(story_of(model.asked[1])))
        assert told_summaries(own_dsn, tmp_path / "first") == sorted(all_but_one)
        with psycopg.connect(own_dsn, autocommit=True) as connection:  # as if its time were over
            connection.execute("UPDATE ltm.jobs SET claimed_until = '-infinity'")
        assert main(words(tmp_path / "later")) == 0
        assert told_summaries(own_dsn, tmp_path / "first") == sorted([*all_but_one, interrupted])
        calls = Counter(map(story_of, model.asked))
        assert calls.pop(story_of(model.asked[1])) == 2
        assert set(calls.values()) == {1}
