"""Measures on LongMemEval whether recall finds the sessions and exchanges that answer a question.

Each instance gets its own memory, filled through the product's API and asked at the question's
date. Recall runs with the defaults and room for 60. Figures for each k, as in the data set's own
evaluation: `session_any@k` and `session_all@k` (any or all answering sessions are among the
sessions of the first k exchanges), `exchange_any@k` and `exchange_all@k`; `delivered` is the share
of questions of which the defaults' gate lets an answering exchange through.

The folder holds run.json (the options), items/<id>.json, progress.jsonl, errors.jsonl, and
at the end summary.json and summary.csv. An interrupted run continues where it stopped; items
that failed are tried again.
"""

import argparse
import csv
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from benchmarks.locomo import Place
from benchmarks.longmemeval_data import BadInstance, Instance, Json, read_instance, read_records
from benchmarks.product import EMBEDDERS, Product, chosen_embedder
from benchmarks.recall import SEEN, ranking_settings, ungated
from memory_core.domain.errors import LongTermMemoryError
from memory_core.infra import durable_files
from memory_core.providers.embedders.base import Embedder
from memory_core.recall.results import Recall

KS = (1, 3, 5, 10, 20, 50)
ALL = "all"


def measure(instance: Instance, embedder: Embedder | None, ks: Sequence[int]) -> dict[str, Any]:
    """Returns the figures of one instance, with the ranked places for later analysis."""
    settings = ranking_settings(gate=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        Product(Path(folder), settings=settings, embedder=embedder) as product,
    ):
        places = product.tell(instance.conversation)
        started = time.perf_counter()
        recall = product.put(instance.conversation, instance.question)
        ms = (time.perf_counter() - started) * 1000
    ranked = _ranked(ungated(recall), places)
    delivered = instance.exchanges.intersection(_ranked(recall, places))
    return {
        "id": instance.id,
        "type": instance.type,
        "unanswerable": instance.is_unanswerable,
        "exchanges": len(places),
        "query_ms": round(ms, 2),
        "delivered": float(bool(delivered)),
        "injected": len(recall.kept),
        "ranked": [[place.session, place.exchange] for place in ranked],
        "figures": figures(instance, ranked, ks),
    }


def _ranked(recall: Recall, places: Mapping[str, Place]) -> list[Place]:
    return [places[recalled.memory.id] for recalled in recall.kept]


def figures(instance: Instance, ranked: Sequence[Place], ks: Sequence[int]) -> dict[str, float]:
    """Returns the figures at each k; none if the data name no evidence, as in abstention."""
    found: dict[str, float] = {}
    for k in ks:
        sessions = {place.session for place in ranked[:k]}
        for name, wanted, got in (
            ("session", instance.sessions, sessions),
            ("exchange", instance.exchanges, set(ranked[:k])),
        ):
            if wanted and not instance.is_unanswerable:
                found[f"{name}_any@{k}"] = float(not wanted.isdisjoint(got))
                found[f"{name}_all@{k}"] = float(wanted <= got)
    return found


class Run:
    """The folder of a run, which can be interrupted at any point."""

    def __init__(self, folder: Path, asked: Mapping[str, Any]) -> None:
        """Opens or starts a run. Raises BadInstance if the folder has a run with other options."""
        self._folder = folder
        self._items = folder / "items"
        self._items.mkdir(parents=True, exist_ok=True)
        path = folder / "run.json"
        if path.exists() and json.loads(path.read_bytes()) != asked:
            raise BadInstance(f"{folder} holds a run with other options: {path}. Name a new folder")
        durable_files.replace(path, json.dumps(asked, indent=2).encode())

    def item(self, record: Json) -> dict[str, Any] | None:
        """Returns the finished item of a record, if there is one."""
        path = self._path(record)
        return json.loads(path.read_bytes()) if path.exists() else None

    def finish(self, record: Json, item: Mapping[str, Any]) -> None:
        durable_files.replace(self._path(record), json.dumps(item).encode())
        self._note("progress.jsonl", {"id": item["id"], "query_ms": item["query_ms"]})

    def fail(self, record: Json, fault: Exception) -> None:
        told = {"id": record.get("question_id", ""), "error": f"{type(fault).__name__}: {fault}"}
        self._note("errors.jsonl", told)

    def summarise(self, found: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
        """Writes the summary as JSON, and as CSV with a row for each type and k."""
        durable_files.replace(self._folder / "summary.json", json.dumps(found, indent=2).encode())
        with (self._folder / "summary.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]) if rows else ["type"])
            writer.writeheader()
            writer.writerows(rows)

    def _note(self, name: str, entry: Mapping[str, Any]) -> None:
        with (self._folder / name).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"at": round(time.time(), 3), **entry}) + "\n")

    def _path(self, record: Json) -> Path:
        # An id may hold anything; a hash of it is a name on every disk.
        name = hashlib.sha256(str(record.get("question_id", "")).encode()).hexdigest()[:24]
        return self._items / f"{name}.json"


