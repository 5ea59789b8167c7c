"""MemoryScope's arguments under their own names."""

import pytest

from memory_core.config.consolidation_settings import ConsolidationSettings
from memory_core.config.loader import refuse_bad
from memory_core.config.memoryscope_arguments import KNOWN, read_arguments
from memory_core.domain.errors import ConfigError
from tests.cases import for_each

EXAMPLE = {
    "language": "cn",
    "thread_pool_max_workers": 5,
    "memory_chat_class": "cli_memory_chat",
    "chat_stream": True,
    "human_name": "Ana",
    "assistant_name": "Mira",
    "consolidate_memory_interval_time": 1,
    "reflect_and_reconsolidate_interval_time": 15,
    "worker_params": {},
    "generation_backend": "dashscope_generation",
    "generation_model": "qwen-max",
    "generation_params": {"temperature": 0.5},
    "embedding_backend": "openai_embedding",
    "embedding_model": "e",
    "embedding_params": {},
    "rank_backend": "dashscope_rank",
    "rank_model": "gte-rerank",
    "rank_params": {},
    "es_index_name": "memory_index",
    "es_url": "http://localhost:9200",
    "retrieve_mode": "dense",
    "enable_ranker": False,
    "enable_today_contra_repeat": True,
    "enable_long_contra_repeat": False,
    "output_memory_max_count": 20,
}


def test_argument_values_are_understood_as_command_line_texts() -> None:
    typed = {"generation_params": '{"temperature": 0.5}', "output_memory_max_count": "20"}
    texts = {name: str(value) for name, value in EXAMPLE.items()} | typed
    assert read_arguments(texts).settings == read_arguments(EXAMPLE).settings
    with pytest.raises(ConfigError, match="output_memory_max_count"):
        read_arguments({"output_memory_max_count": "many"})


def test_every_argument_is_understood_and_gives_a_valid_setting() -> None:
    read = read_arguments(EXAMPLE)
    read.refuse_unknown()
    for key, value in read.settings.items():
        refuse_bad(key, value)
    assert (read.human_name, read.assistant_name, read.streams) == ("Ana", "Mira", True)
    assert read.settings["language"] == "zh"
    assert read.settings["recall.lines"] == 20
    assert read.settings["reranker.kind"] == "none"
    assert "consolidation.workers" not in read.settings  # all of the usual ones
    assert set(EXAMPLE) == set(KNOWN)


@for_each(
    ("arguments", "gone"),
    [
        ({"enable_today_contra_repeat": False}, {"contradictions"}),
        ({"enable_today_contra_repeat": True, "enable_long_contra_repeat": False}, set()),
        ({"reflect_and_reconsolidate_interval_time": 0}, {"insights"}),
        ({"reflect_and_reconsolidate_interval_time": 15}, set()),
    ],
)
def test_workers_that_an_argument_switches_off_are_left_out_alone(
    arguments: dict[str, object], gone: set[str]
) -> None:
    usual = ConsolidationSettings().workers.split(",")
    found = str(read_arguments(arguments).settings.get("consolidation.workers", ",".join(usual)))
    assert found.split(",") == [name for name in usual if name not in gone]


def test_arguments_without_effect_say_why() -> None:
    notes = read_arguments({"es_url": "http://localhost:9200"}).notes
    assert notes == ("es_url has no effect: no Elasticsearch is needed",)


def test_unknown_argument_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="human_name"):
        read_arguments({"humanname": "Ana"}).refuse_unknown()


@for_each(
    "bad",
    [
        {"language": "de"},
        {"enable_ranker": "perhaps"},
        {"consolidate_memory_interval_time": "often"},
        {"generation_params": 3},
    ],
)
def test_bad_argument_value_is_refused_with_its_name(bad: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=next(iter(bad))):
        read_arguments(bad)


def test_reranker_is_on_only_if_enabled_whatever_the_order() -> None:
    assert "reranker.kind" not in read_arguments({"rank_backend": "dashscope_rank"}).settings
    off = read_arguments({"enable_ranker": False, "rank_backend": "dashscope_rank"})
    assert off.settings["reranker.kind"] == "none"


def test_sampling_parameter_that_is_not_known_here_is_noted() -> None:
    read = read_arguments({"generation_params": {"temperature": 0.5, "top_p": 0.9}})
    assert read.settings["backend.temperature"] == 0.5
    (note,) = read.notes
    assert note == "generation_params: top_p has no effect: there are temperature, max_tokens"
