"""The process's one runtime, however often the host asks for it."""

import atexit
import threading
from collections.abc import Callable

from .runtime import Runtime

_runtime: Runtime | None = None
_live_lock = threading.Lock()


def live_runtime(make: Callable[[], Runtime]) -> Runtime:
    """Returns the process's one runtime, made and started by the first call."""
    global _runtime
    with _live_lock:
        if _runtime is None:
            _runtime = make()
            _runtime.start()
            atexit.register(_runtime.close)
        return _runtime
