"""The tab's words are whole in every language."""

import re

import pytest

from memory_core.prompt.system_block import SYSTEM
from memory_core.recall.results import DropReason, Form
from memory_core.ui.tab.panels import browser_rows, trace_rows
from memory_core.ui.tab.panels.settings_fields import GROUPS, offered
from memory_core.ui.tab.texts.common import DEFAULT, LANGUAGES, TEXTS, knob_label, words_of

FIELD = re.compile(r"\{(\w+)[^}]*\}")


@pytest.mark.parametrize("language", TEXTS)
def test_every_language_has_the_same_texts_with_the_same_fields(language: str) -> None:
    fields = {key: sorted(FIELD.findall(text)) for key, text in TEXTS[language].items()}
    assert fields == {key: sorted(FIELD.findall(text)) for key, text in TEXTS[DEFAULT].items()}


def test_every_language_can_be_chosen() -> None:
    assert set(LANGUAGES.values()) == TEXTS.keys()


def test_an_unknown_language_falls_back_to_the_default() -> None:
    assert words_of("tlh") == TEXTS[DEFAULT]


@pytest.mark.parametrize("words", TEXTS.values())
def test_whatever_a_trace_can_say_has_words(words: dict[str, str]) -> None:
    assert {f"reason_{it}" for it in DropReason} <= words.keys()
    assert {f"form_{it}" for it in (*Form, SYSTEM)} <= words.keys()
    assert {
        *trace_rows.INJECTED,
        *trace_rows.DROPPED,
        *browser_rows.COLUMNS,
        *GROUPS,
    } <= words.keys()


def test_every_offered_setting_has_a_chinese_name_and_keeps_its_key() -> None:
    for knob in offered():
        assert knob_label(knob.key, "en") == knob.key
        label = knob_label(knob.key, "zh")
        assert label.endswith(f"({knob.key})"), f"{knob.key} has no Chinese name"
