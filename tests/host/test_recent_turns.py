"""The setting for the number of latest exchanges in a prompt."""

import pytest

from memory_core.config.loader import load
from tests.host.one_page import OnePage
from tests.host.plain_host import history_of, page_state

ROWS = [("Helena keeps bees", "Lovely"), ("I had soup", "Good"), ("It rains", "A pity")]


def page_with(tmp_path, recent_turns, rows=ROWS):
    page = OnePage(tmp_path, {"ltm_context": {"recent_turns": recent_turns}})
    page.rows = list(rows)
    page.ask("ok thanks")
    page.save()
    return page


def rows_in(prompt):
    return [line for line in prompt.splitlines() if line.startswith("U: ")]


@pytest.mark.parametrize(
    ("recent_turns", "kept"),
    [
        (None, ["Helena keeps bees", "I had soup", "It rains"]),
        (9, ["Helena keeps bees", "I had soup", "It rains"]),
        (2, ["I had soup", "It rains"]),
        (1, ["It rains"]),
        (0, []),
    ],
)
def test_prompt_carries_the_latest_exchanges(tmp_path, recent_turns, kept):
    prompt = page_with(tmp_path, recent_turns).ask("ok thanks")
    assert rows_in(prompt) == [f"U: {text}" for text in (*kept, "ok thanks")]


def test_exchanges_older_than_the_recent_turns_can_be_recalled(tmp_path):
    prompt = page_with(tmp_path, 1).ask("What does Helena keep?")
    assert "Helena keeps bees" in prompt


def test_recent_turns_setting_leaves_chat_and_memories_complete(tmp_path):
    page = page_with(tmp_path, 1)
    history = history_of(*page.rows)
    state = page_state(history=history)
    page.hooks.custom_generate_chat_prompt("ok thanks", state, history=history)
    assert history == history_of(*page.rows)
    page.save()
    assert page.kept() == sorted(user for user, _ in ROWS)


def test_continued_answer_keeps_its_message_in_a_short_window(tmp_path):
    page = page_with(tmp_path, 0)
    prompt = page.ask("It rains", _continue=True)
    assert "U: It rains" in rows_in(prompt)


def test_rows_without_a_message_stay_with_the_previous_exchange(tmp_path):
    page = page_with(tmp_path, 1, [*ROWS, ("", "And it still rains")])
    assert "A: A pity" in (prompt := page.ask("ok thanks"))
    assert "A: And it still rains" in prompt
    assert "I had soup" not in prompt


def test_flat_setting_name_of_a_moved_configuration_is_accepted(tmp_path):
    path = tmp_path / "ltm_config.json"
    path.write_text('{"recent_turns": 4}')
    settings, problems = load(path, environ={})
    assert (settings.ltm_context.recent_turns, problems) == (4, ())
