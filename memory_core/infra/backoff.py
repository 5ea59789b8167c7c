"""How long to wait before a failed request to a model is repeated."""

from ..domain.errors import LLMUnavailable

FIRST_WAIT_S = 1.0


class Backoff:
    """The waits before repetitions: as long as the server asks, else twice as long each time."""

    def __init__(self, first_wait_s: float = FIRST_WAIT_S) -> None:
        self._wait_s = first_wait_s

    def after(self, failure: LLMUnavailable) -> float:
        """Returns the seconds to wait. Raises the failure if a repetition would fail, too."""
        if not failure.is_transient:
            raise failure
        wait_s = max(self._wait_s, failure.retry_after_s)
        self._wait_s *= 2
        return wait_s
