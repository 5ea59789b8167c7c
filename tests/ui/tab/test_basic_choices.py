"""The plain choices stand for settings, and tell what the settings do."""

import json
from pathlib import Path
from typing import Any

import pytest

from memory_core.bootstrap import build_runtime
from memory_core.config.schema import Settings
from memory_core.memory.installation import Installation
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.providers.llm.in_background import ForegroundModelInBackground
from memory_core.text.locales import tab_words
from memory_core.ui.tab.settings import basic_choices, saving
from memory_core.ui.tab.settings.basic_choices import Choice, ModelChoice
from tests.cases import for_each

SERVER = {"base_url": "http://127.0.0.1:1/v1"}
HOST = {"kind": "host", "idle_minutes": 1.0}
HALF = {"kind": "host", "idle_minutes": 1.5}
EVERY_OPTION = [(choice, option) for choice in Choice for option in basic_choices.options(choice)]


@for_each(("choice", "option"), EVERY_OPTION)
def test_chosen_option_is_recognised_again_and_described(choice: Choice, option: str) -> None:
    changes = basic_choices.changes_of(choice, option)
    settings = saving.with_changes(Settings(), changes)
    assert basic_choices.chosen_option(choice, settings) == option
    for language in ("en", "zh"):
        words = tab_words(language)
        assert words[f"plain_{choice}"]
        assert words[f"plain_{choice}_{option}"]
        assert basic_choices.effect(choice, settings, words)


@for_each("choice", Choice)
def test_defaults_are_one_of_the_options(choice: Choice) -> None:
    assert basic_choices.chosen_option(choice, Settings()) in basic_choices.options(choice)


def test_settings_made_one_by_one_are_none_of_the_options() -> None:
    settings = Settings.model_validate({"recall": {"lines": 5}})
    assert basic_choices.chosen_option(Choice.AMOUNT, settings) is None
    assert "5 short lines" in basic_choices.effect(Choice.AMOUNT, settings, tab_words("en"))


@for_each(
    ("embedder", "option"),
    [
        ({}, ModelChoice.BUILT_IN),
        ({"kind": "built-in"}, ModelChoice.BUILT_IN),
        ({"kind": "fastembed"}, ModelChoice.OTHER),
        ({"base_url": "http://127.0.0.1:1/v1"}, ModelChoice.SERVER),
        ({"kind": "openai"}, ModelChoice.SERVER),
        ({"kind": "none", "base_url": "http://127.0.0.1:1/v1"}, ModelChoice.WORDS),
        ({"kind": "sentence-transformers"}, ModelChoice.OTHER),
        ({"kind": "own:Model"}, ModelChoice.OTHER),
    ],
)
def test_choice_of_model_follows_kind_and_address(
    embedder: dict[str, str], option: ModelChoice
) -> None:
    assert basic_choices.model_choice(Settings.model_validate({"embedder": embedder})) is option


@for_each(
    ("settings", "option", "effect"),
    [
        ({"llm": {"kind": "host"}}, "off", "Only what was said"),
        ({"consolidation": {"enabled": True}}, "server", "Enter its address"),
        ({"consolidation": {"enabled": True}, "llm": SERVER}, "server", "at http://127.0.0.1:1/v1"),
        ({"consolidation": {"enabled": True}, "llm": HOST}, "host", "for 1 minute, the loaded"),
        ({"consolidation": {"enabled": True}, "llm": HALF}, "host", "for 1.5 minutes, the loaded"),
        ({"consolidation": {"enabled": True}, "llm": {"kind": "own:Model"}}, None, "Advanced"),
    ],
)
def test_choice_of_facts_follows_the_language_model(
    settings: dict[str, Any], option: str | None, effect: str
) -> None:
    found = Settings.model_validate(settings)
    assert basic_choices.chosen_option(Choice.FACTS, found) == option
    assert effect in basic_choices.effect(Choice.FACTS, found, tab_words("en"))


@pytest.mark.parametrize(
    ("option", "host_model", "llm", "reason"),
    [
        ("host", False, {}, "does not run inside text-generation-webui"),
        ("server", False, {}, "No server is set up yet"),
        ("server", False, SERVER, ""),
        ("host", True, {}, ""),
    ],
)
def test_choice_of_facts_without_a_model_says_what_is_missing(
    tmp_path: Path, option: str, host_model: bool, llm: dict[str, Any], reason: str
) -> None:
    model = ForegroundModelInBackground(ScriptedLLM([])) if host_model else None
    home = Installation(folder=tmp_path, environ={"LTM_EMBEDDER__KIND": "none"})
    (tmp_path / "ltm_config.json").write_text(json.dumps({"llm": llm}))
    runtime = build_runtime(home, host_model=model)
    changes = basic_choices.changes_of(Choice.FACTS, option)
    missing = saving.missing_model(runtime, changes, tab_words("en"))
    runtime.close()
    assert (reason in missing) if reason else not missing


def test_built_in_model_does_not_keep_the_name_of_a_servers_model() -> None:
    changes = basic_choices.changes_of(Choice.MODEL, ModelChoice.BUILT_IN)
    assert changes == {"embedder.kind": "built-in", "embedder.model": ""}


def test_changes_of_a_choice_can_be_undone() -> None:
    changes = basic_choices.changes_of(Choice.AMOUNT, "much")
    before = basic_choices.values_before(changes, Settings())
    changed = saving.with_changes(Settings(), changes)
    assert changed != Settings()
    assert saving.with_changes(changed, before) == Settings()


def test_source_that_overrides_one_of_several_settings_is_named() -> None:
    home = Installation(folder=Path(), environ={"LTM_RECALL__LINES": "3"})
    assert basic_choices.overriding_sources(Choice.AMOUNT, home) == ["LTM_RECALL__LINES"]
    assert basic_choices.overriding_sources(Choice.REMEMBER, home) == []
