import errno
import json
import os
from dataclasses import replace

import pytest

from memory_core.domain.errors import StorageFailed, StorageLocked
from memory_core.domain.namespaces import Namespace
from memory_core.host.chat.exchanges import Speakers
from memory_core.host.chat.turn_request import ChatRef
from memory_core.host.chat_sync import rename_detection, synchronizer
from memory_core.host.chat_sync.synchronizer import ChatSynchronizer
from memory_core.prompt.window import ChatRow
from memory_core.storage.contract import Page
from memory_core.storage.log.event_log import EventLog
from tests.host.plain_host import PlainHost, history_of, hooks_in

MIRA = Namespace("default", "Mira")
CHAT = ChatRef(
    namespace=MIRA,
    conversation="talk",
    speakers=Speakers(user_name="Ana", assistant_name="Mira", channel="chat"),
)


class Chats:
    """A chat file, its synchronizer and a manual clock."""

    def __init__(self, tmp_path):
        self.host = PlainHost(tmp_path)
        self.runtime = hooks_in(tmp_path / "home", self.host).runtime
        self.now = 0.0
        self.settler = ChatSynchronizer(self.runtime, self.host, clock=lambda: self.now)
        self.path = tmp_path / "talk.json"
        self.settler.watch(self.path, CHAT)

    def save(self, *rows):
        text = json.dumps(history_of(*rows)) + " " * int(self.now * 10)
        self.path.write_text(text, encoding="utf-8")

    def after(self, seconds):
        self.settler.poll()
        self.now += seconds
        self.settler.poll()
        return self.stored()

    def stored(self):
        memories = self.runtime.memory.conversation(MIRA, "talk", 100)
        return [(memory.exchange.user, memory.exchange.assistant) for memory in memories]


@pytest.fixture
def chats(tmp_path):
    return Chats(tmp_path)


def test_saved_exchange_is_stored_once_the_file_is_quiet(chats):
    chats.save(("My cat is Tom", "Lovely"))
    assert chats.after(0.1) == []
    assert chats.after(synchronizer.QUIET_S) == [("My cat is Tom", "Lovely")]


def test_nothing_is_stored_while_the_model_writes(chats):
    chats.host.generating = True
    chats.save(("My cat is Tom", "Lov"))
    assert chats.after(synchronizer.QUIET_S) == []
    chats.host.generating = False
    assert chats.after(0.0) == [("My cat is Tom", "Lov")]


def test_another_chats_endless_generation_does_not_keep_this_one_waiting(chats):
    chats.host.generating = True
    chats.save(("My cat is Tom", "Lovely"))
    assert chats.after(synchronizer.MAX_GENERATING_S) == [("My cat is Tom", "Lovely")]


def test_message_of_a_closed_page_is_stored_without_an_answer(chats):
    chats.save(("first", "one"), ("My cat is Tom", ""))
    assert chats.after(synchronizer.QUIET_S) == [("first", "one")]
    assert chats.after(synchronizer.UNANSWERED_AFTER_S) == [("first", "one"), ("My cat is Tom", "")]


def test_regenerated_answer_replaces_the_old_one(chats):
    chats.save(("hi", "first answer"))
    chats.after(synchronizer.QUIET_S)
    chats.save(("hi", "second answer"))
    assert chats.after(synchronizer.QUIET_S) == [("hi", "second answer")]


def test_removed_message_leaves_the_memory(chats):
    chats.save(("a", "1"), ("b", "2"))
    chats.after(synchronizer.QUIET_S)
    chats.save(("a", "1"))
    assert chats.after(synchronizer.QUIET_S) == [("a", "1")]


def test_unchanged_file_is_not_read_again(chats):
    chats.save(("a", "1"))
    chats.after(synchronizer.QUIET_S)
    before = chats.runtime.memory.counts(MIRA)["last_seq"]
    chats.after(60.0)
    assert chats.runtime.memory.counts(MIRA)["last_seq"] == before


def test_half_written_file_waits_and_a_deleted_one_changes_nothing(chats):
    chats.save(("a", "1"))
    chats.after(synchronizer.QUIET_S)
    chats.path.write_text('{"internal": [["a", ', encoding="utf-8")
    assert chats.after(synchronizer.QUIET_S) == [("a", "1")]
    chats.path.unlink()
    assert chats.after(synchronizer.MAX_GENERATING_S) == [("a", "1")]


