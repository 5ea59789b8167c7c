"""The table of what was tried: PASS or FAIL with the time and, where it failed, why."""

import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    title: str
    where: str
    seconds: float
    fault: str = ""

    def __str__(self) -> str:
        verdict = "FAIL" if self.fault else "PASS"
        fault = f"\n      {self.fault}" if self.fault else ""
        return f"{verdict} {self.seconds:6.1f} s  {self.where:<44} {self.title}{fault}"


@dataclass(slots=True)
class Report:
    """`folder` gets the whole traceback of each failure."""

    folder: Path
    cases: list[Case] = field(default_factory=list)

    @contextmanager
    def case(self, title: str, *where: str) -> Iterator[None]:
        """Runs one case; whatever goes wrong in it, the next ones are tried too."""
        began, place, fault = time.monotonic(), " · ".join(where), ""
        try:
            yield
        except Exception as exc:  # noqa: BLE001 - a failed case must not end the run
            fault = " ".join(str(exc).split())[:600] or repr(exc)
            name = f"failure-{len(self.cases)}.txt"
            (self.folder / name).write_text(traceback.format_exc(), encoding="utf-8")
        seconds = time.monotonic() - began
        self.cases.append(Case(title=title, where=place, seconds=seconds, fault=fault))
        say(str(self.cases[-1]))

    @property
    def failed(self) -> int:
        return sum(bool(case.fault) for case in self.cases)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
