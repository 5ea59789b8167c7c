"""The inbox of the review: what is proposed, and what becomes of it."""

from pathlib import Path

import pytest

from memory_core.domain.derivations import Derivation, Flag
from memory_core.domain.errors import UnknownMemory
from memory_core.domain.records import MemoryKind
from memory_core.memory.derived_memories import DerivedMemories
from memory_core.memory.inbox import Inbox, Reason
from memory_core.memory.long_term_memory import LongTermMemory
from tests.builders import DAY, NOW, SPACE, open_memory
from tests.memory.derived_scene import observe, remember

HOME = "Ana lives in Porto."


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    return open_memory(tmp_path)


def fact(
    memory: LongTermMemory, text: str = HOME, *, said: str = "", days_ago: int = 0, **own: object
) -> str:
    source = remember(memory, said or f"{text} So.", ts=NOW - days_ago * DAY)
    derived = Derivation(**{"made_by": "scripted", "subject": "Ana", "key": "home", **own})
    return observe(memory, text, source, derived=derived)


def insight(memory: LongTermMemory, text: str = "Ana loves rivers.") -> str:
    facts = [fact(memory, f"{text} {number}") for number in range(2)]
    derived = Derivation(made_by="scripted", subject="Ana", key="nature")
    return observe(memory, text, *facts, kind=MemoryKind.INSIGHT, derived=derived)


def repeat(memory: LongTermMemory, known: str, times: int) -> None:
    for number in range(times):
        again = fact(memory, f"Ana has her home in Porto, {number}.")
        DerivedMemories(memory).supersede(SPACE, again, known, valid_to=NOW)


def inbox(memory: LongTermMemory) -> Inbox:
    return Inbox(memory, min_times=3)


def proposed(memory: LongTermMemory) -> list[tuple[str, Reason, int]]:
    return [(one.memory.text, one.reason, one.times) for one in inbox(memory).proposals(SPACE)]


def always(memory: LongTermMemory) -> list[str]:
    return [one.text for one in memory.always_in_prompt(SPACE)]


def test_insight_is_proposed_with_the_number_of_its_facts(memory: LongTermMemory) -> None:
    insight(memory)
    assert proposed(memory) == [("Ana loves rivers.", Reason.INSIGHT, 2)]


def test_fact_is_proposed_once_it_was_said_often(memory: LongTermMemory) -> None:
    known = fact(memory, days_ago=9)
    repeat(memory, known, 1)
    assert proposed(memory) == []
    repeat(memory, known, 2)
    assert proposed(memory) == [(HOME, Reason.REPEATED, 4)]


def test_fact_that_replaced_others_was_not_said_more_often(memory: LongTermMemory) -> None:
    older = [
        fact(memory, f"Ana lives in {town}.", days_ago=9) for town in ("Faro", "Braga", "Vigo")
    ]
    newest = fact(memory)
    for one in older:
        DerivedMemories(memory).supersede(SPACE, one, newest)
    assert proposed(memory) == []


def test_fact_that_somebody_asked_to_remember_is_proposed(memory: LongTermMemory) -> None:
    fact(memory, said="Please remember that I live in Porto.")
    fact(memory, "Ana owns a boat.")
    fact(memory, "Mira grew up by the sea.", said="Please remember that I live in Porto.")
    assert proposed(memory) == [(HOME, Reason.ASKED, 1)]


def test_request_that_became_a_note_already_is_not_proposed(memory: LongTermMemory) -> None:
    fact(memory, said="Please remember that I live in Porto.")
    memory.add_note(SPACE, "I live in Porto.", kind=MemoryKind.KNOWLEDGE, pinned=False)
    assert proposed(memory) == []


def test_approved_proposal_becomes_a_note_that_names_its_source(memory: LongTermMemory) -> None:
    source = insight(memory)
    note = inbox(memory).approve(SPACE, source)
    found = memory.get_record(SPACE, note).memory
    assert (found.kind, found.text) == (MemoryKind.KNOWLEDGE, "Ana loves rivers.")
    assert found.sources == (source,)
    assert always(memory) == ["Ana loves rivers."]
    assert proposed(memory) == []


def test_approval_can_be_taken_back(memory: LongTermMemory) -> None:
    source = insight(memory)
    note = inbox(memory).approve(SPACE, source)
    inbox(memory).withdraw(SPACE, note)
    assert (always(memory), len(proposed(memory))) == ([], 1)
    assert inbox(memory).approve(SPACE, source) != note
    assert always(memory) == ["Ana loves rivers."]


def test_note_is_approved_in_other_words(memory: LongTermMemory) -> None:
    note = inbox(memory).approve(SPACE, insight(memory), "  Ana loves\nwater. ")
    found = memory.get_record(SPACE, note).memory
    assert found.text == "Ana loves water."
    assert found.derived is not None
    assert found.derived.made_by == "user"


def test_rejected_proposal_does_not_come_back(memory: LongTermMemory) -> None:
    source = insight(memory)
    inbox(memory).reject(SPACE, source)
    insight(memory)  # says the same of other facts
    memory.rebuild(SPACE)
    assert proposed(memory) == []
    inbox(memory).reconsider(SPACE, source)
    assert len(proposed(memory)) == 2


def test_forgotten_source_takes_the_approved_note_along(memory: LongTermMemory) -> None:
    source = insight(memory)
    inbox(memory).approve(SPACE, source)
    memory.forget(SPACE, [source])
    assert (always(memory), proposed(memory)) == ([], [])


def test_newer_fact_is_proposed_in_place_of_the_approved_note(memory: LongTermMemory) -> None:
    porto = fact(memory, said="Please remember that I live in Porto.", days_ago=30)
    inbox(memory).approve(SPACE, porto)
    faro = fact(memory, "Ana lives in Faro.", days_ago=20)
    lisbon = fact(memory, "Ana lives in Lisbon.")
    DerivedMemories(memory).supersede(SPACE, porto, faro)
    DerivedMemories(memory).supersede(SPACE, faro, lisbon)
    assert proposed(memory) == [("Ana lives in Lisbon.", Reason.CHANGED, 1)]
    note = inbox(memory).approve(SPACE, lisbon)
    assert always(memory) == ["Ana lives in Lisbon."]
    inbox(memory).withdraw(SPACE, note)
    assert always(memory) == [HOME]


@pytest.mark.parametrize("own", [{"flag": Flag.FICTION}, {"key": "plan"}])
def test_stories_and_plans_are_not_proposed(memory: LongTermMemory, own: dict[str, object]) -> None:
    fact(memory, said="Please remember that I live in Porto.", **own)
    assert proposed(memory) == []


def test_doubtful_fact_is_not_proposed(memory: LongTermMemory) -> None:
    one = fact(memory, said="Please remember that I live in Porto.")
    DerivedMemories(memory).doubt(SPACE, one, [fact(memory, "Ana lives in Faro.")])
    assert proposed(memory) == []


def test_memory_that_is_not_proposed_cannot_be_approved(memory: LongTermMemory) -> None:
    with pytest.raises(UnknownMemory):
        inbox(memory).approve(SPACE, fact(memory))
    with pytest.raises(UnknownMemory):
        inbox(memory).approve(SPACE, "nothing")
