"""Since when Remember is off: on disk, in other programs, and with settings that cannot be read."""

import logging
import threading
import time

import pytest

from memory_core.config.schema import Settings
from memory_core.memory.remember_switch import RememberPhase, RememberSwitch
from tests.host.one_page import SECRET, OnePage
from tests.host.switched_page import (
    OFF,
    ON,
    restart,
    say_at,
    stamp,
    switch,
    write_chat,
)

ELSEWHERE = "20261122-10-00-00"


@pytest.fixture
def page(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    return OnePage(tmp_path)


# Settings that cannot be read


def broken(page):
    """Makes the settings unreadable, without a copy that could replace them."""
    page.runtime.installation.config_path.write_text("{", encoding="utf-8")
    page.runtime.installation.config_copy.unlink(missing_ok=True)
    page.runtime.reload_settings()


def test_unreadable_settings_keep_nothing_out_for_good(page):
    page.say("Before")
    broken(page)
    page.say("Meanwhile")
    assert page.kept() == ["Before"]
    assert page.runtime.remember_switch.state.phase is RememberPhase.UNKNOWN
    restart(page, ON)
    page.say("After")
    assert page.kept() == ["After", "Before", "Meanwhile"]


def test_repaired_settings_that_say_off_cover_the_time_before_the_repair(page):
    broken(page)
    page.rows.append((SECRET, "hush"))
    write_chat(page, page.rows, [stamp(0)])
    restart(page, OFF)
    since = page.runtime.remember_switch.off_since
    say_at(page, [stamp(0), stamp(0)], "More", "hush")
    restart(page, ON)
    page.say("After")
    assert page.kept() == ["After"]
    assert since is not None


def test_memory_that_was_off_stays_off_when_its_settings_become_unreadable(page):
    switch(page, on=False)
    broken(page)
    page.say(SECRET, "hush")
    restart(page, ON)
    page.say("After")
    assert page.kept() == ["After"]


# Several programs


def test_switch_in_another_program_is_followed(page, tmp_path):
    page.say("Before")
    other = OnePage(tmp_path)
    switch(page, on=False)
    page.memory.close()
    other.rows = list(page.rows)
    other.hooks.off_periods.poll()
    other.say(SECRET, "hush")
    assert other.kept() == ["Before"]
    assert other.runtime.remember_switch.off_since
    switch(page, on=True)
    other.hooks.off_periods.poll()
    other.say("After")
    assert other.kept() == ["After", "Before"]


# The record


def test_time_of_the_switch_is_on_disk_and_survives_a_restart(page):
    switch(page, on=False)
    since = page.runtime.remember_switch.off_since
    assert page.runtime.installation.off_record.exists()
    restart(page, OFF)
    assert page.runtime.remember_switch.off_since == since
    restart(page, ON)
    assert page.runtime.remember_switch.off_since is None
    assert not page.runtime.installation.off_record.exists()


def test_damaged_record_still_covers_the_chats(page):
    switch(page, on=False)
    page.ask(SECRET)
    page.rows.append((SECRET, "hush"))
    write_chat(page, page.rows, [stamp(0)])
    page.runtime.installation.off_record.write_text("{", encoding="utf-8")
    restart(page, ON)
    page.say("After")
    assert page.kept() == ["After"]


# Threads


def eventually(is_true):
    end = time.monotonic() + 60.0
    while not is_true():
        assert time.monotonic() < end
        threading.Event().wait(0.01)


def test_switch_is_followed_by_a_program_at_work(page):
    page.runtime.start()
    for on, text in ((True, "Before"), (False, SECRET), (True, "After")):
        switch(page, on=on)
        phase = RememberPhase.ON if on else RememberPhase.OFF
        eventually(lambda phase=phase: page.runtime.remember_switch.state.phase is phase)
        say_at(page, [stamp(0)] * (len(page.rows) + 1), text, f"About {text}")
    eventually(lambda: page.kept() == ["After", "Before"])


def test_message_said_with_unreadable_settings_is_stored_once_they_are_repaired(page):
    page.say("Before")
    config = page.runtime.installation.config_path.read_text(encoding="utf-8")
    broken(page)
    page.say("Meanwhile")
    page.runtime.installation.config_path.write_text(config, encoding="utf-8")
    page.runtime.reload_settings()
    page.hooks.synchronizer.sync_and_close()
    assert page.kept() == ["Before", "Meanwhile"]


def test_message_said_after_the_switch_back_on_in_another_program_is_stored_at_once(page, tmp_path):
    other = OnePage(tmp_path)
    switch(page, on=False)
    other.hooks.off_periods.poll()
    page.ask("Elsewhere", chat=ELSEWHERE)
    (page.folder / f"{ELSEWHERE}.json").write_text("{", encoding="utf-8")
    switch(page, on=True)
    assert page.runtime.remember_switch.state.phase is RememberPhase.ENDING_OFF
    page.memory.close()
    other.hooks.off_periods.poll()
    other.say("After")
    assert other.kept() == ["After"]


def test_end_of_the_off_period_survives_a_crash(page, tmp_path):
    now = [1_000_000.0]
    record = tmp_path / "record.json"
    before = RememberSwitch(record, lambda: now[0])
    before.record()
    before.follow(_settings(on=False), ())
    before.complete(before.state)
    before.follow(_settings(on=True), ())
    now[0] += 600.0
    after = RememberSwitch(record, lambda: now[0])
    after.record()
    after.follow(_settings(on=True), ())
    assert after.state.phase is RememberPhase.ENDING_OFF
    assert after.state.period == before.state.period


def test_change_that_was_followed_by_another_is_not_completed(tmp_path):
    one = RememberSwitch(tmp_path / "record.json", lambda: 1_000_000.0)
    one.record()
    one.follow(_settings(on=False), ())
    starting = one.state
    one.follow(_settings(on=True), ())
    one.complete(starting)
    assert one.state.phase is RememberPhase.ENDING_OFF


def _settings(*, on):
    return Settings.model_validate({"ltm_writes": {"enabled": on}})
