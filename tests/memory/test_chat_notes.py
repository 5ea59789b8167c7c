"""What holds in one chat alone: recalled there and nowhere else, and going where the chat goes."""

from pathlib import Path

import pytest

from memory_core.admin.doctor.recover_lines import restoring_events
from memory_core.admin.exporters.jsonl import json_lines
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.memory.chat_notes import moved_notes
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.prompt.system_lines import SystemLineCache
from memory_core.storage.contract import MemoryStore, Page
from memory_core.storage.index.in_memory import InMemoryStore
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.events import Event, EventType
from memory_core.storage.log.projection import MemoryRecord, MemoryStatus, apply_event
from tests.builders import (
    HOUR,
    NOW,
    SPACE,
    Clock,
    archive_of,
    asked,
    merge,
    open_memory,
    recalled,
    said,
)
from tests.conftest import OpenMemory
from tests.forensics import holding

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


def test_it_stands_and_comes_in_its_chat_alone(memory: LongTermMemory) -> None:
    keep(memory, CAPTAIN)
    assert (stands(memory, "a"), comes(memory, "a")) == ([CAPTAIN], [CAPTAIN])
    assert (stands(memory, "b"), comes(memory, "b")) == ([], [])
    assert (stands(memory, ""), comes(memory, "")) == ([], [])


@pytest.mark.parametrize("open_store", [LocalStore, lambda _: InMemoryStore()])
def test_every_store_keeps_it_so(opened: OpenMemory, open_store: MemoryStore) -> None:
    memory = opened(open_store=open_store)
    keep(memory, CAPTAIN)
    archive_of(memory, SPACE).rebuild()
    assert (comes(memory, "a"), comes(memory, "b")) == ([CAPTAIN], [])


def test_it_is_the_same_after_a_restart(memory: LongTermMemory, opened: OpenMemory) -> None:
    keep(memory, CAPTAIN)
    memory.close()
    again = opened()
    assert (comes(again, "a"), comes(again, "b")) == ([CAPTAIN], [])


def test_many_notes_of_other_chats_take_no_places(memory: LongTermMemory) -> None:
    for number in range(300):
        keep(memory, f"The captain is called Quint, take {number}", f"chat {number}")
    show(memory, "z", said(f"{CAPTAIN}, my uncle told me in a long letter from the island"))
    assert len(comes(memory, "y")) == 1


def test_only_knowledge_of_one_character_can_be_for_one_chat(memory: LongTermMemory) -> None:
    for space in (Namespace.shared("ana"), Namespace.world()):
        with pytest.raises(ValueError, match="one chat alone"):
            memory.add_note(
                space, CAPTAIN, kind=MemoryKind.KNOWLEDGE, pinned=False, conversation="a"
            )
    with pytest.raises(ValueError, match="one chat alone"):
        memory.add_note(SPACE, CAPTAIN, kind=MemoryKind.DIARY, pinned=False, conversation="a")


