"""Attaches the one live memory to the host, however often script.py is loaded."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import runtime
from .hooks import Hooks
from .rolling_copies import back_up_before_update
from .textgen import TextgenHost, log_through_host, settings_of

_lock = threading.Lock()
_hooks: Hooks | None = None


def attach(folder: Path, *, builder: Callable[..., Any]) -> Hooks:
    """The process's hooks. `builder` is script.py's own prompt hook as the host holds it.

    A second call (the host loads script.py anew when it restarts its page) keeps memory and
    threads, and reads the settings again.
    """
    global _hooks
    with _lock:
        log_through_host()
        home = runtime.Home(
            folder=folder, environ=os.environ, host_settings=settings_of(folder.name)
        )
        if _hooks is None:
            failed = back_up_before_update(home, TextgenHost(builder=builder))
            live = runtime.live(lambda: runtime.Runtime(home))
            _hooks = Hooks(live, _host(live, builder))
            for problem in failed:
                live.report("backup before update", problem)
        else:
            _hooks.runtime.home = home
            _hooks.runtime.reload_settings()
            host = _host(_hooks.runtime, builder)
            _hooks.host = _hooks.turns.host = _hooks.settler.host = host
        return _hooks


def _host(live: runtime.Runtime, builder: Callable[..., Any]) -> TextgenHost:
    return TextgenHost(
        builder=builder, report=lambda feature, told: live.report(f"host.{feature}", told)
    )
