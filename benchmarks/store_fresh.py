"""Opens a filled folder in a process of its own, after all imports, and prints the time.

    python benchmarks/store_fresh.py FOLDER [--unclustered] [--cold] [--questions FILE]

Run by benchmarks/store.py. "open": until the namespace answers, with words and with vectors;
"first_recall": the recall after that; `rss_anon_mb`: what all this and 50 recalls added to the
memory that no file backs.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import faiss
import zarr
import zarr.storage

from benchmarks.command import run
from benchmarks.store_talk import SPACE, Opened, asked
from benchmarks.timing import drop_cache, rss_anon_mb, timed
from memory_core.recall.query import warm_up
from memory_core.text.search_terms import terms

IMPORTED = (faiss, zarr, zarr.storage)
_RECALLS = 50


def measured(folder: Path, *, clustered: bool, questions: list[str]) -> dict[str, Any]:
    warm_up()
    terms("imports what stems words")
    before = rss_anon_mb()
    memory: list[Opened] = []
    began = time.process_time()
    words = timed(lambda: memory.append(_opened(folder, clustered=clustered)))
    opened = memory[0].memory
    vectors = timed(opened.derive_pending, SPACE)
    cpu = (time.process_time() - began) * 1000
    first = timed(_must_find, memory[0], questions[0])
    for question in questions[1:_RECALLS]:
        opened.recall(SPACE, asked(question))
    after = rss_anon_mb()
    opened.close()
    return {
        "open_ms": round(words + vectors, 2),
        "open_words_ms": round(words, 2),
        "open_vectors_ms": round(vectors, 2),
        "open_cpu_ms": round(cpu, 2),
        "first_recall_ms": round(first, 2),
        "rss_anon_mb": None if before is None or after is None else round(after - before, 1),
        "rss_anon_before_mb": before,
    }


def _opened(folder: Path, *, clustered: bool) -> Opened:
    opened = Opened(folder, clustered=clustered)
    opened.memory.get_records(SPACE, [])
    return opened


def _must_find(opened: Opened, question: str) -> None:
    found = opened.memory.recall(SPACE, asked(question))
    assert not found.degraded_reasons, found.degraded_reasons


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--unclustered", action="store_true")
    parser.add_argument("--cold", action="store_true", help="drop what the system holds of it")
    parser.add_argument("--questions", type=Path, required=True)
    given = parser.parse_args()
    questions = json.loads(given.questions.read_text())[:_RECALLS]
    if given.cold:
        drop_cache(given.folder / "memories")
    found = measured(given.folder, clustered=not given.unclustered, questions=questions)
    print(json.dumps(found))


if __name__ == "__main__":
    run(main)
