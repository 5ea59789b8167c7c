"""Doubts: pairs of facts that somebody has to decide about."""

from pathlib import Path

import pytest

from memory_core.domain.errors import UnknownMemory
from memory_core.domain.records import Memory
from memory_core.memory.derived_memories import DerivedMemories
from memory_core.memory.doubts import Doubts, Verdict
from memory_core.memory.inbox import Inbox
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.contract import DerivedFilter
from tests.builders import DAY, NOW, SPACE, open_memory
from tests.memory.derived_scene import observe, remember

PORTO, LISBON = "Ana lives in Porto.", "Ana lives in Lisbon."


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    return open_memory(tmp_path)


def doubtful_pair(memory: LongTermMemory) -> tuple[str, str]:
    """Stores two facts of which the later is marked; returns the earlier one's id first."""
    first = observe(memory, PORTO, remember(memory, PORTO, ts=NOW - DAY))
    second = observe(memory, LISBON, remember(memory, LISBON))
    DerivedMemories(memory).doubt(SPACE, second, [first])
    return first, second


def holding(memory: LongTermMemory) -> set[str]:
    derived = DerivedMemories(memory)
    found: list[Memory] = derived.find(SPACE, DerivedFilter())
    return {one.text for one in found if not derived.is_superseded(SPACE, one)}


def pairs(memory: LongTermMemory) -> list[tuple[str, str]]:
    return [(one.first.text, one.second.text) for one in Doubts(memory).open(SPACE)]


def test_doubt_shows_the_earlier_fact_first(memory: LongTermMemory) -> None:
    doubtful_pair(memory)
    assert pairs(memory) == [(PORTO, LISBON)]


@pytest.mark.parametrize(
    ("verdict", "left"),
    [(Verdict.FIRST, {PORTO}), (Verdict.SECOND, {LISBON}), (Verdict.BOTH, {PORTO, LISBON})],
)
def test_verdict_settles_the_pair_and_can_be_undone(
    memory: LongTermMemory, verdict: Verdict, left: set[str]
) -> None:
    ids = doubtful_pair(memory)
    settled = Doubts(memory).settle(SPACE, ids, verdict)
    assert (holding(memory), pairs(memory)) == (left, [])
    Doubts(memory).undo(SPACE, settled)
    assert (holding(memory), pairs(memory)) == ({PORTO, LISBON}, [(PORTO, LISBON)])


def test_refuted_fact_held_at_no_time_and_repeats_nothing(memory: LongTermMemory) -> None:
    first, second = doubtful_pair(memory)
    Doubts(memory).settle(SPACE, (second, first), Verdict.FIRST)
    derived = memory.get_record(SPACE, second).memory.derived
    assert derived is not None
    assert derived.valid_to == NOW - DAY
    assert Inbox(memory, min_times=2).proposals(SPACE) == []


def test_forgotten_side_ends_the_doubt(memory: LongTermMemory) -> None:
    first, _ = doubtful_pair(memory)
    memory.forget(SPACE, [first])
    assert pairs(memory) == []


def test_other_doubts_about_the_same_fact_stay(memory: LongTermMemory) -> None:
    first, second = doubtful_pair(memory)
    third = observe(memory, "Ana lives in Faro.", remember(memory, "Faro", ts=NOW - DAY))
    DerivedMemories(memory).doubt(SPACE, second, [first, third])
    Doubts(memory).settle(SPACE, (first, second), Verdict.BOTH)
    assert pairs(memory) == [("Ana lives in Faro.", LISBON)]


def test_pair_that_does_not_wait_is_refused(memory: LongTermMemory) -> None:
    first, _ = doubtful_pair(memory)
    with pytest.raises(UnknownMemory):
        Doubts(memory).settle(SPACE, (first, "nothing"), Verdict.BOTH)
