"""Clicks that change memories: their outcome, their undo, and what a page may not do."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, MemoryKind
from memory_core.host.hooks import Hooks
from memory_core.memory.browse import browse
from memory_core.storage.disk_usage import BACKUPS
from memory_core.storage.listing import ListQuery
from memory_core.text.locales import tab_words
from memory_core.ui.tab.common.actions import Action
from memory_core.ui.tab.common.visible_namespaces import namespace_key
from memory_core.ui.tab.memories.changes import ListClick, changes_memories, execute, move_targets
from memory_core.ui.tab.memories.list_state import ListState, Notice
from tests.host.plain_host import PlainHost, hooks_in, opened

ANA, LEO, BOB = Namespace("ana", "Mira"), Namespace("ana", "Leo"), Namespace("bob", "Mira")
SHARED = Namespace.shared("ana")
WORDS = tab_words("en")


@pytest.fixture
def hooks(tmp_path: Path) -> Iterator[Hooks]:
    yield hooks_in(tmp_path / "home", PlainHost(tmp_path))
    while opened:
        opened.pop().close()


def said(hooks: Hooks, user: str, *, space: Namespace = ANA) -> str:
    return hooks.runtime.memory.remember(space, "monday", Exchange(user=user, assistant="I see."))


def texts(hooks: Hooks, space: Namespace = ANA) -> list[str]:
    found = browse(hooks.runtime.memory, space, ListQuery()).memories
    return sorted(one.exchange.user if one.exchange else one.text for one in found)


def clicked(
    hooks: Hooks, name: str, *ticked: str, notice: Notice | None = None, **values: str
) -> Notice:
    action = Action(name=name, values=values, ticked=ticked)
    targets = move_targets([ANA, LEO, BOB], ANA)
    state = ListState(notice=notice)
    click = ListClick(action=action, namespace=ANA, targets=targets, words=WORDS, state=state)
    return execute(hooks, click)


def undone(hooks: Hooks, notice: Notice) -> None:
    assert clicked(hooks, "undo", notice=notice).text == WORDS["undone"]


def test_forgetting_offers_the_others_and_one_undo_brings_all_back(hooks: Hooks) -> None:
    first = said(hooks, "My cat is called Biscuit")
    again = said(hooks, "Biscuit is how my cat is called")
    said(hooks, "It rains today")
    notice = clicked(hooks, "forget", memory_id=first, index="3")
    assert (notice.also, notice.index) == ((again,), 3)
    assert texts(hooks) == ["Biscuit is how my cat is called", "It rains today"]
    both = clicked(hooks, "forget_also", again, notice=notice)
    assert texts(hooks) == ["It rains today"]
    assert both.text.startswith("2 memories forgotten")
    undone(hooks, both)
    assert len(texts(hooks)) == 3


def test_only_memories_that_were_offered_are_forgotten_too(hooks: Hooks) -> None:
    first, other = said(hooks, "My cat is called Biscuit"), said(hooks, "It rains today")
    notice = clicked(hooks, "forget", memory_id=first)
    assert clicked(hooks, "forget_also", other, notice=notice).text == WORDS["tick_first"]
    assert texts(hooks) == ["It rains today"]


def test_pins_of_several_are_taken_back_together(hooks: Hooks) -> None:
    ids = [said(hooks, "one"), said(hooks, "two")]
    notice = clicked(hooks, "pin", *ids)
    assert browse(hooks.runtime.memory, ANA, ListQuery()).pinned == 2
    undone(hooks, notice)
    assert browse(hooks.runtime.memory, ANA, ListQuery()).pinned == 0
    notice = clicked(hooks, "unpin", *ids)
    undone(hooks, notice)
    assert browse(hooks.runtime.memory, ANA, ListQuery()).pinned == 2


def test_an_edit_is_taken_back(hooks: Hooks) -> None:
    own = said(hooks, "My cat is called Biscuit")
    notice = clicked(hooks, "save", memory_id=own, user="My cat is called Pepper", character="Oh")
    record = hooks.runtime.memory.get_record(ANA, own).memory
    assert record.exchange is not None
    assert (record.exchange.user, record.exchange.assistant) == ("My cat is called Pepper", "Oh")
    undone(hooks, notice)
    assert texts(hooks) == ["My cat is called Biscuit"]


def test_an_edit_that_empties_a_memory_or_changes_nothing_is_none(hooks: Hooks) -> None:
    own = said(hooks, "My cat is called Biscuit")
    empty = clicked(hooks, "save", memory_id=own, user=" ", character="")
    assert empty.text == WORDS["edit_empty"]
    assert clicked(hooks, "save", memory_id=own).text == WORDS["unchanged"]
    note = hooks.runtime.memory.add_note(ANA, "tea", kind=MemoryKind.KNOWLEDGE, pinned=False)
    clicked(hooks, "save", memory_id=note, user="coffee")
    assert texts(hooks) == ["My cat is called Biscuit", "coffee"]


def test_bringing_back_can_be_undone_until_the_words_are_erased(hooks: Hooks) -> None:
    own = said(hooks, "My cat is called Biscuit")
    clicked(hooks, "forget", memory_id=own)
    notice = clicked(hooks, "unforget", memory_id=own)
    assert texts(hooks) == ["My cat is called Biscuit"]
    undone(hooks, notice)
    assert texts(hooks) == []
    assert clicked(hooks, "erase").text == "1 memory erased from disk."
    assert clicked(hooks, "unforget", memory_id=own).text == WORDS["words_erased"]


def test_erasing_tells_of_backups_that_keep_the_words(hooks: Hooks) -> None:
    clicked(hooks, "forget", memory_id=said(hooks, "My cat is called Biscuit"))
    folder = hooks.runtime.memory.root.parent / BACKUPS
    folder.mkdir()
    (folder / "before-a-merge.zip").touch()
    assert str(folder) in clicked(hooks, "erase").text


def test_a_merge_and_its_undo(hooks: Hooks) -> None:
    ids = [said(hooks, "My cat is called Biscuit"), said(hooks, "It rains today")]
    assert clicked(hooks, "merge_save", ids[0], text="x").text == WORDS["merge_two"]
    assert clicked(hooks, "merge_save", *ids, text=" ").text == WORDS["edit_empty"]
    notice = clicked(hooks, "merge_save", *ids, text="Biscuit and rain")
    assert texts(hooks) == ["Biscuit and rain"]
    undone(hooks, notice)
    assert texts(hooks) == ["It rains today", "My cat is called Biscuit"]


def test_memories_move_only_to_where_this_visitor_may_move_them(hooks: Hooks) -> None:
    own = said(hooks, "My cat is called Biscuit")
    assert move_targets([ANA, LEO, BOB, Namespace.world()], ANA) == [SHARED, LEO]
    for target in (BOB, ANA):
        notice = clicked(hooks, "move", own, target=namespace_key(target))
        assert notice.text == WORDS["tick_first"]
    notice = clicked(hooks, "move", own, target=namespace_key(SHARED))
    assert (texts(hooks), texts(hooks, SHARED)) == ([], ["My cat is called Biscuit"])
    undone(hooks, notice)
    assert (texts(hooks), texts(hooks, SHARED)) == (["My cat is called Biscuit"], [])


@pytest.mark.parametrize("name", ["pin", "unpin", "forget", "unforget", "save"])
def test_ids_of_others_are_unknown_and_change_nothing(hooks: Hooks, name: str) -> None:
    foreign = said(hooks, "Bob's secret", space=BOB)
    notice = clicked(hooks, name, memory_id=foreign, user="changed")
    assert notice.text == WORDS["memory_gone"]
    assert texts(hooks, BOB) == ["Bob's secret"]


@pytest.mark.parametrize("name", ["pin", "unpin", "forget", "unforget", "forget_also", "move"])
def test_a_bulk_action_without_ticks_asks_for_some(hooks: Hooks, name: str) -> None:
    assert clicked(hooks, name).text == WORDS["tick_first"]


def test_an_undo_of_another_namespace_is_none(hooks: Hooks) -> None:
    own = said(hooks, "My cat is called Biscuit", space=LEO)
    notice = clicked(hooks, "forget", memory_id=said(hooks, "Rain"))
    assert notice.undo is not None
    foreign = replace(notice, undo=replace(notice.undo, namespace=LEO, ids=(own,)))
    assert clicked(hooks, "undo", notice=foreign).text == WORDS["nothing_to_undo"]
    assert clicked(hooks, "undo").text == WORDS["nothing_to_undo"]


def test_only_known_actions_change_memories() -> None:
    assert changes_memories(Action(name="forget", values={}))
    assert not changes_memories(Action(name="page", values={}))
    assert not changes_memories(Action(name="__init__", values={}))


def test_an_endless_number_in_a_click_hides_neither_outcome_nor_undo(hooks: Hooks) -> None:
    first = said(hooks, "My cat is called Biscuit")
    notice = clicked(hooks, "forget", memory_id=first, index="9" * 5_000)
    assert (notice.index, texts(hooks)) == (0, [])
    undone(hooks, notice)
    assert texts(hooks) == ["My cat is called Biscuit"]


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0, "1 memory forgotten. Its words are erased at once."),
        (20, "1 memory forgotten. You can bring it back for 1 minute."),
        (90, "1 memory forgotten. You can bring it back for 2 minutes."),
    ],
)
def test_outcome_says_for_how_long_a_forgotten_memory_can_be_brought_back(
    hooks: Hooks, seconds: float, told: str
) -> None:
    hooks.runtime.save_settings({"ltm_writes.undo_forget_s": seconds})
    memory_id = said(hooks, "My cat is called Biscuit")
    assert clicked(hooks, "forget", memory_id=memory_id).text == told