def test_oldest_chat_format_is_read(chats):
    old = {"data": [["a", "1"]], "data_visible": [["a", "1"]]}
    chats.path.write_text(json.dumps(old), encoding="utf-8")
    assert chats.after(synchronizer.QUIET_S) == [("a", "1")]


def test_no_chat_is_stored_while_writing_is_switched_off(chats):
    chats.runtime.save_settings({"ltm_writes.enabled": False})
    chats.save(("a", "1"))
    assert chats.after(synchronizer.MAX_GENERATING_S) == []


def test_api_chat_sent_again_and_again_is_stored_once(chats):
    chat = ChatRef(namespace=MIRA, conversation="", speakers=CHAT.speakers)
    rows = (ChatRow(user="a", assistant="1"), ChatRow(user="b", assistant="2"))
    chats.settler.sync_rows(chat, rows[:1])
    chats.settler.sync_rows(chat, rows)
    assert chats.runtime.memory.counts(MIRA)["live"] == 2


def api_chats(chats, *answers: str) -> list[str]:
    """Returns the stored answers to a first message that is sent again without history."""
    chat = ChatRef(namespace=MIRA, conversation="", speakers=CHAT.speakers)
    for answer in answers:
        chats.settler.sync_rows(chat, (ChatRow(user="a", assistant=answer),))
    memories = chats.runtime.memory.latest(MIRA, Page(limit=9))
    return sorted(memory.exchange.assistant for memory in memories)


def test_first_message_sent_again_soon_replaces_its_first_answer(chats):
    assert api_chats(chats, "1", "2", "3") == ["3"]


def test_first_message_sent_again_later_begins_another_chat(chats):
    assert api_chats(chats, "1") == ["1"]
    chats.now += rename_detection.RESTART_WINDOW_S
    assert api_chats(chats, "2") == ["1", "2"]


def test_pinned_first_answer_is_not_replaced(chats):
    api_chats(chats, "1")
    (first,) = chats.runtime.memory.latest(MIRA, Page(limit=9))
    chats.runtime.memory.pin(MIRA, first.id)
    assert api_chats(chats, "2") == ["1", "2"]


def test_two_chats_that_begin_alike_are_both_complete_once_they_continue(chats):
    chat = ChatRef(namespace=MIRA, conversation="", speakers=CHAT.speakers)
    api_chats(chats, "1", "2")
    for answer in "12":
        last = ChatRow(user="b", assistant=f"b{answer}")
        chats.settler.sync_rows(chat, (ChatRow(user="a", assistant=answer), last))
    assert api_chats(chats) == ["1", "2", "b1", "b2"]


def test_named_chats_that_begin_alike_keep_their_only_exchanges(chats):
    for name in "12":
        chat = ChatRef(namespace=MIRA, conversation=name, speakers=CHAT.speakers)
        chats.settler.sync_rows(chat, (ChatRow(user="a", assistant=name),))
    assert api_chats(chats) == ["1", "2"]


def test_api_chat_that_lost_its_beginning_keeps_its_memories(chats):
    chat = ChatRef(namespace=MIRA, conversation="", speakers=CHAT.speakers)
    rows = tuple(ChatRow(user=f"u{n}", assistant=f"a{n}") for n in range(6))
    chats.settler.sync_rows(chat, rows[:5])
    chats.settler.sync_rows(chat, rows[3:])
    counts = chats.runtime.memory.counts(MIRA)
    assert (counts["live"], counts["conversations"]) == (6, 1)


def test_closing_saves_chats_that_are_not_quiet_yet(chats):
    chats.save(("My cat is Tom", "Lovely"))
    chats.settler.poll()
    chats.settler.sync_and_close()
    assert chats.stored() == [("My cat is Tom", "Lovely")]


@pytest.mark.parametrize(
    "odd", ['{"internal": [["hi", 5]]}', '{"internal": [["a", "b"]], "metadata": {"user_0": 1}}']
)
def test_file_that_is_no_chat_delays_no_other_chat(chats, odd):
    chats.settler.unwatch(MIRA)
    for name in ("odd", "talk"):
        chats.settler.watch(chats.path.with_name(f"{name}.json"), CHAT)
    chats.path.with_name("odd.json").write_text(odd, encoding="utf-8")
    chats.save(("My cat is Tom", "Lovely"))
    assert chats.after(synchronizer.QUIET_S) == [("My cat is Tom", "Lovely")]


