"""The contract of every language model, run over each that needs no network."""

import json
from collections.abc import Iterator

import pytest

from memory_core.config.model_settings import LLMSettings
from memory_core.domain.errors import ConfigError, LLMUnavailable
from memory_core.domain.records import Role, Turn
from memory_core.providers.llm.base import LanguageModel
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.providers.llm.openai import OpenAILanguageModel
from memory_core.providers.plugins import custom_language_model
from tests.loopback import Answer, Asked, says_json, serve, streams

WANTED = {"max_tokens": 50, "temperature": 0.0, "timeout_s": 5.0}


def echoes(asked: Asked) -> Answer:
    text = asked.body["messages"][-1]["content"]
    if not asked.body.get("stream"):
        return says_json({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})
    deltas = [{"role": "assistant"}, *({"content": char} for char in text), {}]
    choices = [{"delta": delta, "finish_reason": None} for delta in deltas]
    choices[-1]["finish_reason"] = "stop"
    events = [json.dumps({"choices": [choice]}, ensure_ascii=False) for choice in choices]
    return streams([*(f"data: {event}" for event in events), "data: [DONE]"])


@pytest.fixture(params=["scripted", "openai", "custom"])
def llm(request: pytest.FixtureRequest) -> Iterator[LanguageModel]:
    if request.param == "openai":
        with serve(echoes) as server:
            yield OpenAILanguageModel(base_url=server.url, model="echo")
    elif request.param == "custom":
        yield custom_language_model(LLMSettings(kind="tests.providers.llm.own_models:Echo"))
    else:
        yield ScriptedLLM(lambda turns: turns[-1].text)


@pytest.mark.parametrize(
    "text",
    ["hello there", "我喜欢猫 🐈‍⬛", "two\nlines\u2028and\x85more", "  blanks  ", "long " * 2000],
    ids=["words", "unicode", "line ends", "blanks", "long"],
)  # fmt: skip
def test_the_answer_is_whole_at_once_or_in_pieces(llm: LanguageModel, text: str) -> None:
    turns = [Turn(role=Role.SYSTEM, text="Repeat."), Turn(role=Role.USER, text=text)]
    assert llm.complete(turns, **WANTED) == text
    assert "".join(llm.stream(turns, **WANTED)) == text


def test_a_stream_comes_in_pieces(llm: LanguageModel) -> None:
    assert len(list(llm.stream([Turn(role=Role.USER, text="one two three")], **WANTED))) > 2


def test_every_model_has_a_name(llm: LanguageModel) -> None:
    assert llm.name


def test_a_scripted_model_gives_its_replies_in_order_and_then_is_unavailable() -> None:
    llm = ScriptedLLM(["one", LLMUnavailable("asleep"), "two"])
    assert llm.complete([], **WANTED) == "one"
    with pytest.raises(LLMUnavailable, match="asleep"):
        llm.complete([], **WANTED)
    assert list(llm.stream([], **WANTED)) == ["two"]
    with pytest.raises(LLMUnavailable, match="no more replies"):
        llm.complete([], **WANTED)
    assert llm.asked == [(), (), (), ()]


def test_any_error_of_a_foreign_class_becomes_llm_unavailable() -> None:
    llm = custom_language_model(LLMSettings(kind="tests.providers.llm.own_models:Raising"))
    with pytest.raises(LLMUnavailable, match="echo: ZeroDivisionError: oops"):
        llm.complete([], **WANTED)
    pieces = llm.stream([], **WANTED)
    assert next(pieces) == "a"
    with pytest.raises(LLMUnavailable, match="oops"):
        next(pieces)


def test_a_foreign_answer_that_is_no_text_is_refused() -> None:
    llm = custom_language_model(LLMSettings(kind="tests.providers.llm.own_models:Mute"))
    with pytest.raises(LLMUnavailable, match="NoneType, not text"):
        llm.complete([], **WANTED)
    with pytest.raises(LLMUnavailable, match="NoneType, not text"):
        list(llm.stream([], **WANTED))


def test_a_class_that_lacks_methods_is_reported_with_the_key() -> None:
    with pytest.raises(ConfigError, match=r"llm\.kind: .*lacks name, complete, stream"):
        custom_language_model(LLMSettings(kind="tests.providers.llm.test_llm_contract:Nothing"))


class Nothing:
    def __init__(self, *, settings: object) -> None:
        pass
