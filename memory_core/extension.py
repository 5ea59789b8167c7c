"""Attaches the one live memory to the host, however often script.py is loaded."""

import atexit
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .admin.administration import Administration
from .admin.automatic_backups import back_up_before_update
from .bootstrap import build_runtime
from .host.hooks import Hooks
from .host.host_model import HostIdleness, HostLanguageModel
from .host.textgen_adapter import TextgenHost, log_through_host, settings_of
from .memory.installation import Installation
from .memory.runtime import Runtime

_lock = threading.Lock()
_live: Administration | None = None
_runtime: Runtime | None = None


def attach(folder: Path, *, builder: Callable[..., Any]) -> Administration:
    """Returns the process's administration, with its hooks.

    `builder` is the prompt hook of script.py, as the host calls it. A second call keeps memory and
    threads, and reads the settings again: the host reloads script.py when it restarts its page.
    """
    global _live
    with _lock:
        log_through_host()
        home = Installation(
            folder=folder, environ=os.environ, host_settings=settings_of(folder.name)
        )
        if _live is None:
            failed = back_up_before_update(home, TextgenHost(builder=builder))
            model = HostLanguageModel()
            started = _live_runtime(home, model)
            idleness = HostIdleness(model)
            started.add_tick_duty(idleness.poll)
            hooks = Hooks(started, _host(started, builder))
            _live = Administration(hooks, idle_s=idleness.idle_s)
            for problem in failed:
                started.report("backup before update", problem)
        else:
            runtime = _live.hooks.runtime
            runtime.installation = home
            runtime.reload_settings()
            _live.hooks.use_host(_host(runtime, builder))
        return _live


def _host(runtime: Runtime, builder: Callable[..., Any]) -> TextgenHost:
    return TextgenHost(
        builder=builder, report=lambda feature, message: runtime.report(f"host.{feature}", message)
    )


def _live_runtime(home: Installation, model: HostLanguageModel) -> Runtime:
    """Returns the process's one runtime, made and started by the first call."""
    global _runtime
    if _runtime is None:
        _runtime = build_runtime(home, host_model=model)
        _runtime.start()
        atexit.register(_runtime.close)
    return _runtime
