"""Measures the cost of a large namespace: writing, recalling, deleting, opening, disk space.

    python benchmarks/store.py --memories 100000 [--unclustered] [--json] [--keep DIR]
    python benchmarks/store.py --backend postgres --dsn DSN [--others 10000] [--memories …]

Fills a folder through the product's own reconcile and derive_pending, with vectors of a stub
embedder (store_talk.py), and keeps it for the next run: in --keep, else in build/. Then, in this
order: opening in a fresh process, all imports done, first with nothing of the folder in the
system's cache and then with it; recall, whole and in parts; appending, a raw synced write of 1 KB
beside each; forgetting as many memories as were appended, and their erasure.

With --json the last line is one object. "append_ms_p50", "recall_ms_p50", "delete_ms_p50": the
methods remember, recall and forget of LongTermMemory; "fsync_ms_p50": the raw write in the same
folder; "dense_recall": how many of the 20 memories nearest by an exact scan vectors.search brings;
"open_ms": until the namespace answers by words and vectors, cold; "rss_anon_mb": what that and 50
recalls add to the memory that no file backs; "bytes_per_memory": of disk. Recall is measured with
an idle background, after 200 others and with all files in the system's cache;
"recall_after_append_ms": the first one after a write; "recall_cpu_ms_mean" and "open_cpu_ms" are
lower bounds on the time that a busy machine would take if it were idle. "flat_ms_p50" and
"fts5_ms_p50": a flat FAISS search for 60 of the same vectors and an FTS5 query over the same texts,
in turn with recall; "recall_over_flat" and "recall_over_fts5": how many times as long recall takes.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

import numpy as np

from benchmarks.command import run
from benchmarks.store_exact import Nearest, Sample, parts, scans
from benchmarks.store_fill import conversations, filled, questions_file
from benchmarks.store_plain import Plain
from benchmarks.store_report import report
from benchmarks.store_talk import SPACE, TALK, Opened, Talk, asked, derive_all
from benchmarks.timing import (
    RawWrites,
    disk_use,
    fill_cache,
    load,
    percentile,
    spread,
    timed,
    times,
)

PROJECT = Path(__file__).resolve().parent.parent
_WARM, _AFTER_APPEND, _SCANS = 200, 50, 20
_K, _CANDIDATES = 20, 60
_FOLDER = SPACE.folder(Path("memories"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`samples`: how many queries, appends and deletions are timed, each."""

    folder: Path
    memories: int
    clustered: bool
    samples: int


def measured(case: Case) -> dict[str, Any]:
    cost = filled(case.folder, case.memories, clustered=case.clustered)
    found = {"memories": case.memories, "clustered": case.clustered, "load_before": load()}
    found |= cost | _space(case.folder / _FOLDER, case.memories) | _opening(case)
    questions = json.loads(questions_file(case.folder).read_text())
    opened = Opened(case.folder, clustered=case.clustered)
    derive_all(opened.memory)
    fill_cache(case.folder / _FOLDER)  # the cold opening emptied it
    found |= _recalling(opened, questions, case) | _searching(opened, questions, case)
    found |= _writing(opened, questions, case) | _deleting(opened, case)
    opened.memory.close()
    return found | {"load_after": load()}


def _space(folder: Path, memories: int) -> dict[str, Any]:
    used = disk_use(folder)
    return {
        "bytes_per_memory": round(sum(used.values()) / memories),
        "bytes_by_part": {name: round(it / memories, 1) for name, it in sorted(used.items())},
    }


def _opening(case: Case) -> dict[str, Any]:
    """Measures opening, cold then warm, each in its own process."""
    command = [sys.executable, str(PROJECT / "benchmarks" / "store_fresh.py"), str(case.folder)]
    command += ["--questions", str(questions_file(case.folder))]
    command += [] if case.clustered else ["--unclustered"]
    cold = _answer([*command, "--cold"])
    warm = _answer(command)
    kept = ("open_ms", "open_words_ms", "open_vectors_ms", "open_cpu_ms", "first_recall_ms")
    return cold | {f"warm_{name}": warm[name] for name in kept}


def _answer(command: Sequence[str]) -> dict[str, Any]:
    ended = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return found


def _recalling(opened: Opened, questions: Sequence[str], case: Case) -> dict[str, Any]:
    memory, recalled = opened.memory, 0
    for question in _drawn(questions, _WARM, seed=1):
        recalled += len(memory.recall(SPACE, asked(question)).kept)
    assert recalled, "nothing was recalled"
    queries = [asked(question) for question in _drawn(questions, case.samples, seed=2)]
    began = time.process_time()
    took = times(lambda query: memory.recall(SPACE, query), queries)
    cpu = (time.process_time() - began) * 1000 / case.samples
    return {**spread("recall", took), "recall_cpu_ms_mean": round(cpu, 3)}