def work(
    run: Run, records: Iterable[Json], embedder: Embedder | None, ks: Sequence[int]
) -> tuple[list[dict[str, Any]], int]:
    """Measures the unfinished instances; returns all items and the number of failures."""
    items, failures = [], 0
    for record in records:
        item = run.item(record)
        if item is None:
            try:
                item = measure(read_instance(record), embedder, ks)
            except (BadInstance, LongTermMemoryError) as exc:
                run.fail(record, exc)
                failures += 1
                continue
            run.finish(record, item)
        items.append(item)
    return items, failures


def summary(items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns type → figure → mean over the type's questions, and over all."""
    groups: dict[str, list[Mapping[str, Any]]] = {ALL: list(items)}
    for item in items:
        groups.setdefault(item["type"], []).append(item)
    return {name: _means(own) for name, own in groups.items() if own}


def _means(items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    answerable = [item for item in items if item["figures"]]
    names = dict.fromkeys(name for item in answerable for name in item["figures"])
    quiet = [float(not item["injected"]) for item in items if item["unanswerable"]]
    found: dict[str, Any] = {"questions": len(items), "unanswerable": len(quiet)}
    found |= {
        name: round(
            fmean(item["figures"][name] for item in answerable if name in item["figures"]), 4
        )
        for name in names
    }
    if answerable:
        found["delivered"] = round(fmean(item["delivered"] for item in answerable), 4)
    found["query_ms"] = round(fmean(item["query_ms"] for item in items), 2)
    return found


def rows_of(found: Mapping[str, Any], ks: Sequence[int]) -> list[dict[str, Any]]:
    """Returns the rows of the CSV: one for each type and k."""
    names = ("session_any", "session_all", "exchange_any", "exchange_all")
    return [
        {"type": kind, "k": k, "questions": means["questions"]}
        | {name: means.get(f"{name}@{k}", "") for name in names}
        for kind, means in found.items()
        for k in ks
    ]


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a file in LongMemEval's format")
    parser.add_argument("--out", type=Path, required=True, help="the folder of this run")
    parser.add_argument("--embedder", default="none", help=EMBEDDERS)
    parser.add_argument("--k", type=_ks, default=KS, help="numbers of memories, such as 1,5,10")
    parser.add_argument("--limit", type=int, help="the first questions only")
    parser.add_argument("--types", default="", help="only these question types, with commas")
    parser.add_argument("--json", action="store_true", help="the summary as one line of JSON")
    return parser.parse_args()


def _ks(text: str) -> tuple[int, ...]:
    ks = tuple(sorted({int(part) for part in text.split(",")}))
    if not ks or not 1 <= ks[0] <= ks[-1] <= SEEN:
        raise argparse.ArgumentTypeError(f"numbers from 1 to {SEEN}, with commas, not {text!r}")
    return ks


def _wanted(asked: argparse.Namespace) -> list[Json]:
    types = {name for name in asked.types.split(",") if name}
    records = read_records(asked.data)
    chosen = [entry for entry in records if not types or entry.get("question_type") in types]
    return chosen[: asked.limit]


def main() -> None:
    asked = _asked()
    options = {
        "data": asked.data.name,
        "sha256": hashlib.sha256(asked.data.read_bytes()).hexdigest(),
        "embedder": asked.embedder,
        "k": list(asked.k),
    }
    try:
        run = Run(asked.out, options)
        records = _wanted(asked)
    except BadInstance as exc:
        raise SystemExit(str(exc)) from exc
    items, failures = work(run, records, chosen_embedder(asked.embedder), asked.k)
    found = summary(items)
    run.summarise(found | {"failures": failures}, rows_of(found, asked.k))
    for kind, means in found.items():
        print(kind, json.dumps(means))
    if asked.json:
        print(json.dumps(found | {"failures": failures}))
    if failures:
        sys.exit(f"{failures} questions failed: {asked.out / 'errors.jsonl'}")


if __name__ == "__main__":
    run(main)
