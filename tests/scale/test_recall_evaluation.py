"""The recall evaluation finds as much in PostgreSQL as in files."""

from itertools import islice
from pathlib import Path

from benchmarks.locomo import read_conversations
from benchmarks.product import Product, chosen_embedder
from benchmarks.recall import GATED, measure, own_questions, ranking_settings, report
from tests.scale.servers import Server

DATA = Path(__file__).resolve().parents[2] / "benchmarks" / "data" / "companion_en.json"
CLOSE = 0.01


def _recall(folder: Path, dsn: str) -> float:
    settings, embedder = ranking_settings(gate=True), chosen_embedder("fake")
    with Product(folder, settings=settings, embedder=embedder, dsn=dsn) as product:
        few = islice(read_conversations(DATA), 1)
        return float(report(list(measure(product, few, [own_questions])))[GATED])


def test_recall_is_that_of_files(primary: Server, tmp_path: Path) -> None:
    primary.execute("CREATE DATABASE evaluated", database="postgres")
    local = _recall(tmp_path / "local", "")
    assert local > 0.2
    assert abs(_recall(tmp_path / "postgres", primary.dsn("evaluated")) - local) <= CLOSE
