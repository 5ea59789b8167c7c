"""Tests notes limited to one chat: recalled there alone, and moved with the chat."""

from pathlib import Path

import pytest

from memory_core.admin.doctor.recover_lines import restoring_events
from memory_core.admin.exporters.jsonl import json_lines
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.memory.chat_notes import moved_notes
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.prompt.system_lines import SystemLineCache
from memory_core.storage.contract import Page
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.events import Event, EventType
from memory_core.storage.log.projection import MemoryRecord, MemoryStatus, apply_event
from memory_core.storage.store import MemoryStore
from tests.builders import (
    HOUR,
    NOW,
    SPACE,
    Clock,
    asked,
    merge,
    open_memory,
    opened_namespace,
    recalled,
    said,
)
from tests.conftest import OpenMemory
from tests.forensics import holding
from tests.storage.index.in_memory.store import InMemoryStore

CAPTAIN = "The captain is called Quint"
SHIP = "The ship is called Orca"
DOG, BEES, SEA = (
    said(text, ts=NOW + HOUR * n)
    for n, text in enumerate(["My dog is called Bruno", "I keep bees", "We drive to the sea"])
)


@pytest.fixture
def clock() -> Clock:
    return Clock(NOW)


@pytest.fixture
def memory(opened: OpenMemory, clock: Clock) -> LongTermMemory:
    return opened(clock=clock)


def keep(memory: LongTermMemory, text: str, conversation: str = "a") -> str:
    kind = MemoryKind.KNOWLEDGE
    return memory.add_note(SPACE, text, kind=kind, pinned=False, conversation=conversation)


def show(memory: LongTermMemory, conversation: str, *chat: Exchange) -> None:
    memory.reconcile(SPACE, conversation, chat, whole=True)


def stands(memory: LongTermMemory, conversation: str) -> list[str]:
    return [it.text for it in memory.always_in_prompt(SPACE, conversation)]


def comes(memory: LongTermMemory, conversation: str) -> list[str]:
    query = asked("Who is the captain called Quint?")
    in_chat = type(query)(text=query.text, names=query.names, conversation=conversation)
    return recalled(memory.recall(SPACE, in_chat))


def test_chat_note_is_in_prompts_and_recalled_in_its_chat_alone(memory: LongTermMemory) -> None:
    keep(memory, CAPTAIN)
    assert (stands(memory, "a"), comes(memory, "a")) == ([CAPTAIN], [CAPTAIN])
    assert (stands(memory, "b"), comes(memory, "b")) == ([], [])
    assert (stands(memory, ""), comes(memory, "")) == ([], [])


@pytest.mark.parametrize("open_store", [LocalStore, lambda _: InMemoryStore()])
def test_chat_note_applies_in_its_chat_alone_in_every_store(
    opened: OpenMemory, open_store: MemoryStore
) -> None:
    memory = opened(open_store=open_store)
    keep(memory, CAPTAIN)
    opened_namespace(memory, SPACE).rebuild()
    assert (comes(memory, "a"), comes(memory, "b")) == ([CAPTAIN], [])


def test_chat_note_applies_in_its_chat_alone_after_a_restart(
    memory: LongTermMemory, opened: OpenMemory
) -> None:
    keep(memory, CAPTAIN)
    memory.close()
    again = opened()
    assert (comes(again, "a"), comes(again, "b")) == ([CAPTAIN], [])


def test_many_notes_of_other_chats_take_no_places_in_recall(memory: LongTermMemory) -> None:
    for number in range(300):
        keep(memory, f"The captain is called Quint, take {number}", f"chat {number}")
    show(memory, "z", said(f"{CAPTAIN}, my uncle told me in a long letter from the island"))
    assert len(comes(memory, "y")) == 1


def test_only_knowledge_of_one_character_can_be_limited_to_a_chat(memory: LongTermMemory) -> None:
    for space in (Namespace.shared("ana"), Namespace.world()):
        with pytest.raises(ValueError, match="limited to one chat"):
            memory.add_note(
                space, CAPTAIN, kind=MemoryKind.KNOWLEDGE, pinned=False, conversation="a"
            )
    with pytest.raises(ValueError, match="limited to one chat"):
        memory.add_note(SPACE, CAPTAIN, kind=MemoryKind.DIARY, pinned=False, conversation="a")


