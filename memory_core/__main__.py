"""`python -m memory_core`: the command line."""

import os
import signal
import sys
from types import FrameType

_INTERRUPTED = 130
_STDERR = 2


def _run() -> int:
    """Ctrl-C ends it quietly at any time: also while it is loaded, and once all is done."""
    _reopen_closed_streams()
    is_heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not so below nohup
    if is_heeded:
        signal.signal(signal.SIGINT, _exit_on_interrupt)
    from .ui.cli.main import discard_output, main

    try:
        if is_heeded:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return main()
    except KeyboardInterrupt:
        return _INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        discard_output()


def _exit_on_interrupt(_number: int, _frame: FrameType | None) -> None:
    os._exit(_INTERRUPTED)  # nothing was begun; an exception would be told as one of an import


def _reopen_closed_streams() -> None:
    """A log must not get the number of a stream that was closed: libraries write to it."""
    number = os.open(os.devnull, os.O_RDWR)
    while number <= _STDERR:
        number = os.open(os.devnull, os.O_RDWR)
    os.close(number)


if __name__ == "__main__":
    sys.exit(_run())
