"""Runs functions in forked processes, several in parallel.

A forked process has everything imported and read. Its objects and threads end with it.
"""

import gc
import json
import os
import select
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Result = dict[str, Any]
Work = Callable[[], Result]

_PATIENCE_S = 120


def results_of(works: Iterable[tuple[int, Work]], beside: int) -> Iterator[tuple[int, Result]]:
    """Yields the index and the result of each, as they end; {} if its process died or hung."""
    running: dict[int, tuple[int, int]] = {}
    gc.collect()
    gc.freeze()  # else each collection in a child copies the pages that it shares
    for number, work in works:
        if len(running) >= beside:
            yield _next_ended(running)
        process, reading = _forked(work)
        running[reading] = (number, process)
    while running:
        yield _next_ended(running)


def _next_ended(running: dict[int, tuple[int, int]]) -> tuple[int, Result]:
    reading = select.select(list(running), [], [])[0][0]
    number, process = running.pop(reading)
    with os.fdopen(reading, "rb") as file:
        data = file.read()
    os.waitpid(process, 0)
    return number, json.loads(data) if data else {}


def _forked(work: Work) -> tuple[int, int]:
    """Returns the id of the process, and the descriptor from which its result is read."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        os.close(reading)
        signal.alarm(_PATIENCE_S)
        _answer(work, writing)
    os.close(writing)
    return process, reading


def _answer(work: Work, writing: int) -> None:
    try:
        with os.fdopen(writing, "wb") as file:
            file.write(json.dumps(work()).encode())
    except BaseException:  # noqa: BLE001  (the process ends here, whatever it was)
        traceback.print_exc()
    finally:
        os._exit(0)
