"""An import neither undoes nor repeats messages of a chat that continues meanwhile."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_core.admin.importers import engine
from memory_core.admin.importers.engine import ImportProgress, ImportResult, import_chats
from memory_core.admin.importers.textgen import host_chats_source
from memory_core.domain.records import Exchange
from memory_core.storage.pauses import ChatPauses, PauseState
from tests.host.saved_chats import BEES, CAT, MIRA, SHEEP, SavedChats

AGAIN = (CAT[0], "Meow")
BEFORE = "Sep 20, 2026 10:00"
MANY = [(f"Question {number}", f"Answer {number}") for number in range(60)]


@pytest.fixture
def chats(tmp_path: Path) -> Iterator[SavedChats]:
    made = SavedChats(tmp_path)
    yield made
    made.settler.sync_and_close()
    made.runtime.close()


def say(chats: SavedChats, *rows: tuple[str, str], name: str = "one") -> None:
    chats.save(name, *rows, stamp=BEFORE)
    chats.look_after(name)
    chats.settle()


def import_beside(chats: SavedChats, *done: Callable[[], object]) -> ImportResult:
    """Each of these is done once, behind the reading of a chat and before it is written."""
    left = iter(done)

    def goes_on() -> bool:
        next(left, lambda: None)()
        return False

    runtime, source = chats.runtime, host_chats_source(chats.host)
    return import_chats(runtime.memory, source, pauses=runtime.pauses, stop=goes_on)


@pytest.mark.parametrize("rows", [[BEES, CAT, SHEEP], [BEES, AGAIN], [BEES]])
def test_chat_that_changes_during_an_import_is_remembered_as_changed(
    chats: SavedChats, rows: list[tuple[str, str]]
) -> None:
    say(chats, BEES, CAT)
    import_beside(chats, lambda: say(chats, *rows))
    assert chats.stored("one") == rows
    assert chats.live() == len(rows)


def test_a_chat_that_changes_between_two_slices_is_as_it_ends(
    chats: SavedChats, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_SLICE_EXCHANGES", len(MANY) - 10)
    chats.save("one", *MANY, stamp=BEFORE)
    changes = iter([lambda: say(chats, *MANY[:5])])

    def told(_: ImportProgress) -> None:
        next(changes, lambda: None)()

    import_chats(chats.runtime.memory, host_chats_source(chats.host), on_progress=told)
    assert chats.stored("one") == MANY[:5]


def test_a_chat_deleted_meanwhile_is_passed_over_and_the_others_are_imported(
    chats: SavedChats,
) -> None:
    say(chats, BEES)
    chats.save("two", SHEEP)
    result = import_beside(chats, chats.path("one").unlink)
    assert [failure.source.stem for failure in result.failures] == ["one"]
    assert chats.stored("two") == [SHEEP]


def test_a_chat_renamed_meanwhile_is_remembered_under_its_new_name_alone(
    chats: SavedChats,
) -> None:
    say(chats, BEES, CAT)

    def rename() -> None:
        chats.path("one").rename(chats.path("two"))
        chats.settle()

    import_beside(chats, rename)
    assert chats.stored("one") == []
    say(chats, BEES, name="two")
    assert chats.live(MIRA) == 1


def test_a_chat_that_never_rests_is_left_to_the_live_chat(chats: SavedChats) -> None:
    say(chats, BEES)
    talking = [lambda index=index: say(chats, *MANY[: index + 1]) for index in range(20)]
    result = import_beside(chats, *talking)
    (failure,) = result.failures
    assert failure.reason.startswith(f"{chats.path('one')} kept changing")


def test_messages_of_a_pause_begun_during_an_import_stay_out(chats: SavedChats) -> None:
    for name in ("one", "two"):
        say(chats, BEES, name=name)

    def pause() -> None:
        chats.runtime.pauses.set_pause(MIRA, "two", PauseState(is_writing_paused=True))
        say(chats, BEES, SHEEP, name="two")

    import_beside(chats, lambda: None, pause)
    assert chats.stored("two") == [BEES]


def test_the_live_chat_and_the_import_know_the_same_pauses(chats: SavedChats) -> None:
    runtime, here = chats.runtime, ("Remember that my dog is Rex, in this chat only", "I do")
    say(chats, BEES)
    runtime.pauses.set_pause(MIRA, "one", PauseState(is_writing_paused=True))
    chats.save("two", CAT, here, stamp=BEFORE)
    import_chats(runtime.memory, host_chats_source(chats.host), pauses=runtime.pauses)
    runtime.pauses.set_pause(MIRA, "one", PauseState())
    said = [Exchange(user=user, assistant=assistant) for user, assistant in (CAT, here)]
    assert ChatPauses(runtime.memory.root).without_excluded(MIRA, "two", said) == said[:1]
