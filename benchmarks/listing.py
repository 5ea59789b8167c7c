"""Measures the tab's list of memories in a large namespace.

    python benchmarks/listing.py --memories 100000 --keep DIR [--json]

Fills the folder as benchmarks/store.py does, and keeps it. "first_ms": the first list after opening
or after a write, which reads the columns; "page_ms": a list without words; "keystroke_ms": the
worst of the lists while questions are typed letter by letter, with the word index warm.
"""

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from benchmarks.store_fill import filled, questions_file
from benchmarks.store_talk import SPACE, Opened
from benchmarks.timing import percentile
from memory_core.domain.records import Exchange
from memory_core.memory.browse import browse, typed_query
from memory_core.storage.listing import ListQuery, Order

_TYPED = 20


def measured(folder: Path, memories: int) -> dict[str, float]:
    filled(folder, memories, clustered=True)
    memory = Opened(folder, clustered=True).memory
    started = time.perf_counter()
    total = browse(memory, SPACE, ListQuery()).total
    opened = _ms(started)
    pages = [_page(memory, ListQuery(offset=20 * number)) for number in range(20)]
    typing = [ms for question in _questions(folder) for ms in _keystrokes(memory, question)]
    memory.remember(SPACE, "new talk", Exchange(user="Something new", assistant="Noted", ts=1.0))
    after_write = _page(memory, ListQuery())
    memory.close()
    return {
        "memories": total,
        "first_ms": opened,
        "page_ms_p50": round(percentile(pages, 50), 1),
        "keystroke_ms_p50": round(percentile(typing, 50), 1),
        "keystroke_ms_p95": round(percentile(typing, 95), 1),
        "keystroke_ms_max": round(max(typing), 1),
        "after_write_ms": after_write,
    }


def _questions(folder: Path) -> list[str]:
    found: list[str] = json.loads(questions_file(folder).read_text())
    return [" ".join(question.split()[-3:]) for question in found[:_TYPED]]


def _keystrokes(memory: object, question: str) -> list[float]:
    taken = []
    for end in range(1, len(question) + 1):
        started = time.perf_counter()
        query = typed_query(memory, SPACE, question[:end], ListQuery(order=Order.BEST))
        browse(memory, SPACE, query)
        taken.append(_ms(started))
    return taken


def _page(memory: object, query: ListQuery) -> float:
    started = time.perf_counter()
    browse(memory, SPACE, query)
    return _ms(started)


def _ms(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found = measured(asked.keep, asked.memories)
    lines = [json.dumps(found)] if asked.json else [f"{k}: {v}" for k, v in found.items()]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    run(main)
