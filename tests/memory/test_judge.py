"""A language model that hangs costs one message its time limit, and the banner says so."""

from collections.abc import Callable
from typing import Any

from memory_core.memory.runtime import Runtime
from tests.builders import SPACE, asked, said
from tests.in_time import within
from tests.loopback import hangs, serve

MakeRuntime = Callable[..., Runtime]


def hung(url: str) -> dict[str, Any]:
    return {
        "llm": {"base_url": url, "model": "hung"},
        "recall": {"use_gate": True, "use_rerank": True, "time_limit_s": 1.5},
    }


def test_a_hung_model_delays_one_message_and_the_banner_says_so(make_runtime: MakeRuntime) -> None:
    with serve(hangs()) as server:
        runtime = make_runtime(**hung(server.url))
        runtime.memory.remember(SPACE, "chat", said("My cat is called Pip."))
        runtime.models.judge.prepare()
        assert runtime.problems() == []
        with within(20):
            first = runtime.memory.recall(SPACE, asked("What is my cat called?"))
            second = runtime.memory.recall(SPACE, asked("What is my cat called?"))
        assert len(server.asked) == 1
        (problem,) = runtime.problems()
    assert "recall goes on without the language model" in problem
    assert "did not answer in time" in problem
    assert [len(found.kept) for found in (first, second)] == [1, 1]


def test_a_changed_address_is_asked_at_once(make_runtime: MakeRuntime) -> None:
    with serve(hangs()) as server, serve(hangs()) as other:
        runtime = make_runtime(**hung(server.url))
        runtime.memory.remember(SPACE, "chat", said("My cat is called Pip."))
        runtime.memory.recall(SPACE, asked("What is my cat called?"))
        runtime.save_settings({"llm.base_url": other.url})
        assert runtime.problems() == []
        runtime.memory.recall(SPACE, asked("What is my cat called?"))
        assert len(other.asked) == 1
