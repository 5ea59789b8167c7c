"""The contract of every model for background work: of a server, of the host, of a user's class.

Each test chooses one behaviour of the server, host or class behind the model.
"""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Protocol

import pytest

from memory_core.config.model_settings import LLMSettings
from memory_core.domain.errors import LLMInterrupted, LLMUnavailable
from memory_core.domain.records import Role, Turn
from memory_core.host.host_model import HostLanguageModel
from memory_core.providers.llm.base import REPEATS, BackgroundModel, LLMRequest
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.providers.llm.in_background import ForegroundModelInBackground
from memory_core.providers.llm.openai import OpenAILanguageModel
from memory_core.providers.llm.openai_background import OpenAIBackgroundModel
from memory_core.providers.plugins import custom_language_model
from tests.host.fake_generation import GeneratingHost
from tests.in_time import within
from tests.loopback import Answer, Asked, says_json, serve, streams
from tests.providers.llm.test_llm_contract import echoes

NEVER = threading.Event()
PATIENCE_S = 20.0
SCHEMA = {"type": "object", "properties": {"summary": {"type": "string"}}}
LOOP = "and she is happy in Lisbon, " * 5_000
BEGINNING = "She "


class Models(Protocol):
    """Makes a model that behaves in one way."""

    def saying(self, text: str, *, at_once: int = 1) -> BackgroundModel: ...
    def echoing(self) -> BackgroundModel: ...
    def failing(self) -> BackgroundModel: ...
    def hanging(self, asked: threading.Event) -> BackgroundModel: ...


@dataclass
class ServerModels:
    stack: ExitStack
    monkeypatch: pytest.MonkeyPatch

    def saying(self, text: str, *, at_once: int = 20) -> BackgroundModel:
        parts = [text[start : start + at_once] for start in range(0, len(text), at_once)]
        return self._behind(streams([*map(piece, parts), piece("", "stop"), "data: [DONE]"]))

    def echoing(self) -> BackgroundModel:
        return self._behind(echoes)

    def failing(self) -> BackgroundModel:
        return self._behind(says_json({"error": {"message": "oops"}}, status=500))

    def hanging(self, asked: threading.Event) -> BackgroundModel:
        def answer(_: Asked) -> Answer:
            asked.set()
            return streams([piece(BEGINNING)], then_hangs=True)

        return self._behind(answer)

    def _behind(self, reply: Callable[[Asked], Answer] | Answer) -> BackgroundModel:
        server = self.stack.enter_context(serve(reply))
        return OpenAIBackgroundModel(OpenAILanguageModel(base_url=server.url, model="echo"))


@dataclass
class HostModels:
    stack: ExitStack
    monkeypatch: pytest.MonkeyPatch
    goes_on: threading.Event = field(default_factory=threading.Event)

    def saying(self, text: str, *, at_once: int = 1) -> BackgroundModel:
        return self._of(GeneratingHost(text, at_once=at_once))

    def echoing(self) -> BackgroundModel:
        return self._of(GeneratingHost(str))

    def failing(self) -> BackgroundModel:
        host = GeneratingHost(BEGINNING)
        host.at_letter = {2: lambda: 1 / 0}
        return self._of(host)

    def hanging(self, asked: threading.Event) -> BackgroundModel:
        def hang() -> None:
            asked.set()
            self.goes_on.wait(PATIENCE_S)

        self.stack.callback(self.goes_on.set)
        host = GeneratingHost(BEGINNING)
        host.at_letter = {3: hang}
        return self._of(host)

    def _of(self, host: GeneratingHost) -> BackgroundModel:
        for name, module in host.modules().items():
            self.monkeypatch.setitem(sys.modules, name, module)
        return HostLanguageModel()


@dataclass
class ClassModels:
    """Classes of users; these keep their own time and limits."""

    stack: ExitStack
    monkeypatch: pytest.MonkeyPatch

    def saying(self, text: str, *, at_once: int = 1) -> BackgroundModel:
        return ForegroundModelInBackground(ScriptedLLM([text]))

    def echoing(self) -> BackgroundModel:
        return self._custom("Echo")

    def failing(self) -> BackgroundModel:
        return self._custom("Raising")

    def hanging(self, asked: threading.Event) -> BackgroundModel:
        goes_on = threading.Event()
        self.stack.callback(goes_on.set)

        def hang(_: object) -> str:
            asked.set()
            goes_on.wait(PATIENCE_S)
            return BEGINNING

        return ForegroundModelInBackground(ScriptedLLM(hang))

    def _custom(self, name: str) -> BackgroundModel:
        kind = f"tests.providers.llm.own_models:{name}"
        return ForegroundModelInBackground(custom_language_model(LLMSettings(kind=kind)))


