"""Kills a process in the middle of every administrative operation, while a host keeps chatting.

In each round a host opens the storage, checks its whole content, and chats. An operation starts,
either in the host (like the tab) or in another program (like the command line). Its process is
killed, after a time or before a file call. The host sends more messages, then ends or is killed.
"""

import json
import random
import statistics
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from benchmarks.admin_child import BEGIN, DIMS, serve_beside, serve_host, text_of
from benchmarks.admin_model import NEVER, Ledger, Operation, States, events_of
from benchmarks.crash_child import Child, KillCounts

ACTS = ("restore", "merge", "rename", "destroy", "rebuild", "import", "model")
PATIENCE_S = 120.0
_ROUNDS_EACH = 15  # in one storage; then another one begins
_MIN_CHARACTERS = 4  # characters that have memories
_SEEDS = 6
_KEPT_BACKUPS = 4
_IMPORTED = 40
_LAST = 30  # durations and counts of which the usual is the median
_MAX_TALK_S = 0.04
_MORE = 5
_REFUSED = "another program writes"  # the error for a namespace that the host writes to
NOTHING = Operation(act="", kind="other", name="")

HALF, SELDOM = 0.5, 0.1


class Storage:
    """One storage folder, with its expected content."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.root = folder / "memories"
        self.ledger = Ledger()
        self.backups: list[tuple[str, Path, dict[str, States]]] = []
        self._folder = folder
        self._rng = rng
        self._count = 0
        self.last = "nothing yet"
        folder.mkdir(parents=True)

    def next_number(self) -> int:
        self._count += 1
        return self._count

    def file(self, name: str) -> Path:
        return self._folder / name

    def journal(self, number: int) -> Path:
        return self.file(f"journal{number}.jsonl")

    def target(self) -> str:
        return self._rng.choice(self.ledger.places())

    def operation(self, act: str) -> tuple[Operation, dict[str, Any]]:
        """Returns an operation for the model, and the command for the process that runs it."""
        made: tuple[Operation, dict[str, Any]] = getattr(self, f"_{act}")()
        return made[0], {"act": act, **made[1]}

    def _restore(self) -> tuple[Operation, dict[str, Any]]:
        name, path, brings = self._rng.choice(self.backups)
        mode = self._rng.choice(["merge", "replace"])
        kind = "add" if mode == "merge" else "replace"
        meant = self.ledger.meant[name]
        operation = Operation(act="restore", kind=kind, name=meant, brings=brings)
        return operation, {"file": str(path), "mode": mode, "name": meant}

    def _merge(self) -> tuple[Operation, dict[str, Any]]:
        name, other = self._rng.sample(self.ledger.places(), 2)
        operation = Operation(act="merge", kind="other", name=name, other=other)
        return operation, {"name": name, "other": other}

    def _rename(self) -> tuple[Operation, dict[str, Any]]:
        name, other = self.target(), self.ledger.new_name()
        operation = Operation(act="rename", kind="other", name=name, other=other)
        return operation, {"name": name, "other": other}

    def _destroy(self) -> tuple[Operation, dict[str, Any]]:
        name = self.target()
        return Operation(act="destroy", kind="destroy", name=name), {"name": name}

    def _rebuild(self) -> tuple[Operation, dict[str, Any]]:
        name = self.target()
        return Operation(act="rebuild", kind="other", name=name), {"name": name}

    def _import(self) -> tuple[Operation, dict[str, Any]]:
        """Imports a new file, or that of an interrupted import, which must add nothing twice."""
        name, number = self.target(), self.next_number()
        words = [f"i{number}n{n}x" for n in range(_IMPORTED)]
        path = self.file(f"chat{number}.jsonl")
        rows = (
            {"user": text_of(it), "assistant": "I see.", "ts": BEGIN + n}
            for n, it in enumerate(words)
        )
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        brings = self.ledger.offer(name, words)
        operation = Operation(act="import", kind="add", name=name, brings=brings)
        return operation, {"name": name, "file": str(path)}

    def _model(self) -> tuple[Operation, dict[str, Any]]:
        names = self.ledger.places()
        operation = Operation(act="model", kind="other", name="")
        return operation, {"names": names, "dim": self._rng.choice(DIMS[1:])}

    def seeds(self) -> dict[str, list[str]]:
        """Returns first messages to new characters, so that there are enough."""
        number, fresh = self.next_number(), _MIN_CHARACTERS - len(self.ledger.places())
        return {
            self.ledger.new_name(): [f"s{number}c{c}n{n}x" for n in range(_SEEDS)]
            for c in range(fresh)
        }

    def keep_backup(self, name: str, path: Path) -> None:
        self.backups = [
            *self.backups[-_KEPT_BACKUPS + 1 :],
            (name, path, self.ledger.snapshot(name)),
        ]


@dataclass(slots=True, kw_only=True)
class Usual:
    """The usual length of each operation, in seconds and in file calls."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    calls: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def learn(self, act: str, seconds: float, calls: int) -> None:
        self.seconds[act].append(seconds)
        self.calls[act].append(calls)

    def seconds_of(self, act: str) -> float:
        return statistics.median(self.seconds[act][-_LAST:])

    def calls_of(self, act: str) -> int:
        return max(1, round(statistics.median(self.calls[act][-_LAST:])))


