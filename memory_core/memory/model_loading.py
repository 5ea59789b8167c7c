"""Loads models of this process in the background, as a download may take minutes; tries one."""

import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol, cast

from ..domain.errors import OutsideServiceError
from ..infra.circuit_breaker import FIRST_PAUSE_S, LONGEST_PAUSE_S
from ..infra.deadlines import start_in_thread
from ..providers.embedders.base import Embedder

WORDS_ALONE = "recall goes on by words alone"
BY_SCORE = "what is recalled is ordered by score"
WITHOUT_JUDGE = "recall goes on without the language model"
# The answer shares no word with the question; the other text shares some.
_QUESTION = "What is my pet called?"
_ANSWER = "The name of our dog: Bello."
_OTHER = "What is the train to Porto called?"


class LoadStage(Enum):
    """Stage of a model that this process loads; a model that needs no loading is ready."""

    LOADING = auto()
    FAILED = auto()
    READY = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadState:
    """State of a model. `fault` is the first failure; `next_try_s` the seconds to the next try."""

    stage: LoadStage
    fault: str = ""
    next_try_s: float = 0.0


class _Preparable(Protocol):
    def prepare(self) -> None: ...


@dataclass(slots=True)
class _Attempts:
    """The state of loading one model."""

    model: object
    running: Future[None] | None = None
    is_done: bool = False
    fault: str = ""
    pause_s: float = FIRST_PAUSE_S
    not_before: float = float("-inf")


class ModelLoader:
    """Prepares each model in a thread of its own, one attempt at a time.

    After a failure it waits 30 s, doubling up to 5 minutes. A newly chosen model is loaded at once,
    and stops the download of the old one. For one thread. `ended` is called from the attempt's
    thread, `report` and `clear` from load().
    """

    def __init__(
        self, report: Callable[[str, str], None], clear: Callable[[str], None], *,
        ended: Callable[[], None], clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._report = report
        self._clear = clear
        self._ended = ended
        self._clock = clock
        self._parts: dict[str, _Attempts] = {}

    def load_all(self, embedder: object, reranker: object, judge: object, *, waits: bool) -> bool:
        """Loads all like load(). Returns whether the embedder has just become ready."""
        is_ready = self.load("embedder", embedder, WORDS_ALONE, waits=waits)
        self.load("reranker", reranker, BY_SCORE, waits=waits)
        self.load("language model", judge, WITHOUT_JUDGE, waits=waits)
        return is_ready

    def load(self, part: str, model: object, meanwhile: str, *, waits: bool = False) -> bool:
        """Starts or checks an attempt. Returns whether the model has just become ready.

        A failure is reported with `meanwhile`, the effect on the user. `waits` makes the call wait
        for the end of the attempt.
        """
        attempts = self._attempts_at(part, model)
        if attempts.is_done:
            return False
        if attempts.running is None and attempts.not_before <= self._clock():
            attempts.running = start_in_thread(lambda: self._prepare(cast(_Preparable, model)))
        if attempts.running is None or not (waits or attempts.running.done()):
            return False
        wait([attempts.running])
        return self._conclude(part, attempts, meanwhile)

    def embedder_messages(self, embedder: object) -> list[str]:
        """Returns the notes and problems about loading the embedder, as problems() lists them."""
        fault = self.state("embedder", embedder).fault
        return [*self.loading_notes(embedder), *filter(None, [fault])]

    def loading_notes(self, embedder: object) -> list[str]:
        """Returns a note while the embedder is loaded for the first time, else nothing."""
        state = self.state("embedder", embedder)
        if state.stage is not LoadStage.LOADING or state.fault:
            return []
        return [f"{WORDS_ALONE}: {getattr(embedder, 'status', 'the model is being loaded')}"]

    def state(self, part: str, model: object) -> LoadState:
        """Returns the state of this model. May be called from any thread."""
        known = self._parts.get(part)
        if known is None or known.model is not model:
            is_ready = not hasattr(model, "prepare")
            return LoadState(stage=LoadStage.READY if is_ready else LoadStage.LOADING)
        if known.is_done:
            return LoadState(stage=LoadStage.READY)
        if known.fault and known.running is None:
            left = max(0.0, known.not_before - self._clock())
            return LoadState(stage=LoadStage.FAILED, fault=known.fault, next_try_s=left)
        return LoadState(stage=LoadStage.LOADING, fault=known.fault)

    def retry(self, part: str) -> None:
        """Ends the pause after a failure. May be called from any thread."""
        if known := self._parts.get(part):
            known.not_before = float("-inf")
            known.pause_s = FIRST_PAUSE_S
        self._ended()

    def cancel_old(self, part: str, model: object) -> None:
        """Stops the download at once if another model than this one is being loaded."""
        known = self._parts.get(part)
        if known is not None and known.model is not model:
            _cancel(known)

    def cancel_all(self) -> None:
        """Stops all downloads that can be stopped: the program ends."""
        for attempts in list(self._parts.values()):
            _cancel(attempts)

    def _attempts_at(self, part: str, model: object) -> _Attempts:
        known = self._parts.get(part)
        if known is None or known.model is not model:
            self.cancel_old(part, model)
            known = self._parts[part] = _Attempts(model, is_done=not hasattr(model, "prepare"))
            self._clear(part)
        return known

    def _prepare(self, model: _Preparable) -> None:
        try:
            model.prepare()
        finally:
            self._ended()

    def _conclude(self, part: str, attempts: _Attempts, meanwhile: str) -> bool:
        ended, attempts.running = attempts.running, None
        try:
            _ = ended and ended.result()
        except OutsideServiceError as exc:
            # The text of a failure may differ each time: it is reported once.
            attempts.fault = attempts.fault or f"{meanwhile}: {exc}"
            self._report(part, attempts.fault)
            attempts.not_before = self._clock() + attempts.pause_s
            attempts.pause_s = min(2 * attempts.pause_s, LONGEST_PAUSE_S)
            return False
        attempts.is_done = True
        self._clear(part)
        return True


def _cancel(attempts: _Attempts) -> None:
    """Stops the download of a model that is no longer wanted, if it can be stopped."""
    cancel = getattr(attempts.model, "cancel", None)
    if cancel is not None:
        cancel()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTrial:
    """The result of a trial: milliseconds for one text, and the length of a vector."""

    ms: float
    dim: int
    understands: bool


def try_embedder(embedder: Embedder) -> ModelTrial:
    """Loads the model if it needs that, and embeds three texts. Raises EmbedderUnavailable."""
    prepare = getattr(embedder, "prepare", None)
    if prepare is not None:
        prepare()
    question, answer, other = embedder.embed([_QUESTION, _ANSWER, _OTHER])
    started = time.perf_counter()
    embedder.embed([_QUESTION])
    ms = 1000.0 * (time.perf_counter() - started)
    understands = float(question @ answer) > float(question @ other)
    return ModelTrial(ms=ms, dim=len(question), understands=understands)
