"""`python -m memory_core`: the command line."""

import os
import signal
import sys
from types import FrameType

_INTERRUPTED = 130
_STDERR = 2


def run() -> int:
    """Runs the command line. Ctrl-C ends it quietly, also during imports and at exit."""
    _reopen_closed_streams()
    handles_interrupt = (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )  # not under nohup
    if handles_interrupt:
        signal.signal(signal.SIGINT, _exit_on_interrupt)
    from .ui.cli.main import discard_output, main

    try:
        if handles_interrupt:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return main()
    except KeyboardInterrupt:
        return _INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        discard_output()


def _exit_on_interrupt(_number: int, _frame: FrameType | None) -> None:
    os._exit(_INTERRUPTED)  # nothing has begun; an exception would look like a failed import


def _reopen_closed_streams() -> None:
    """Reopens closed standard streams, so that no file gets their numbers."""
    number = os.open(os.devnull, os.O_RDWR)
    while number <= _STDERR:
        number = os.open(os.devnull, os.O_RDWR)
    os.close(number)


if __name__ == "__main__":
    sys.exit(run())
