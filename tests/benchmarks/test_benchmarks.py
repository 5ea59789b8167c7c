"""The benchmark of a turn runs, and prints the figures that others read."""

import json
from typing import Any

import pytest

from tests.benchmarks.conftest import run_in_this_process

KEYS = "memories turns injection_location added_ms_p50 added_ms_p99 prefix_unchanged"


@pytest.fixture(scope="module")
def printed() -> dict[str, Any]:
    """Returns the last line of a small run of benchmarks/turn.py."""
    ended = run_in_this_process("turn", "--json", "--memories", 60, "--turns", 6)
    assert ended.returncode == 0, ended.stderr
    last: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return last


def test_the_turn_benchmark_reports_every_injection_location(printed: dict[str, Any]) -> None:
    assert printed["token_counter"]
    assert len({run["injection_location"] for run in printed["runs"]}) == 3
    for run in printed["runs"]:
        assert list(run) == KEYS.split()
        assert (run["memories"], run["turns"]) == (60, 6)
        assert 0 < run["added_ms_p50"] <= run["added_ms_p99"]


def test_injection_at_the_end_of_a_chat_leaves_its_beginning_unchanged(
    printed: dict[str, Any],
) -> None:
    share = {run["injection_location"]: run["prefix_unchanged"] for run in printed["runs"]}
    assert 2 * share["BEFORE_NORMAL_CONTEXT"] < share["IN_CHAT"] < 1