@pytest.mark.parametrize("how", ["forget, move", "forget, erase, move", "move, forget, move"])
def test_erased_chat_note_is_in_no_file_wherever_its_chat_goes(
    memory: LongTermMemory, how: str
) -> None:
    show(memory, "a", DOG)
    name, chats = keep(memory, CAPTAIN), iter("abc")
    here = next(chats)
    for step in how.split(", "):
        if step == "move":
            memory.move_conversation(SPACE, here, there := next(chats))
            here = there
        elif step == "forget":
            memory.forget(SPACE, [name])
        else:
            memory.erase_all_forgotten(SPACE)
    memory.erase_all_forgotten(SPACE)
    assert holding(memory.root, b"Quint") == []
    memory.rebuild(SPACE)
    assert all(CAPTAIN not in comes(memory, it) for it in "abc")
    assert holding(memory.root, b"Quint") == []


def test_restored_chat_note_applies_in_the_renamed_chat(memory: LongTermMemory) -> None:
    show(memory, "a", DOG)
    name = keep(memory, CAPTAIN)
    memory.forget(SPACE, [name])
    memory.move_conversation(SPACE, "a", "b")
    assert (stands(memory, "a"), stands(memory, "b")) == ([], [])
    memory.unforget(SPACE, name)
    assert (stands(memory, "a"), stands(memory, "b")) == ([], [CAPTAIN])


def test_edit_pin_and_unforget_leave_a_chat_note_in_its_chat(
    memory: LongTermMemory,
) -> None:
    name = keep(memory, SHIP)
    memory.edit(SPACE, name, {"text": CAPTAIN})
    memory.pin(SPACE, name)
    memory.forget(SPACE, [name])
    assert comes(memory, "a") == []
    memory.unforget(SPACE, name)
    assert (comes(memory, "a"), comes(memory, "b")) == ([CAPTAIN], [])
    assert stands(memory, "b") == []


def test_chat_note_is_erased_like_any_memory(memory: LongTermMemory, clock: Clock) -> None:
    name = keep(memory, CAPTAIN)
    memory.move_conversation(SPACE, "a", "b")
    memory.forget(SPACE, [name])
    memory.erase_all_forgotten(SPACE)
    memory.rebuild(SPACE)
    assert holding(memory.root, b"Quint") == []


# The chat moves, and branches


def test_chat_note_moves_when_its_chat_is_renamed(memory: LongTermMemory) -> None:
    show(memory, "a", DOG)
    keep(memory, CAPTAIN)
    memory.move_conversation(SPACE, "a", "b")
    assert (stands(memory, "a"), stands(memory, "b")) == ([], [CAPTAIN])
    memory.rebuild(SPACE)
    assert (stands(memory, "a"), stands(memory, "b")) == ([], [CAPTAIN])
    assert moved_notes(opened_namespace(memory, SPACE), "a", "b", NOW) == []


def test_branch_copies_the_chat_notes_older_than_itself(
    memory: LongTermMemory, clock: Clock
) -> None:
    show(memory, "a", DOG, BEES, SEA)
    clock.now = NOW + 10
    keep(memory, CAPTAIN)
    clock.now = NOW + 1.5 * HOUR
    keep(memory, SHIP)
    show(memory, "b", DOG)
    assert (stands(memory, "a"), stands(memory, "b")) == ([CAPTAIN, SHIP], [CAPTAIN])
    show(memory, "c", DOG, BEES)
    assert stands(memory, "c") == [CAPTAIN, SHIP]
    show(memory, "d", DOG, BEES, SEA)
    assert stands(memory, "d") == [CAPTAIN, SHIP]


def test_copied_chat_notes_change_independently(memory: LongTermMemory) -> None:
    show(memory, "a", DOG)
    keep(memory, CAPTAIN)
    show(memory, "b", DOG)
    (copy,) = memory.always_in_prompt(SPACE, "b")
    memory.edit(SPACE, copy.id, {"text": SHIP})
    keep(memory, "There is a shark")
    show(memory, "b", DOG, BEES)
    assert stands(memory, "a") == [CAPTAIN, "There is a shark"]
    assert stands(memory, "b") == [SHIP]


