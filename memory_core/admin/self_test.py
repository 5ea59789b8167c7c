"""Tests that memory works here: writes, recalls, embeds, forgets and erases a probe.

The probe has its own folder below the storage folder, under a name that no namespace can have. So
the test uses the disk of the real memories and touches none of them.
"""

import shutil
import tempfile
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ..domain.errors import LongTermMemoryError, StorageFailed
from ..domain.namespaces import Namespace
from ..domain.records import Exchange
from ..infra import durable_files
from ..memory.long_term_memory import LongTermMemory
from ..recall.query import Query

PREFIX = ".selftest-"
_SPACE = Namespace("selftest", "probe")
_CONVERSATION = "probe"
_LEFT_BEHIND_S = 600.0  # age from which a folder counts as left by a killed run

Open = Callable[[Path], LongTermMemory]


class SelfTestStep(StrEnum):
    """The steps of the self-test, in order."""

    OPEN = "open"
    WRITE = "write"
    RECALL = "recall"
    EMBED = "embed"
    FORGET = "forget"
    ERASE = "erase"
    CLEAN = "clean"


_OPTIONAL_STEPS = frozenset((SelfTestStep.EMBED,))  # recall works by words alone, too


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """One step: its duration in ms, and a message if it failed."""

    step: SelfTestStep
    ms: float
    fault: str = ""


def run(root: Path, open_memory: Open) -> list[StepResult]:
    """Runs the steps up to the first failure, removes the probe's folder, and returns the results.

    `open_memory` opens a memory over the given folder.
    """
    test = _SelfTest(root, open_memory)
    taken: list[StepResult] = []
    try:
        for step, act in test.steps().items():
            taken.append(_run_step(step, act))
            if taken[-1].fault and step not in _OPTIONAL_STEPS:
                break
    finally:
        taken.append(_run_step(SelfTestStep.CLEAN, test.clean))
    return taken


def _run_step(step: SelfTestStep, act: Callable[[], None]) -> StepResult:
    started = time.perf_counter()
    fault = ""
    try:
        act()
    except LongTermMemoryError as exc:
        fault = str(exc)
    except OSError as exc:
        fault = f"{exc.filename or 'the disk'}: {exc.strerror or exc}"
    except ImportError as exc:
        fault = f"{exc.name} is not installed"
    return StepResult(step=step, ms=(time.perf_counter() - started) * 1000, fault=fault)


class _SelfTest:
    def __init__(self, root: Path, open_memory: Open) -> None:
        self._root = root
        self._open_memory = open_memory
        self._word = f"probe{uuid.uuid4().hex}"
        self._folder: Path | None = None
        self._memory: LongTermMemory | None = None
        self._id = ""

    def steps(self) -> dict[SelfTestStep, Callable[[], None]]:
        return {
            SelfTestStep.OPEN: self._open,
            SelfTestStep.WRITE: self._write,
            SelfTestStep.RECALL: self._recall,
            SelfTestStep.EMBED: self._embed,
            SelfTestStep.FORGET: self._forget,
            SelfTestStep.ERASE: self._erase,
        }

    def _open(self) -> None:
        durable_files.make_folder(self._root)
        _sweep(self._root)
        with durable_files.naming_errors(self._root):
            self._folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self._root))
        self._memory = self._open_memory(self._folder)

    def _write(self) -> None:
        probe = Exchange(user=f"The password is {self._word}.", assistant="I keep it in mind.")
        self._id = self._opened.remember(_SPACE, _CONVERSATION, probe)

    def _recall(self) -> None:
        """Accepts candidates that the gate drops, because its strictness is a setting."""
        self._opened.force_reload(_SPACE)
        if not self._is_recalled():
            raise LongTermMemoryError("the memory written just now was not found")

    def _embed(self) -> None:
        if self._opened.embedder is not None:
            while self._opened.derive_pending(_SPACE):
                pass

    def _forget(self) -> None:
        self._opened.forget(_SPACE, [self._id])
        if self._is_recalled():
            raise LongTermMemoryError("the forgotten memory was still found")

    def _erase(self) -> None:
        self._opened.erase_all_forgotten(_SPACE)
        self._opened.close()
        needle = self._word.encode()
        for path in self._opened.root.rglob("*"):
            if path.is_file() and needle in path.read_bytes():
                raise LongTermMemoryError(f"erased words are still in {path.name}")

    def clean(self) -> None:
        if self._memory is not None:
            self._memory.close()
        if self._folder is not None:
            with durable_files.naming_errors(self._folder):
                shutil.rmtree(self._folder)

    @property
    def _opened(self) -> LongTermMemory:
        if self._memory is None:
            raise StorageFailed("the memory could not be opened")
        return self._memory

    def _is_recalled(self) -> bool:
        query = Query(text=f"What about {self._word}?", is_explicit_request=True)
        recall = self._opened.recall(_SPACE, query)
        found = [candidate.memory.id for candidate in recall.kept]
        found += [decision.candidate.memory.id for decision in recall.dropped]
        return self._id in found


def _sweep(root: Path) -> None:
    """Removes the folders of killed runs."""
    for folder in root.glob(f"{PREFIX}*/"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > _LEFT_BEHIND_S:
                shutil.rmtree(folder)
