"""Contradictions: repeats, replacements and doubts among observations."""

import json
import re
from pathlib import Path

import pytest

from memory_core.config.consolidation_settings import ConsolidationSettings
from memory_core.consolidation.contradictions import Contradictions
from memory_core.consolidation.runner import Step
from memory_core.domain.derivations import Derivation, Flag
from memory_core.domain.records import Memory, MemoryKind
from memory_core.memory.derived_memories import DerivedMemories, NewDerived
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.llm.fake import Reply, ScriptedLLM
from memory_core.storage.contract import DerivedFilter
from tests.builders import DAY, NOW, SPACE, open_memory, opened_namespace, said
from tests.consolidation.scenes import make_runner, run_all

SETTINGS = ConsolidationSettings()
_VERDICTS = ("repeats", "replaces", "denies", "unsure")
PORTO, LISBON = "Ana lives in Porto.", "Ana lives in Lisbon."


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    return open_memory(tmp_path)


def add(memory: LongTermMemory, text: str, *, days_ago: int = 0, **derived: object) -> str:
    """Stores an exchange and an observation made of it; returns the observation's id."""
    ts = NOW - days_ago * DAY
    source = memory.remember(SPACE, "talk", said(f"{text} That is new.", ts=ts))
    fields = {"made_by": "scripted", "subject": "Ana", "key": "home", **derived}
    records = opened_namespace(memory, SPACE).records([source])
    new = NewDerived(
        kind=MemoryKind.OBSERVATION,
        text=text,
        sources={source: records[source].seq},
        derived=Derivation(**fields),
    )
    return DerivedMemories(memory).add(SPACE, new)


def verdict(**pairs: object) -> str:
    return json.dumps({name: [] for name in _VERDICTS} | pairs)


def compare(memory: LongTermMemory, *replies: Reply) -> tuple[list[Step], ScriptedLLM]:
    """Runs the worker on all exchanges; the script answers each question."""
    llm = ScriptedLLM(list(replies))
    steps = run_all(make_runner(memory, llm, workers=[Contradictions(settings=SETTINGS)]))
    return steps, llm


def by_text(memory: LongTermMemory) -> dict[str, Memory]:
    only = DerivedFilter(kinds=frozenset({MemoryKind.OBSERVATION}))
    return {found.text: found for found in DerivedMemories(memory).find(SPACE, only)}


def superseded(memory: LongTermMemory) -> set[str]:
    return {
        text
        for text, found in by_text(memory).items()
        if DerivedMemories(memory).is_superseded(SPACE, found)
    }


def test_newer_fact_replaces_the_older_one(memory: LongTermMemory) -> None:
    add(memory, PORTO, days_ago=30)
    add(memory, LISBON)
    _, llm = compare(memory, verdict(replaces=[[1, 1]]))
    assert superseded(memory) == {PORTO}
    old = by_text(memory)[PORTO].derived
    assert old is not None
    assert old.valid_to == NOW
    assert re.search(rf'\[1\] 2026-08-22 \d\d:\d\d "{PORTO}"', llm.asked[0][-1].text)


def test_fact_that_was_said_earlier_never_replaces_a_later_one(memory: LongTermMemory) -> None:
    add(memory, LISBON)
    add(memory, PORTO, days_ago=30)  # an imported chat
    compare(memory, verdict(replaces=[[1, 1]]))
    assert superseded(memory) == {PORTO}


def test_repeat_stands_behind_the_known_fact_and_returns_without_it(
    memory: LongTermMemory,
) -> None:
    known = add(memory, LISBON, days_ago=9)
    add(memory, "Ana has her home in Lisbon.")
    compare(memory, verdict(repeats=[[1, 1]]))
    assert superseded(memory) == {"Ana has her home in Lisbon."}
    memory.forget(SPACE, [known])
    assert superseded(memory) == set()


