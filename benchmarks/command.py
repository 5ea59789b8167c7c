"""Runs a benchmark as a program. Piped into `head`, it ends quietly, as `memory_core` does."""

import os
import sys
from collections.abc import Callable

_OUTPUT_CLOSED = 141  # as for a program killed by SIGPIPE


def run(main: Callable[[], object]) -> None:
    """Runs `main` and ends the program with 141 if the reader of its output ended early."""
    try:
        try:
            main()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        if not _is_output_closed():
            raise
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # or Python would report it again at exit
        sys.exit(_OUTPUT_CLOSED)


def _is_output_closed() -> bool:
    """Returns whether this program's own output fails, and not a pipe to one that it started."""
    try:
        print(flush=True)
    except BrokenPipeError:
        return True
    return False
