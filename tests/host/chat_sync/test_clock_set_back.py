"""A clock that was ahead and is set back stops no scan of the chats."""

from memory_core.host.chat_sync.synchronizer import ChatSynchronizer
from tests.builders import DAY
from tests.host.saved_chats import BEES, CAT, SavedChats


def poll_for(chats: SavedChats, seconds: int) -> None:
    for _ in range(seconds):
        chats.settler.poll()
        chats.now += 1


def test_deleted_chat_is_noticed_after_the_clock_was_set_back(forgetting: SavedChats) -> None:
    chats, ahead_s = forgetting, [3650 * DAY]
    chats.settler = ChatSynchronizer(
        chats.runtime,
        chats.host,
        clock=lambda: chats.now,
        time_of_day=lambda: chats.now + ahead_s[0],
    )
    chats.talk("one", BEES)
    chats.talk("two", CAT)
    poll_for(chats, 10)
    chats.path("one").unlink()
    poll_for(chats, 4)  # it is missed, but not yet deleted for certain
    ahead_s[0] = 0.0
    poll_for(chats, 20)
    assert (chats.stored("one"), chats.stored("two")) == ([], [CAT])
