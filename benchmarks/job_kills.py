"""Kills the background work of a language model repeatedly, and checks that each job is done once.

python -m benchmarks.job_kills [--kills N] [--seed N] [--json]

A child remembers exchanges, queues their jobs and runs them with a scripted model: a summary and
three observations of each exchange. At a random moment it gets SIGKILL, and another child continues
with the same files. At the end each exchange that was acknowledged needs one summary and its three
observations (else `lost`) and nothing more (else `twice`). `repeated` counts the calls of the
model for jobs that had been reported as done.
"""

import argparse
import json
import multiprocessing
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from benchmarks.command import run
from benchmarks.job_kills_child import EXCHANGES, SPACE, derived_of, open_memory, work
from memory_core.storage.contract import DerivedFilter
from memory_core.storage.job_store import open_jobs

LONGEST_S = 1.2
PRELOADED = ("benchmarks.job_kills_child",)


@dataclass(slots=True)
class Seen:
    """The children's reports: acknowledged exchanges, and finished jobs."""

    acknowledged: set[int] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    repeated: int = 0
    steps: int = 0

    def take(self, report: tuple[str, str]) -> None:
        what, name = report
        if what == "stored":
            self.acknowledged.add(int(name))
        elif what == "asked":
            self.repeated += name in self.done
        else:
            self.steps += 1
            self.done.add(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = measure(options.kills, random.Random(options.seed))
    print(json.dumps(result) if options.json else result)


def measure(kills: int, chance: random.Random) -> dict[str, object]:
    began, seen = time.monotonic(), Seen()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(kills):
            run_child(Path(folder), seen, first=number * EXCHANGES, seconds=chance.random())
        run_child(Path(folder), seen, first=-1, seconds=None)
        counts = check(Path(folder), seen)
    return {
        "kills": kills,
        "exchanges": len(seen.acknowledged),
        "jobs": seen.steps,
        **counts,
        "repeated": seen.repeated,
        "seconds": round(time.monotonic() - began, 1),
    }


def run_child(folder: Path, seen: Seen, *, first: int, seconds: float | None) -> None:
    """Lets a child work for a share of LONGEST_S, or with None to its end."""
    child, pipe = start(folder, first)
    try:
        until = None if seconds is None else time.monotonic() + seconds * LONGEST_S
        for report in heard(pipe, until):
            seen.take(report)
        child.kill()
        for report in heard(pipe, None):
            seen.take(report)
    finally:
        child.kill()
        child.join()
        pipe.close()


def start(folder: Path, first: int) -> tuple[ForkServerProcess, Connection]:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(PRELOADED))
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=work, args=(folder, theirs, first))
    child.start()
    theirs.close()
    ours.recv()  # it has begun
    return child, ours


def heard(pipe: Connection, until: float | None) -> Iterator[tuple[str, str]]:
    """Yields the child's reports until this time, or until it has ended."""
    while until is None or time.monotonic() < until:
        try:
            if pipe.poll(None if until is None else max(0.0, until - time.monotonic())):
                yield pipe.recv()
        except (EOFError, OSError):
            return


def check(folder: Path, seen: Seen) -> dict[str, int]:
    """Counts missing memories, and those that exist more than once."""
    memory = open_memory(folder)
    with memory.open_namespace(SPACE) as opened, open_jobs(opened.folder) as jobs:
        counts = jobs.counts(time.time())
        made = opened.query_without_forgotten(
            lambda store: store.catalog.find_derived(DerivedFilter())
        )
    memory.close()
    found = Counter((one.kind, one.text) for one in made)
    wanted = [key for number in seen.acknowledged for key in derived_of(str(number))]
    return {
        "lost": sum(not found[key] for key in wanted),
        "twice": sum(count > 1 for count in found.values()),
        "left": counts.due + counts.waiting + counts.later + counts.resting,
    }


if __name__ == "__main__":
    run(main)
