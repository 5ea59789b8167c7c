"""Derived memories: written with their sources, found by them, superseded and reinstated."""

from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.domain.derivations import EXTRACTIVE, Derivation, Flag
from memory_core.domain.errors import SourcesChanged, UnknownMemory
from memory_core.domain.records import MemoryKind
from memory_core.memory.derived_memories import DerivedMemories, NewDerived
from memory_core.storage.contract import DerivedFilter
from tests.builders import DAY, NOW, SPACE, Clock, open_memory, opened_namespace
from tests.memory.derived_scene import LISBON, PORTO, observe, remember

WHOLE = Derivation(
    is_about_speaker=True,
    made_by="a-model",
    subject="Ana",
    key="home",
    value="Porto",
    event_from=NOW - 9 * DAY,
    event_to=NOW - 8 * DAY,
    valid_from=NOW - 9 * DAY,
    flag=Flag.HYPOTHETICAL,
)


def test_derived_memory_keeps_all_fields_after_reopening_and_rebuilding(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    source = remember(memory, PORTO)
    made = observe(memory, "Ana lives in Porto.", source, derived=WHOLE)
    before = memory.get_record(SPACE, made)
    assert (before.memory.derived, before.memory.sources) == (WHOLE, (source,))
    assert before.memory.ts == NOW
    memory.close()
    memory = open_memory(tmp_path)
    assert memory.get_record(SPACE, made) == before
    memory.rebuild(SPACE)
    assert memory.get_record(SPACE, made) == before


def test_adding_an_equal_memory_of_equal_sources_keeps_the_first(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    source, other = remember(memory, PORTO), remember(memory, LISBON)
    made = observe(memory, "Ana lives in Porto.", source)
    assert observe(memory, "Ana lives in Porto.", source) == made
    assert observe(memory, "Ana lives in Porto.", source, other) != made


def test_add_is_refused_when_a_source_changed_since_it_was_read(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    source = remember(memory, PORTO)
    read = opened_namespace(memory, SPACE).records([source])[source].seq
    memory.edit(SPACE, source, {"user": "I live in Faro"})
    new = NewDerived(
        kind=MemoryKind.OBSERVATION,
        text="Ana lives in Porto.",
        sources={source: read},
        derived=Derivation(made_by=EXTRACTIVE),
    )
    with pytest.raises(SourcesChanged, match=source):
        DerivedMemories(memory).add(SPACE, new)
    with pytest.raises(SourcesChanged, match="absent"):
        DerivedMemories(memory).add(SPACE, replace(new, sources={"absent": 1}))
    assert DerivedMemories(memory).find(SPACE, DerivedFilter()) == []


def test_add_is_refused_when_a_source_was_forgotten_meanwhile(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    source = remember(memory, PORTO)
    opened = opened_namespace(memory, SPACE)
    new = NewDerived(
        kind=MemoryKind.SUMMARY,
        text="Porto.",
        sources={source: opened.records([source])[source].seq},
        derived=Derivation(made_by=EXTRACTIVE),
    )
    memory.forget(SPACE, [source])
    with pytest.raises(SourcesChanged):
        DerivedMemories(memory).add(SPACE, new)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": MemoryKind.EXCHANGE}, "not derived"),
        ({"text": " "}, "needs a text"),
        ({"derived": Derivation()}, "made_by"),
    ],
)
def test_add_names_what_is_missing(tmp_path: Path, change: dict[str, object], message: str) -> None:
    good = NewDerived(kind=MemoryKind.DIARY, text="A day.", derived=Derivation(made_by=EXTRACTIVE))
    with pytest.raises(ValueError, match=message):
        DerivedMemories(open_memory(tmp_path)).add(SPACE, replace(good, **change))


def test_find_filters_by_source_subject_key_and_kind(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    one, two = remember(memory, PORTO), remember(memory, LISBON)
    first = observe(memory, "Ana lives in Porto.", one, derived=WHOLE)
    second = observe(memory, "Moving.", one, two, kind=MemoryKind.SUMMARY)
    derived = DerivedMemories(memory)

    def found(**asked: object) -> list[str]:
        return [memory.id for memory in derived.find(SPACE, DerivedFilter(**asked))]

    assert found() == [first, second]
    assert found(sources=frozenset({one})) == [first, second]
    assert found(sources=frozenset({two})) == [second]
    assert found(subject="ana", key="HOME") == [first]
    assert found(subject="ana", key="job") == []
    assert found(kinds=frozenset({MemoryKind.SUMMARY})) == [second]


def test_superseded_memory_names_its_successor_and_is_reinstated(tmp_path: Path) -> None:
    clock = Clock()
    memory = open_memory(tmp_path, clock=clock)
    derived = DerivedMemories(memory)
    old = observe(memory, "Ana lives in Porto.", remember(memory, PORTO))
    clock.now += DAY
    new = observe(memory, "Ana lives in Lisbon.", remember(memory, LISBON))
    derived.supersede(SPACE, old, new)
    superseded = memory.get_record(SPACE, old).memory
    assert superseded.derived == Derivation(
        made_by=EXTRACTIVE, superseded_by=new, valid_to=NOW + DAY
    )
    assert derived.is_superseded(SPACE, superseded)
    only = DerivedFilter(superseded_by=frozenset({new}))
    assert [memory.id for memory in derived.find(SPACE, only)] == [old]
    derived.reinstate(SPACE, old)
    assert memory.get_record(SPACE, old).memory.derived == Derivation(made_by=EXTRACTIVE)
    assert not derived.is_superseded(SPACE, memory.get_record(SPACE, old).memory)


def test_superseded_memory_holds_again_while_its_successor_is_forgotten(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    derived = DerivedMemories(memory)
    old, middle, new = (
        observe(memory, f"Ana lives in {city}.", remember(memory, f"I live in {city}"))
        for city in ("Porto", "Lisbon", "Berlin")
    )
    derived.supersede(SPACE, old, middle)
    memory.forget(SPACE, [middle])
    assert not derived.is_superseded(SPACE, memory.get_record(SPACE, old).memory)
    memory.unforget(SPACE, middle)
    assert derived.is_superseded(SPACE, memory.get_record(SPACE, old).memory)
    derived.supersede(SPACE, middle, new)
    memory.forget(SPACE, [middle])
    memory.erase_all_forgotten(SPACE)
    assert derived.is_superseded(SPACE, memory.get_record(SPACE, old).memory)


def test_supersede_refuses_circles_exchanges_and_unknown_memories(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    derived = DerivedMemories(memory)
    source = remember(memory, PORTO)
    old, new = observe(memory, "Porto.", source), observe(memory, "Lisbon.", source)
    derived.supersede(SPACE, old, new)
    for older, newer in ((new, old), (new, new)):
        with pytest.raises(ValueError, match="itself"):
            derived.supersede(SPACE, older, newer)
    with pytest.raises(ValueError, match="is an exchange"):
        derived.supersede(SPACE, source, new)
    with pytest.raises(UnknownMemory):
        derived.supersede(SPACE, "absent", new)


def test_reflected_memory_names_what_was_made_of_it_once(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    made = observe(memory, "Ana lives in Porto.", remember(memory, PORTO))
    insight = observe(memory, "Home: Porto.", made, kind=MemoryKind.INSIGHT)
    for _ in range(2):
        DerivedMemories(memory).mark_reflected(SPACE, made, [insight])
    found = memory.get_record(SPACE, made).memory.derived
    assert found is not None
    assert found.reflected_into == (insight,)


def test_edited_text_drops_a_value_that_may_contradict_it(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    made = observe(memory, "Ana lives in Porto.", remember(memory, PORTO), derived=WHOLE)
    memory.edit(SPACE, made, {"text": "Ana lives in Faro."})
    assert memory.get_record(SPACE, made).memory.derived == replace(WHOLE, value="")
