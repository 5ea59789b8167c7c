"""Fills a folder with memories, once; the next run uses it again."""

import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.store_talk import SPACE, TALK, Opened, Talk, derive_all

_QUESTIONS = 4000  # kept at most
_FILLED = "filled.json"


def questions_file(folder: Path) -> Path:
    return folder / "questions.json"


def conversations(memories: int) -> Iterator[tuple[str, int, int]]:
    """Yields the name, number and length of each conversation."""
    for first in range(0, memories, TALK):
        number = first // TALK
        yield f"talk-{number:05}", number, min(TALK, memories - first)


def filled(folder: Path, memories: int, *, clustered: bool, dsn: str = "") -> dict[str, Any]:
    """Fills the folder unless it is filled already; returns the cost of filling."""
    mark = folder / _FILLED
    told = json.loads(mark.read_text()) if mark.exists() else {}
    if (told.get("memories"), told.get("clustered")) == (memories, clustered):
        _make_current(folder, clustered=clustered, dsn=dsn)
        return dict(told["cost"])
    assert not told, f"{folder} is filled with something else: {told}"
    folder.mkdir(parents=True, exist_ok=True)
    opened = Opened(folder, clustered=clustered, dsn=dsn)
    cost = _fill(opened, memories, questions_file(folder))
    opened.close()
    mark.write_text(json.dumps({"memories": memories, "clustered": clustered, "cost": cost}))
    return cost


def _make_current(folder: Path, *, clustered: bool, dsn: str) -> None:
    """Rebuilds the index if an earlier version of the program made it."""
    opened = Opened(folder, clustered=clustered, dsn=dsn)
    derive_all(opened.memory)
    opened.close()


def _fill(opened: Opened, memories: int, questions: Path) -> dict[str, Any]:
    talk, asked = Talk(), list[str]()
    writing = 0.0
    for name, number, count in conversations(memories):
        said = list(talk.conversation(number, count))
        started = time.perf_counter()
        opened.memory.reconcile(SPACE, name, [entry.exchange for entry in said], whole=True)
        writing += time.perf_counter() - started
        asked += (exchange.question for exchange in said if random.random() * memories < _QUESTIONS)
    questions.write_text(json.dumps(asked))
    started = time.perf_counter()
    derive_all(opened.memory)
    deriving = time.perf_counter() - started
    return {
        "fill_write_s": round(writing, 2),
        "fill_write_per_s": round(memories / writing),
        "fill_derive_s": round(deriving, 2),
        "fill_derive_per_s": round(memories / deriving),
    }
