"""The settings choose the reranker of recall, and problems with it are reported."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_core import bootstrap
from memory_core.config.schema import Settings
from memory_core.memory.factories import Models
from memory_core.memory.runtime import Runtime
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.providers.rerankers.base import ScoringReranker
from tests.builders import SPACE, asked, recalled, said
from tests.cases import for_each
from tests.loopback import serve
from tests.providers.rerankers.servers import ranked

MakeRuntime = Callable[..., Runtime]
OWN = "tests.providers.rerankers.own_rerankers:Counting"
RAISING = "tests.providers.rerankers.own_rerankers:Raising"


@pytest.fixture
def make_runtime(make_runtime: MakeRuntime) -> MakeRuntime:
    """Returns the factory of runtimes, with these settings of the reranker."""
    return lambda **reranker: make_runtime(reranker=reranker)


def _remember_dogs(runtime: Runtime) -> None:
    runtime.memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    runtime.memory.remember(SPACE, "monday", said("The dog chased a cat up a tree"))


def _recall(runtime: Runtime) -> list[str]:
    return recalled(runtime.memory.recall(SPACE, asked("What do you remember of my dog?")))


def _models(**reranker: Any) -> Models:
    settings = Settings.model_validate({"embedder": {"kind": "none"}, "reranker": reranker})
    return bootstrap.build_models(settings, cache=Path())


def test_no_reranker_is_used_by_default() -> None:
    assert _models().reranker is None
    assert _models().problems == ()


def test_an_endpoint_in_the_settings_orders_recalled_memories(make_runtime: MakeRuntime) -> None:
    runtime = make_runtime()
    _remember_dogs(runtime)
    before = _recall(runtime)
    assert len(before) == 2
    with serve(ranked([(1, 0.9), (0, 0.1)])) as server:
        runtime.save_settings({"reranker.kind": "endpoint", "reranker.base_url": server.url})
        assert runtime.problems() == []
        assert _recall(runtime) == before[::-1]
        assert "Ana: " in server.asked[0].body["documents"][0]
    runtime.save_settings({"reranker.kind": "none", "reranker.base_url": ""})
    assert _recall(runtime) == before


def test_an_unavailable_reranker_changes_nothing_and_is_reported(make_runtime: MakeRuntime) -> None:
    runtime = make_runtime()
    _remember_dogs(runtime)
    before = _recall(runtime)
    runtime.save_settings({"reranker.kind": RAISING})
    recall = runtime.memory.recall(SPACE, asked("What do you remember of my dog?"))
    assert recalled(recall) == before
    assert any("ordered by score" in reason for reason in recall.degraded_reasons)


@for_each(
    ("reranker", "message"),
    [
        ({"kind": "endpoint"}, "reranker.base_url must look like"),
        ({"kind": "endpoint", "base_url": "https://api.example.com/v1"}, "allow_remote"),
        ({"kind": "nowhere:Class"}, "cannot import"),
    ],
)
def test_a_reranker_that_cannot_be_set_up_is_reported(
    reranker: dict[str, str], message: str
) -> None:
    models = _models(**reranker)
    assert models.reranker is None
    assert "ordered by score" in models.problems[0]
    assert message in models.problems[0]


@for_each("kind", ["endpoint", "fastembed", OWN])
def test_every_kind_can_be_chosen_without_loading_anything(kind: str) -> None:
    models = _models(kind=kind, base_url="http://127.0.0.1:1/v1")
    assert models.problems == ()
    assert isinstance(models.reranker, bootstrap.ResilientReranker)


def test_an_address_without_a_kind_is_reported(make_runtime: MakeRuntime) -> None:
    runtime = make_runtime(base_url="http://127.0.0.1:1/v1")
    assert "reranker.kind is none" in runtime.problems()[0]
    runtime.save_settings({"reranker.base_url": ""})
    assert runtime.problems() == []


def test_a_reranker_unused_beside_the_language_model_is_reported() -> None:
    settings = Settings.model_validate({"recall": {"use_rerank": True}, "reranker": {"kind": OWN}})
    problems = bootstrap.unused_features(settings, ScriptedLLM([]))
    assert problems == [
        "recall.use_rerank is on: the language model orders, reranker.kind is left out"
    ]
    alone = bootstrap.unused_features(settings, None)
    assert [problem.split(",")[0] for problem in alone] == ["recall.use_rerank is on"]


def test_a_model_that_cannot_be_loaded_is_reported_while_it_is_configured(
    make_runtime: MakeRuntime,
) -> None:
    runtime = make_runtime(kind=RAISING)
    runtime._load_models()
    assert runtime.problems() == [
        "what is recalled is ordered by score: counting: OSError: no such disk"
    ]
    runtime.save_settings({"reranker.kind": "none"})
    runtime._load_models()
    assert runtime.problems() == []


def test_a_model_in_this_process_is_loaded_in_the_background(make_runtime: MakeRuntime) -> None:
    runtime = make_runtime(kind="fastembed", model="nobody/nothing")
    _remember_dogs(runtime)
    recall = runtime.memory.recall(SPACE, asked("What do you remember of my dog?"))
    assert any("being fetched or loaded" in reason for reason in recall.degraded_reasons)
    runtime._load_models()
    assert "fastembed does not know this model" in runtime.problems()[0]


def test_a_changed_model_is_replaced_and_an_unchanged_one_stays(make_runtime: MakeRuntime) -> None:
    runtime = make_runtime(kind=OWN)
    first = _reranker(runtime)
    runtime.save_settings({"recall.lines": 3})
    assert _reranker(runtime) is first
    runtime.save_settings({"reranker.model": "other"})
    assert _reranker(runtime) is not first


def _reranker(runtime: Runtime) -> ScoringReranker | None:
    return runtime.models.reranker


def test_a_pipeline_without_a_reranker_is_built() -> None:
    assert bootstrap.build_pipeline(Settings(), None)


def test_the_key_is_never_shown() -> None:
    settings = Settings.model_validate({"reranker": {"api_key": "sk-secret"}})
    assert "sk-secret" not in repr(settings)
