"""Time limits for tests: many times the usual, but less than with the guarded-against fault.

A loaded or slow machine is no fault of the code, so a limit tells hours from moments, no more.
"""

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def within(limit_s: float, clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Fails a block that takes longer. For computations use time.process_time: load is ignored.

    Garbage is not collected meanwhile: that of all tests before would take a second and more.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        started = clock()
        yield
        took_s = clock() - started
    finally:
        if was_enabled:
            gc.enable()
    assert took_s < limit_s, f"took {took_s:.2f} s"
