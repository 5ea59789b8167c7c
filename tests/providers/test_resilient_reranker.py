"""Calls to a failing reranker pause for a while, for scoring and for loading, then resume."""

from collections.abc import Sequence

import pytest

from memory_core.domain.errors import RerankerNotReady, RerankerUnavailable
from memory_core.providers.rerankers.base import Scores
from memory_core.providers.resilient import ResilientReranker
from tests.builders import Clock


class Flaky:
    """Raises `fault` while it is set, and counts its calls."""

    name = "flaky"
    fault: RerankerUnavailable | None = RerankerUnavailable("nobody at home")
    asked = 0

    def prepare(self) -> None:
        self.scores("", [], timeout_s=1)

    def scores(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Scores:
        self.asked += 1
        if self.fault:
            raise self.fault
        return {index: 1.0 for index, _ in enumerate(texts)}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def flaky() -> Flaky:
    return Flaky()


@pytest.fixture
def resilient(flaky: Flaky, clock: Clock) -> ResilientReranker:
    return ResilientReranker(flaky, clock=clock)


def _fail(reranker: ResilientReranker) -> str:
    with pytest.raises(RerankerUnavailable) as caught:
        reranker.scores("a", ["a"], timeout_s=1)
    return str(caught.value)


def _fail_to_load(reranker: ResilientReranker) -> str:
    with pytest.raises(RerankerUnavailable) as caught:
        reranker.prepare()
    return str(caught.value)


def test_a_failed_reranker_is_not_asked_for_thirty_seconds(
    resilient: ResilientReranker, flaky: Flaky, clock: Clock
) -> None:
    assert _fail(resilient) == "nobody at home"
    clock.now += 29.9
    assert _fail(resilient) == "nobody at home (tried again in 0 s)"
    assert flaky.asked == 1
    flaky.fault = None
    clock.now += 0.2
    assert resilient.scores("a", ["a"], timeout_s=1) == {0: 1.0}


def test_a_model_still_being_loaded_is_asked_every_time(
    resilient: ResilientReranker, flaky: Flaky
) -> None:
    flaky.fault = RerankerNotReady("being fetched")
    _fail(resilient)
    flaky.fault = None
    assert resilient.scores("a", ["a"], timeout_s=1) == {0: 1.0}


def test_a_model_that_cannot_be_loaded_is_not_fetched_again_at_once(
    resilient: ResilientReranker, flaky: Flaky, clock: Clock
) -> None:
    for _ in range(3):
        assert _fail_to_load(resilient) == "nobody at home"
    assert flaky.asked == 1
    flaky.fault = None
    clock.now += 31
    resilient.prepare()
    assert flaky.asked == 2


def test_a_failed_load_does_not_pause_scoring(resilient: ResilientReranker, flaky: Flaky) -> None:
    _fail_to_load(resilient)
    flaky.fault = None
    assert resilient.scores("a", ["a"], timeout_s=1) == {0: 1.0}
