"""The benchmarks of the store run, and print the figures that others read."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from benchmarks.store_curve import drawing, sizes, table
from benchmarks.store_exact import Nearest, Part
from benchmarks.store_report import missed, report
from benchmarks.store_talk import StubEmbedder, Talk

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).resolve().parents[2]
PROMISED = {
    "memories",
    "append_ms_p50",
    "fsync_ms_p50",
    "recall_ms_p50",
    "dense_recall",
    "open_ms",
    "rss_anon_mb",
    "delete_ms_p50",
    "flat_ms_p50",
    "fts5_ms_p50",
    "recall_over_flat",
    "recall_over_fts5",
    "bytes_per_memory",
}


def run(script: str, *options: object) -> dict[str, Any]:
    """Returns the JSON object on the last line."""
    command = [sys.executable, f"benchmarks/{script}.py", "--json", *map(str, options)]
    ended = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    last: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return last


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("store")
    return run("store", "--memories", 200, "--keep", folder / "kept", "--samples", 10)


def test_store_benchmark_reports_all_figures(measured: dict[str, Any]) -> None:
    assert measured.keys() >= PROMISED
    assert measured["memories"] == 200
    assert all(measured[name] > 0 for name in PROMISED - {"rss_anon_mb"})


def test_few_memories_are_searched_exactly(measured: dict[str, Any]) -> None:
    assert measured["dense_recall"] == 1.0


def test_store_report_shows_the_targets(measured: dict[str, Any]) -> None:
    good = measured | {"recall_ms_p50": 9.0, "dense_recall": 0.98}
    bad = measured | {"recall_ms_p50": 11.0, "dense_recall": 0.96}
    assert not {"recall_ms_p50", "dense_recall"} & set(missed(good))
    assert {"recall_ms_p50", "dense_recall"} <= set(missed(bad))
    assert "recall_ms_p50" not in missed(bad | {"memories": 1_000_000})
    assert "dense_recall" not in missed(bad | {"clustered": False})
    assert "missed" in report(bad)


def test_the_cost_is_drawn_against_the_number_of_memories(measured: dict[str, Any]) -> None:
    runs = [measured, measured | {"memories": 2000, "recall_ms_p50": 99.0}]
    assert ET.fromstring(drawing(runs)).tag.endswith("svg")  # noqa: S314
    assert "**99**" in table(runs)
    assert list(sizes(1000, 100_000)) == [1000, 10_000, 100_000]


def test_load_benchmark_reports_all_figures() -> None:
    found = run("load", "--threads", 2, "--namespaces", 3, "--seconds", 0.5, "--touch", 5)
    assert (found["threads"], found["namespaces"], found["touched"]) == (2, 3, 5)
    assert found["one"]["operations_per_s"] > 0 < found["many"]["operations_per_s"]
    assert found["throughput_ratio"] > 0
    assert found["others_ms_max"].keys() == {"sync", "opening"}


def test_clustered_vector_is_near_others_of_its_topic_and_deterministic() -> None:
    embedder = StubEmbedder(clustered=True)
    texts = ["We were in Lisburg.", "So much for Lisburg.", "We were in Romburg."]
    same, near, far = embedder.embed([texts[0], *texts[1:]])
    assert (embedder.embed_query(texts[0], timeout_s=1.0) == same).all()
    assert same @ near > 0.3 > same @ far


def test_the_exact_scan_knows_the_nearest_by_either_side() -> None:
    rows = StubEmbedder(clustered=False).embed([f"text {number}" for number in range(8)])
    ids = ["a", "b", "c", "d"]
    nearest = Nearest(rows[[5]], 1)
    for index in (0, 2):
        halves = rows.reshape(4, 2, -1).astype("float16")
        nearest.see(Part(ids=ids[index : index + 2], rows=halves[index : index + 2]))
    assert nearest.ids() == [{"c"}]


def test_talk_is_identical_in_every_run() -> None:
    first, second = (list(Talk().conversation(3, 5)) for _ in range(2))
    assert first == second
    assert first != list(Talk().conversation(4, 5))
