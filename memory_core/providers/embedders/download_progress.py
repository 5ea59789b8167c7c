"""The progress of a download, by the files that it writes: no library reports it."""

import os
from pathlib import Path
from stat import S_ISREG

_CLOCK_SLACK_S = 2.0


def bytes_written(folder: Path, since: float) -> int:
    """Returns the size of all files below the folder that were written since this time.

    `since` is in seconds since the epoch. Files that are moved meanwhile are left out.
    """
    paths = (Path(root) / name for root, _, names in os.walk(folder) for name in names)
    return sum(_size_if_new(path, since - _CLOCK_SLACK_S) for path in paths)


def _size_if_new(path: Path, since: float) -> int:
    try:
        found = path.lstat()
    except OSError:
        return 0
    return found.st_size if S_ISREG(found.st_mode) and found.st_mtime >= since else 0
