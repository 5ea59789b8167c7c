"""The benchmark of the server runs, and prints the figures that others read."""

import json
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
FIGURES = {"added_ms_p50", "chunk_ms_p99", "parallel", "crossed", "lost", "parallel_added_ms_p95"}


def test_streams_of_several_users_are_neither_lost_nor_crossed() -> None:
    sizes = ("--memories=30", "--streams=6", "--users=3", "--rounds=1", "--chunks=3", "--ramp-s=0")
    command = [sys.executable, "-m", "benchmarks.serve", "--json", *sizes]
    ended = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    printed = json.loads(ended.stdout)
    assert printed.keys() >= FIGURES
    assert (printed["parallel"], printed["crossed"], printed["lost"]) == (6, 0, 0)
