"""Everyday messages recall the right memory, each in its own chat and all in one."""

from pathlib import Path

import pytest

from benchmarks.everyday import measured
from benchmarks.everyday_data import read_histories
from benchmarks.everyday_report import Outcome

HISTORY = Path(__file__).resolve().parents[1] / "data" / "everyday_small.json"


@pytest.fixture(scope="module", params=[False, True], ids=["alone", "in one chat"])
def outcomes(request: pytest.FixtureRequest) -> list[Outcome]:
    return measured(read_histories(HISTORY), None, in_one_chat=request.param)


def test_every_message_that_asks_for_a_memory_gets_it(outcomes: list[Outcome]) -> None:
    missed = [
        outcome.probe.text
        for outcome in outcomes
        if outcome.probe.wants and not outcome.is_delivered
    ]
    assert missed == []


def test_small_talk_recalls_nothing(outcomes: list[Outcome]) -> None:
    idle = [outcome for outcome in outcomes if not outcome.probe.wants]
    assert [(outcome.probe.text, outcome.added_tokens) for outcome in idle] == [
        (outcome.probe.text, 0) for outcome in idle
    ]
    assert len(idle) == 2
