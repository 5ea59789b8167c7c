"""Loading ltm_config.json: every wrong setting is reported, and every right one counts."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.config.loader import describe, load, require, save
from memory_core.config.schema import InjectionLocation, Settings
from memory_core.domain.errors import ConfigError
from tests.configs import loaded, only

SHIPPED = Path(__file__).parents[2] / "ltm_config.json"
CAUTIOUS = Settings.model_validate({"ltm_writes": {"enabled": False}, "embedder": {"kind": "none"}})
LONG_TERM_MEMORY = """{
    "ltm_context": {
        "injection_location": "BEFORE_NORMAL_CONTEXT",
        "memory_context_template": "{name2} recalls:\\n{all_memories}",
        "memory_template": "{time_difference}, {memory_name} said: {memory_message}"
    },
    "ltm_writes": {"min_message_length": 100},
    "ltm_reads": {
        "max_cosine_distance": 0.60,
        "num_memories_to_fetch": 2,
        "memory_length_cutoff_in_chars": 1000
    }
}"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ltm_config.json"


def test_missing_config_file_means_the_defaults(path: Path) -> None:
    assert load(path, environ={}) == (Settings(), ())


def test_shipped_config_file_changes_no_default() -> None:
    assert load(SHIPPED, environ={}) == (Settings(), ())


def test_an_imported_long_term_memory_config_keeps_its_values(path: Path) -> None:
    settings, problems = loaded(path, LONG_TERM_MEMORY)
    assert problems == ()
    sections = ("ltm_context", "ltm_writes", "ltm_reads")
    values = settings.model_dump(mode="json", include=set(sections), exclude_unset=True)
    assert values == json.loads(LONG_TERM_MEMORY)
    assert settings.ltm_context.injection_location is InjectionLocation.BEFORE_NORMAL_CONTEXT


def test_a_key_can_be_written_as_the_documentation_prints_it(path: Path) -> None:
    settings, problems = loaded(path, {"recall.lines": 3, "recall": {"retrieve_k": 1}})
    assert (settings.recall.lines, settings.recall.retrieve_k, problems) == (3, 1, ())


def test_a_key_in_its_section_wins_over_the_key_with_a_dot(path: Path) -> None:
    written = {"recall": {"lines": 4}, "recall.lines": 3}
    assert loaded(path, written)[0].recall.lines == 4


def test_an_unknown_key_with_a_dot_is_reported(path: Path) -> None:
    _, problems = loaded(path, {"recall.line": 3})
    assert "The nearest is recall.lines" in only(problems).message


def test_comments_in_the_config_file_are_not_settings(path: Path) -> None:
    written = '{"//": "a", "//": "b", "$schema": 1, "recall": {"// why": "", "lines": 3}}'
    settings, problems = loaded(path, written)
    assert (settings.recall.lines, problems) == (3, ())


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_config_files_of_windows_editors_are_read(path: Path, encoding: str) -> None:
    written = '{"ltm_context": {"memory_template": "记得 {memory_message}"}}'.encode(encoding)
    settings, problems = loaded(path, written)
    assert (settings.ltm_context.memory_template, problems) == ("记得 {memory_message}", ())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{\n  "recall": {"lines": 3,}\n}', "line 2, column "),
        ("", "line 1, column 1"),
        (" \n", "the file is empty"),
        ('{"recall": {"lines": 3,},}', "remove the comma"),
        ('{"recall": {"lines": 3},}', "remove the comma"),
        ('{"llm": {}} // mine', "write a comment as an entry"),
        ('{\n# mine\n"llm": {}}', "write a comment as an entry"),
        ("{'llm': {}}", "double quotes"),
        ('{"ltm_writes": {"enabled": False}}', "in small letters"),
        ("{“llm”: {}}", "straight quotation marks"),
        ('{"llm": {}', "a closing bracket is missing"),
        ('{"llm": {} "recall": {}}', "is a comma missing"),
        ('{"llm: {}}', "closing quotation mark is missing"),
        (r'{"rolling_backup": {"folder": "C:\memories"}}', "write each \\ of a path twice"),
        ("{", "line 1, column 2"),
        ("[1]", "must be an object"),
        ("null", "must be an object"),
        ("7", "must be an object"),
        (b'{"a": "\xff"}', "byte 7"),
        ("[" * 100_000, "nested too deeply"),
        ('{"trace_turns": ' + "9" * 5_000 + "}", "limit"),
    ],
)
def test_unusable_config_file_is_reported_and_safe_defaults_apply(
    path: Path, content: str | bytes, reason: str
) -> None:
    settings, problems = loaded(path, content)
    assert settings == CAUTIOUS
    assert reason in only(problems).message
    assert "ltm_config.json" in only(problems).message


