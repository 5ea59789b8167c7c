"""Pauses of chats survive a restart, and excluded exchanges stay out of storage."""

from dataclasses import replace

import pytest

from memory_core.domain.errors import StorageCorrupt
from memory_core.storage.pauses import FILE, ChatPauses, PauseState
from tests.builders import DAY, NOW, SPACE, said

BEFORE, MEANWHILE, AFTER = said("hello"), said("my secret", "hush"), said("good bye")
CHAT = [BEFORE, MEANWHILE, AFTER]


def with_exclusion(pauses, conversation="talk"):
    pauses.exclude(SPACE, conversation, CHAT, [MEANWHILE])
    return pauses


def test_pause_survives_a_restart_and_holds_for_one_chat(tmp_path):
    ChatPauses(tmp_path).set_pause(SPACE, "talk", PauseState(is_writing_paused=True))
    again = ChatPauses(tmp_path)
    assert again.get(SPACE, "talk") == PauseState(is_writing_paused=True)
    assert again.get(SPACE, "other") == PauseState()
    assert again.paused_chats(SPACE) == {"talk": PauseState(is_writing_paused=True)}


def test_chat_without_pauses_is_not_stored(tmp_path):
    pauses = ChatPauses(tmp_path)
    pauses.set_pause(SPACE, "talk", PauseState(is_writing_paused=True, is_recall_paused=True))
    pauses.set_pause(SPACE, "talk", PauseState())
    assert ChatPauses(tmp_path).paused_chats(SPACE) == {}


def test_pauses_of_another_program_hold_at_once(tmp_path):
    running, other = ChatPauses(tmp_path), ChatPauses(tmp_path)
    assert not running.get(SPACE, "talk")
    other.set_pause(SPACE, "talk", PauseState(is_writing_paused=True))
    running.set_pause(SPACE, "other", PauseState(is_recall_paused=True))
    assert other.paused_chats(SPACE) == {
        "talk": PauseState(is_writing_paused=True),
        "other": PauseState(is_recall_paused=True),
    }


def test_reading_pauses_writes_no_file(tmp_path):
    pauses = ChatPauses(tmp_path)
    assert not pauses.get(SPACE, "talk")
    assert pauses.without_excluded(SPACE, "talk", CHAT) == CHAT
    assert list(tmp_path.iterdir()) == []


def test_excluded_exchange_stays_out_for_good(tmp_path):
    with_exclusion(ChatPauses(tmp_path))
    assert ChatPauses(tmp_path).without_excluded(SPACE, "talk", CHAT) == [BEFORE, AFTER]


def test_excluded_exchange_stays_out_of_a_branch(tmp_path):
    pauses = with_exclusion(ChatPauses(tmp_path))
    assert pauses.without_excluded(SPACE, "branch", CHAT[1:]) == [AFTER]


def test_another_answer_to_an_excluded_message_stays_out(tmp_path):
    pauses = with_exclusion(ChatPauses(tmp_path))
    anew = [BEFORE, said("my secret", "oh"), AFTER]
    assert pauses.without_excluded(SPACE, "talk", anew) == [BEFORE, AFTER]


def test_excluded_message_with_another_answer_is_allowed_in_another_chat(tmp_path):
    pauses, later = with_exclusion(ChatPauses(tmp_path)), said("my secret", "oh", ts=NOW + DAY)
    assert pauses.without_excluded(SPACE, "other", [BEFORE, later])[1:]


def test_another_answer_to_an_excluded_message_stays_out_of_a_branch_and_a_renamed_chat(tmp_path):
    pauses = with_exclusion(ChatPauses(tmp_path))
    anew = [BEFORE, said("my secret", "oh")]
    assert pauses.without_excluded(SPACE, "branch", anew) == [BEFORE]


def test_another_answer_to_an_excluded_empty_message_stays_out(tmp_path):
    pauses, hush = ChatPauses(tmp_path), said("", "hush")
    pauses.exclude(SPACE, "talk", [BEFORE, hush], [hush])
    assert pauses.without_excluded(SPACE, "talk", [BEFORE, said("", "oh")]) == [BEFORE]


