"""Merging memories into a note, moving them to another namespace, and taking both back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.domain.errors import UnknownMemory, WordsErased
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, MemoryKind
from memory_core.memory.browse import browse
from memory_core.memory.derived_memories import DerivedMemories
from memory_core.memory.merging import merge_memories, undo_merge
from memory_core.memory.relocation import move_memories, origin_of_moved, undo_move
from memory_core.memory.runtime import Runtime
from memory_core.storage.listing import ListQuery
from memory_core.storage.log.events import EventType
from memory_core.storage.log.projection import MemoryStatus
from tests.builders import said
from tests.host.plain_host import PlainHost, hooks_in, opened
from tests.memory.derived_scene import observe

ANA, LEO, SHARED = Namespace("ana", "Mira"), Namespace("ana", "Leo"), Namespace.shared("ana")
TALK = [said("My cat is called Biscuit"), said("Biscuit is three years old")]


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    yield hooks_in(tmp_path / "home", PlainHost(tmp_path)).runtime
    while opened:
        opened.pop().close()


def remembered(runtime: Runtime) -> list[str]:
    return [runtime.memory.remember(ANA, "monday", exchange) for exchange in TALK]


def texts(runtime: Runtime, space: Namespace = ANA) -> list[str]:
    found = browse(runtime.memory, space, ListQuery()).memories
    return sorted(one.exchange.user if one.exchange else one.text for one in found)


def both() -> list[str]:
    return sorted(exchange.user for exchange in TALK)


def test_a_merge_hides_its_sources_and_names_them(runtime: Runtime) -> None:
    ids = remembered(runtime)
    merge = merge_memories(runtime, ANA, ids, " Biscuit, my cat, is three ")
    assert texts(runtime) == ["Biscuit, my cat, is three"]
    note = runtime.memory.get_record(ANA, merge.note_id).memory
    assert set(note.sources) == set(ids)
    assert note.kind is MemoryKind.OBSERVATION


def test_a_merge_is_not_revived_by_the_chat_that_shows_its_sources(runtime: Runtime) -> None:
    ids = remembered(runtime)
    merge_memories(runtime, ANA, ids, "Biscuit, my cat, is three")
    runtime.memory.reconcile(ANA, "monday", TALK, whole=True)
    runtime.memory.reconcile(ANA, "a branch of monday", TALK, whole=True)
    assert texts(runtime) == ["Biscuit, my cat, is three"]


def test_a_merge_is_taken_back_as_one_step(runtime: Runtime) -> None:
    ids = remembered(runtime)
    merge = merge_memories(runtime, ANA, ids, "Biscuit, my cat, is three")
    undo_merge(runtime, ANA, merge)
    assert texts(runtime) == both()
    assert not runtime.memory.get_record(ANA, merge.note_id).memory.pinned
    runtime.memory.rebuild(ANA)
    assert texts(runtime) == both()


def test_a_merge_outlives_the_erasure_of_its_sources(runtime: Runtime) -> None:
    ids = remembered(runtime)
    merge = merge_memories(runtime, ANA, ids, "Biscuit, my cat, is three")
    runtime.memory.erase_all_forgotten(ANA)
    assert texts(runtime) == ["Biscuit, my cat, is three"]
    with pytest.raises(WordsErased):
        undo_merge(runtime, ANA, merge)
    runtime.memory.rebuild(ANA)
    assert texts(runtime) == ["Biscuit, my cat, is three"]


def test_a_merge_keeps_the_pin_and_the_newest_time(runtime: Runtime) -> None:
    ids = [
        runtime.memory.remember(ANA, "monday", said(f"text {n}", ts=100.0 * n)) for n in (1, 3, 2)
    ]
    runtime.memory.pin(ANA, ids[0])
    merge = merge_memories(runtime, ANA, ids, "all texts")
    note = runtime.memory.get_record(ANA, merge.note_id).memory
    assert (note.pinned, note.ts) == (True, 300.0)


def test_notes_of_one_chat_are_merged_into_a_note_of_that_chat(runtime: Runtime) -> None:
    knowledge = {"kind": MemoryKind.KNOWLEDGE, "pinned": False, "conversation": "monday"}
    ids = [runtime.memory.add_note(ANA, text, **knowledge) for text in ("one", "two")]  # type: ignore[arg-type]
    merge = merge_memories(runtime, ANA, ids, "one and two")
    note = runtime.memory.get_record(ANA, merge.note_id).memory
    assert note.kind is MemoryKind.KNOWLEDGE
    assert note.only_in_conversation == "monday"


def test_a_merge_of_one_memory_or_without_text_changes_nothing(runtime: Runtime) -> None:
    ids = remembered(runtime)
    for chosen, text in ((ids[:1], "x"), ([ids[0]] * 2, "x"), (ids, "  "), ([], "x")):
        with pytest.raises(ValueError, match="merge needs"):
            merge_memories(runtime, ANA, chosen, text)
    with pytest.raises(UnknownMemory):
        merge_memories(runtime, ANA, [ids[0], "unknown"], "x")
    assert texts(runtime) == both()


def test_a_merge_is_one_write(runtime: Runtime) -> None:
    ids = remembered(runtime)
    merge_memories(runtime, ANA, ids, "Biscuit, my cat, is three")
    with runtime.memory.open_namespace(ANA) as opened:
        events = opened.event_log.read("").events
    ops = [event.op for event in events if event.op is not EventType.INIT]
    assert ops == [EventType.NOTE, EventType.FORGET, EventType.FORGET]


def test_a_move_takes_exchanges_and_notes_with_their_pins(runtime: Runtime) -> None:
    ids = remembered(runtime)
    runtime.memory.pin(ANA, ids[0])
    note = runtime.memory.add_note(ANA, "Ana likes tea", kind=MemoryKind.KNOWLEDGE, pinned=True)
    move_memories(runtime, ANA, SHARED, [*ids, note])
    assert texts(runtime) == []
    assert texts(runtime, SHARED) == sorted([*both(), "Ana likes tea"])
    found = browse(runtime.memory, SHARED, ListQuery(pinned=True)).memories
    assert {one.text for one in found} == {
        "Ana likes tea",
        "Ana: My cat is called Biscuit\nMira: I see.",
    }
    assert [one.ts for one in found if one.exchange] == [TALK[0].ts]


def test_a_move_is_taken_back(runtime: Runtime) -> None:
    ids = remembered(runtime)
    move = move_memories(runtime, ANA, LEO, ids)
    undo_move(runtime, move)
    assert (texts(runtime), texts(runtime, LEO)) == (both(), [])


def test_a_moved_memory_stays_when_either_chat_is_compared(runtime: Runtime) -> None:
    ids = remembered(runtime)
    move_memories(runtime, ANA, LEO, ids)
    runtime.memory.reconcile(ANA, "monday", TALK, whole=True)
    runtime.memory.reconcile(LEO, "monday", [said("Hello Leo")], whole=True)
    assert texts(runtime) == []
    assert texts(runtime, LEO) == sorted([*both(), "Hello Leo"])


@pytest.mark.parametrize("target", [ANA, Namespace("bob", "Mira"), Namespace.world()])
def test_a_move_to_others_is_refused(runtime: Runtime, target: Namespace) -> None:
    ids = remembered(runtime)
    with pytest.raises(ValueError, match="cannot be moved"):
        move_memories(runtime, ANA, target, ids)
    assert texts(runtime) == both()


def test_the_log_of_moved_memories_names_its_origin(runtime: Runtime) -> None:
    first = move_memories(runtime, ANA, LEO, remembered(runtime))
    again = move_memories(runtime, LEO, SHARED, first.new_ids)
    found = runtime.memory.get_record(SHARED, again.new_ids[0]).memory
    assert origin_of_moved(found.conversation) == "monday"
    assert origin_of_moved("a%20chat") == "a%20chat"


def test_recall_finds_memories_moved_to_all_characters(runtime: Runtime) -> None:
    move_memories(runtime, ANA, SHARED, remembered(runtime))
    exchange = Exchange(user="Hello", assistant="Hi", ts=1.0)
    runtime.memory.remember(LEO, "tuesday", exchange)
    from tests.builders import asked, recalled

    assert "My cat is called Biscuit" in recalled(runtime.memory.recall(LEO, asked("cat Biscuit")))


def test_a_merge_outlives_the_deletion_of_the_chat(runtime: Runtime) -> None:
    merge_memories(runtime, ANA, remembered(runtime), "Biscuit, my cat, is three")
    runtime.memory.reconcile(ANA, "monday", [], whole=True)
    assert texts(runtime) == ["Biscuit, my cat, is three"]


def test_a_merge_stays_when_the_chat_of_its_sources_is_renamed(runtime: Runtime) -> None:
    ids = remembered(runtime)
    merge_memories(runtime, ANA, ids, "Biscuit, my cat, is three")
    runtime.memory.move_conversation(ANA, "monday", "tuesday")
    assert texts(runtime) == ["Biscuit, my cat, is three"]
    runtime.memory.erase_all_forgotten(ANA)
    runtime.memory.move_conversation(ANA, "tuesday", "friday")
    assert texts(runtime) == ["Biscuit, my cat, is three"]


def test_a_merge_taken_back_brings_what_was_made_of_its_sources(runtime: Runtime) -> None:
    ids = remembered(runtime)
    observation = observe(runtime.memory, "Ana has a cat", ids[0], space=ANA)
    merge = merge_memories(runtime, ANA, ids, "Biscuit, my cat, is three")
    assert texts(runtime) == ["Biscuit, my cat, is three"]
    undo_merge(runtime, ANA, merge)
    assert texts(runtime) == sorted([*both(), "Ana has a cat"])
    assert runtime.memory.get_record(ANA, observation).status is MemoryStatus.LIVE


def test_a_move_keeps_what_was_replaced_and_names_sources_that_move_along(
    runtime: Runtime,
) -> None:
    memory, derived = runtime.memory, DerivedMemories(runtime.memory)
    ids = remembered(runtime)
    old = observe(memory, "Biscuit is two", ids[0], space=ANA)
    new = observe(memory, "Biscuit is three", ids[1], space=ANA)
    derived.supersede(ANA, old, new, valid_to=5.0)
    alone = move_memories(runtime, ANA, LEO, [old])
    [moved] = [memory.get_record(LEO, one).memory for one in alone.new_ids]
    assert moved.derived
    assert (moved.sources, moved.derived.valid_to, moved.derived.superseded_by) == ((), 5.0, "")
    undo_move(runtime, alone)
    move = move_memories(runtime, ANA, LEO, [old, new, *ids])
    copies = dict(zip([old, new, *ids], move.new_ids, strict=True))
    moved = memory.get_record(LEO, copies[old]).memory
    assert moved.sources == (copies[ids[0]],)
    assert derived.is_superseded(LEO, moved)
    memory.forget(LEO, [copies[ids[0]]])
    assert memory.get_record(LEO, copies[old]).is_withdrawn