def test_unreadable_config_file_is_reported(tmp_path: Path) -> None:
    settings, problems = load(tmp_path, environ={})
    assert settings == CAUTIOUS
    assert "cannot be read" in only(problems).message


def test_program_that_refuses_an_unusable_config_file_names_it_and_says_what_to_do(
    path: Path,
) -> None:
    _, problems = loaded(path, '{"recall": {')
    with pytest.raises(ConfigError) as caught:
        require(problems)
    assert str(caught.value) == (
        f"{path} cannot be read: line 1, column 13 (a closing bracket is missing at the end). "
        "Repair the file, or give it another name to go on with the default settings."
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("recall.use_gate", '"true"'),
        ("recall.use_gate", "1"),
        ("recall.candidate_n", '"60"'),
        ("recall.candidate_n", "true"),
        ("recall.candidate_n", "0"),
        ("recall.candidate_n", "5.5"),
        ("recall.candidate_n", "null"),
        ("recall.candidate_n", "{}"),
        ("recall.candidate_n", "9" * 400),
        ("recall.candidate_n", "[" * 500 + "]" * 500),
        ("recall.min_score", "NaN"),
        ("recall.min_score", "Infinity"),
        ("recall.min_score", "1e999"),
        ("recall.visible", '"sometimes"'),
        ("ltm_context.injection_location", '"in_chat"'),
        ("ltm_context.memory_template", "7"),
        ("ltm_context.memory_template", '"\\ud800"'),
        ("ltm_reads.max_cosine_distance", "2.5"),
        ("recall.time_limit_s", "0"),
    ],
)
def test_a_bad_value_leaves_its_default_and_all_others_count(
    path: Path, key: str, value: str
) -> None:
    section, leaf = key.split(".")
    others = {"ltm_writes": {"min_message_length": 7}, "trace_turns": 9}
    written = json.dumps(others)[:-1] + f', "{section}": {{"{leaf}": {value}}}}}'
    settings, problems = loaded(path, written)
    assert settings == Settings.model_validate(others)
    problem = only(problems)
    allowed = next(field.allowed for field in describe() if field.key == key)
    assert problem.key == key
    assert problem.message.startswith(f"ltm_config.json: {key} = ")
    assert f" is ignored: allowed is {allowed}." in problem.message


@pytest.mark.parametrize(
    ("key", "value", "nearest"),
    [
        ("embedder.kind", "fastembedd", "fastembed"),
        ("embedder.kind", "Openai", "openai"),
        ("reranker.kind", "endpont", "endpoint"),
        ("llm.kind", "nonee", "none"),
        ("recall.visible", "next_sesion", "next_session"),
    ],
)
def test_misspelt_name_is_refused_with_the_nearest_one(
    path: Path, key: str, value: str, nearest: str
) -> None:
    with pytest.raises(ConfigError, match=f"Did you mean {nearest}"):
        save(path, {key: value})
    section, leaf = key.split(".")
    settings, problems = loaded(path, {section: {leaf: value}})
    assert settings == Settings()
    assert f"Did you mean {nearest}?" in only(problems).message


def test_kind_may_name_a_users_own_class(path: Path) -> None:
    settings, problems = loaded(path, {"embedder": {"kind": "own.module:Embedder"}})
    assert (settings.embedder.kind, problems) == ("own.module:Embedder", ())


@pytest.mark.parametrize(
    ("written", "key", "suggested"),
    [
        ({"recall": {"candidate": 5}}, "recall.candidate", "recall.candidate_n"),
        ({"recal": {"lines": 5}}, "recal", "recall"),
        ({"min_message_length": 5}, "min_message_length", "ltm_writes.min_message_length"),
        ({"Allow_Remote": True}, "Allow_Remote", "allow_remote"),
        ({"recall": {"lines.x": 5}}, "recall.lines.x", "recall.lines"),
        ({"qqqqqq": 5}, "qqqqqq", "docs/settings.md"),
    ],
)
def test_an_unknown_key_is_reported_with_the_nearest_name(
    path: Path, written: object, key: str, suggested: str
) -> None:
    settings, problems = loaded(path, written)
    assert settings == Settings()
    assert only(problems).key == key
    assert suggested in only(problems).message.partition("no such setting")[2]


