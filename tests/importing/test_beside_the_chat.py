"""What is said while an import runs is neither undone by it nor said twice."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_core.entrypoints import past_chats
from memory_core.importing.engine import Progress, Result, import_chats
from memory_core.importing.job import ImportJob
from memory_core.records import Exchange
from memory_core.switches import Switch, Switches
from tests.entrypoints.saved_chats import BEES, CAT, MIRA, SHEEP, SavedChats

AGAIN = (CAT[0], "Meow")
BEFORE = "Sep 20, 2026 10:00"
MANY = [(f"Question {at}", f"Answer {at}") for at in range(2100)]  # written in two slices


@pytest.fixture
def chats(tmp_path: Path) -> Iterator[SavedChats]:
    made = SavedChats(tmp_path)
    yield made
    made.settler.finish()
    made.runtime.close()


def say(chats: SavedChats, *rows: tuple[str, str], name: str = "one") -> None:
    chats.save(name, *rows, stamp=BEFORE)
    chats.look_after(name)
    chats.settle()


def import_beside(chats: SavedChats, *done: Callable[[], object]) -> Result:
    """Each of these is done once, behind the reading of a chat and before it is written."""
    left = iter(done)

    def goes_on() -> bool:
        next(left, lambda: None)()
        return False

    runtime, source = chats.runtime, past_chats.own_chats(chats.host)
    return import_chats(runtime.memory, source, switches=runtime.switches, stop=goes_on)


@pytest.mark.parametrize("rows", [[BEES, CAT, SHEEP], [BEES, AGAIN], [BEES]])
def test_what_a_chat_says_by_then_is_what_is_remembered(
    chats: SavedChats, rows: list[tuple[str, str]]
) -> None:
    say(chats, BEES, CAT)
    import_beside(chats, lambda: say(chats, *rows))
    assert chats.stored("one") == rows
    assert chats.live() == len(rows)


def test_a_chat_that_changes_between_two_slices_is_as_it_ends(chats: SavedChats) -> None:
    chats.save("one", *MANY, stamp=BEFORE)
    changes = iter([lambda: say(chats, *MANY[:5])])

    def told(_: Progress) -> None:
        next(changes, lambda: None)()

    import_chats(chats.runtime.memory, past_chats.own_chats(chats.host), tell=told)
    assert chats.stored("one") == MANY[:5]


def test_a_chat_deleted_meanwhile_is_passed_over_and_the_others_are_imported(
    chats: SavedChats,
) -> None:
    say(chats, BEES)
    chats.save("two", SHEEP)
    result = import_beside(chats, chats.path("one").unlink)
    assert [it.source.stem for it in result.failures] == ["one"]
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
    talking = [lambda at=at: say(chats, *MANY[: at + 1]) for at in range(20)]
    result = import_beside(chats, *talking)
    (failure,) = result.failures
    assert failure.reason.startswith(f"{chats.path('one')} is being talked in")


def test_what_is_said_in_a_pause_that_began_meanwhile_stays_out(chats: SavedChats) -> None:
    for name in ("one", "two"):
        say(chats, BEES, name=name)

    def pause() -> None:
        chats.runtime.switches.turn(MIRA, "two", Switch(writing=True))
        say(chats, BEES, SHEEP, name="two")

    import_beside(chats, lambda: None, pause)
    assert chats.stored("two") == [BEES]


def test_the_live_chat_and_the_import_know_the_same_pauses(chats: SavedChats) -> None:
    runtime, here = chats.runtime, ("Remember that my dog is Rex, in this chat only", "I do")
    say(chats, BEES)
    runtime.switches.turn(MIRA, "one", Switch(writing=True))
    chats.save("two", CAT, here, stamp=BEFORE)
    assert past_chats.begin(runtime, ImportJob(), past_chats.own_chats(chats.host), only_look=False)
    assert runtime._background
    runtime._background.join(30.0)
    runtime.switches.turn(MIRA, "one", Switch())
    said = [Exchange(user=user, assistant=assistant) for user, assistant in (CAT, here)]
    assert Switches(runtime.memory.root).writable(MIRA, "two", said) == said[:1]
