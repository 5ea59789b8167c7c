"""Everyday messages get the memory that they ask for, each alone and all in one chat."""

from pathlib import Path

import pytest

from benchmarks.everyday import Outcome, measured
from benchmarks.everyday_data import read_histories

HISTORY = Path(__file__).resolve().parents[1] / "data" / "everyday_small.json"


@pytest.fixture(scope="module", params=[False, True], ids=["alone", "in one chat"])
def outcomes(request: pytest.FixtureRequest) -> list[Outcome]:
    return measured(read_histories(HISTORY), None, in_one_chat=request.param)


def test_every_message_that_asks_for_a_memory_gets_it(outcomes: list[Outcome]) -> None:
    missed = [it.probe.text for it in outcomes if it.probe.wants and not it.is_delivered]
    assert missed == []


def test_small_talk_in_between_gets_nothing(outcomes: list[Outcome]) -> None:
    idle = [it for it in outcomes if not it.probe.wants]
    assert [(it.probe.text, it.added_tokens) for it in idle] == [(it.probe.text, 0) for it in idle]
    assert len(idle) == 2
