"""Settings as widgets and back."""

from pathlib import Path

import pytest

from memory_core.config import loader
from memory_core.config.fields import setting_fields as all_knobs
from memory_core.config.schema import Settings
from memory_core.domain.errors import ConfigError
from memory_core.memory.runtime import Installation
from memory_core.ui.tab.settings import settings_fields
from memory_core.ui.tab.settings.settings_fields import WidgetKind


def index(key: str) -> int:
    return [field.key for field in settings_fields.offered_fields()].index(key)


def turned(key: str, value: object) -> dict[str, object]:
    before = settings_fields.widget_values(Settings())
    after = list(before)
    after[index(key)] = value
    return settings_fields.changes(before, after)


def test_untouched_widgets_give_no_changes() -> None:
    shown = settings_fields.widget_values(Settings())
    assert settings_fields.changes(shown, list(shown)) == {}


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
    again = dict(
        zip(
            [field.key for field in settings_fields.offered_fields()],
            settings_fields.widget_values(settings),
            strict=True,
        )
    )
    assert str(again[key]).strip() == str(value).strip()


def test_emptied_limit_is_saved_as_none() -> None:
    before = settings_fields.widget_values(
        Settings.model_validate({"ltm_reads": {"max_cosine_distance": 0.4}})
    )
    after = list(before)
    assert after[index("ltm_reads.max_cosine_distance")] == "0.4"
    after[index("ltm_reads.max_cosine_distance")] = ""
    assert settings_fields.changes(before, after) == {"ltm_reads.max_cosine_distance": None}


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
        "ltm_context.memory_template": WidgetKind.TEMPLATE,
    }
    assert {key: settings_fields.widget_kind(all_knobs()[key]) for key in kinds} == kinds


def test_choice_widget_offers_the_allowed_values() -> None:
    assert settings_fields.choices(all_knobs()["recall.visible"]) == ["at_once", "next_session"]


def test_offered_settings_hold_no_secret_and_no_duplicate() -> None:
    keys = [field.key for field in settings_fields.offered_fields()]
    assert len(keys) == len(set(keys))
    assert not [key for key in keys if key.endswith("api_key")]


@pytest.mark.parametrize(
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
