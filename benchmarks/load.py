"""Measures many threads and namespaces at once, as on a server with many users.

    python benchmarks/load.py --threads 8 --namespaces 100 [--seconds 10] [--touch 10000] [--json]
    python benchmarks/load.py --turns 66 [--seconds 60] [--json]

Every thread alternately appends and recalls in a random namespace, while another thread embeds: all
of them in one namespace, and in --namespaces, in turns of two seconds, because a machine's speed
changes. Then each of --touch namespaces is written to once, to check that handles and memory stay
bounded. Last, a sync and an opening of a namespace are made to hang, to check that others do not
wait.

With --json the last line is one object: "threads", "namespaces", "one" and "many" (operations per
second, milliseconds), "throughput_ratio" (many to one: at least 1 is wanted), "touched",
"open_files", "rss_anon_mb" (added by touching), "others_ms_max" (the slowest append or recall
elsewhere during a hanging sync and a hanging opening, which last a second each).

With --turns it takes so many whole turns a second instead, through the host's hooks, with the
writer and the deriver behind them (load_of_turns.py): "turns_per_s" as far as the machine got,
"prompt_ms_p99", "command_ms_p99", "lost" (told as given up) and "missing" (after a restart): 0.
"""

import argparse
import json
import os
import queue
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.command import run
from benchmarks.load_of_turns import chatted
from benchmarks.store_talk import Opened, Said, Talk, asked, derive_all
from benchmarks.timing import load, open_files, percentile, rss_anon_mb, timed
from memory_core.domain.namespaces import Namespace
from memory_core.infra import durable_files
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.index.local import LocalStore

_FILLED = 100  # exchanges in each namespace before
_ROUND_S = 2.0
_HANGS_S = 1.0
_ELSEWHERE = 20


def spaces(count: int) -> list[Namespace]:
    return [Namespace(f"user {number}", "Mira") for number in range(count)]


@dataclass(slots=True)
class Done:
    """The durations of one thread's operations, in milliseconds."""

    appends: list[float] = field(default_factory=list)
    recalls: list[float] = field(default_factory=list)


class Crowd:
    """Threads that alternately append and recall in random namespaces."""

    def __init__(
        self,
        memory: LongTermMemory,
        among: Sequence[Namespace],
        said: Sequence[Said],
        *,
        threads: int,
    ) -> None:
        self._memory = memory
        self._among = among
        self._said = said
        self._stop = threading.Event()
        self._written: queue.SimpleQueue[Namespace] = queue.SimpleQueue()
        self._faults: list[BaseException] = []
        self._done = [Done() for _ in range(threads)]
        self._seconds = 0.0

    def run(self, seconds: float) -> None:
        self._stop.clear()
        jobs: list[Callable[[], None]] = [
            lambda number=number, done=done: self._chat(number, done)
            for number, done in enumerate(self._done)
        ]
        running = [
            threading.Thread(target=self._guarded, args=(job,)) for job in (*jobs, self._derive)
        ]
        started = time.perf_counter()
        for thread in running:
            thread.start()
        self._stop.wait(seconds)
        self._stop.set()
        for thread in running:
            thread.join()
        if self._faults:
            raise self._faults[0]
        self._seconds += time.perf_counter() - started

    def rates(self) -> dict[str, float]:
        return _rates(self._done, self._seconds)

    def _guarded(self, job: Callable[[], None]) -> None:
        try:
            job()
        except BaseException as exc:  # noqa: BLE001  (reported by run())
            self._faults.append(exc)
            self._stop.set()

    def _chat(self, number: int, done: Done) -> None:
        rng, memory = random.Random(f"{number} {len(done.appends)}"), self._memory
        conversation = f"thread {number}"
        while not self._stop.is_set():
            space, said = rng.choice(self._among), rng.choice(self._said)
            query = asked(said.question)
            done.appends.append(timed(memory.remember, space, conversation, said.exchange))
            self._written.put(space)
            done.recalls.append(timed(memory.recall, space, query))

    def _derive(self) -> None:
        """Embeds the namespaces that were written to, as the product does."""
        while not self._stop.is_set():
            with suppress(queue.Empty):
                self._memory.derive_pending(self._written.get(timeout=0.05))


def _rates(done: Sequence[Done], seconds: float) -> dict[str, float]:
    appends = [append for one in done for append in one.appends]
    recalls = [recall for one in done for recall in one.recalls]
    return {
        "operations_per_s": round((len(appends) + len(recalls)) / seconds, 1),
        "appends_per_s": round(len(appends) / seconds, 1),
        "recalls_per_s": round(len(recalls) / seconds, 1),
        "append_ms_p50": round(percentile(appends, 50), 2),
        "append_ms_p99": round(percentile(appends, 99), 2),
        "recall_ms_p50": round(percentile(recalls, 50), 2),
        "recall_ms_p99": round(percentile(recalls, 99), 2),
    }


