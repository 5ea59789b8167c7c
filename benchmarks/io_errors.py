"""Fails every file call of every operation once, and checks that nothing acknowledged is lost.

Each attempt is a separate process with a copy of one small storage. The operation must succeed, or
fail with one of the package's own errors. Then this program, and the next one that opens the
storage, must continue with the memories unchanged, and the doctor must find nothing.
"""

import os
import shutil
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.admin_child import DIMS, named, open_storage, text_of
from benchmarks.crash_child import STORE
from benchmarks.file_calls import ALL, CountCalls, FailAt, met
from benchmarks.forks import results_of
from benchmarks.io_acts import (
    ACTS,
    ALL_MEMORIES,
    MIRA,
    NAMES,
    SECRET,
    TALK,
    Scene,
    derive,
    prepare,
    said,
)
from memory_core.admin.doctor.run import DoctorOptions, examine
from memory_core.domain.errors import LongTermMemoryError
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.contract import Page

_BESIDE = os.cpu_count() or 1
_FAULTS = ("lost", "corrupt", "raw", "failed_opens")
_BLANK = dict.fromkeys(_FAULTS[:3], ()) | {
    "failed": "",
    "is_done": False,
    "failed_opens": ["the process ended"],
}

State = Mapping[str, Mapping[str, tuple[str, bool]]]  # name → word → text, whether it is pinned


def state_of(memory: LongTermMemory) -> State:
    return {name: _words(memory, name) for name in NAMES}


def _words(memory: LongTermMemory, name: str) -> dict[str, tuple[str, bool]]:
    if not memory.resolve(named(name)).folder(memory.root).is_dir():
        return {}
    found = memory.latest(named(name), Page(limit=ALL_MEMORIES))
    texts = [
        (entry.exchange.user if entry.exchange else entry.text, entry.pinned) for entry in found
    ]
    return {text.partition(" ")[0]: (text, pinned) for text, pinned in texts}


@dataclass(slots=True, kw_only=True)
class Outcome:
    """The consequences of one failed call, in plain words; empty lists if all is well."""

    failed: str = ""
    is_done: bool = False
    lost: list[str] = field(default_factory=list)
    corrupt: list[str] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    failed_opens: list[str] = field(default_factory=list)


class Attempt:
    """One operation of which one call fails. `before` and `after` are the states before and after
    it if nothing fails.
    """

    def __init__(self, scene: Scene, before: State, after: State) -> None:
        self._scene = scene
        self._before = before
        self._after = after
        self.outcome = Outcome()

    def run(self, act: Callable[[Scene], None], number: int) -> Outcome:
        fault = FailAt(number)
        try:
            with met(ALL, fault):
                act(self._scene)
            self.outcome.is_done = True
        except LongTermMemoryError:
            self.outcome.is_done = False
        except Exception as exc:  # noqa: BLE001  (whatever it is, it is what is looked for)
            self.outcome.raw.append(f"{type(exc).__name__}: {exc} at {_innermost(exc)}")
        self.outcome.failed = fault.failed
        self._goes_on()
        self._restarts()
        return self.outcome

    def _goes_on(self) -> None:
        """Checks that the program can still recall and remember after the failure."""
        memory = self._scene.memory
        try:
            self._compare(state_of(memory), "while it runs")
            memory.remember(named(MIRA), TALK, said("afterwards"))
            self._after = _with(self._after, memory, "afterwards")
            self._before = _with(self._before, memory, "afterwards")
        except LongTermMemoryError as exc:
            self.outcome.corrupt.append(f"while it runs: {type(exc).__name__}: {exc}")
        except OSError as exc:
            self.outcome.raw.append(f"while it runs: {exc} at {_innermost(exc)}")
        memory.close()

    def _restarts(self) -> None:
        root = self._scene.root
        try:
            memory, _ = open_storage(root, DIMS[0])
            now = state_of(memory)
            self._compare(now, "after a restart")
            for space in memory.namespaces():
                memory.erase_all_forgotten(space)
                while memory.derive_pending(space):
                    pass
            memory.close()
        except (LongTermMemoryError, OSError) as exc:
            self.outcome.failed_opens.append(f"{type(exc).__name__}: {exc}")
            return
        terms = DoctorOptions(open_store=STORE, undo_s=0.0, clock=time.time)
        found = [finding for finding in examine(root, terms).findings if finding.is_fault]
        self.outcome.corrupt += [f"doctor: {entry.path}: {entry.problem}" for entry in found]
        if not any(SECRET in word for words in now.values() for word in words):
            self.outcome.corrupt += [f"{it} still has erased words" for it in _holding(root)]

    def _compare(self, now: State, when: str) -> None:
        for name in NAMES:
            before, after = self._before[name], self._after[name]
            for word in {*before, *after, *now[name]}:
                may = {after.get(word)} | (set() if self.outcome.is_done else {before.get(word)})
                found = now[name].get(word)
                if found not in may:
                    difference = f"{when}: {word} of {name} is {found}, not {may}"
                    is_lost = found is None
                    (self.outcome.lost if is_lost else self.outcome.corrupt).append(difference)


