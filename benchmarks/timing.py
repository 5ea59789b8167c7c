"""Times single calls, and measures this process's memory and files."""

import math
import os
import re
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

Given = TypeVar("Given")

_RAW_BYTES = 1024
_DIGEST = re.compile("[0-9a-f]{16}")


def timed(job: Callable[..., object], *given: object) -> float:
    """Returns the duration of a call, in milliseconds."""
    started = time.perf_counter()
    job(*given)
    return (time.perf_counter() - started) * 1000


def times(job: Callable[[Given], object], each: Iterable[Given]) -> list[float]:
    return [timed(job, given) for given in each]


def percentile(values: Sequence[float], percent: int) -> float:
    """Returns the nearest rank: with 40 values the 99th percentile is the largest."""
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]


def spread(name: str, values: Sequence[float]) -> dict[str, float]:
    """Returns name_ms_p50, name_ms_p95 and name_ms_p99."""
    return {f"{name}_ms_p{it}": round(percentile(values, it), 4) for it in (50, 95, 99)}


class RawWrites:
    """Measures a durable write of the disk itself: 1 KB appended to a file and synced."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / ".raw-writes"
        self._fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def one(self) -> None:
        os.write(self._fd, b"x" * _RAW_BYTES)
        (os.fdatasync if hasattr(os, "fdatasync") else os.fsync)(self._fd)

    def close(self) -> None:
        os.close(self._fd)
        self.path.unlink()


def rss_anon_mb() -> float | None:
    """Returns the memory in MB that no file backs, so that the system cannot reclaim it; None if
    the system does not report it (Linux does).
    """
    return _told("RssAnon")


def _told(name: str) -> float | None:
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    found = [int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:")]
    return round(found[0], 1) if found else None


def open_files() -> int | None:
    handles = Path("/proc/self/fd")
    return len(list(handles.iterdir())) if handles.exists() else None


def drop_cache(folder: Path) -> None:
    """Drops the system's cache of these files, as if they had not been read since its start;
    syncs them first.
    """
    for path in folder.rglob("*"):
        if path.is_file():
            fd = os.open(path, os.O_RDONLY)
            os.fsync(fd)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(fd)


def fill_cache(folder: Path) -> None:
    """Reads these files into the system's cache, as after some hours of use."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb", buffering=0) as file:
                while file.read(1 << 20):
                    pass


def disk_use(folder: Path) -> dict[str, int]:
    """Returns the bytes on disk by file or folder in `folder`, and for those of index/ each."""
    found: dict[str, int] = {}
    for path in folder.rglob("*"):
        if path.is_file():
            names = path.relative_to(folder).parts
            part = _DIGEST.sub("*", "/".join(names[:2]) if names[0] == "index" else names[0])
            found[part] = found.get(part, 0) + path.stat().st_blocks * 512
    return found


def load() -> float:
    """Returns the machine's load: the average number of running or waiting processes."""
    return round(os.getloadavg()[0], 2)
