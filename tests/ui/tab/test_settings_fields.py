"""Settings as widgets and back."""

from pathlib import Path

import pytest

from memory_core.config import loader
from memory_core.config.fields import setting_fields as all_knobs
from memory_core.config.schema import Settings
from memory_core.domain.errors import ConfigError
from memory_core.memory.installation import Installation
from memory_core.text.locales import setting_help, setting_label, tab_words
from memory_core.ui.tab.settings import settings_fields
from memory_core.ui.tab.settings.settings_fields import WidgetKind
from tests.cases import for_each

FIELDS = [*all_knobs().values()]


def index(key: str) -> int:
    return [field.key for field in FIELDS].index(key)


def shown(settings: Settings) -> list[object]:
    return settings_fields.widget_values(settings, FIELDS)


def turned(key: str, value: object, settings: Settings = Settings()) -> dict[str, object]:  # noqa: B008
    before = shown(settings)
    after = list(before)
    after[index(key)] = value
    return settings_fields.changes(FIELDS, before, after)


def test_untouched_widgets_give_no_changes() -> None:
    before = shown(Settings())
    assert settings_fields.changes(FIELDS, before, list(before)) == {}


@pytest.mark.parametrize(
    ("key", "value", "saved"),
    [
        ("recall.lines", 4, 4),
        ("recall.min_score", 0.5, 0.5),
        ("recall.enabled", False, False),
        ("recall.visible", "next_session", "next_session"),
        ("ltm_reads.max_cosine_distance", "0.4", 0.4),
        ("ltm_reads.num_memories_to_fetch", " 3 ", 3),
        ("ltm_context.memory_template", "{memory_message}", "{memory_message}"),
    ],
)
def test_only_the_changed_setting_is_saved_and_read_again(
    tmp_path: Path, key: str, value: object, saved: object
) -> None:
    changes = turned(key, value)
    assert changes == {key: saved}
    path = tmp_path / "ltm_config.json"
    loader.save(path, changes)
    settings, problems = loader.load(path, environ={})
    assert problems == ()
    again = dict(zip(all_knobs(), shown(settings), strict=True))
    assert str(again[key]).strip() == str(value).strip()


def test_emptied_limit_is_saved_as_none() -> None:
    limited = Settings.model_validate({"ltm_reads": {"max_cosine_distance": 0.4}})
    assert shown(limited)[index("ltm_reads.max_cosine_distance")] == "0.4"
    changes = turned("ltm_reads.max_cosine_distance", "", limited)
    assert changes == {"ltm_reads.max_cosine_distance": None}


def test_kind_that_does_not_exist_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match=r"embedder\.kind.*Did you mean fastembed\?"):
        turned("embedder.kind", "fastembedd")


def test_key_is_never_sent_to_the_page_and_stays_until_it_is_removed() -> None:
    settings = Settings.model_validate({"llm": {"api_key": "sk-secret"}})
    assert "sk-secret" not in shown(settings)
    assert turned("llm.api_key", "", settings) == {}
    assert turned("llm.api_key", "sk-new", settings) == {"llm.api_key": "sk-new"}
    assert turned("llm.api_key", "none", settings) == {"llm.api_key": ""}


def test_limit_that_is_not_a_number_is_refused_by_its_key() -> None:
    with pytest.raises(ConfigError, match="allowed: a number") as caught:
        turned("ltm_reads.max_cosine_distance", "near")
    assert caught.value.key == "ltm_reads.max_cosine_distance"


def test_each_kind_of_setting_gets_its_widget() -> None:
    kinds = {
        "recall.enabled": WidgetKind.CHECK,
        "recall.visible": WidgetKind.CHOICE,
        "recall.lines": WidgetKind.WHOLE,
        "recall.min_score": WidgetKind.NUMBER,
        "ltm_reads.num_memories_to_fetch": WidgetKind.OPTIONAL,
        "llm.model": WidgetKind.TEXT,
        "llm.api_key": WidgetKind.SECRET,
        "embedder.kind": WidgetKind.CHOICE,
        "ltm_context.memory_template": WidgetKind.TEMPLATE,
    }
    assert {key: settings_fields.widget_kind(all_knobs()[key]) for key in kinds} == kinds


@for_each(
    ("values", "key", "told"),
    [
        ({}, "recall.lines", ""),
        ({"recall": {"lines": 3}}, "recall.lines", "Default: 8."),
        ({"recall": {"enabled": False}}, "recall.enabled", "Default: on."),
        ({"recall": {"in_incognito": True}}, "recall.in_incognito", "Default: off."),
        (
            {"ltm_reads": {"max_cosine_distance": 0.4}},
            "ltm_reads.max_cosine_distance",
            "Default: empty.",
        ),
        ({"embedder": {"kind": "none"}}, "embedder.kind", "Default: auto."),
        ({"llm": {"api_key": "x"}}, "llm.api_key", ""),
    ],
)
def test_changed_setting_tells_its_default(
    values: dict[str, dict[str, object]], key: str, told: str
) -> None:
    settings = Settings.model_validate(values)
    assert settings_fields.default_text(all_knobs()[key], settings, tab_words("en")) == told


@for_each(("is_in_host", "has_backend"), [(True, False), (False, True)])
def test_every_setting_is_in_one_group_but_those_that_do_nothing_in_the_host(
    is_in_host: bool, has_backend: bool
) -> None:
    groups = settings_fields.grouped_fields(is_in_host=is_in_host)
    keys = [field.key for members in groups.values() for field in members]
    assert len(keys) == len(set(keys))
    missing = all_knobs().keys() - keys
    alone = {key for key in all_knobs() if key.startswith(("backend.", "server."))}
    assert missing == (set() if has_backend else alone)


@for_each("language", ["en", "zh"])
def test_every_setting_has_a_label_and_help_in_each_language(language: str) -> None:
    for key, field in all_knobs().items():
        assert setting_label(key, language).endswith(f" ({key})"), f"{key} has no name"
        is_english = setting_help(key, field.description, language) == field.description
        assert is_english == (language == "en"), key


@for_each(
    ("environ", "host", "by"),
    [
        ({}, {}, ""),
        ({"LTM_LLM__BASE_URL": "x"}, {}, "LTM_LLM__BASE_URL"),
        ({"LLM_BASE_URL": "x"}, {}, "LLM_BASE_URL"),
        ({"LLM_BASE_URL": ""}, {}, ""),
        ({}, {"llm.base_url": "x"}, "settings.yaml"),
        ({}, {"base_url": "x"}, ""),
    ],
)
def test_source_that_overrides_the_file_is_named(
    environ: dict[str, str], host: dict[str, str], by: str
) -> None:
    home = Installation(folder=Path(), environ=environ, host_settings=host)
    assert settings_fields.overriding_source(all_knobs()["llm.base_url"], home) == by


@for_each(
    ("key", "group"),
    [
        ("consolidation.enabled", "group_models"),  # the tab's text work_off sends people there
        ("llm.idle_minutes", "group_models"),
        ("ltm_context.strategy", "group_prompt"),
        ("recall.summary_weight", "group_recall"),
    ],
)
def test_a_setting_that_no_group_lists_is_shown_with_its_section(key: str, group: str) -> None:
    groups = settings_fields.grouped_fields(is_in_host=True)
    assert key in [field.key for field in groups[group]]