class AdminCrashes(KillCounts):
    """Kills until enough kills hit a running operation, and counts the consequences."""

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(*ACTS)
        self._folder = folder
        self._rng = random.Random(seed)
        self._usual = Usual()

    def run(self, kills: int) -> None:
        """Runs the kills; ends with fewer if too few of them hit a running operation."""
        for number in count():
            if self.phases.total() >= kills or number > kills:
                return
            storage = Storage(self._folder / f"storage-{number}", self._rng)
            for _ in range(_ROUNDS_EACH):
                if self.phases.total() < kills:
                    self._round(storage)
            with closing_child(Child(storage.root, serve_host)) as host:
                self._opens(host, storage, is_last=True)
            self.acknowledged += storage.ledger.acknowledged

    def _round(self, storage: Storage) -> None:
        with closing_child(Child(storage.root, serve_host)) as host:
            if not (self._opens(host, storage) and self._prepare(host, storage)):
                return
            number = storage.next_number()
            operation = self._administer(host, storage, number)
        storage.ledger.take(events_of(storage.journal(number)), operation)

    def _opens(self, host: Child, storage: Storage, *, is_last: bool = False) -> bool:
        """Opens the storage and checks its content; returns whether it opened."""
        examines = is_last or self._rng.random() < SELDOM
        op = {"op": "look", "names": storage.ledger.names, "examines": examines}
        seen = host.ask(op, PATIENCE_S)
        if seen is None or "error" in seen:
            self.failed_opens += 1
            self.told.append(f"{storage.root} did not open: {seen}")
            return False
        verdict = storage.ledger.compare(seen)
        self.lost += len(verdict.lost)
        self.corrupt += len(verdict.corrupt)
        found = [*verdict.lost, *verdict.corrupt]
        self.told += [f"{storage.root.parent.name}, {storage.last}: {entry}" for entry in found]
        self.told += [f"  {it}" for it in (*seen["told"], *seen["problems"]) if found]
        return True

    def _prepare(self, host: Child, storage: Storage) -> bool:
        journal = storage.journal(storage.next_number())
        seeds = storage.seeds()
        op = {"op": "prepare", "prefix": "", "journal": str(journal), "seeds": seeds}
        if not self._is_done(host.ask(op, PATIENCE_S), storage, "preparing"):
            return False
        storage.ledger.take(events_of(journal), NOTHING)
        name, path = storage.target(), storage.file(f"backup{storage.next_number()}.zip")
        op = {"op": "backup", "name": name, "file": str(path)}
        if not self._is_done(host.ask(op, PATIENCE_S), storage, "the backup"):
            return False
        storage.keep_backup(name, path)
        return True

    def _is_done(self, answer: dict[str, Any] | None, storage: Storage, told: str) -> bool:
        is_done = answer is not None and "error" not in answer
        if not is_done:
            self.corrupt += 1
            self.told.append(f"{storage.root.parent.name}, {told} failed: {answer}")
        return is_done

    def _administer(self, host: Child, storage: Storage, number: int) -> Operation:
        fewest = min(self.phases.values())
        act = self._rng.choice([act for act in ACTS if self.phases[act] == fewest])
        operation, op = storage.operation(act)
        is_inside = act == "model" or self._rng.random() < HALF
        where = "inside" if is_inside else "beside"
        storage.last = f"round {number}, {act} {where} {op.get('mode', '')} {operation.name}"
        self._talk(host, storage, operation, number, is_inside=is_inside)
        if is_inside:
            return self._killed(host, storage, operation, op)
        with closing_child(Child(storage.root, serve_beside)) as beside:
            operation = self._killed(beside, storage, operation, op)
        self._go_on(host, storage, f"r{number}e")
        return operation

    def _talk(
        self, host: Child, storage: Storage, operation: Operation, number: int, *, is_inside: bool
    ) -> None:
        """Lets the host chat; it seldom writes to the operation's names, which would lock them."""
        names = storage.ledger.places()
        own = {operation.name, operation.other}
        is_free = is_inside or self._rng.random() < SELDOM
        op = {
            "op": "talk",
            "names": [name for name in names if is_free or name not in own]
            or [storage.ledger.new_name()],
            "reads": [name for name in names if name in own and self._rng.random() < HALF],
            "prefix": f"r{number}",
            "journal": str(storage.journal(number)),
            "threads": self._rng.choice([1, 2]),
            "derives": operation.act != "model" and self._rng.random() < HALF,
        }
        self._is_done(host.ask(op, PATIENCE_S), storage, "chatting")
        sleep(self._rng.uniform(0, _MAX_TALK_S))

    def _killed(
        self, doer: Child, storage: Storage, operation: Operation, op: dict[str, Any]
    ) -> Operation:
        """Kills the process in the operation; returns the operation with its outcome."""
        act = operation.act
        is_let = not self._usual.seconds[act] or self._rng.random() < SELDOM
        by_call = not is_let and self._rng.random() < HALF
        dies_at = self._rng.randrange(self._usual.calls_of(act)) if by_call else None
        begun = doer.ask({"op": "act", **op, "dies_at": dies_at}, PATIENCE_S)
        answer: dict[str, Any] | None
        if begun is None or "begun" not in begun:
            answer = begun
        elif is_let or by_call:
            answer = doer.hear(PATIENCE_S)
        else:
            sleep(self._rng.uniform(0, self._usual.seconds_of(act)))
            answer = None
        answer = doer.kill() or answer
        began = begun["begun"] if begun and "begun" in begun else NEVER
        told = replace(operation, began=began, ended=monotonic())
        return self._counted(doer, storage, told, answer)

    def _counted(
        self, doer: Child, storage: Storage, operation: Operation, answer: dict[str, Any] | None
    ) -> Operation:
        act = operation.act
        if answer is None and doer.was_killed:
            self.phases[act] += 1
        elif answer is None:
            self._is_done({"error": "it ended by itself"}, storage, f"{storage.last}")
        elif "error" not in answer:
            took = answer["ended"] - operation.began
            self._usual.learn(act, took, answer["calls"])
            return replace(operation, is_done=True)
        elif _REFUSED not in answer["error"]:
            self._is_done(answer, storage, f"{storage.last}")
        return operation

    def _go_on(self, host: Child, storage: Storage, prefix: str) -> None:
        """Sends more messages to all characters; then the host ends, or is killed, too."""
        names = storage.ledger.names
        some = self._rng.sample(names, min(len(names), _MORE))
        said = host.ask({"op": "say", "names": some, "prefix": prefix}, PATIENCE_S)
        self._is_done(said, storage, f"{storage.last}: going on")
        if self._rng.random() < HALF:
            self._is_done(host.ask({"op": "close"}, PATIENCE_S), storage, "closing")


@contextmanager
def closing_child(child: Child) -> Iterator[Child]:
    try:
        yield child
    finally:
        child.end()
