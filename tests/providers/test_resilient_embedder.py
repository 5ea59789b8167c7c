"""Calls to a failing embedder pause, for longer and longer, and resume by themselves."""

from collections.abc import Sequence

import pytest

from memory_core.domain.errors import EmbedderNotReady, EmbedderUnavailable
from memory_core.providers.embedders.base import Embedder, Vectors
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.providers.resilient import ResilientEmbedder
from tests.builders import Clock


class Flaky(FakeEmbedder):
    """Raises `fault` as long as there is one, and counts its calls."""

    fault: EmbedderUnavailable | None = EmbedderUnavailable("nobody at home")
    asked = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += 1
        if self.fault:
            raise self.fault
        return super().embed(texts)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def flaky() -> Flaky:
    return Flaky()


@pytest.fixture
def resilient(flaky: Flaky, clock: Clock) -> ResilientEmbedder:
    return ResilientEmbedder(flaky, clock=clock)


def _ask(embedder: Embedder) -> Vectors:
    return embedder.embed_query("a", timeout_s=1)


def _fail(embedder: Embedder) -> str:
    with pytest.raises(EmbedderUnavailable) as caught:
        _ask(embedder)
    return str(caught.value)


def test_a_failed_embedder_is_not_asked_for_thirty_seconds(
    resilient: ResilientEmbedder, flaky: Flaky, clock: Clock
) -> None:
    _fail(resilient)
    clock.now += 29.9
    assert "nobody at home (tried again in 0 s)" in _fail(resilient)
    with pytest.raises(EmbedderUnavailable):
        resilient.embed(["a"])
    assert flaky.asked == 1
    clock.now += 0.2
    _fail(resilient)
    assert flaky.asked == 2


def test_the_pause_doubles_up_to_five_minutes(
    resilient: ResilientEmbedder, flaky: Flaky, clock: Clock
) -> None:
    _fail(resilient)
    pauses = []
    for _ in range(6):
        asked, since = flaky.asked, clock.now
        while flaky.asked == asked:
            clock.now += 1
            _fail(resilient)
        pauses.append(clock.now - since)
    assert pauses == [30, 60, 120, 240, 300, 300]


def test_a_success_ends_the_pause_and_resets_its_length(
    resilient: ResilientEmbedder, flaky: Flaky, clock: Clock
) -> None:
    _fail(resilient)
    clock.now += 31
    _fail(resilient)
    clock.now += 61
    flaky.fault = None
    assert _ask(resilient).shape == (16,)
    flaky.fault = EmbedderUnavailable("gone again")
    _fail(resilient)
    clock.now += 31
    _fail(resilient)
    assert flaky.asked == 5


def test_a_model_still_being_loaded_is_asked_every_time(
    resilient: ResilientEmbedder, flaky: Flaky
) -> None:
    flaky.fault = EmbedderNotReady("being fetched")
    _fail(resilient)
    flaky.fault = None
    assert _ask(resilient).shape == (16,)


def test_name_width_and_fingerprint_are_those_of_the_embedder_inside(
    resilient: ResilientEmbedder, flaky: Flaky
) -> None:
    flaky.dim, flaky.name, flaky.fingerprint = 5, "n", "f"
    assert (resilient.dim, resilient.name, resilient.fingerprint) == (5, "n", "f")
