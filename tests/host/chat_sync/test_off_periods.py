"""Chat files that change while Remember is off, on the page or behind the program's back."""

import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memory_core.memory.remember_switch import RememberPhase
from memory_core.storage.log.event_log import EventLog
from tests.host.saved_chats import BEES, CAT, MIRA, SHEEP, SavedChats


@pytest.fixture
def chats(tmp_path: Path) -> SavedChats:
    return SavedChats(tmp_path)


def switch(chats: SavedChats, *, on: bool) -> None:
    chats.runtime.save_settings({"ltm_writes.enabled": on})


def begin_again(chats: SavedChats, *, on: bool) -> None:
    """Starts the program again after a crash; the settings were changed by hand meanwhile."""
    chats.settings = {"ltm_writes": {"enabled": on}}
    chats.crash()


def now() -> dict[str, Any]:
    return {"stamp": datetime.fromtimestamp(time.time()).strftime("%b %d, %Y %H:%M")}


def test_chat_that_is_renamed_while_off_keeps_its_memories_and_no_new_ones(
    chats: SavedChats,
) -> None:
    chats.talk("one", BEES)
    switch(chats, on=False)
    chats.path("one").rename(chats.path("two"))
    chats.save("two", BEES, CAT, **now())
    chats.look_after("two")
    chats.settle()
    switch(chats, on=True)
    chats.talk("two", BEES, CAT, SHEEP)
    assert chats.stored("two") == [BEES, SHEEP]
    assert chats.live() == 2


def test_file_that_changed_unseen_while_off_is_excluded_at_the_switch(chats: SavedChats) -> None:
    chats.talk("one", BEES)
    switch(chats, on=False)
    chats.save("one", BEES, CAT, **now())
    switch(chats, on=True)
    chats.settle()
    chats.talk("one", BEES, CAT, SHEEP)
    assert chats.stored("one") == [BEES, SHEEP]


def test_file_that_changed_unseen_before_a_crash_is_excluded_at_the_start(
    chats: SavedChats,
) -> None:
    chats.talk("one", BEES)
    begin_again(chats, on=False)
    chats.save("one", BEES, CAT, **now())
    begin_again(chats, on=True)
    chats.settle()
    chats.talk("one", BEES, CAT, SHEEP)
    assert chats.stored("one") == [BEES, SHEEP]


@pytest.mark.slow
def test_many_files_that_changed_unseen_are_all_excluded(chats: SavedChats) -> None:
    names = [f"chat {count}" for count in range(40)]
    for name in names:
        chats.talk_for_a_moment(name, BEES)
    chats.settle()
    switch(chats, on=False)
    for name in names:
        chats.save(name, BEES, (f"{name} is secret", "hush"), **now())
    switch(chats, on=True)
    for name in names:
        chats.talk_for_a_moment(name, BEES, (f"{name} is secret", "hush"), SHEEP)
    assert all(chats.stored(name) == [BEES, SHEEP] for name in names)


def test_message_that_is_removed_while_off_leaves_memory_once_it_is_on(chats: SavedChats) -> None:
    chats.talk("one", BEES, SHEEP)
    switch(chats, on=False)
    chats.save("one", SHEEP)
    chats.settle()
    assert chats.stored("one") == [BEES, SHEEP]
    switch(chats, on=True)
    chats.talk("one", SHEEP, CAT)
    assert chats.stored("one") == [SHEEP, CAT]


def test_messages_are_excluded_while_another_program_writes(chats: SavedChats) -> None:
    chats.talk("one", BEES)
    switch(chats, on=False)
    chats.save("one", BEES, CAT, **now())
    chats.runtime.memory.close()
    lock = EventLog(MIRA.folder(chats.runtime.memory.root)).lock_for_writing()
    begin_again(chats, on=True)
    lock.close()
    chats.talk("one", BEES, CAT, SHEEP)
    assert chats.stored("one") == [BEES, SHEEP]


def test_half_written_file_delays_the_end_of_the_off_period(chats: SavedChats) -> None:
    chats.talk("one", BEES)
    switch(chats, on=False)
    path = chats.save("one", BEES, CAT, **now())
    whole = path.read_bytes()
    path.write_bytes(whole[:20])
    switch(chats, on=True)
    assert chats.runtime.remember_switch.state.phase is RememberPhase.ENDING_OFF
    path.write_bytes(whole)
    chats.hooks.off_periods.poll()
    assert chats.runtime.remember_switch.state.phase is RememberPhase.ON
    chats.talk("one", BEES, CAT, SHEEP)
    assert chats.stored("one") == [BEES, SHEEP]


def test_off_period_of_a_disk_that_cannot_be_written_is_reported(chats: SavedChats) -> None:
    chats.runtime.installation.off_record.mkdir(parents=True)
    switch(chats, on=False)
    assert any("Remember was switched" in problem for problem in chats.runtime.problems())
    assert chats.runtime.remember_switch.state.phase is RememberPhase.OFF
    chats.runtime.installation.off_record.rmdir()
    chats.hooks.off_periods.poll()
    assert not any("Remember was switched" in one for one in chats.runtime.problems())
    assert chats.runtime.remember_switch.off_since
