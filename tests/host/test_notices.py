"""Notices for notes that exceed the system block's token budget: shown once per note."""

import re

import pytest

from tests.host.one_page import OnePage

NAMES = [f"{letter}olm" for letter in "ABCDEFGHIJKLMNOPQRST"]
LORE = " ".join(f"The guild of {name} owns the bridge over the river." for name in 2 * NAMES)
FACTS = [f"My house of {name} is painted in a fine colour" for name in NAMES]
NO_ROOM = "do not all fit into every prompt"
A_PART = "only its beginning is in every prompt"


@pytest.fixture
def page(tmp_path):
    return OnePage(tmp_path)


@pytest.fixture
def stocked(page):
    for fact in FACTS:
        page.say(f"/remember {fact}")
    return page


def test_too_long_note_is_shortened_with_a_notice_for_the_model(page):
    assert A_PART in page.say(f"/remember {LORE}")
    prompt = page.say("Hello!")
    assert f"- {LORE[:200]}" in prompt
    assert A_PART not in prompt
    assert page.runtime.problems() == []


def test_notice_for_a_note_beyond_the_budget_names_the_omitted_notes(stocked):
    prompt = stocked.say("/remember I am left-handed")
    assert "- I am left-handed" in prompt
    assert NO_ROOM in prompt
    assert [f"{fact} [" in prompt for fact in FACTS[:7]] == [False] * 3 + [True] * 3 + [False]
    assert NO_ROOM not in stocked.say("Hello!")


def test_tab_names_omitted_notes_without_their_text(stocked):
    stocked.say("Hello!")
    (told,) = stocked.runtime.problems()
    assert "[" in told
    assert "house" not in told


def test_omitted_note_is_recalled_and_returns_once_others_are_forgotten(stocked):
    assert FACTS[0] in stocked.say("What do you know about the house of Aolm?")
    for n in range(8, 20):
        stocked.say(f"/forget {FACTS[n]}")
    assert f"- {FACTS[0]}" in stocked.say("Hello!")
    assert stocked.runtime.problems() == []


def test_fitting_note_gives_no_budget_notice(page):
    prompt = page.say("/remember I am left-handed")
    assert (A_PART in prompt, NO_ROOM in prompt) == (False, False)


def test_refused_note_gives_no_budget_notice(stocked):
    stocked.say("/pause")
    assert NO_ROOM not in stocked.say("/remember I am left-handed")


def test_budget_notice_is_in_the_language_of_the_command(stocked):
    assert "无法全部放入" in stocked.say("/记住 我对花生过敏")


@pytest.mark.parametrize("budget", range(60, 140, 16))
def test_notice_counts_the_notes_that_the_date_leaves_no_room_for(tmp_path, budget):
    page = OnePage(tmp_path, {"ltm_context": {"system_block_max_tokens": budget}})
    for fact in FACTS[:6]:
        prompt = page.say(f"/remember {fact}")
    assert "Today is" in prompt
    told = re.search(r"(\d+) items? can only be recalled", prompt)
    missing = [fact for fact in FACTS[:6] if f"\n- {fact}" not in prompt]
    assert int(told[1] if told else 0) == len(missing)
