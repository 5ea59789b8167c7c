"""The journal keeps counts and times, and the console has a line for each; neither quotes chats."""

import logging
import re

import pytest

from memory_core.config.schema import Settings
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.memory.journal import EntryKind, Journal, log_settings
from memory_core.storage.log.diff import Added, Diff
from tests.builders import SPACE, Clock
from tests.host.one_page import CHAT, MIRA, SECRET, WORD, Client, OnePage

OTHER = Namespace("default", "Otto")


def test_entries_come_newest_first_with_their_times() -> None:
    clock = Clock()
    journal = Journal(clock)
    journal.add(SPACE, EntryKind.REMEMBERED, 1)
    clock.now += 60
    journal.add(SPACE, EntryKind.RECALLED, 3, ms=12.0)
    found = [(entry.kind, entry.count, entry.ts) for entry in journal.latest()]
    assert found == [
        (EntryKind.RECALLED, 3, clock.now),
        (EntryKind.REMEMBERED, 1, clock.now - 60),
    ]


def test_entries_of_another_namespace_are_left_out_and_dropped_with_it() -> None:
    journal = Journal(Clock())
    journal.add(SPACE, EntryKind.NOTED, 1)
    journal.add(OTHER, EntryKind.NOTED, 1)
    assert [entry.namespace for entry in journal.latest(OTHER)] == [OTHER]
    journal.drop_all(OTHER)
    assert [entry.namespace for entry in journal.latest()] == [SPACE]


def test_old_entries_make_room_for_new_ones() -> None:
    journal = Journal(Clock())
    for _ in range(1000):
        journal.add(SPACE, EntryKind.RECALLED, 0)
    assert len(journal.latest()) < 1000


BEES = Exchange(user="Helena keeps bees in Lisbon", assistant="Lovely bees they are")
PREFIX = "Long-term memory: "


@pytest.fixture
def notes(caplog):
    """Returns the notes so far, without their common prefix."""
    caplog.set_level(logging.INFO, logger="long_term_memory")

    def found():
        lines = [record.getMessage() for record in caplog.records if record.levelno == logging.INFO]
        assert all(line.startswith(PREFIX) and "\n" not in line for line in lines)
        caplog.clear()
        return [line.removeprefix(PREFIX) for line in lines]

    return found


@pytest.fixture
def page(tmp_path):
    return OnePage(tmp_path)


def test_console_shows_the_storage_folder_and_changed_settings_at_start(tmp_path, notes):
    settings = {"llm": {"api_key": "sk-abcdefgh12345678"}, "recall": {"lines": 3}}
    page = OnePage(tmp_path, settings)
    page.runtime.start()
    where, note = notes()[:2]
    assert where.endswith(f"memories in {page.memory.root}")
    assert note == (
        "settings that differ: ltm_context.summary_sessions = 0, recall.lines = 3, "
        'embedder.kind = "none", llm.api_key = ***'
    )


def test_console_shows_default_settings_in_one_line(notes):
    log_settings(Settings())
    assert notes() == ["all settings have their defaults"]


def test_console_shows_many_settings_in_several_short_lines(notes):
    changed = Settings.model_validate(
        {
            "recall": {"lines": 1, "retrieve_k": 1, "candidate_n": 9, "min_need": 0.1},
            "llm": {"base_url": "http://ana:secret@127.0.0.1:8000/v1"},
        }
    )
    log_settings(changed)
    first, second = notes()
    assert first.count(" = ") == 4
    assert second == 'settings that differ: llm.base_url = "http://***@127.0.0.1:8000/v1"'


def test_console_shows_a_change_of_settings(page, notes):
    page.runtime.save_settings({"recall.lines": 2})
    page.runtime.reload_settings()
    assert [line.count("recall.lines = 2") for line in notes()] == [1]


def test_console_counts_a_recall_without_its_text(page, notes):
    page.memory.remember(MIRA, "old", BEES)
    page.ask("What does Helena keep?")
    (note,) = notes()
    assert re.fullmatch(
        r"recalled 1 of 1 candidate for Mira in \d+ ms \(1 replayed, 0 lines\)", note
    )


def test_console_shows_a_recall_that_finds_nothing(page, notes):
    page.ask("What does Helena keep?")
    (note,) = notes()
    assert re.fullmatch(r"recalled 0 of 0 candidates for Mira in \d+ ms", note)