@pytest.mark.parametrize("wrong", ["5", "null", "[]", '"lines"'])
def test_section_that_is_not_an_object_is_reported(path: Path, wrong: str) -> None:
    settings, problems = loaded(path, f'{{"recall": {wrong}, "trace_turns": 9}}')
    assert settings == Settings(trace_turns=9)
    assert only(problems).key == "recall"


def test_the_last_of_duplicate_keys_counts_and_the_duplicate_is_reported(path: Path) -> None:
    written = '{"trace_turns": 3, "trace_turns": 4, "recall": {"lines": 1, "lines": 2}}'
    settings, problems = loaded(path, written)
    assert (settings.trace_turns, settings.recall.lines) == (4, 2)
    assert [problem.key for problem in problems] == ["trace_turns", "recall.lines"]


@pytest.mark.parametrize(
    ("written", "environ"),
    [
        ({"embedder": {"api_key": ["sk-1234"]}}, {}),
        ({"embedder": {"apikey": "sk-1234"}}, {}),
        ({"embeder": {"api_key": "sk-1234"}}, {}),
        ({"embedder": ["sk-1234"]}, {}),
        ({"llm": {"baseurl": "http://me:sk-1234@host/v1"}}, {}),
        ({}, {"LTM_OPENAI_KEY": "sk-1234"}),
        ({}, {"LTM_LLM__API_KEYS": "sk-1234"}),
    ],
)
def test_a_problem_never_shows_a_secret(
    path: Path, written: object, environ: Mapping[str, str]
) -> None:
    _, problems = loaded(path, written, environ=environ)
    assert "1234" not in repr(only(problems))


def test_settings_do_not_print_keys(path: Path) -> None:
    settings, _ = loaded(path, {"llm": {"api_key": "sk-1234"}})
    assert settings.llm.api_key == "sk-1234"
    assert "1234" not in repr(settings)


def test_unknown_page_language_is_reported_and_the_browsers_is_used(path: Path) -> None:
    settings, problems = loaded(path, {"language": "de"})
    assert "allowed is one of browser, en, zh" in only(problems).message
    assert settings.language == "browser"
    settings, problems = loaded(path, {"language": ""})
    assert (settings.language, list(problems)) == ("browser", [])


def test_setting_that_counts_tokens_is_not_masked(path: Path) -> None:
    _, problems = loaded(path, {"backend": {"max_tokens": -5}})
    assert "backend.max_tokens = -5 is ignored" in only(problems).message


def test_problem_shows_only_the_beginning_of_a_long_value(path: Path) -> None:
    _, problems = loaded(path, {"languages": "x" * 10_000})
    assert len(only(problems).message) < 400


def test_problem_with_unprintable_characters_can_be_printed(path: Path) -> None:
    _, problems = loaded(path, '{"\\ud800": "\\udfff\\u0000"}')
    assert only(problems).message.encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
KEYS = st.sampled_from([field.key for field in describe()])


@given(st.dictionaries(KEYS, JSON, max_size=4), st.dictionaries(st.text(), JSON, max_size=2))
def test_loading_settings_never_raises_for_any_json(
    tmp_path_factory: pytest.TempPathFactory, known: dict[str, Any], unknown: dict[str, Any]
) -> None:
    written: dict[str, Any] = dict(unknown)
    for key, value in known.items():
        section, _, leaf = key.rpartition(".")
        inner = written.setdefault(section, {}) if section else written
        if isinstance(inner, dict):
            inner[leaf] = value
    path = tmp_path_factory.getbasetemp() / "any.json"
    settings, problems = loaded(path, written, host={**known, **unknown})
    assert isinstance(settings, Settings)
    assert all(problem.message.encode() for problem in problems)


@given(st.binary(max_size=40))
def test_loading_settings_never_raises_for_any_bytes(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    settings, _ = loaded(tmp_path_factory.getbasetemp() / "any.json", content)
    assert isinstance(settings, Settings)


def test_contradicting_need_thresholds_are_a_note_and_not_an_error(path: Path) -> None:
    settings, problems = loaded(path, {"recall.min_need": 0.6, "recall.full_need": 0.3})
    assert (settings.recall.min_need, settings.recall.full_need) == (0.6, 0.3)
    assert "full_need = 0.3 is below recall.min_need = 0.6" in only(problems).message
    assert only(problems).is_note
    for fitting in ({"recall.min_need": 0.7}, {"recall.min_need": 0.3, "recall.full_need": 0.3}):
        assert loaded(path, fitting)[1] == ()