def test_refuted_fact_held_at_no_time(memory: LongTermMemory) -> None:
    add(memory, PORTO, days_ago=30)
    add(memory, LISBON)
    compare(memory, verdict(denies=[[1, 1]]))
    assert superseded(memory) == {PORTO}
    denied = by_text(memory)[PORTO]
    assert denied.derived is not None
    assert denied.derived.valid_to == denied.ts


def test_plan_replaces_no_fact(memory: LongTermMemory) -> None:
    add(memory, PORTO, days_ago=30)
    add(memory, "Ana plans to move to Lisbon.", key="plan")
    compare(memory, verdict(replaces=[[1, 1]]))
    assert superseded(memory) == set()


def test_fact_replaces_the_plan_that_it_fulfils(memory: LongTermMemory) -> None:
    add(memory, "Ana plans to move to Lisbon.", days_ago=30, key="plan")
    add(memory, LISBON)
    compare(memory, verdict(replaces=[[1, 1]]))
    assert superseded(memory) == {"Ana plans to move to Lisbon."}


def test_story_is_not_compared_with_facts(memory: LongTermMemory) -> None:
    add(memory, PORTO, days_ago=30)
    add(memory, "In their story, Ana lives on the moon.", flag=Flag.FICTION)
    _, llm = compare(memory)
    assert (llm.asked, superseded(memory)) == ([], set())


def test_facts_about_other_people_are_not_compared(memory: LongTermMemory) -> None:
    add(memory, "Rui lives in Porto.", days_ago=30, subject="Rui")
    add(memory, LISBON)
    _, llm = compare(memory)
    assert llm.asked == []


def test_unsure_pair_waits_for_a_person(memory: LongTermMemory) -> None:
    known = add(memory, PORTO, days_ago=30)
    add(memory, LISBON)
    compare(memory, verdict(unsure=[[1, 1]]))
    found = by_text(memory)[LISBON]
    assert superseded(memory) == set()
    assert found.derived is not None
    assert found.derived.in_doubt_with == (known,)
    DerivedMemories(memory).doubt(SPACE, found.id, [])
    settled = by_text(memory)[LISBON].derived
    assert settled is not None
    assert settled.in_doubt_with == ()


def test_doubts_survive_a_rebuild(memory: LongTermMemory) -> None:
    known = add(memory, PORTO, days_ago=30)
    add(memory, LISBON)
    compare(memory, verdict(unsure=[[1, 1]]))
    memory.rebuild(SPACE)
    derived = by_text(memory)[LISBON].derived
    assert derived is not None
    assert derived.in_doubt_with == (known,)


@pytest.mark.parametrize(
    "reply",
    ["no JSON", "{}", verdict(replaces=[[1, 2]]), verdict(replaces=[[0, 1]]),
     verdict(replaces=[[2, 1]]), verdict(replaces=[["a", "b"]]), verdict(replaces="all"),
     verdict(repeats=[[1]]), verdict(unsure=[1])],
)  # fmt: skip
def test_unusable_verdict_changes_nothing(memory: LongTermMemory, reply: str) -> None:
    add(memory, PORTO, days_ago=30)
    add(memory, LISBON)
    steps, llm = compare(memory, reply, reply)
    assert len(llm.asked) == 2
    assert steps == [Step.SKIPPED, Step.FAILED]
    assert superseded(memory) == set()


def test_most_similar_facts_are_compared_when_there_are_many(memory: LongTermMemory) -> None:
    for number in range(20):
        add(memory, f"Ana owns hat number {number}.", days_ago=40, key=f"hat {number}")
    add(memory, PORTO, days_ago=30)
    compare(memory, *[verdict()] * 30)
    add(memory, LISBON)
    _, llm = compare(memory, verdict(replaces=[[1, 1]]))
    assert re.search(rf'\[1\] 2026-08-22 \d\d:\d\d "{PORTO}"', llm.asked[0][-1].text)
    assert f"[{SETTINGS.contradiction_max_known + 1}]" not in llm.asked[0][-1].text
    assert superseded(memory) == {PORTO}
