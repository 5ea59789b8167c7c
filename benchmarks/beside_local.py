"""Measures recall in PostgreSQL and in files, in turn, on the same memories.

    python -m benchmarks.beside_local [--memories 10000] [--samples 100] [--keep DIR --dsn DSN]

Without --dsn it starts its own server; with both, filled storages are used again. "words_…" is
recall without an embedder. "dense_recall": how many of the 20 memories nearest by an exact scan the
server brings. The other figures: sides.py.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

import numpy as np

from benchmarks.command import run
from benchmarks.sides import Side, figures, in_turn
from benchmarks.store_exact import Nearest, parts
from benchmarks.store_fill import filled, questions_file
from benchmarks.store_talk import SPACE, Opened, asked, derive_all
from benchmarks.timing import load
from memory_core import bootstrap
from memory_core.config.schema import Settings
from tests.scale.servers import cluster

_WARM, _K = 100, 20


def measured(given: argparse.Namespace) -> dict[str, Any]:
    with ExitStack() as stack:
        root = given.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        dsn = given.dsn or _own_server(stack)
        sides = {
            "local": _side(stack, root / f"local-{given.memories}", given.memories, ""),
            "postgres": _side(stack, root / f"pg-{given.memories}", given.memories, dsn),
        }
        questions = json.loads(questions_file(root / f"pg-{given.memories}").read_text())
        drawn = random.Random(2).choices(questions, k=given.samples)
        _time(sides, drawn, "recall")
        found = {"dense_recall": _dense_recall(sides["postgres"].opened, drawn, given.memories)}
        for side in sides.values():
            _without_embedder(side.opened)
        _time(sides, drawn, "words_recall")
        return {"memories": given.memories, "load": load(), **found, **figures(sides)}


def _own_server(stack: ExitStack) -> str:
    return stack.enter_context(cluster(settings={"shared_buffers": "1GB"})).servers[0].dsn()


def _side(stack: ExitStack, folder: Path, memories: int, dsn: str) -> Side:
    filled(folder, memories, clustered=True, dsn=dsn)
    opened = Opened(folder, clustered=True, dsn=dsn)
    stack.callback(opened.close)
    derive_all(opened.memory)
    return Side(opened, dsn)


def _time(sides: dict[str, Side], questions: Sequence[str], name: str) -> None:
    for side in sides.values():
        for question in questions[:_WARM]:
            assert side.opened.memory.recall(SPACE, asked(question)).kept, "nothing was recalled"
        side.find_processes()
    for question in questions:
        for side in in_turn(sides):
            side.time(name, side.opened.memory.recall, SPACE, asked(question))


def _dense_recall(opened: Opened, questions: Sequence[str], memories: int) -> float:
    vectors = [opened.embedder.embed_query(question, timeout_s=1.0) for question in questions]
    nearest = Nearest(np.array(vectors), _K)
    for part in parts(opened, memories):
        nearest.see(part)
    hits = [set(opened.stores[0].vectors.search(vector, limit=_K)) for vector in vectors]
    shares = [len(hit & own) / len(own) for hit, own in zip(hits, nearest.ids(), strict=True)]
    return round(sum(shares) / len(shares), 4)


def _without_embedder(opened: Opened) -> None:
    settings = Settings()
    opened.memory.reconfigure(
        embedder=None,
        pipeline=bootstrap.build_pipeline(settings, None),
        limits=bootstrap.build_limits(settings),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--keep", type=Path, help="keeps what is filled below this folder")
    parser.add_argument("--dsn", default="", help="of an empty database, or of the one kept")
    print(json.dumps(measured(parser.parse_args()), indent=2))


if __name__ == "__main__":
    run(main)
