"""The benchmark of the server runs, and prints the figures that others read."""

import json

import pytest

from tests.benchmarks.conftest import RunBenchmark

FIGURES = {"added_ms_p50", "chunk_ms_p99", "parallel", "crossed", "lost", "parallel_added_ms_p95"}


@pytest.mark.slow
def test_streams_of_several_users_are_neither_lost_nor_crossed(run_benchmark: RunBenchmark) -> None:
    sizes = ("--memories=30", "--streams=6", "--users=3", "--rounds=1", "--chunks=3", "--ramp-s=0")
    ended = run_benchmark("serve", "--json", *sizes)
    assert ended.returncode == 0, ended.stderr
    printed = json.loads(ended.stdout)
    assert printed.keys() >= FIGURES
    assert (printed["parallel"], printed["crossed"], printed["lost"]) == (6, 0, 0)
