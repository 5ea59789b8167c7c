"""A host that dates its chats in another time zone than before still shows the same chats."""

import os
import time
from collections.abc import Iterator

import pytest

from memory_core.host.chat import exchanges
from tests.host.saved_chats import BEES, CAT, MIRA, SHEEP, SavedChats

pytestmark = pytest.mark.skipif(not hasattr(time, "tzset"), reason="Windows has one time zone")


def travel(zone: str) -> None:
    """Sets the time zone, as a program finds it at its start."""
    os.environ["TZ"] = zone
    time.tzset()
    exchanges._parse_stamp.cache_clear()


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    travel("Europe/Berlin")
    yield
    monkeypatch.undo()
    time.tzset()
    exchanges._parse_stamp.cache_clear()


def test_chat_file_replaced_after_a_change_of_time_zone_keeps_its_memories(
    forgetting: SavedChats,
) -> None:
    chats = forgetting
    chats.talk("other", ("x", "y"))
    chats.talk("one", BEES, CAT)
    bees = next(one for one in chats.runtime.memory.conversation(MIRA, "one", 9))
    chats.restart()
    travel("America/New_York")
    path = chats.path("one")
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    path.rename(path.with_name("older"))  # keeps its inode from being used again
    copy.rename(path)
    chats.save("one", BEES, CAT, SHEEP)
    chats.settle()
    assert chats.stored("one") == [BEES, CAT, SHEEP]
    assert chats.runtime.memory.conversation(MIRA, "one", 9)[0].id == bees.id
    assert chats.runtime.memory.counts(MIRA)["forgotten"] == 0


def test_branch_after_a_journey_repeats_no_memory(chats: SavedChats) -> None:
    chats.talk("one", BEES, CAT)
    travel("Asia/Kathmandu")
    chats.talk("branch", BEES, CAT, SHEEP)
    assert (chats.live(), chats.stored("branch")) == (3, [BEES, CAT, SHEEP])
