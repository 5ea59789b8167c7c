"""The benchmark of validity stores golden facts as observations, superseded as marked."""

import json
from pathlib import Path

from benchmarks.golden import read_golden
from benchmarks.validity import DATA, measure_all, report
from tests.benchmarks.conftest import RunBenchmark


def test_superseded_facts_mislead_less_often_than_exchanges_alone() -> None:
    moved = [one for one in read_golden(DATA / "en.json") if one.name == "moved-to-lisbon"]
    alone, derived = (
        report(measure_all(moved, None, is_derived=is_derived)) for is_derived in (False, True)
    )
    assert alone["questions"] == derived["questions"] == [3, 1, 1]
    assert derived["misled"] == 0.0
    assert derived["wanted_of_before"] == 1.0


def test_validity_prints_figures_for_each_file(tmp_path: Path, run_benchmark: RunBenchmark) -> None:
    known = json.loads((DATA / "zh.json").read_text(encoding="utf-8"))
    path = tmp_path / "zh.json"
    corrected = [one for one in known["histories"] if one["name"] == "不对是周四"]
    path.write_text(json.dumps({"histories": corrected}), encoding="utf-8")
    done = run_benchmark("validity", "--json", "--golden", path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["zh, with observations"]["misled"] == 0.0
