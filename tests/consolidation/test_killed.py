"""Killed at any moment, background work loses no job and does none twice."""

import os
import sys
from pathlib import Path

import pytest

from tests import programs
from tests.builders import open_memory
from tests.consolidation.scenes import remember, summaries
from tests.stress import kills_of

PROJECT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows cannot fork")


def tell_stories(folder: Path, count: int) -> None:
    memory = open_memory(folder)
    for number in range(count):
        remember(memory, f"This is my story number {number}.")
    memory.close()


def kill(folder: Path, times: int, seed: int) -> None:
    command = [
        sys.executable,
        "-m",
        "tests.consolidation.kills",
        str(folder),
        str(times),
        str(seed),
    ]
    done = programs.run(command)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "times",
    [5, pytest.param(kills_of(200), marks=pytest.mark.slow)],
    ids=["few kills", "many kills"],
)
def test_killed_consolidation_loses_no_job_and_does_none_twice(tmp_path: Path, times: int) -> None:
    count = 10 * times
    tell_stories(tmp_path, count)
    kill(tmp_path, times, seed=times)
    memory = open_memory(tmp_path)
    made = summaries(memory)
    assert sorted(one.text for one in made) == sorted(f"Ana told story {n}." for n in range(count))
    assert len({one.sources for one in made}) == count
    memory.close()