STREAMING = {"openai": ServerModels, "host": HostModels}
ALL = STREAMING | {"class": ClassModels}


def piece(text: str, finish_reason: str | None = None) -> str:
    choice = {"delta": {"content": text}, "finish_reason": finish_reason}
    return "data: " + json.dumps({"choices": [choice]})


def asked(text: str = "Hello", *, timeout_s: float = PATIENCE_S) -> LLMRequest:
    rules, question = Turn(role=Role.SYSTEM, text="Rules."), Turn(role=Role.USER, text=text)
    return LLMRequest(turns=(rules, question), timeout_s=timeout_s, schema=SCHEMA)


def made(kind: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Models]:
    with ExitStack() as stack:
        yield ALL[kind](stack, monkeypatch)


@pytest.fixture(params=ALL)
def models(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Models]:
    yield from made(request.param, monkeypatch)


@pytest.fixture(params=STREAMING)
def streaming(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Models]:
    yield from made(request.param, monkeypatch)


@pytest.mark.parametrize("text", ["hello there", "我喜欢猫 🐈‍⬛", " ".join(map(str, range(2000)))])
def test_an_answer_is_whole_and_its_tokens_are_counted(models: Models, text: str) -> None:
    model = models.echoing()
    answer = model.ask(asked(text), NEVER)
    assert answer.text == text
    assert answer.prompt_tokens > 0
    assert answer.completion_tokens > 0
    assert model.name


@pytest.mark.parametrize(
    "answer",
    [
        "<think>Hm, no.</think>\n\nYes.",
        "Hm, no.</think>Yes.",
        "<reasoning>\nHm</reasoning> Yes.",
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.",
        "<|channel|>commentary<|message|>Hm<|channel|>final<|message|>Yes.<|return|>",
        "◁think▷Hm◁/think▷Yes.",
    ],
)
def test_reasoning_in_an_answer_is_removed(models: Models, answer: str) -> None:
    assert models.saying(answer).ask(asked(), NEVER).text == "Yes."


@pytest.mark.parametrize("answer", ["", "   ", "<think>Hm, hm, hm"])
def test_an_answer_without_words_is_a_failure(models: Models, answer: str) -> None:
    with pytest.raises(LLMUnavailable, match=r"empty answer|only reasoning"):
        models.saying(answer).ask(asked(), NEVER)


def test_a_failure_is_raised_as_llm_unavailable(models: Models) -> None:
    with pytest.raises(LLMUnavailable) as failure:
        models.failing().ask(asked(), NEVER)
    assert not isinstance(failure.value, LLMInterrupted)


def test_an_interrupt_ends_the_wait_for_a_silent_model(models: Models) -> None:
    begun, stop = threading.Event(), threading.Event()
    model = models.hanging(begun)
    threading.Thread(target=lambda: (begun.wait(PATIENCE_S), stop.set())).start()
    with within(PATIENCE_S), pytest.raises(LLMInterrupted):
        model.ask(asked(timeout_s=4 * PATIENCE_S), stop)


def test_a_model_that_hangs_within_its_answer_fails_in_time(streaming: Models) -> None:
    model = streaming.hanging(threading.Event())
    with within(PATIENCE_S), pytest.raises(LLMUnavailable, match="in time") as failure:
        model.ask(asked(timeout_s=0.5), NEVER)
    assert not isinstance(failure.value, LLMInterrupted)


def test_an_answer_that_repeats_itself_is_cut(streaming: Models) -> None:
    answer = streaming.saying(LOOP, at_once=10).ask(asked(), NEVER)
    assert answer.finish_reason == REPEATS
    assert len(answer.text) < 10_000


def test_an_answer_of_a_megabyte_is_refused_before_its_end(streaming: Models) -> None:
    model = streaming.saying("x" * 1_000_000, at_once=10_000)
    with pytest.raises(LLMUnavailable, match="endless"):
        model.ask(asked(), NEVER)
