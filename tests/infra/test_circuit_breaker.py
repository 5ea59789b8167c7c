import pytest

from memory_core.domain.errors import LLMUnavailable
from memory_core.infra.circuit_breaker import Backoff


def passing(*, retry_after_s: float = 0.0) -> LLMUnavailable:
    failure = LLMUnavailable("the server is busy")
    failure.is_transient, failure.retry_after_s = True, retry_after_s
    return failure


def test_backoff_doubles_the_wait_unless_the_server_asks_for_a_longer_one() -> None:
    backoff = Backoff(1.0)
    failures = [passing(), passing(), passing(retry_after_s=9.0), passing()]
    assert [backoff.after(failure) for failure in failures] == [1.0, 2.0, 9.0, 8.0]


def test_backoff_raises_a_failure_that_does_not_pass() -> None:
    with pytest.raises(LLMUnavailable, match="no such model"):
        Backoff().after(LLMUnavailable("no such model"))