def test_excluded_empty_message_keeps_no_later_one_out(tmp_path):
    pauses, silent = ChatPauses(tmp_path), [said("", text) for text in "abcd"]
    pauses.exclude(SPACE, "talk", silent[:2], silent[:2])
    assert pauses.without_excluded(SPACE, "talk", silent) == silent[2:]


def test_message_after_excluded_empty_ones_is_identified_by_the_exchange_before(tmp_path):
    pauses, chat = (
        ChatPauses(tmp_path),
        [said("", "a"), said("Hi"), said("", "b"), said("Hi", "!")],
    )
    pauses.exclude(SPACE, "talk", chat[:2], chat[:2])
    assert pauses.without_excluded(SPACE, "talk", chat) == chat[2:]


def test_command_is_executed_once_even_over_a_restart(tmp_path):
    pauses = ChatPauses(tmp_path)
    assert not pauses.was_executed(SPACE, "talk 3 /forget last")
    pauses.mark_executed(SPACE, "talk 3 /forget last")
    assert ChatPauses(tmp_path).was_executed(SPACE, "talk 3 /forget last")
    assert not ChatPauses(tmp_path).was_executed(SPACE, "talk 4 /forget last")


def test_file_of_pauses_contains_no_text_of_a_chat(tmp_path):
    pauses = with_exclusion(ChatPauses(tmp_path))
    pauses.mark_executed(SPACE, "talk 3 /remember my secret")
    path = SPACE.folder(tmp_path) / FILE
    assert "secret my" not in path.read_text()
    assert MEANWHILE.key not in path.read_text()
    assert "my secret" not in path.read_text()


@pytest.mark.parametrize("odd", ["", "{", "[]", '{"format": 2}', '{"format": 1, "paused": []}'])
def test_damaged_file_of_pauses_is_reported(tmp_path, odd):
    path = SPACE.folder(tmp_path) / FILE
    path.parent.mkdir(parents=True)
    path.write_text(odd)
    with pytest.raises(StorageCorrupt, match="cannot be read"):
        ChatPauses(tmp_path).get(SPACE, "talk")


def test_pauses_are_read_again_after_their_file_was_deleted(tmp_path):
    pauses = ChatPauses(tmp_path)
    pauses.set_pause(SPACE, "talk", PauseState(is_writing_paused=True))
    (SPACE.folder(tmp_path) / FILE).unlink()
    pauses.drop(SPACE)
    assert not pauses.get(SPACE, "talk")


def test_a_character_is_never_remembered_over_a_restart_in_all_chats(tmp_path):
    ChatPauses(tmp_path).set_never_remembered(SPACE, wanted=True)
    again = ChatPauses(tmp_path)
    assert again.is_never_remembered(SPACE)
    assert again.is_writing_paused(SPACE, "talk")
    assert not again.get(SPACE, "talk")
    again.set_never_remembered(SPACE, wanted=False)
    assert not ChatPauses(tmp_path).is_never_remembered(SPACE)


def test_file_of_pauses_without_the_never_mark_is_read(tmp_path):
    pauses = ChatPauses(tmp_path)
    pauses.set_pause(SPACE, "talk", PauseState(is_writing_paused=True))
    path = SPACE.folder(tmp_path) / FILE
    path.write_text(path.read_text().replace('"never": false', '"later": 1'))
    assert not ChatPauses(tmp_path).is_never_remembered(SPACE)
    assert ChatPauses(tmp_path).get(SPACE, "talk")


def test_merged_character_is_never_remembered_if_either_was_not(tmp_path):
    pauses, other = ChatPauses(tmp_path), replace(SPACE, character="Other")
    pauses.set_never_remembered(other, wanted=True)
    pauses.merge_from(other, SPACE)
    assert pauses.is_never_remembered(SPACE)