def test_console_shows_a_paused_recall(page, notes):
    page.say("/pause recall")
    notes()
    page.ask("What does Helena keep?")
    assert notes() == ["no recall for Mira: recall is paused in this chat"]


def test_console_counts_a_write_once(page, notes):
    page.say("Helena keeps bees")
    assert notes()[-1] == "Mira: 1 remembered"
    page.save()
    page.restart()
    page.save()
    assert [line for line in notes() if "remembered" in line] == []


def test_console_counts_changed_and_removed_exchanges(page, notes):
    page.say("One")
    page.say("Two")
    page.rows = [("One", "Another answer")]
    notes()
    page.save()
    assert notes() == ["Mira: 1 changed, 1 taken out"]


def test_console_shows_new_notes_and_forgotten_memories(page, notes):
    page.say("/remember I like tea")
    assert "Mira: a note kept" in notes()
    page.say("/forget tea")
    assert "Mira: 1 forgotten" in notes()


def test_console_shows_no_chat_text_by_default(page, caplog, notes):
    caplog.set_level(logging.DEBUG)
    page.say(SECRET, f"A {WORD}!")
    page.rows = []
    page.say(f"What has my {WORD}?", chat="20261122-10-00-00")
    assert WORD not in caplog.text
    assert len(notes()) == 4


def test_console_shows_each_text_in_one_line_if_the_setting_is_on(tmp_path, notes):
    page = OnePage(tmp_path, {"console_texts": True})
    page.say("Helena keeps\nbees", "Lovely \x1b[31mbees")
    assert notes()[-1] == "remembered: Helena keeps bees / Lovely \\x1b[31mbees"
    page.rows = []
    page.ask("What does Helena keep?", "20261122-10-00-00")
    assert any("Helena keeps bees" in line for line in notes())


def test_console_shows_nothing_of_incognito_or_paused_chats(page, notes):
    page.ask("Helena keeps bees", "incognito-1")
    page.say("/off Helena keeps bees")
    assert notes() == []


def test_name_with_control_characters_cannot_steer_the_console(notes):
    diff = Diff(added=(Added(exchange=BEES, position=1.0),))
    Journal(Clock()).add_write(Namespace("default", "Mi\nra\x1b[2J"), diff)
    assert notes() == ["Mi\\nra\\x1b[2J: 1 remembered"]


# Repeats


def test_repeat_is_shown_stored_in_its_position_and_marked(page, notes):
    page.say("Good morning", "Good morning, Ana")
    page.say("I had tea", "Nice")
    page.say("Good morning", "Good morning, Ana")
    assert notes()[-1] == "Mira: 1 remembered (1 repeat of what the chat said before)"
    marks = [
        entry.exchange.metadata.get("repeat") for entry in page.memory.conversation(MIRA, CHAT, 9)
    ]
    assert sorted(marks, key=str) == [None, None, True]


def test_chat_with_repeats_is_not_written_again_at_the_next_comparison(page, notes):
    for _ in range(3):
        page.say("Good morning", "Good morning, Ana")
    (log,) = (MIRA.folder(page.memory.root) / "conversations").glob("*.jsonl")
    before = log.read_bytes()
    notes()
    page.restart()
    page.save()
    page.ask("And now?")
    assert [line for line in notes() if "remembered" in line or "changed" in line] == []
    assert log.read_bytes() == before


def test_removing_one_of_several_repeats_leaves_the_others(page):
    for _ in range(3):
        page.say("Good morning", "Good morning, Ana")
    del page.rows[0]
    page.save()
    assert page.kept() == ["Good morning", "Good morning"]


def test_a_repeat_is_recalled_once(page):
    for _ in range(3):
        page.say("Helena keeps bees in Lisbon", "Lovely bees")
    page.rows = []
    prompt = page.ask("What does Helena keep in Lisbon?", "20261122-10-00-00")
    assert prompt.count("Helena keeps bees in Lisbon") == 1


def test_api_client_that_resends_the_chat_repeats_nothing(page, notes):
    client = Client(page)
    client.say("Hello")
    client.say("Hello again")
    assert not [line for line in notes() if "repeat" in line]
