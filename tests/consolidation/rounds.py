"""Rounds of background work in a runtime, and things said for it to work on."""

import time
from collections.abc import Callable
from typing import Any

from memory_core.consolidation.service import Consolidation
from memory_core.memory.runtime import Runtime
from tests.builders import SPACE, said

PATIENCE_S = 10.0


def switched_on(url: str, **settings: Any) -> dict[str, Any]:
    own = {
        "enabled": True,
        "quiet_s": 0.0,
        "workers": "exchange_summary",
        "summary_min_letters": 10,
        **settings,
    }
    return {"llm": {"base_url": url, "model": "m", "retries": 0}, "consolidation": own}


def tell(runtime: Runtime, count: int) -> None:
    for number in range(count):
        runtime.memory.remember(SPACE, "talk", said(f"This is my story number {number}."))


def stories(count: int) -> set[str]:
    return {f"Ana told story {number}." for number in range(count)}


def run_round(service: Consolidation) -> None:
    service.start_if_idle()
    service.wait(PATIENCE_S)
    assert not service.is_running


def eventually(is_true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.01)
