"""Files that go to a browser or come from it: they are deleted after a while, so that no
forgotten word lives on in them.
"""

import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ...namespaces import Namespace

_KEPT_S = 1800.0
_ODD = re.compile("[^A-Za-z0-9_]+")
_LONGEST = 40
_PREFIX = "ltm-export-"


class Downloads:
    """`cache` is where Gradio puts its copy of every file, in a folder of its own."""

    def __init__(self, cache: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._cache = cache
        self._clock = clock
        self._made: dict[Path, float] = {}

    def new(self, namespace: Namespace, ending: str) -> Path:
        """A path in a new folder that only this user of the machine may read."""
        self.sweep()
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(self._clock()))
        name = _ODD.sub("", namespace.character or namespace.scope)[:_LONGEST] or "memories"
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        path = folder / f"{name}-{stamp}-{secrets.token_hex(4)}{ending}"
        self._made[path] = self._clock()
        return path

    def uploaded(self, path: Path) -> None:
        """Gradio keeps it for as long as the program runs."""
        self._made.setdefault(path, self._clock())

    def sweep(self, *, kept_s: float = _KEPT_S) -> None:
        """Deletes what was made longer ago."""
        for path, made in list(self._made.items()):
            if self._clock() - made >= kept_s:
                del self._made[path]
                path.unlink(missing_ok=True)
                if path.parent.name.startswith(_PREFIX):
                    shutil.rmtree(path.parent, ignore_errors=True)
                for copy in self._cache.glob(f"*/{path.name}"):
                    copy.unlink(missing_ok=True)
