"""Pauses of single chats outlive the process, and what was said meanwhile stays out."""

from dataclasses import replace

import pytest

from memory_core.domain.errors import StorageCorrupt
from memory_core.storage.pauses import FILE, Switch, Switches
from tests.builders import SPACE, said

BEFORE, MEANWHILE, AFTER = said("hello"), said("my secret", "hush"), said("good bye")
CHAT = [BEFORE, MEANWHILE, AFTER]


def withheld(switches, conversation="talk"):
    switches.withhold(SPACE, conversation, CHAT, [MEANWHILE])
    return switches


def test_a_pause_outlives_the_process_and_is_of_one_chat(tmp_path):
    Switches(tmp_path).turn(SPACE, "talk", Switch(writing=True))
    again = Switches(tmp_path)
    assert again.of(SPACE, "talk") == Switch(writing=True)
    assert again.of(SPACE, "other") == Switch()
    assert again.paused(SPACE) == {"talk": Switch(writing=True)}


def test_a_chat_in_which_nothing_is_paused_is_not_kept(tmp_path):
    switches = Switches(tmp_path)
    switches.turn(SPACE, "talk", Switch(writing=True, recall=True))
    switches.turn(SPACE, "talk", Switch())
    assert Switches(tmp_path).paused(SPACE) == {}


def test_what_another_program_paused_or_restored_holds_at_once(tmp_path):
    running, other = Switches(tmp_path), Switches(tmp_path)
    assert not running.of(SPACE, "talk")
    other.turn(SPACE, "talk", Switch(writing=True))
    running.turn(SPACE, "other", Switch(recall=True))
    assert other.paused(SPACE) == {"talk": Switch(writing=True), "other": Switch(recall=True)}


def test_looking_writes_nothing(tmp_path):
    switches = Switches(tmp_path)
    assert not switches.of(SPACE, "talk")
    assert switches.writable(SPACE, "talk", CHAT) == CHAT
    assert list(tmp_path.iterdir()) == []


def test_what_was_withheld_stays_out_for_good(tmp_path):
    withheld(Switches(tmp_path))
    assert Switches(tmp_path).writable(SPACE, "talk", CHAT) == [BEFORE, AFTER]


def test_what_was_withheld_stays_out_of_a_branch_too(tmp_path):
    switches = withheld(Switches(tmp_path))
    assert switches.writable(SPACE, "branch", CHAT[1:]) == [AFTER]


def test_another_answer_to_a_withheld_message_stays_out_too(tmp_path):
    switches = withheld(Switches(tmp_path))
    anew = [BEFORE, said("my secret", "oh"), AFTER]
    assert switches.writable(SPACE, "talk", anew) == [BEFORE, AFTER]


def test_the_same_words_with_another_answer_may_be_said_in_another_chat(tmp_path):
    switches = withheld(Switches(tmp_path))
    assert switches.writable(SPACE, "other", [BEFORE, said("my secret", "oh")])[1:]


def test_another_answer_to_a_withheld_message_without_words_stays_out_too(tmp_path):
    switches, hush = Switches(tmp_path), said("", "hush")
    switches.withhold(SPACE, "talk", [BEFORE, hush], [hush])
    assert switches.writable(SPACE, "talk", [BEFORE, said("", "oh")]) == [BEFORE]


def test_a_withheld_message_without_words_keeps_no_later_one_out(tmp_path):
    switches, silent = Switches(tmp_path), [said("", it) for it in "abcd"]
    switches.withhold(SPACE, "talk", silent[:2], silent[:2])
    assert switches.writable(SPACE, "talk", silent) == silent[2:]


def test_a_message_behind_withheld_ones_without_words_is_told_by_what_was_said_there(tmp_path):
    switches, chat = Switches(tmp_path), [said("", "a"), said("Hi"), said("", "b"), said("Hi", "!")]
    switches.withhold(SPACE, "talk", chat[:2], chat[:2])
    assert switches.writable(SPACE, "talk", chat) == chat[2:]


def test_a_command_is_carried_out_once_even_over_a_restart(tmp_path):
    switches = Switches(tmp_path)
    assert not switches.is_done(SPACE, "talk 3 /forget last")
    switches.did(SPACE, "talk 3 /forget last")
    assert Switches(tmp_path).is_done(SPACE, "talk 3 /forget last")
    assert not Switches(tmp_path).is_done(SPACE, "talk 4 /forget last")


def test_no_word_stands_in_the_file(tmp_path):
    switches = withheld(Switches(tmp_path))
    switches.did(SPACE, "talk 3 /remember my secret")
    path = SPACE.folder(tmp_path) / FILE
    assert "secret my" not in path.read_text()
    assert MEANWHILE.key not in path.read_text()
    assert "my secret" not in path.read_text()


@pytest.mark.parametrize("odd", ["", "{", "[]", '{"format": 2}', '{"format": 1, "paused": []}'])
def test_a_file_that_is_none_is_told(tmp_path, odd):
    path = SPACE.folder(tmp_path) / FILE
    path.parent.mkdir(parents=True)
    path.write_text(odd)
    with pytest.raises(StorageCorrupt, match="cannot be read"):
        Switches(tmp_path).of(SPACE, "talk")


def test_what_is_gone_from_disk_is_read_anew(tmp_path):
    switches = Switches(tmp_path)
    switches.turn(SPACE, "talk", Switch(writing=True))
    (SPACE.folder(tmp_path) / FILE).unlink()
    switches.drop(SPACE)
    assert not switches.of(SPACE, "talk")


def test_a_character_is_never_remembered_over_a_restart_in_all_chats(tmp_path):
    Switches(tmp_path).set_never_remembered(SPACE, wanted=True)
    again = Switches(tmp_path)
    assert again.is_never_remembered(SPACE)
    assert again.is_writing_off(SPACE, "talk")
    assert not again.of(SPACE, "talk")
    again.set_never_remembered(SPACE, wanted=False)
    assert not Switches(tmp_path).is_never_remembered(SPACE)


def test_a_file_from_before_there_was_the_mark_is_read(tmp_path):
    switches = Switches(tmp_path)
    switches.turn(SPACE, "talk", Switch(writing=True))
    path = SPACE.folder(tmp_path) / FILE
    path.write_text(path.read_text().replace('"never": false', '"later": 1'))
    assert not Switches(tmp_path).is_never_remembered(SPACE)
    assert Switches(tmp_path).of(SPACE, "talk")


def test_a_merged_character_is_never_remembered_where_either_was(tmp_path):
    switches, other = Switches(tmp_path), replace(SPACE, character="Other")
    switches.set_never_remembered(other, wanted=True)
    switches.adopt(other, SPACE)
    assert switches.is_never_remembered(SPACE)
