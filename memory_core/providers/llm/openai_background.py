"""Answers for background work from an OpenAI-compatible server: streamed, with schema and usage.

The time limit of a prompt follows from the measured speed at which the server reads prompts. A
short question distinguishes a slow server from a hanging one.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...domain.errors import LLMInterrupted, LLMRefused, LLMUnavailable
from ...domain.records import Role, Turn
from ...infra.deadlines import Interrupt, Interrupted, call_until, yield_to_prompts
from ...text.cleaning import without_reasoning
from ...text.endless_repetition import repeats_itself
from ...text.token_counter import estimate_tokens
from .base import LONGEST_WAIT_S, REPEATS, Completion, LLMRequest
from .openai import Chunk, OpenAILanguageModel, Usage, chat_request

_REFUSED = (400, 404, 413, 415, 422, 501)
_YIELD_S = 0.1  # longest wait for prompts before each piece
_TOO_MANY_CHARS = 262_144  # reasoning included
_PIECES_PER_CHECK = 64  # a check for repetitions reads the whole answer
_PACE_MARGIN = 3.0  # the machine may have other work, too
_SHORT_QUESTION = (Turn(role=Role.USER, text="Reply with the word OK."),)
_SHORT_TOKENS = 8
_PACES_REMEMBERED = 5  # several, since one may come from a cache or wait for the model to load


class ReadingPace:
    """Remembers how slowly the last prompts were read. Safe for many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._s_per_token: deque[float] = deque(maxlen=_PACES_REMEMBERED)

    def note(self, tokens: int, seconds: float) -> None:
        """Records the seconds until the first piece of an answer to a prompt of `tokens`."""
        with self._lock:
            self._s_per_token.append(seconds / max(1, tokens))

    def time_limit(self, tokens: int, least_s: float) -> float:
        """Returns the seconds to wait for each piece of an answer, at least `least_s`."""
        with self._lock:
            needed = _PACE_MARGIN * tokens * max(self._s_per_token, default=0.0)
        return max(least_s, min(LONGEST_WAIT_S, needed))


@dataclass(slots=True)
class _Answer:
    """An answer as far as it has arrived."""

    content: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    chars: int = 0
    pieces: int = 0
    finish_reason: str = ""
    usage: Usage = field(default_factory=Usage)

    @property
    def repeats_itself(self) -> bool:
        """Returns whether the answer repeats itself without end. Checks only now and then."""
        if self.pieces % _PIECES_PER_CHECK:
            return False
        return any(repeats_itself("".join(said)) for said in (self.content, self.thoughts))

    def add(self, chunk: Chunk) -> None:
        self.pieces += 1
        self.usage = chunk.usage or self.usage
        for choice in chunk.choices[:1]:
            delta = choice.delta or choice.message
            thought = delta.reasoning_content or delta.reasoning or ""
            self.thoughts.append(thought)
            self.content.append(delta.content or "")
            self.chars += len(thought) + len(delta.content or "")
            self.finish_reason = choice.finish_reason or self.finish_reason


