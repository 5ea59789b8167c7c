"""Two memories that are timed alternately, so that other work here slows both equally."""

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

from benchmarks.store_talk import Opened
from benchmarks.timing import spread, timed
from memory_core.storage.postgres.database import Database

_PIDS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"


@dataclass(slots=True)
class Side:
    """A memory with its measurements; `dsn` is "" for one in files."""

    opened: Opened
    dsn: str = ""
    took: dict[str, list[float]] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    pids: list[int] = field(default_factory=list)

    def find_processes(self) -> None:
        """Notes the server's processes that work for this database."""
        if self.dsn:
            database = Database(self.dsn)
            with database.owner_connection() as connection:
                self.pids = [pid for (pid,) in connection.execute(_PIDS).fetchall()]
            database.close()

    def time(self, name: str, job: Callable[..., object], *given: object) -> None:
        began = self._cpu_ms()
        self.took.setdefault(name, []).append(timed(job, *given))
        self.cpu[name] = self.cpu.get(name, 0.0) + self._cpu_ms() - began

    def _cpu_ms(self) -> float:
        return process_time() * 1000 + sum(map(_cpu_ms_of, self.pids))

    def figures(self) -> dict[str, float]:
        """Returns …_ms_p50 and …_ms_p95 of wall time, and …_cpu_ms: the mean time that this process
        and the server's spent on a processor, which other work changes less.
        """
        found = dict[str, float]()
        for name, took in self.took.items():
            wall = spread(name, took)
            found |= {key: value for key, value in wall.items() if not key.endswith("p99")}
            found[f"{name}_cpu_ms"] = round(self.cpu[name] / len(took), 2)
        return found


def in_turn(sides: Mapping[str, Side]) -> Iterable[Side]:
    """Returns the sides, in any order."""
    return random.sample(list(sides.values()), len(sides))


def figures(sides: Mapping[str, Side]) -> dict[str, Any]:
    return {name: side.figures() for name, side in sides.items()}


def _cpu_ms_of(pid: int) -> float:
    """Returns the time that a process spent on a processor (Linux)."""
    status = Path(f"/proc/{pid}/schedstat")
    return int(status.read_text().split()[0]) / 1e6 if status.exists() else 0.0
