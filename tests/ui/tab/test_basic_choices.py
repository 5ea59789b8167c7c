"""The plain choices stand for settings, and tell what the settings do."""

from pathlib import Path

from memory_core.config.schema import Settings
from memory_core.memory.installation import Installation
from memory_core.text.locales import tab_words
from memory_core.ui.tab.settings import basic_choices, saving
from memory_core.ui.tab.settings.basic_choices import Choice, ModelChoice
from tests.cases import for_each

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
        ({"kind": "fastembed"}, ModelChoice.BUILT_IN),
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


def test_built_in_model_does_not_keep_the_name_of_a_servers_model() -> None:
    changes = basic_choices.changes_of(Choice.MODEL, ModelChoice.BUILT_IN)
    assert changes == {"embedder.kind": "fastembed", "embedder.model": ""}


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