class OpenAIBackgroundModel:
    """Implements BackgroundModel. Streams, so that the server stops when the caller does.

    Stops sending schemas and asking for usage once the server has refused them. Cuts an answer
    that repeats itself without end. `pace` measures how fast the server reads.
    """

    def __init__(self, llm: OpenAILanguageModel) -> None:
        self._llm = llm
        self.pace = ReadingPace()
        self._is_plain = False

    @property
    def name(self) -> str:
        return self._llm.name

    def ask(self, request: LLMRequest, interrupt: Interrupt) -> Completion:
        """Returns the answer. Asks once, without retry; an empty answer counts as a failure."""
        try:
            answer = call_until(interrupt, lambda abandoned: self._ask(request, abandoned))
        except Interrupted as exc:
            raise LLMInterrupted(f"{self.name}: stopped for something more urgent") from exc
        return self._completion(request, answer)

    def _ask(self, request: LLMRequest, abandoned: threading.Event) -> _Answer:
        plain = chat_request(request.turns, request.max_tokens, request.temperature)
        if self._is_plain:
            return self._read_or_refuse(plain, request, abandoned)
        try:
            return self._read(plain | _extras(request), request, abandoned)
        except LLMUnavailable as exc:
            if exc.is_too_long:
                raise LLMRefused(str(exc)) from exc
            if exc.status not in _REFUSED:
                raise
        answer = self._read_or_refuse(plain, request, abandoned)
        self._is_plain = True  # only now: the first refusal may have had another reason
        return answer

    def _read_or_refuse(
        self, wanted: dict[str, Any], request: LLMRequest, abandoned: threading.Event
    ) -> _Answer:
        try:
            return self._read(wanted, request, abandoned)
        except LLMUnavailable as exc:
            if exc.is_too_long or (exc.status in _REFUSED and not exc.is_lasting):
                raise LLMRefused(str(exc)) from exc
            raise

    def _read(
        self, wanted: dict[str, Any], request: LLMRequest, abandoned: threading.Event
    ) -> _Answer:
        answer, has_begun = _Answer(), False
        tokens, asked_at = estimated(turn.text for turn in request.turns), time.monotonic()
        try:
            for chunk in self._chunks(wanted, request.timeout_s, abandoned):
                answer.add(chunk)
                if answer.chars and not has_begun:
                    has_begun = True
                    self.pace.note(tokens, time.monotonic() - asked_at)
                if answer.chars > _TOO_MANY_CHARS:
                    self._llm.fail("sent an endless answer")
                if answer.repeats_itself:
                    answer.finish_reason = REPEATS
                    abandoned.set()
        except LLMUnavailable:
            if not answer.finish_reason:  # else only the report of usage is missing
                raise
        return answer

    def _chunks(
        self, wanted: dict[str, Any], timeout_s: float, abandoned: threading.Event
    ) -> Iterator[Chunk]:
        chunks = self._llm.chunks(wanted, timeout_s=timeout_s)
        for chunk in chunks:
            yield_to_prompts(_YIELD_S)
            yield chunk
            if abandoned.is_set():
                chunks.close()  # closes the connection, at which servers stop generating
                return

    def _completion(self, request: LLMRequest, answer: _Answer) -> Completion:
        whole = "".join(answer.content)
        text = without_reasoning(whole).strip()
        if not text and answer.finish_reason == REPEATS:
            raise LLMRefused(f"{self.name} thought the same words over and over")
        if not text:
            is_reasoning = any(answer.thoughts) or bool(whole.strip())
            self._llm.fail(
                f"{'sent only reasoning' if is_reasoning else 'sent an empty answer'} "
                f"(finish_reason {answer.finish_reason or None}): "
                "consolidation.max_tokens may be too small"
            )
        usage = answer.usage
        return Completion(
            text=text,
            prompt_tokens=usage.prompt_tokens or estimated(turn.text for turn in request.turns),
            completion_tokens=usage.completion_tokens or estimated([whole]),
            finish_reason=answer.finish_reason,
        )


class PatienceModel:
    """Wraps a background model. After a request timed out, it asks a short question.

    If that is answered, the request is repeated once with the time that it needs at the measured
    speed. If not, the model hangs, and the first failure is raised.
    """

    def __init__(self, model: OpenAIBackgroundModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    def ask(self, request: LLMRequest, interrupt: Interrupt) -> Completion:
        tokens = estimated(turn.text for turn in request.turns)
        given_s = self._model.pace.time_limit(tokens, request.timeout_s)
        try:
            return self._model.ask(replace(request, timeout_s=given_s), interrupt)
        except LLMUnavailable as exc:
            if not exc.is_timeout:
                raise
            self._measure(request.timeout_s, interrupt)
            needed_s = self._model.pace.time_limit(tokens, request.timeout_s)
            if needed_s <= given_s:
                raise
        return self._ask_patiently(replace(request, timeout_s=needed_s), interrupt)

    def _ask_patiently(self, request: LLMRequest, interrupt: Interrupt) -> Completion:
        try:
            return self._model.ask(request, interrupt)
        except LLMUnavailable as exc:
            if not exc.is_timeout:
                raise
            raise LLMRefused(
                f"{self.name} answers short questions, but not this one in "
                f"{request.timeout_s:.0f} s: it is too slow for this work; a smaller model is "
                "faster"
            ) from exc

    def _measure(self, timeout_s: float, interrupt: Interrupt) -> None:
        request = LLMRequest(turns=_SHORT_QUESTION, max_tokens=_SHORT_TOKENS, timeout_s=timeout_s)
        try:
            self._model.ask(request, interrupt)
        except LLMInterrupted:
            raise
        except LLMUnavailable:
            return  # keeps the speed measured before the failure, if any


def estimated(texts: Iterator[str] | Sequence[str]) -> int:
    """Returns about how many tokens these texts have."""
    return sum(map(estimate_tokens, texts))


def _extras(request: LLMRequest) -> dict[str, Any]:
    usage: dict[str, Any] = {"stream_options": {"include_usage": True}}
    if request.schema is None:
        return usage
    schema = {"name": "answer", "strict": True, "schema": dict(request.schema)}
    return usage | {"response_format": {"type": "json_schema", "json_schema": schema}}
