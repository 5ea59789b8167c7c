"""Chats saved over another one: of a page that lost its chat id, and uploaded ones."""

import time

import pytest

from memory_core.host.chat_sync.deletions import DeletedChatStats
from memory_core.storage.contract import Page
from tests.host.plain_host import history_of, page_state
from tests.host.saved_chats import BEES, CAT, MIRA, SHEEP, SavedChats

NONE = "None"
EARLY, LATE = "Nov 20, 2026 10:00", "Nov 20, 2026 18:00"


@pytest.fixture(params=["keep", "forget"])
def chats(tmp_path, request):
    return SavedChats(tmp_path, on_chat_deleted=request.param)


def remembered(chats):
    memories = chats.runtime.memory.latest(MIRA, Page(limit=99))
    return sorted(memory.exchange.user for memory in memories)


def users(*rows):
    return sorted(user for user, _ in rows)


def save(chats, *rows, stamp):
    chats.save(NONE, *rows, stamp=stamp)
    chats.settle()


@pytest.mark.parametrize("second", [SHEEP, (BEES[0], "All alone?")], ids=["other", "alike"])
def test_nameless_chat_overwritten_by_another_keeps_its_memories(chats, second):
    chats.talk(NONE, BEES, CAT)
    save(chats, second, stamp=LATE)
    assert remembered(chats) == users(BEES, CAT, second)
    assert chats.stored(NONE) == [second]
    save(chats, BEES, CAT, stamp=EARLY)
    assert remembered(chats) == users(BEES, CAT, second)
    assert chats.stored(NONE) == [BEES, CAT]


def test_chat_overwritten_by_an_uploaded_one_keeps_its_memories(chats):
    chats.talk("one", BEES, CAT)
    chats.save("one", SHEEP, ("Hello", "Hi"), stamp=LATE)
    chats.settle()
    assert remembered(chats) == ["Hello", *users(BEES, CAT, SHEEP)]
    assert chats.stored("one") == [SHEEP, ("Hello", "Hi")]
    chats.save("one", SHEEP, stamp=LATE)
    chats.settle()
    assert remembered(chats) == users(BEES, CAT, SHEEP)


@pytest.mark.parametrize(
    ("before", "after"),
    [((BEES, CAT), ()), ((BEES,), (SHEEP,))],
    ids=["emptied", "edited"],
)
def test_messages_removed_by_the_user_are_not_taken_for_overwritten(chats, before, after):
    chats.talk("one", *before)
    chats.save("one", *after)
    chats.settle()
    assert remembered(chats) == users(*after)


def test_overwritten_nameless_chat_leaves_the_memories_of_a_named_copy(chats):
    chats.talk("one", BEES, CAT)
    save(chats, BEES, CAT, SHEEP, stamp=EARLY)
    save(chats, ("Hello", "Hi"), stamp=LATE)
    assert chats.stored("one") == [BEES, CAT]
    assert remembered(chats) == ["Hello", *users(BEES, CAT, SHEEP)]
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats(chats=1, memories=1)


def test_nameless_chat_is_synchronized_while_it_continues(chats):
    chats.talk(NONE, BEES, CAT)
    save(chats, BEES, (CAT[0], "Sweet"), SHEEP, stamp=EARLY)
    assert chats.stored(NONE) == [BEES, (CAT[0], "Sweet"), SHEEP]
    save(chats, BEES, stamp=EARLY)
    assert remembered(chats) == users(BEES)


def test_deleted_nameless_chat_follows_the_setting_for_deleted_chats(chats):
    chats.talk("one", SHEEP)
    chats.talk(NONE, BEES)
    chats.path(NONE).unlink()
    chats.settle()
    forgets = chats.settings["ltm_writes"]["on_chat_deleted"] == "forget"
    assert remembered(chats) == users(SHEEP, *([] if forgets else [BEES]))


def test_message_of_a_page_without_an_id_is_stored_once(chats):
    hooks, stamp = chats.hooks, time.strftime("%b %d, %Y %H:%M")
    state = page_state(unique_id=None)
    hooks.custom_generate_chat_prompt(BEES[0], state, history=history_of(stamp=stamp))
    hooks.output_modifier(BEES[1], state, is_chat=True)
    chats.runtime.run_pending()
    save(chats, BEES, stamp=stamp)
    hooks.synchronizer.sync_and_close()
    assert remembered(chats) == users(BEES)
    assert chats.stored(NONE) == [BEES]
    assert hooks.last_chats.get(MIRA).conversation == NONE
