"""The table of test cases: PASS or FAIL with the time and the reason of a failure."""

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
    """`folder` gets the whole traceback of each failure. `host`: whose, where there are several."""

    folder: Path
    host: str = ""
    cases: list[Case] = field(default_factory=list)

    @contextmanager
    def case(self, title: str, *where: str) -> Iterator[None]:
        """Runs one case. A failure does not stop the next ones."""
        place = " · ".join(filter(None, (self.host, *where)))
        began, fault = time.monotonic(), ""
        try:
            yield
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - the next cases are tried too
            fault = " ".join(str(exc).split())[:600] or repr(exc)
            name = f"failure-{len(self.cases)}.txt"
            (self.folder / name).write_text(traceback.format_exc(), encoding="utf-8")
        seconds = time.monotonic() - began
        self.cases.append(Case(title=title, where=place, seconds=seconds, fault=fault))
        say(str(self.cases[-1]))

    @property
    def summary(self) -> str:
        failed = sum(bool(case.fault) for case in self.cases)
        seconds = max((case.seconds for case in self.cases), default=0.0)  # one holds all others
        where = f"{self.host}: " if self.host else ""
        passed = len(self.cases) - failed
        return f"{where}{passed} of {len(self.cases)} passed in {seconds:.0f} s."


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
