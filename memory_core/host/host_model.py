"""The model that text-generation-webui has loaded, for background work, and when it is idle.

A generation holds the host's only lock, so a chat's message waits for it. It therefore starts only
while the host is idle, and ends at the next token once it is interrupted. It has a stop event of
its own, because the host's global stop would end the user's generation, too.
"""

import copy
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ..domain.errors import HostError, LLMInterrupted, LLMUnavailable
from ..domain.records import Role, Turn
from ..infra.deadlines import Interrupt, Interrupted, call_until, seconds_since_prompt
from ..providers.llm.base import SERVER_LIMIT, Completion, LLMRequest
from ..text.cleaning import without_reasoning
from ..text.token_counter import estimate_tokens
from .reply_watch import ReplyWatch
from .textgen_adapter import host_feature, host_feature_or

_NAME = "the host's own model"
_MAX_TOKENS = 512  # if the settings leave the limit to the server
_OWN_END_S = 1.0
# Plain sampling; every host knows some of these keys, and ignores the others.
_SAMPLING: Mapping[str, Any] = {
    "top_p": 1.0, "min_p": 0.0, "typical_p": 1.0, "tfs": 1.0, "top_a": 0.0,
    "repetition_penalty": 1.0, "presence_penalty": 0.0, "frequency_penalty": 0.0,
    "dynamic_temperature": False, "mirostat_mode": 0, "xtc_probability": 0.0, "dry_multiplier": 0.0,
    "penalty_alpha": 0.0, "guidance_scale": 1.0, "negative_prompt": "", "grammar_string": "",
    "custom_token_bans": "", "ban_eos_token": False, "seed": -1,
}  # fmt: skip


class HostLanguageModel:
    """A BackgroundModel over the host's loaded model. It never makes the host load one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.is_generating = False
        self.ended_at = 0.0  # seconds since the epoch

    @property
    def name(self) -> str:
        return str(_shared("model_name") or _NAME)

    @property
    def is_loaded(self) -> bool:
        """Returns whether the host has a model in memory."""
        return _shared("model") is not None

    def ask(self, request: LLMRequest, interrupt: Interrupt) -> Completion:
        """Returns the answer. Raises LLMInterrupted if the host generates or starts to generate."""
        if not self.is_loaded:
            raise LLMUnavailable("no model is loaded in text-generation-webui")
        if _is_locked():
            raise LLMInterrupted("the host is generating")
        watch = ReplyWatch(interrupt, timeout_s=request.timeout_s)
        try:
            whole = call_until(watch, lambda abandoned: self._generate(request, watch, abandoned))
        except Interrupted as exc:
            if watch.is_late and not interrupt.is_set():
                late = f"{_NAME} sent nothing more in time, {request.timeout_s:.0f} s"
                raise LLMUnavailable(late) from exc
            raise LLMInterrupted("stopped, because somebody sends a message") from exc
        except HostError as exc:
            raise LLMUnavailable(str(exc)) from exc
        return _completion(request, whole, watch.finish_reason)

    def _generate(self, request: LLMRequest, watch: ReplyWatch, abandoned: threading.Event) -> str:
        generate = host_feature("text_generation.generate_reply")
        state = _state(request, abandoned)
        with self._lock:
            self.is_generating = True
            try:
                prompt = _prompt(state, request.turns)
                replies = generate(prompt, state, stopping_strings=[], is_chat=True)
                return watch.read(replies, abandoned)
            except HostError:
                raise
            except Exception as exc:  # whatever the host, its template or its loader raises
                raise LLMUnavailable(f"{_NAME} failed with {type(exc).__name__}") from exc
            finally:
                self.is_generating, self.ended_at = False, time.time()


class HostIdleness:
    """Measures how long neither the page nor the API has generated. To be polled regularly.

    The background model's own generations do not count.
    """

    def __init__(self, model: HostLanguageModel) -> None:
        self._model = model
        self._last_busy = time.monotonic()

    def poll(self) -> None:
        """Checks whether the host is generating now."""
        if self._is_busy():
            self._last_busy = time.monotonic()

    def idle_s(self) -> float:
        self.poll()
        return min(
            seconds_since_prompt(), time.monotonic() - self._last_busy, self._since_generation()
        )

    def _is_busy(self) -> bool:
        own = self._model.is_generating
        running = int(host_feature_or("models.active_generation_count", 0))
        return running > own or (_is_locked() and not own)

    def _since_generation(self) -> float:
        """Returns the seconds since the host's last generation, unless it was the own one."""
        last = float(host_feature_or("models.last_generation_time", 0.0))
        is_own = self._model.is_generating or abs(last - self._model.ended_at) < _OWN_END_S
        return float("inf") if is_own or not last else time.time() - last


def _prompt(state: dict[str, Any], turns: Sequence[Turn]) -> str:
    """Returns the prompt in the model's own instruction template."""
    *_, last = turns
    build = host_feature("chat.generate_chat_prompt")
    return str(build(last.text, state, history=state["history"]))


def _state(request: LLMRequest, abandoned: threading.Event) -> dict[str, Any]:
    """Returns the settings of one generation: the host's own, with plain sampling."""
    system = [turn.text for turn in request.turns if turn.role is Role.SYSTEM]
    limit = _MAX_TOKENS if request.max_tokens == SERVER_LIMIT else request.max_tokens
    is_greedy = not request.temperature
    return {
        **copy.deepcopy(dict(_shared("settings") or {})),
        **_SAMPLING,
        "mode": "instruct",
        "custom_system_message": "\n\n".join(system),
        "history": {"internal": _rows(request.turns), "visible": [], "metadata": {}},
        "max_new_tokens": limit,
        "auto_max_new_tokens": False,
        "temperature": request.temperature or 1.0,
        "do_sample": not is_greedy,
        "top_k": 1 if is_greedy else 0,
        "enable_thinking": False,
        "custom_stopping_strings": "",
        "max_tokens_second": 0,
        "add_bos_token": False,  # the template has one
        "skip_special_tokens": True,
        "stream": True,
        "stop_event": abandoned,
    }


def _rows(turns: Sequence[Turn]) -> list[list[str]]:
    """Returns the examples before the last question as the host's rows."""
    said = [turn for turn in turns[:-1] if turn.role is not Role.SYSTEM]
    pairs = zip(said[::2], said[1::2], strict=False)
    return [[user.text, assistant.text] for user, assistant in pairs]


def _completion(request: LLMRequest, whole: str, finish_reason: str) -> Completion:
    if _shared("stop_everything"):
        raise LLMInterrupted("stopped by the Stop button")
    text = without_reasoning(whole).strip()
    if not text:
        raise LLMUnavailable(f"{_NAME} gave {_nothing(whole)}")
    return Completion(
        text=text,
        prompt_tokens=sum(estimate_tokens(turn.text) for turn in request.turns),
        completion_tokens=estimate_tokens(whole),
        finish_reason=finish_reason,
    )


def _nothing(whole: str) -> str:
    """Returns the probable cause of a reply without an answer."""
    if whole.strip():
        return "only reasoning: consolidation.max_tokens may be too small"
    return "an empty answer; the host's log may say why"


def _is_locked() -> bool:
    lock = _shared("generation_lock")
    return lock is not None and bool(lock.locked())


def _shared(name: str) -> Any:  # noqa: ANN401  (the host's own, of whatever kind)
    return host_feature_or(f"shared.{name}", None)