def _searching(opened: Opened, questions: Sequence[str], case: Case) -> dict[str, Any]:
    """Measures the parts of recall, and compares vector search with an exact scan."""
    drawn = _drawn(questions, case.samples, seed=3)
    store, words = opened.stores[0], [asked(question).words for question in drawn]
    vectors = np.array([opened.embedder.embed_query(question, timeout_s=1.0) for question in drawn])
    lexical = times(lambda word: store.fulltext.search(word, limit=_CANDIDATES), words)
    dense = times(lambda vector: store.vectors.search(vector, limit=_CANDIDATES), vectors)
    nearest, sample, plain = Nearest(vectors, _K), Sample(rows=[]), Plain()
    for part in parts(opened, case.memories):
        nearest.see(part)
        sample.see(part)
        plain.see(part)
    right = nearest.ids()
    hits = [set(store.vectors.search(vector, limit=_K)) for vector in vectors]
    shares = [len(hit & it) / len(it) for hit, it in zip(hits, right, strict=True)]
    return {
        **spread("lexical", lexical),
        **spread("dense", dense),
        "dense_recall": round(sum(shares) / len(shares), 4),
        **scans(sample.taken(), vectors[:_SCANS], _K),
        **plain.beside(opened, drawn),
    }


def _writing(opened: Opened, questions: Sequence[str], case: Case) -> dict[str, Any]:
    """Measures appends beside raw writes, then appends followed by a recall."""
    memory, raw = opened.memory, RawWrites(case.folder / _FOLDER)
    synced, appended = list[float](), list[float]()
    *_, (name, number, _) = conversations(case.memories)
    number += len(memory.conversation(SPACE, name, case.memories))  # another one at every run
    fresh = [entry.exchange for entry in Talk().conversation(number, _appended(case))]
    for exchange in fresh[: case.samples]:
        synced.append(timed(raw.one))
        appended.append(timed(memory.remember, SPACE, name, exchange))
    raw.close()
    first = timed(memory.recall, SPACE, asked(questions[0]))
    after = list[float]()
    asked_after = _drawn(questions, _AFTER_APPEND, seed=4)
    for exchange, question in zip(fresh[case.samples :], asked_after, strict=False):
        memory.remember(SPACE, name, exchange)
        after.append(timed(memory.recall, SPACE, asked(question)))
    return {
        **spread("append", appended),
        **spread("fsync", synced),
        "append_per_fsync": round(percentile(appended, 50) / percentile(synced, 50), 2),
        **spread("recall_after_append", after),
        "recall_after_appends_ms": round(first, 2),
        "derive_appends_ms": round(timed(derive_all, memory), 1),
    }


def _deleting(opened: Opened, case: Case) -> dict[str, Any]:
    """Measures forgetting single ids beside raw writes, then erasing all at once."""
    memory, raw = opened.memory, RawWrites(case.folder / _FOLDER)
    doomed = _anywhere(opened, case)
    synced, deleted = list[float](), list[float]()
    for memory_id in doomed:
        synced.append(timed(raw.one))
        deleted.append(timed(memory.forget, SPACE, [memory_id]))
    raw.close()
    erased = list[int]()
    took = timed(lambda: erased.append(memory.erase_all_forgotten(SPACE)))
    assert erased[0] >= len(doomed), f"{erased[0]} of {len(doomed)} were erased"
    return {
        **spread("delete", deleted),
        "delete_per_fsync": round(percentile(deleted, 50) / percentile(synced, 50), 2),
        "erase_now_ms": round(took, 1),
        "erased": erased[0],
    }


def _appended(case: Case) -> int:
    return case.samples + min(_AFTER_APPEND, case.samples)


def _anywhere(opened: Opened, case: Case) -> list[str]:
    """Returns the ids of as many memories as were appended, but at most half of all."""
    wanted = min(_appended(case), case.memories // 2)
    names = [name for name, _, _ in conversations(case.memories)]
    rng, found = random.Random(), set[str]()
    while len(found) < wanted:
        told = opened.memory.conversation(SPACE, rng.choice(names), TALK)
        found.update(it.id for it in rng.sample(told, min(len(told), 20)))
    return sorted(found)[:wanted]


def _drawn(questions: Sequence[str], count: int, *, seed: int) -> list[str]:
    return random.Random(seed).choices(questions, k=count)


def _in_postgres(given: argparse.Namespace) -> dict[str, Any]:
    from benchmarks.store_postgres import ServerCase, measured  # the driver is an extra

    name = f"store-postgres-{given.memories}{'-unclustered' if given.unclustered else ''}"
    case = ServerCase(
        folder=given.keep or PROJECT / "build" / name,
        dsn=given.dsn,
        memories=given.memories,
        clustered=not given.unclustered,
        samples=given.samples,
        others=given.others,
    )
    return measured(case)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--unclustered", action="store_true", help="vectors without clusters")
    parser.add_argument("--json", action="store_true", help="one object on the last line")
    parser.add_argument("--keep", type=Path, help="fill this folder; build/ without it")
    parser.add_argument("--samples", type=int, default=300, help="of each that is timed")
    parser.add_argument("--backend", choices=["local", "postgres"], default="local")
    parser.add_argument(
        "--dsn", default="", help="of the PostgreSQL database, filled if it is empty"
    )
    parser.add_argument("--others", type=int, default=0, help="small namespaces in that database")
    given = parser.parse_args()
    if given.backend == "postgres":
        print(json.dumps(_in_postgres(given)))
        return
    name = f"store-{given.memories}{'-unclustered' if given.unclustered else ''}"
    folder = given.keep or PROJECT / "build" / name
    case = Case(
        folder=folder,
        memories=given.memories,
        clustered=not given.unclustered,
        samples=given.samples,
    )
    found = measured(case)
    print(json.dumps(found) if given.json else report(found))


if __name__ == "__main__":
    run(main)