def test_forgetting_a_chat_note_leaves_equal_notes_of_other_chats(
    memory: LongTermMemory,
) -> None:
    here = keep(memory, CAPTAIN, "a")
    keep(memory, CAPTAIN, "b")
    everywhere = memory.add_note(SPACE, CAPTAIN, kind=MemoryKind.KNOWLEDGE, pinned=False)
    memory.forget(SPACE, [here])
    assert stands(memory, "a") == [CAPTAIN]
    assert stands(memory, "b") == [CAPTAIN, CAPTAIN]
    memory.forget(SPACE, [everywhere])
    assert (stands(memory, "a"), stands(memory, "b")) == ([], [CAPTAIN])


def test_branch_of_a_branch_has_each_chat_note_once(memory: LongTermMemory) -> None:
    show(memory, "a", DOG)
    keep(memory, CAPTAIN)
    show(memory, "b", DOG)
    show(memory, "c", DOG, BEES)
    assert stands(memory, "c") == [CAPTAIN]


def test_forgotten_chat_note_does_not_come_back_in_a_branch(memory: LongTermMemory) -> None:
    show(memory, "a", DOG)
    keep(memory, CAPTAIN)
    show(memory, "b", DOG)
    (copy,) = memory.always_in_prompt(SPACE, "b")
    memory.forget_exactly(SPACE, [copy.id])
    show(memory, "b")
    show(memory, "b", DOG)
    assert (stands(memory, "a"), stands(memory, "b")) == ([CAPTAIN], [])


def test_known_chat_copies_no_more_chat_notes(memory: LongTermMemory) -> None:
    show(memory, "a", DOG, BEES)
    show(memory, "b", DOG)
    keep(memory, CAPTAIN)
    show(memory, "b", DOG, BEES)
    assert stands(memory, "b") == []


def test_chat_that_shares_no_exchange_copies_no_chat_notes(memory: LongTermMemory) -> None:
    show(memory, "a", DOG)
    keep(memory, CAPTAIN)
    show(memory, "b", said(DOG.user, ts=NOW + 9 * HOUR))
    assert stands(memory, "b") == []


# What is made of it


def test_chat_note_is_in_the_prompt_as_soon_as_it_is_made(
    memory: LongTermMemory,
) -> None:
    standing = SystemLineCache(memory, sessions=0, pause_s=HOUR)

    def lines(chat: str) -> list[str]:
        return [line.text for line in standing.lines(SPACE, chat, began=NOW)]

    assert lines("a") == lines("b") == []
    keep(memory, CAPTAIN)
    assert (lines("a"), lines("b")) == ([CAPTAIN], [])
    memory.move_conversation(SPACE, "a", "b")
    assert (lines("a"), lines("b")) == ([], [CAPTAIN])


def test_merging_two_characters_leaves_each_note_in_its_chat(memory: LongTermMemory) -> None:
    other = Namespace("ana", "mia")
    keep(memory, CAPTAIN)
    memory.add_note(other, SHIP, kind=MemoryKind.KNOWLEDGE, pinned=False, conversation="b")
    merge(memory, other, SPACE)
    assert (stands(memory, "a"), stands(memory, "b")) == ([CAPTAIN], [SHIP])


def test_export_names_the_chat_of_a_chat_note(memory: LongTermMemory) -> None:
    keep(memory, CAPTAIN, "a chat / of ours")
    found = memory.latest(SPACE, Page(limit=9))
    (line,) = json_lines([(SPACE, found)], names_owners=False)
    assert '"conversation": "a chat / of ours"' in line


def test_chat_note_restored_from_the_index_keeps_its_chat() -> None:
    note = Memory(id="n", kind=MemoryKind.KNOWLEDGE, text=CAPTAIN, conversation="b", ts=NOW)
    known = MemoryRecord(memory=note)
    fields = {"kind": "knowledge", "text": CAPTAIN, "conversation": "a"}
    record = apply_event(
        None, Event(seq=1, op=EventType.NOTE, id="n", ts=NOW, fields=fields, log="")
    )
    for before in (None, record):
        after = before
        for draft in restoring_events(known, before):
            line = Event(seq=2, op=draft.op, id="n", ts=NOW, fields=draft.fields, log=draft.log)
            after = apply_event(after, line)
        assert after is not None
        assert (after.memory.only_in_conversation, after.status) == ("b", MemoryStatus.LIVE)


def test_note_from_an_older_version_applies_everywhere(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    keep(memory, CAPTAIN, "")
    (entry,) = memory.get_records(SPACE, [it.id for it in memory.always_in_prompt(SPACE)]).values()
    assert entry.memory.only_in_conversation == ""
    assert stands(memory, "any") == [CAPTAIN]
