"""The host accepts the example character, and memories may stand at its <START>."""

from pathlib import Path

import pytest
import yaml

from memory_core.domain.records import Exchange
from tests.host.one_page import CHAT, MIRA, OnePage
from tests.host.plain_host import history_of, page_state

FILE = Path(__file__).parents[2] / "user_data" / "characters" / "Juniper.yaml"
CHARACTER = yaml.safe_load(FILE.read_text(encoding="utf-8"))


def asked(page, text):
    page.memory.remember(MIRA, "old", Exchange(user="Helena keeps bees", assistant="Lovely"))
    history = history_of()
    state = page_state(unique_id=CHAT, history=history, context=CHARACTER["context"])
    return page.hooks.custom_generate_chat_prompt(text, state, history=history)


def test_example_character_has_only_fields_that_the_host_reads():
    assert CHARACTER.keys() == {"name", "greeting", "context"}
    assert all(isinstance(text, str) and text.strip() for text in CHARACTER.values())
    assert CHARACTER["name"] == FILE.stem


def test_example_characters_description_ends_with_one_start():
    before, _, behind = CHARACTER["context"].partition("\n<START>\n")
    assert before
    assert behind.startswith("{{user}}:")
    assert CHARACTER["context"].count("<START>") == 1


def test_memories_can_precede_the_example_dialogue(tmp_path):
    location = "AFTER_NORMAL_CONTEXT_BUT_BEFORE_MESSAGES"
    page = OnePage(tmp_path, {"ltm_context": {"injection_location": location}})
    prompt = asked(page, "What does Helena keep?")
    description, talk = prompt.split("<START>")
    assert "Helena keeps bees" in description
    assert "Helena keeps bees" not in talk
    assert page.runtime.problems() == []


@pytest.mark.parametrize("location", ["IN_CHAT", "BEFORE_NORMAL_CONTEXT"])
def test_example_character_works_in_all_other_positions(tmp_path, location):
    page = OnePage(tmp_path, {"ltm_context": {"injection_location": location}})
    prompt = asked(page, "What does Helena keep?")
    assert prompt.count("Helena keeps bees") == 1
    assert CHARACTER["context"] in prompt