@pytest.mark.parametrize("how", ["forget, move", "forget, erase, move", "move, forget, move"])
def test_a_forgotten_one_is_in_no_file_once_erased_wherever_its_chat_goes(
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


def test_what_is_brought_back_holds_where_its_chat_is_by_now(memory: LongTermMemory) -> None:
    show(memory, "a", DOG)
    name = keep(memory, CAPTAIN)
    memory.forget(SPACE, [name])
    memory.move_conversation(SPACE, "a", "b")
    assert (stands(memory, "a"), stands(memory, "b")) == ([], [])
    memory.unforget(SPACE, name)
    assert (stands(memory, "a"), stands(memory, "b")) == ([], [CAPTAIN])


def test_an_edit_a_pin_and_undoing_a_forgetting_leave_it_where_it_is(
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


def test_its_words_are_erased_like_any(memory: LongTermMemory, clock: Clock) -> None:
    name = keep(memory, CAPTAIN)
    memory.move_conversation(SPACE, "a", "b")
    memory.forget(SPACE, [name])
    memory.erase_all_forgotten(SPACE)
    memory.rebuild(SPACE)
    assert holding(memory.root, b"Quint") == []


# The chat moves, and branches


def test_it_goes_along_when_its_chat_gets_another_name(memory: LongTermMemory) -> None:
    show(memory, "a", DOG)
    keep(memory, CAPTAIN)
    memory.move_conversation(SPACE, "a", "b")
    assert (stands(memory, "a"), stands(memory, "b")) == ([], [CAPTAIN])
    memory.rebuild(SPACE)
    assert (stands(memory, "a"), stands(memory, "b")) == ([], [CAPTAIN])
    assert moved_notes(archive_of(memory, SPACE), "a", "b", NOW) == []


def test_a_branch_takes_along_what_was_to_hold_before_it(
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


def test_from_then_on_each_chats_notes_are_its_own(memory: LongTermMemory) -> None:
    show(memory, "a", DOG)
    keep(memory, CAPTAIN)
    show(memory, "b", DOG)
    (copy,) = memory.always_in_prompt(SPACE, "b")
    memory.edit(SPACE, copy.id, {"text": SHIP})
    keep(memory, "There is a shark")
    show(memory, "b", DOG, BEES)
    assert stands(memory, "a") == [CAPTAIN, "There is a shark"]
    assert stands(memory, "b") == [SHIP]


def test_forgetting_it_in_one_chat_leaves_what_others_keep_in_the_same_words(
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


def test_a_branch_of_a_branch_has_it_once(memory: LongTermMemory) -> None:
    show(memory, "a", DOG)
    keep(memory, CAPTAIN)
    show(memory, "b", DOG)
    show(memory, "c", DOG, BEES)
    assert stands(memory, "c") == [CAPTAIN]


def test_what_was_forgotten_does_not_come_back_by_a_branch(memory: LongTermMemory) -> None:
    show(memory, "a", DOG)
    keep(memory, CAPTAIN)
    show(memory, "b", DOG)
    (copy,) = memory.always_in_prompt(SPACE, "b")
    memory.forget_exactly(SPACE, [copy.id])
    show(memory, "b")
    show(memory, "b", DOG)
    assert (stands(memory, "a"), stands(memory, "b")) == ([CAPTAIN], [])


def test_a_chat_that_is_known_takes_nothing_more(memory: LongTermMemory) -> None:
    show(memory, "a", DOG, BEES)
    show(memory, "b", DOG)
    keep(memory, CAPTAIN)
    show(memory, "b", DOG, BEES)
    assert stands(memory, "b") == []


def test_a_chat_that_shares_nothing_takes_nothing(memory: LongTermMemory) -> None:
    show(memory, "a", DOG)
    keep(memory, CAPTAIN)
    show(memory, "b", said(DOG.user, ts=NOW + 9 * HOUR))
    assert stands(memory, "b") == []


# What is made of it


def test_the_prompts_lines_of_a_chat_hold_its_notes_as_soon_as_they_are_made(
    memory: LongTermMemory,
) -> None:
    standing = SystemLineCache(memory, sessions=0, pause_s=HOUR)

    def lines(chat: str) -> list[str]:
        return [it.text for it in standing.lines(SPACE, chat, began=NOW)]

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


def test_an_export_names_the_chat(memory: LongTermMemory) -> None:
    keep(memory, CAPTAIN, "a chat / of ours")
    (line,) = json_lines(memory.latest(SPACE, Page(limit=9)))
    assert '"conversation": "a chat / of ours"' in line


def test_what_the_index_knows_of_a_damaged_line_is_written_with_its_chat() -> None:
    note = Memory(id="n", kind=MemoryKind.KNOWLEDGE, text=CAPTAIN, conversation="b", ts=NOW)
    known = MemoryRecord(memory=note)
    fields = {"kind": "knowledge", "text": CAPTAIN, "conversation": "a"}
    told = apply_event(None, Event(seq=1, op=EventType.NOTE, id="n", ts=NOW, fields=fields, log=""))
    for before in (None, told):
        after = before
        for draft in restoring_events(known, before):
            line = Event(seq=2, op=draft.op, id="n", ts=NOW, fields=draft.fields, log=draft.log)
            after = apply_event(after, line)
        assert after is not None
        assert (after.memory.only_in_conversation, after.status) == ("b", MemoryStatus.LIVE)


def test_a_note_of_the_age_before_holds_everywhere(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    keep(memory, CAPTAIN, "")
    (entry,) = memory.get_records(SPACE, [it.id for it in memory.always_in_prompt(SPACE)]).values()
    assert entry.memory.only_in_conversation == ""
    assert stands(memory, "any") == [CAPTAIN]
