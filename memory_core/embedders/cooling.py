"""A service that failed is left alone for a while, so that not every message waits for it."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ..errors import EmbedderNotReady, EmbedderUnavailable
from .base import Embedder, Vectors

FIRST_PAUSE_S = 30.0
LONGEST_PAUSE_S = 300.0


class CoolingEmbedder:
    """Wraps any embedder: after a failure it fails at once for 30 s, doubling up to 5 minutes.

    Any success ends that. A model still being loaded is no failure: asking it costs nothing.
    """

    def __init__(self, embedder: Embedder, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._embedder = embedder
        self._clock = clock
        self._lock = threading.Lock()
        self._fault = ""
        self._until = float("-inf")
        self._pause_s = FIRST_PAUSE_S

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dim(self) -> int:
        return self._embedder.dim

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    def embed(self, texts: Sequence[str]) -> Vectors:
        with self._guarded():
            return self._embedder.embed(texts)

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        with self._guarded():
            return self._embedder.embed_query(text, timeout_s=timeout_s)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        self._refuse_while_cooling()
        try:
            yield
        except EmbedderNotReady:
            raise
        except EmbedderUnavailable as exc:
            self._cool(str(exc))
            raise
        self._rest()

    def _refuse_while_cooling(self) -> None:
        with self._lock:
            left = self._until - self._clock()
            if left > 0:
                raise EmbedderUnavailable(f"{self._fault} (tried again in {left:.0f} s)")

    def _cool(self, fault: str) -> None:
        with self._lock:
            self._fault = fault
            self._until = self._clock() + self._pause_s
            self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)

    def _rest(self) -> None:
        with self._lock:
            self._until = float("-inf")
            self._pause_s = FIRST_PAUSE_S
