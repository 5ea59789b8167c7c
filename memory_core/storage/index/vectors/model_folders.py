"""Vector folders per embedding model: one in use, and the one used before it.

The previous folder is kept for some days after a change of model, but not searched, so that a
change back does not embed everything again.
"""

import hashlib
import shutil
import time
from pathlib import Path

from ....infra import durable_files

KEEP_OTHERS_S = 7 * 86_400.0
_PREFIX = "vectors-"
_LEFT = "left"  # a file in the folder of an unused model; its age is that of the disuse
_UNNAMED = ("embeddings.zarr", "tail.f16")  # of whole exchanges, which no version searches now


class ModelFolders:
    """The vector folders of one index. Not safe for threads."""

    def __init__(self, index: Path) -> None:
        self._index = index

    def activate(self, model: str) -> Path:
        """Returns the folder of this model, now in use; of all others only the last used one is
        kept.
        """
        folder = self._index / (_PREFIX + _digest(model))
        durable_files.make_folder(folder)
        (folder / _LEFT).unlink(missing_ok=True)
        for name in _UNNAMED:
            durable_files.remove(self._index / name)
        for other in self.unused_folders(folder):
            if not (other / _LEFT).exists():
                (other / _LEFT).touch()
        for other in self.unused_folders(folder)[1:]:
            shutil.rmtree(other)
        return folder

    def unused_folders(self, folder: Path) -> list[Path]:
        """Returns the folders not in use, longest unused first."""
        found = [path for path in self._all() if path != folder]
        return sorted(found, key=_left_at, reverse=True)

    def has_unused(self) -> bool:
        return len(self._all()) > 1

    def drop_unused(self, folder: Path, *, older_s: float = 0.0) -> None:
        """Deletes the folders that have been unused for so long."""
        for other in self.unused_folders(folder):
            if time.time() - _left_at(other) >= older_s:
                shutil.rmtree(other)

    def last(self) -> Path | None:
        """Returns the folder of the model in use, or last in use."""
        return max(self._all(), key=_left_at, default=None)

    def _all(self) -> list[Path]:
        return sorted(path for path in self._index.glob(f"{_PREFIX}*") if path.is_dir())


def _digest(model: str) -> str:
    return hashlib.sha256(model.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _left_at(folder: Path) -> float:
    left = folder / _LEFT
    return left.stat().st_mtime if left.exists() else float("inf")