def test_chat_that_cannot_be_stored_is_reported_and_delays_no_other(chats, tmp_path):
    tom = Namespace("default", "Tom")
    blocked = EventLog(tom.folder(chats.runtime.memory.root)).lock_for_writing()
    chats.settler.unwatch(MIRA)
    other = ChatRef(namespace=tom, conversation="other", speakers=CHAT.speakers)
    chats.settler.watch(tmp_path / "other.json", other)
    chats.settler.watch(chats.path, CHAT)
    chats.save(("My cat is Tom", "Lovely"))
    (tmp_path / "other.json").write_bytes(chats.path.read_bytes())
    chats.settler.poll()
    chats.now += synchronizer.QUIET_S
    with pytest.raises(StorageLocked):
        chats.settler.poll()
    assert chats.stored() == [("My cat is Tom", "Lovely")]
    blocked.close()
    chats.settler.poll()
    assert chats.runtime.memory.counts(tom)["live"] == 1


def test_impossible_file_name_is_skipped(chats, tmp_path):
    chats.settler.watch(tmp_path / "a\0b.json", CHAT)
    chats.save(("My cat is Tom", "Lovely"))
    assert chats.after(synchronizer.QUIET_S) == [("My cat is Tom", "Lovely")]


def test_chat_that_never_rests_is_stored(chats):
    rows = []
    for n in range(8):
        rows.append((f"message {n}", f"answer {n}"))
        chats.save(*rows)
        chats.after(0.5)
    assert ("message 4", "answer 4") in chats.stored()


def test_unreadable_chat_file_is_reported_and_stored_once_readable(chats, monkeypatch):
    chats.save(("My cat is Tom", "Lovely"))
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", _without(chats.path))
        chats.settler.poll()
        assert chats.after(synchronizer.QUIET_S) == []
        chats.now += synchronizer.MAX_GENERATING_S
        with pytest.raises(StorageFailed, match=r"talk\.json"):
            chats.settler.poll()
    chats.after(synchronizer.QUIET_S)
    assert chats.after(synchronizer.QUIET_S) == [("My cat is Tom", "Lovely")]


def _without(path):
    """Replaces os.open() by one that fails for this file."""
    real = os.open

    def opened(wanted, *rest, **more):
        if str(wanted) == str(path):
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
        return real(wanted, *rest, **more)

    return opened


def test_all_active_chats_are_stored_however_many_there_are(chats):
    count = 3 * synchronizer._MAX_SYNCED_WATCHED
    for n in range(count):
        path = chats.path.with_name(f"talk{n}.json")
        chats.settler.watch(path, replace(CHAT, conversation=f"talk{n}"))
        path.write_text(json.dumps(history_of((f"message {n}", "I see."))), encoding="utf-8")
    chats.settler.sync_and_close()
    memories = chats.runtime.memory.latest(MIRA, Page(limit=2 * count))
    assert sorted(memory.exchange.user for memory in memories) == sorted(
        f"message {n}" for n in range(count)
    )
    chats.settler.poll()
    watched = [path for path, _ in chats.settler._watched.items() if path.exists()]
    assert len(watched) == synchronizer._MAX_SYNCED_WATCHED


def names_in(chats):
    memories = chats.runtime.memory.conversation(MIRA, "talk", 100)
    return [(memory.exchange.user_name, memory.exchange.assistant_name) for memory in memories]


def say_as(chats, user, assistant, *rows):
    speakers = Speakers(user_name=user, assistant_name=assistant, channel="chat")
    chats.settler.watch(chats.path, ChatRef(namespace=MIRA, conversation="talk", speakers=speakers))
    chats.now += 1
    chats.save(*rows)
    chats.after(synchronizer.QUIET_S)
    return names_in(chats)


@pytest.mark.parametrize("nobody", [("", ""), ("You", "AI"), ("User", "Assistant")])
def test_chat_keeps_its_names_when_the_page_gives_none(chats, nobody):
    rows = [("My cat is Tom", "Lovely"), ("And my dog?", "Rex")]
    say_as(chats, "Ana", "Mira", *rows[:1])
    assert say_as(chats, *nobody, *rows) == [("Ana", "Mira")] * 2


def test_chat_takes_a_new_name_from_the_first_row_under_that_name(chats):
    rows = [("My cat is Tom", "Lovely"), ("And my dog?", "Rex")]
    say_as(chats, "You", "Mira", *rows[:1])
    assert say_as(chats, "Ana", "Mira", *rows) == [("You", "Mira"), ("Ana", "Mira")]
