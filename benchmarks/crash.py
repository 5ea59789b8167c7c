"""kill -9 at random in a mixed workload: acknowledged writes last, erased text is gone.

    python benchmarks/crash.py --kills 1000 [--seed 1] [--json] [--keep DIR]
    python benchmarks/crash.py --administrative --kills 1000 [--seed 1] [--json] [--keep DIR]
    python benchmarks/crash.py --io-errors [--step 1] [--json] [--keep DIR]

A child appends, follows an edited chat, revises, forgets, erases, embeds, changes the model,
compacts, merges and rebuilds the index, backs up and exports, in two namespaces; every second child
also derives in another thread. It gets commands, answers once they are acknowledged, and is killed
in the middle of one. The next child opens the same folder, reports all its content, runs the doctor
and continues. On Linux children are forked from a parent that has imported everything.

With --json the last line is one object: "kills", "acknowledged" operations, "lost" memories,
"corrupt" ones (with another text, restored though forgotten, twice; words left after erasing;
findings of the doctor), "failed_opens", "seconds", "phases" (kills by running operation; "idle":
it had just ended).

--administrative kills restoring, merging, renaming, destroying, rebuilding, importing and a change
of the model beside a host that chats on (admin_crash.py). There "kills" and "phases" count only
those that hit an operation while it ran, each of the seven equally often.

--io-errors makes every file call of every operation fail once (io_errors.py): "calls" that failed,
by operation in "operations"; "raw" counts errors that are none of the package's own. A call costs
about 0.1 s of one processor, and as many run at once as there are processors.
"""

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.admin_crash import AdminCrashes
from benchmarks.command import run
from benchmarks.crash_child import Child, KillCounts
from benchmarks.crash_model import Model
from benchmarks.io_acts import ACTS
from benchmarks.io_errors import Sweep
from memory_core.recall.query import warm_up

KILLS_EACH = 25  # in one folder; then another one begins
BETWEEN = (2, 12)  # operations before the one that is not survived
PATIENCE_S = 120.0
AT_OPENING = 1 / 12
HALF = 0.5  # of all children also derive in a second thread


class Crashes(KillCounts):
    """Kills children until it has enough, and counts losses and faults."""

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__()
        self._folder = folder
        self._rng = random.Random(seed)
        self._took: dict[str, list[float]] = defaultdict(list)

    def run(self, kills: int) -> None:
        done = 0
        while done < kills:
            count = min(KILLS_EACH, kills - done)
            self._one_folder(self._folder / f"storage-{done}", count)
            done += count

    def _one_folder(self, root: Path, kills: int) -> None:
        model = Model(self._rng)
        for _ in range(kills):
            child = Child(root)
            try:
                if self._survives_opening(child, model) and self._opens(child, model, root):
                    self._work(child, model)
            finally:
                child.end()
        child = Child(root)
        try:
            self._opens(child, model, root)
        finally:
            child.end()

    def _survives_opening(self, child: Child, model: Model) -> bool:
        if not model.is_used or self._rng.random() > AT_OPENING:
            return True
        self._kill_within(child, {"op": "look", "derives": False})
        return False

    def _opens(self, child: Child, model: Model, root: Path) -> bool:
        """Opens the storage and checks its content; returns whether it opened."""
        started = time.perf_counter()
        look = {"op": "look", "derives": self._rng.random() < HALF}
        seen = child.ask(look, PATIENCE_S)
        self._took["look"].append(time.perf_counter() - started)
        if seen is None or "error" in seen:
            self.failed_opens += 1
            self.told.append(f"{root.name} did not open: {seen}")
            return False
        lost, corrupt = model.compare(seen)
        corrupt += model.left_words(root)
        corrupt += [f"doctor: {it}" for it in seen["doctor"]]
        self.lost += len(lost)
        self.corrupt += len(corrupt)
        self.told += [f"{root.name}: {it}" for it in (*lost, *corrupt)]
        return True

    def _work(self, child: Child, model: Model) -> None:
        for _ in range(self._rng.randint(*BETWEEN)):
            if not self._acknowledged(child, model, model.next_op()):
                return
        op = model.next_op(self._rng.choice(model.KINDS))
        settle = model.begin(op)
        if self._kill_within(child, op):
            settle()
            self.acknowledged += 1

    def _acknowledged(self, child: Child, model: Model, op: dict[str, Any]) -> bool:
        settle: Callable[[], None] = model.begin(op)
        started = time.perf_counter()
        answer = child.ask(op, PATIENCE_S)
        if answer is None or "error" in answer:
            self.corrupt += 1
            self.told.append(f"{op['op']} failed: {answer}")
            return False
        self._took[op["op"]].append(time.perf_counter() - started)
        settle()
        model.learn(op, answer)
        self.acknowledged += 1
        return True

    def _kill_within(self, child: Child, op: dict[str, Any]) -> bool:
        """Kills the child during an operation; returns whether it was acknowledged anyway."""
        usual = statistics.median(self._took[op["op"]][-99:] or [0.02])
        child.tell(op)
        time.sleep(self._rng.uniform(0, 1.2 * usual))
        answer = child.kill()
        self.phases["idle" if answer else "open" if op["op"] == "look" else op["op"]] += 1
        return answer is not None and "error" not in answer


def main() -> None:
    args = _parsed()
    began = time.monotonic()
    warm_up()
    with tempfile.TemporaryDirectory(dir=_folder_in_memory() if args.io_errors else None) as folder:
        found, faults = _run(args, args.keep or Path(folder))
    found["seconds"] = round(time.monotonic() - began, 1)
    for problem in faults[:50]:
        print(problem)
    for name, value in found.items():
        print(f"{name:14} {value}")
    if args.json:
        print(json.dumps(found))


def _folder_in_memory() -> Path | None:
    """Returns a folder that needs no disk: errors are injected above it, and syncs cost nothing."""
    shared = Path("/dev/shm")  # noqa: S108
    return shared if shared.is_dir() and os.access(shared, os.W_OK) else None


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--administrative", action="store_true", help="kill what the tab offers")
    mode.add_argument("--io-errors", action="store_true", help="fail each file call once")
    parser.add_argument("--step", type=int, default=1, help="with --io-errors: every STEP-th call")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", type=Path, help="work in this folder and leave it")
    args = parser.parse_args()
    if (args.administrative or args.io_errors) and sys.platform != "linux":
        parser.error("--administrative and --io-errors fork their processes, which needs Linux")
    return args


def _run(args: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Returns the results, and the faults in plain words."""
    if args.io_errors:
        sweep = Sweep(folder)
        for name in ACTS:
            sweep.run(name, step=args.step)
        return sweep.found(), sweep.told
    crashes = (AdminCrashes if args.administrative else Crashes)(folder, args.seed)
    crashes.run(args.kills)
    return crashes.found(), crashes.told


if __name__ == "__main__":
    run(main)
