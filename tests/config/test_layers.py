"""The layers over the code's defaults: the file, the environment, the host's settings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memory_core.config.fields import SettingField
from memory_core.config.loader import describe, load, require
from memory_core.config.schema import Settings
from memory_core.domain.errors import ConfigError
from tests.configs import loaded, only


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ltm_config.json"


def differing(one: Settings, other: Settings) -> set[str]:
    """Returns the keys of the settings that differ."""
    left, right = flat(one.model_dump(mode="json")), flat(other.model_dump(mode="json"))
    return {key for key, value in left.items() if right[key] != value}


def nest(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def flat(tree: Mapping[str, Any], prefix: str = "") -> dict[str, object]:
    values: dict[str, object] = {}
    for name, value in tree.items():
        inner = flat(value, f"{name}.") if isinstance(value, dict) else {prefix + name: value}
        values |= inner
    return values


def test_environment_and_host_override_the_file(path: Path) -> None:
    content = {"recall": {"lines": 1, "retrieve_k": 1, "candidate_n": 1}}
    environ = {"LTM_RECALL__RETRIEVE_K": "2", "LTM_RECALL__CANDIDATE_N": "2"}
    settings, problems = loaded(path, content, environ=environ, host={"candidate_n": 3})
    recall = settings.recall
    assert (recall.lines, recall.retrieve_k, recall.candidate_n) == (1, 2, 3)
    assert (recall.sticky_turns, problems) == (2, ())


def test_a_bad_value_leaves_the_one_of_the_layer_below(path: Path) -> None:
    environ = {"LTM_RECALL__LINES": "many"}
    settings, problems = loaded(
        path, {"recall": {"lines": 4}}, environ=environ, host={"recall.lines": "7"}
    )
    assert settings.recall.lines == 4
    assert [problem.message.partition(":")[0] for problem in problems] == [
        *("environment, LTM_RECALL__LINES", "settings.yaml")
    ]
    assert all("It stays 4." in problem.message for problem in problems)


@pytest.mark.parametrize("field", describe(), ids=lambda field: field.key)
def test_every_setting_can_be_set_by_its_variable(path: Path, field: SettingField) -> None:
    texts = {bool: ("off", "yes"), int: ("3", "4"), float: ("0.7", "1"), type(None): ("1", "2")}
    choices = field.allowed.removeprefix("one of ").split(", ")[:2]
    text, other = texts.get(type(field.default), choices if len(choices) == 2 else ("x", "y"))
    settings, problems = load(path, environ={field.environment_name: text})
    changed, _ = load(path, environ={field.environment_name: other})
    assert problems == ()
    assert differing(settings, changed) == {field.key}


@pytest.mark.parametrize(("text", "value"), [("null", None), ("None", None), ("0.4", 0.4)])
def test_a_variable_can_unset_a_nullable_setting(
    path: Path, text: str, value: float | None
) -> None:
    environ = {"LTM_LTM_READS__MAX_COSINE_DISTANCE": text}
    settings, problems = loaded(path, {"ltm_reads": {"max_cosine_distance": 0.6}}, environ=environ)
    assert (settings.ltm_reads.max_cosine_distance, problems) == (value, ())


@pytest.mark.parametrize("text", ["maybe", "2", "nan"])
def test_a_variable_of_the_wrong_type_is_reported(path: Path, text: str) -> None:
    settings, problems = load(path, environ={"LTM_ALLOW_REMOTE": text})
    assert (settings, only(problems).key) == (Settings(), "allow_remote")


def test_an_empty_variable_counts_as_not_set(path: Path) -> None:
    environ = {"LTM_RECALL__LINES": "", "EMB_BASE_URL": "", "LTM_NONSENSE": ""}
    assert load(path, environ=environ) == (Settings(), ())


def test_an_unknown_variable_is_reported_with_the_nearest_name(path: Path) -> None:
    _, problems = load(path, environ={"LTM_RECALL__CANDIDATES": "5", "HOME": "/root"})
    assert only(problems).key == "LTM_RECALL__CANDIDATES"
    assert "LTM_RECALL__CANDIDATE_N" in only(problems).message


def test_open_persistent_memorys_variables_are_understood(path: Path) -> None:
    environ = {
        "LLM_BASE_URL": "http://127.0.0.1:8002/v1",
        "EMB_BASE_URL": "http://127.0.0.1:8001/v1",
        "LLM_MODEL": "qwen",
        "EMB_MODEL": "qwen-embedding",
        "STORAGE_DIR": "/data",
        "EMBEDDING_DIMS": "1024",
        "OPENAI_API_KEY": "EMPTY",
    }
    settings, problems = load(path, environ=environ)
    llm, embedder = settings.llm, settings.embedder
    assert (llm.base_url, llm.model, llm.api_key) == ("http://127.0.0.1:8002/v1", "qwen", "EMPTY")
    assert (embedder.base_url, embedder.model) == ("http://127.0.0.1:8001/v1", "qwen-embedding")
    assert (embedder.dimensions, embedder.api_key) == (1024, "EMPTY")
    assert (settings.storage_dir, problems) == ("/data", ())


@pytest.mark.parametrize(
    ("name", "value", "setting"),
    [
        ("USERS_DIR", "/data/users", "storage_dir"),
        ("BACKEND_URL", "http://localhost:9000/v1/chat/completions", "llm.base_url"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1", "embedder.base_url"),
        ("EMBEDDING_MODEL", "text-embedding-3-large", "embedder.model"),
        ("EMBEDDING_DIMENSION", "3072", "embedder.dimensions"),
        ("CHATMEMORY_PORT", "8000", "server.port"),
        ("DASHSCOPE_API_KEY", "sk-1234", "llm.api_key"),
    ],
)
def test_a_foreign_variable_that_sets_nothing_is_noted_with_our_setting_and_is_no_error(
    path: Path, name: str, value: str, setting: str
) -> None:
    settings, problems = load(path, environ={name: value})
    assert settings == Settings()
    note = only(problems)
    assert note.is_note
    assert note.key == name
    assert f"{name} = " in note.message
    assert "is ignored" in note.message
    assert setting in note.message
    assert setting in {field.key for field in describe()}
    assert "1234" not in note.message
    require(problems)
    assert load(path, environ={name: ""})[1] == ()


def test_a_foreign_variable_hides_no_real_problem(path: Path) -> None:
    _, problems = load(path, environ={"USERS_DIR": "/x", "LTM_NOTHING": "1"})
    with pytest.raises(ConfigError, match="LTM_NOTHING") as caught:
        require(problems)
    assert "USERS_DIR" not in str(caught.value)


def test_our_own_variable_wins_over_open_persistent_memorys(path: Path) -> None:
    settings, _ = load(path, environ={"LTM_LLM__MODEL": "ours", "LLM_MODEL": "theirs"})
    assert settings.llm.model == "ours"


def test_an_api_key_alone_configures_no_endpoint(path: Path) -> None:
    settings, _ = load(path, environ={"OPENAI_API_KEY": "sk-1234"})
    assert (settings.llm.base_url, settings.embedder.base_url) == ("", "")


def test_a_configured_api_key_wins_over_the_environment(path: Path) -> None:
    written = {"llm": {"api_key": "mine"}}
    settings, _ = loaded(path, written, environ={"OPENAI_API_KEY": "general"})
    assert (settings.llm.api_key, settings.embedder.api_key) == ("mine", "general")


def test_open_persistent_memorys_flat_names_are_understood(path: Path) -> None:
    written = {
        **{"recent_turns": 1, "candidate_n": 2, "retrieve_k": 3, "use_gate": True},
        **{"gate_keep_max": 4, "use_rerank": True, "temperature": 0.5, "max_tokens": 6},
    }
    settings, problems = loaded(path, written)
    recall, backend = settings.recall, settings.backend
    assert (recall.candidate_n, recall.retrieve_k, recall.gate_keep_max) == (2, 3, 4)
    assert (recall.use_gate, recall.use_rerank) == (True, True)
    assert (settings.ltm_context.recent_turns, backend.recent_turns) == (1, 6)
    assert (backend.temperature, backend.max_tokens) == (0.5, 6)
    assert (settings.ltm_context.max_tokens, problems) == (450, ())


def test_a_settings_own_key_wins_over_its_flat_name(path: Path) -> None:
    settings, _ = loaded(path, {"recall": {"candidate_n": 5}, "candidate_n": 9})
    assert settings.recall.candidate_n == 5


def test_the_host_may_name_a_setting_by_the_last_part_of_its_key(path: Path) -> None:
    host = {"min_message_length": 9, "recall.lines": 8, "allow_remote": True}
    settings, problems = load(path, environ={}, host=host)
    assert (settings.ltm_writes.min_message_length, settings.recall.lines) == (9, 8)
    assert (settings.allow_remote, problems) == (True, ())


def test_an_ambiguous_key_of_the_host_is_reported_with_its_candidates(path: Path) -> None:
    settings, problems = load(path, environ={}, host={"enabled": False})
    assert settings == Settings()
    candidates = "ltm_writes.enabled or rolling_backup.enabled or recall.enabled"
    assert candidates in only(problems).message


@pytest.mark.parametrize("value", [{1, 2}, object(), b"5", nest(100_000)], ids=type)
def test_a_value_that_json_cannot_hold_is_reported(path: Path, value: object) -> None:
    settings, problems = load(path, environ={}, host={"lines": value})
    assert (settings, only(problems).key) == (Settings(), "recall.lines")


def test_the_hosts_own_keys_for_the_script_are_no_settings(path: Path) -> None:
    host = {"activate": True, "bias string": "!", "display_name": "Memory", "is_tab": True}
    assert load(path, environ={}, host=host) == (Settings(), ())


def test_the_command_line_refuses_all_problems_at_once(path: Path) -> None:
    _, problems = loaded(path, {"recall": {"lines": -1, "line": 2}})
    with pytest.raises(ConfigError, match=r"(?s)recall\.lines.*recall\.line\b") as refused:
        require(problems)
    assert refused.value.key == "recall.lines"


def test_the_command_line_goes_on_without_problems() -> None:
    require(())