def crowded(
    folder: Path, counts: Mapping[str, int], *, threads: int, seconds: float
) -> dict[str, dict[str, float]]:
    """Runs a crowd in each number of namespaces, which have equally many memories; the crowds
    alternate until each has run for `seconds`.
    """
    opened = {name: Opened(folder / name, clustered=True) for name in counts}
    said = list(Talk().conversation(max(counts.values()), 500))
    crowds = {
        name: Crowd(opened[name].memory, _filled(opened[name].memory, count), said, threads=threads)
        for name, count in counts.items()
    }
    for crowd in chain.from_iterable([crowds.values()] * max(1, round(seconds / _ROUND_S))):
        crowd.run(min(seconds, _ROUND_S))
    for storage in opened.values():
        storage.memory.close()
    return {name: crowd.rates() for name, crowd in crowds.items()}


def _filled(memory: LongTermMemory, count: int) -> list[Namespace]:
    among = spaces(count)
    for number, space in enumerate(among):
        talk = [entry.exchange for entry in Talk().conversation(number, _FILLED)]
        memory.reconcile(space, "before", talk, whole=True)
        derive_all(memory, space)
        memory.recall(space, asked("What is read once shall not be counted."))
    return among


def touched(folder: Path, count: int) -> dict[str, Any]:
    """Writes to each namespace and recalls from it once."""
    opened = Opened(folder, clustered=True)
    said = list(Talk().conversation(0))
    before, files, took = rss_anon_mb(), list[int](), list[float]()
    for number, space in enumerate(spaces(count)):
        it = said[number % len(said)]
        took.append(timed(_touch, opened.memory, space, it))
        files.append(open_files() or 0)
    after = rss_anon_mb()
    opened.memory.close()
    return {
        "touched": count,
        "touch_ms_p50": round(percentile(took, 50), 2),
        "open_files": max(files),
        "rss_anon_mb": None if before is None or after is None else round(after - before, 1),
    }


def _touch(memory: LongTermMemory, space: Namespace, said: Said) -> None:
    memory.remember(space, "talk", said.exchange)
    memory.recall(space, asked(said.question))


def hanging(folder: Path) -> dict[str, float]:
    """Returns the slowest operation elsewhere while one namespace syncs slowly, or opens."""
    slow, *others = spaces(4)
    opened = Opened(folder, clustered=True)
    said = list(Talk().conversation(0, _ELSEWHERE))
    for space in (slow, *others):
        _touch(opened.memory, space, said[0])
    with _slow_sync(slow.folder(opened.memory.root)) as hangs:
        at_sync = _elsewhere(opened.memory, slow, others, said, hangs)
    opened.memory.close()
    again = Opened(folder, clustered=True)
    for space in others:
        _touch(again.memory, space, said[0])
    with _slow_opening(again, slow.folder(again.memory.root)) as hangs:
        at_opening = _elsewhere(again.memory, slow, others, said, hangs)
    again.memory.close()
    return {"sync": round(at_sync, 2), "opening": round(at_opening, 2)}


def _elsewhere(
    memory: LongTermMemory,
    slow: Namespace,
    others: Sequence[Namespace],
    said: Sequence[Said],
    hangs: threading.Event,
) -> float:
    thread = threading.Thread(target=memory.remember, args=(slow, "talk", said[0].exchange))
    thread.start()
    assert hangs.wait(10.0), "nothing hangs"
    found = []
    for talk in said:
        for space in others:
            found.append(timed(memory.remember, space, "talk", talk.exchange))
            found.append(timed(memory.recall, space, asked(talk.question)))
    thread.join()
    return max(found)


@contextmanager
def _slow_sync(folder: Path) -> Iterator[threading.Event]:
    """Makes the disk take a second for each sync in this folder."""
    real, hangs = durable_files.sync, threading.Event()

    def slowly(fd: int, **told: Any) -> None:  # noqa: ANN401
        if Path(os.readlink(f"/proc/self/fd/{fd}")).is_relative_to(folder.resolve()):
            hangs.set()
            time.sleep(_HANGS_S)
        real(fd, **told)

    durable_files.sync = slowly
    try:
        yield hangs
    finally:
        durable_files.sync = real


@contextmanager
def _slow_opening(opened: Opened, folder: Path) -> Iterator[threading.Event]:
    hangs = threading.Event()

    def slowly(index: Path) -> LocalStore:
        if index.is_relative_to(folder):
            hangs.set()
            time.sleep(_HANGS_S)
        return LocalStore(index)

    opened.opening = slowly
    yield hangs


def measured(folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    counts = {"one": 1, "many": given.namespaces}
    runs = crowded(folder, counts, threads=given.threads, seconds=given.seconds)
    ratio = runs["many"]["operations_per_s"] / runs["one"]["operations_per_s"]
    return {
        "threads": given.threads,
        "namespaces": given.namespaces,
        **runs,
        "throughput_ratio": round(ratio, 3),
        **touched(folder / "touched", given.touch),
        "others_ms_max": hanging(folder / "hanging"),
        "load": load(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--namespaces", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=10.0, help="for each of the two runs")
    parser.add_argument("--turns", type=float, default=0.0, help="whole turns a second instead")
    parser.add_argument("--touch", type=int, default=1000, help="namespaces written to once")
    parser.add_argument("--json", action="store_true", help="one object on the last line")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = (
            chatted(Path(folder), per_second=given.turns, seconds=given.seconds)
            if given.turns
            else measured(Path(folder), given)
        )
    if given.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:20} {value}")


if __name__ == "__main__":
    run(main)
