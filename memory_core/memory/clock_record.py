"""Records the time of the last check, so that one start with a wrong clock retires no memory."""

import json
from pathlib import Path

from ..storage.small_files import SmallFiles

FILE = "clock.json"
_MAX_PAUSE_S = 30 * 86_400.0  # a longer one is either a holiday or a wrong clock
_PROBATION_S = 86_400.0  # after a jump
_WRITE_AFTER_S = 3600.0


def is_clock_trusted(files: SmallFiles, folder: Path, now: float) -> bool:
    """Returns False for a day after the clock jumped by more than 30 days, or went back by one.

    Raises StorageFailed.
    """
    path = folder / FILE
    seen, since = _read(files, path) or (now, now - _PROBATION_S)
    if not seen - _PROBATION_S <= now <= seen + _MAX_PAUSE_S:
        since = now
    if since == now or abs(now - seen) >= _WRITE_AFTER_S or files.stamp(path) is None:
        files.replace(path, json.dumps({"seen": now, "since": since}).encode())
    return now - since >= _PROBATION_S


def _read(files: SmallFiles, path: Path) -> tuple[float, float] | None:
    """Returns when the clock was last seen, and since when it has not jumped; None if unknown."""
    try:
        found = json.loads(files.read(path) or b"")
        return float(found["seen"]), float(found["since"])
    except (ValueError, TypeError, KeyError):
        return None
