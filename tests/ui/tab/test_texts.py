"""The tab has words for everything it shows, in each language."""

import pytest

from memory_core.prompt.system_block import SYSTEM_FORM
from memory_core.recall.results import DropReason, Form
from memory_core.text.locales import LANGUAGES, Words, setting_label, tab_words
from memory_core.ui.tab.memories import browser_rows
from memory_core.ui.tab.now import trace_rows
from memory_core.ui.tab.settings.settings_fields import GROUPS, offered_fields


@pytest.mark.parametrize("words", [*map(tab_words, LANGUAGES.values())], ids=LANGUAGES)
def test_reasons_forms_and_parts_of_a_trace_have_words(words: Words) -> None:
    keys = set(words.keys())
    assert {f"reason_{reason}" for reason in DropReason} <= keys
    assert {f"form_{form}" for form in (*Form, SYSTEM_FORM)} <= keys
    assert {
        *trace_rows.INJECTED_COLUMNS,
        *trace_rows.DROPPED_COLUMNS,
        *browser_rows.COLUMNS,
        *GROUPS,
    } <= keys


def test_every_offered_setting_has_a_chinese_name_and_keeps_its_key() -> None:
    for knob in offered_fields():
        assert setting_label(knob.key, "en") == knob.key
        label = setting_label(knob.key, "zh")
        assert label.endswith(f"({knob.key})"), f"{knob.key} has no Chinese name"
