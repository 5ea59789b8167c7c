"""Measures the speed and the memory use of importing past chats, without an embedder.

    python benchmarks/importing.py --exchanges 100000 [--json] [--keep DIR]

Writes chat files as text-generation-webui does, about 200 exchanges each with sentences of many
different words, imports them through the product's own import, and once more, when everything is
known. With --json the last line is one object: "exchanges", "chats", "bytes", "survey_s",
"import_s", "exchanges_per_s", "cpu_s", "exchanges_per_cpu_s", "again_s", "added_again",
"rss_before_mb", "rss_peak_mb", "bytes_per_exchange". The CPU seconds estimate the speed of a busy
machine if it were idle.
"""

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.command import run
from memory_core import bootstrap
from memory_core.admin.importers.base import MemoryOwner
from memory_core.admin.importers.engine import import_chats
from memory_core.admin.importers.source import ImportSource
from memory_core.admin.importers.survey import survey
from memory_core.admin.importers.textgen import TextgenReader
from memory_core.config.schema import Settings
from memory_core.memory.factories import Models

CHAT = 200
CHARACTERS = ("Mira", "Kai", "Xiao Lan")
BEGIN = datetime(2024, 1, 1, 9, 0)
SYLLABLES = ("ba", "ko", "ri", "ten", "mu", "sal", "ve", "no", "gar", "li", "pha", "dor", "est")


def words(rng: random.Random, count: int) -> list[str]:
    made = {"".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))) for _ in range(count * 2)}
    return sorted(made)[:count]


def sentence(rng: random.Random, vocabulary: list[str], length: int) -> str:
    """Returns words with the frequencies of a natural language, and a date in one of twenty."""
    picked = [vocabulary[int(len(vocabulary) * rng.random() ** 3)] for _ in range(length)]
    when = " yesterday" if rng.random() < 0.05 else ""
    return " ".join(picked).capitalize() + when + "."


def write_chats(folder: Path, exchanges: int) -> int:
    """Writes the chat files; returns their size in bytes."""
    rng = random.Random(4)
    vocabulary = words(rng, 20_000)
    size = 0
    for first in range(0, exchanges, CHAT):
        count = min(CHAT, exchanges - first)
        begin = BEGIN + timedelta(hours=first // CHAT)
        saved = chat(rng, vocabulary, begin, count)
        character = CHARACTERS[first // CHAT % len(CHARACTERS)]
        path = folder / "logs" / "chat" / character / f"{begin:%Y%m%d-%H-%M-%S}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(saved, indent=4, ensure_ascii=False)
        path.write_text(text, encoding="utf-8")
        size += len(text)
    return size


def chat(rng: random.Random, vocabulary: list[str], begin: datetime, count: int) -> dict[str, Any]:
    rows = [["<|BEGIN-VISIBLE-CHAT|>", "Hello there."]]
    for _ in range(count):
        question = sentence(rng, vocabulary, rng.randint(4, 20))
        rows.append([question, sentence(rng, vocabulary, rng.randint(10, 50))])
    stamps = [
        f"{begin + timedelta(seconds=15 * index):%b %d, %Y %H:%M}" for index in range(len(rows))
    ]
    metadata = {
        f"{side}_{index}": {"timestamp": stamp}
        for index, stamp in enumerate(stamps)
        for side in ("user", "assistant")
    }
    return {"internal": rows, "visible": rows, "metadata": metadata}


def measured(folder: Path, exchanges: int) -> dict[str, Any]:
    size = write_chats(folder / "user_data", exchanges)
    source = ImportSource(
        reader=TextgenReader(),
        path=folder / "user_data",
        owner=MemoryOwner(user="ana", character=""),
    )
    models = Models(embedder=None, llm=None)
    root = folder / "memories"
    before = resident_mb()
    found = survey([source])
    memory = bootstrap.build(Settings(), models, root=root)
    began = time.process_time()
    first = import_chats(memory, source, total=found.total)
    cpu = time.process_time() - began
    peak = resident_mb()
    again = import_chats(memory, source, total=found.total)
    memory.close()
    stored = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
    return {
        "exchanges": first.added,
        "chats": first.chats,
        "bytes": size,
        "survey_s": round(found.elapsed_s, 2),
        "import_s": round(first.elapsed_s, 2),
        "exchanges_per_s": round(first.added / first.elapsed_s),
        "cpu_s": round(cpu, 2),
        "exchanges_per_cpu_s": round(first.added / cpu),
        "again_s": round(again.elapsed_s, 2),
        "added_again": again.added,
        "rss_before_mb": round(before, 1),
        "rss_peak_mb": round(peak, 1),
        "bytes_per_exchange": round(stored / max(1, first.added)),
    }


def resident_mb() -> float:
    """Returns the peak memory of this process, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--exchanges", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", type=Path, help="work in this folder and leave it")
    args = parser.parse_args()
    began = time.monotonic()
    if args.keep:
        found = measured(args.keep, args.exchanges)
    else:
        with tempfile.TemporaryDirectory() as folder:
            found = measured(Path(folder), args.exchanges)
    for name, value in found.items():
        print(f"{name:20} {value}")
    print(f"{'all of it, s':20} {time.monotonic() - began:.1f}")
    if args.json:
        print(json.dumps(found))


if __name__ == "__main__":
    run(main)