def _with(state: State, memory: LongTermMemory, word: str) -> State:
    """Returns the state with this word added under all names that mean the same as MIRA."""
    meant = memory.resolve(named(MIRA))
    own = {it for it in NAMES if memory.resolve(named(it)) == meant}
    return {
        name: {**words, word: (text_of(word), False)} if name in own else words
        for name, words in state.items()
    }


def _holding(root: Path) -> list[str]:
    found = [path for path in root.rglob("*") if path.is_file()]
    return [entry.name for entry in found if SECRET.encode() in entry.read_bytes()]


def _innermost(exc: BaseException) -> str:
    frames = [
        frame
        for frame in traceback.extract_tb(exc.__traceback__)
        if "memory_core" in frame.filename
    ]
    return f"{Path(frames[-1].filename).name}:{frames[-1].name}" if frames else "a library"


class Sweep:
    """Runs all operations call by call, several calls in parallel."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._original = folder / "original"
        self.calls: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.told: list[str] = []
        self.acknowledged = 0
        prepare(self._original)
        _reference(self._copy("first"), derive)  # so that each process finds this read and made

    def run(self, name: str, *, step: int = 1, first: int = 0) -> None:
        """Fails every call of this operation once, or every n-th."""
        undisturbed = (0, partial(_reference, self._copy("reference"), ACTS[name]))
        ((_, reference),) = results_of([undisturbed], beside=1)
        attempts = (
            (number, partial(self._attempt, name, number, reference))
            for number in range(first, reference["calls"], step)
        )
        for number, found in results_of(attempts, beside=_BESIDE):
            self.calls[name] += 1
            self._count(f"{name}, call {number}", found or _BLANK)

    def _attempt(self, name: str, number: int, reference: dict[str, Any]) -> dict[str, Any]:
        before, after = (_unpacked(reference[it]) for it in ("before", "after"))
        folder = self._copy(f"attempt{number}")
        outcome = Attempt(Scene(folder), before, after).run(ACTS[name], number)
        shutil.rmtree(folder)
        return {it: getattr(outcome, it) for it in Outcome.__slots__}

    def _count(self, told: str, found: dict[str, Any]) -> None:
        self.acknowledged += found["is_done"]
        for kind in _FAULTS:
            self.counts[kind] += len(found[kind])
            self.told += [f"{told} ({found['failed']}): {kind}: {entry}" for entry in found[kind]]

    def _copy(self, name: str) -> Path:
        folder = self._folder / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self._original, folder)
        return folder

    def found(self) -> dict[str, Any]:
        return {
            "calls": self.calls.total(),
            "acknowledged": self.acknowledged,
            **{kind: self.counts[kind] for kind in _FAULTS},
            "operations": dict(self.calls),
        }


def _reference(folder: Path, act: Callable[[Scene], None]) -> dict[str, Any]:
    """Returns the states before and after an undisturbed operation, and its calls."""
    before, _ = open_storage(folder / "memories", DIMS[0])
    state = state_of(before)
    before.close()
    scene, counter = Scene(folder), CountCalls()
    with met(ALL, counter):
        act(scene)
    after = state_of(scene.memory)
    scene.memory.close()
    return {"calls": len(counter.names), "before": state, "after": after}


def _unpacked(state: Any) -> State:  # noqa: ANN401  (what JSON makes of a State)
    return {
        name: {word: (text, pinned) for word, (text, pinned) in words.items()}
        for name, words in state.items()
    }
