"""Python looks for cycles after every 700 new objects; an import makes millions that hold none."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = 50_000
_lock = threading.Lock()
_usual: list[tuple[int, int, int]] = []  # what held before each of the imports under way


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """For as long as anybody is within; what the process had set holds again behind."""
    with _lock:
        _usual.append(gc.get_threshold())
        first, *others = _usual[0]
        gc.set_threshold(first and max(_SELDOM, first), *others)  # 0: never
    try:
        yield
    finally:
        with _lock:
            usual = _usual.pop()
            if not _usual:
                gc.set_threshold(*usual)
