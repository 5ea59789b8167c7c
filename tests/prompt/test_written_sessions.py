"""The system block quotes a model's summary of a session, and an extract where there is none."""

import pytest

from memory_core.domain.derivations import EXTRACTIVE, Derivation
from memory_core.domain.records import MemoryKind
from memory_core.memory.derived_memories import DerivedMemories, NewDerived
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.prompt.system_block import SystemLine
from memory_core.prompt.system_lines import SystemLineCache
from memory_core.recall.session_groups import SESSION_KEY
from tests.builders import DAY, HOUR, NOW, SPACE, said

BEGAN = NOW + 3 * DAY
WRITTEN = "(2026-09-21) Ana looks after her ill dog Bruno."
EXTRACT = "(2026-09-21) Ana: My dog Bruno is ill today."


@pytest.fixture
def ids(memory: LongTermMemory) -> list[str]:
    exchanges = [said("My dog Bruno is ill today."), said("He eats little.", ts=NOW + 60)]
    return [memory.remember(SPACE, "day0", exchange) for exchange in exchanges]


def summarise(
    memory: LongTermMemory, ids: list[str], text: str, keywords: str = "", made_by: str = "small"
) -> str:
    derived = Derivation(made_by=made_by, key=SESSION_KEY, value=keywords)
    seqs = memory.last_seqs(SPACE, ids)
    new = NewDerived(kind=MemoryKind.SUMMARY, text=text, sources=seqs, derived=derived)
    return DerivedMemories(memory).add(SPACE, new)


@pytest.fixture
def written(memory: LongTermMemory, ids: list[str]) -> str:
    return summarise(memory, ids, "Ana looks after her ill dog Bruno. [dog; Bruno]", "dog; Bruno")


@pytest.fixture
def cache(memory: LongTermMemory) -> SystemLineCache:
    return SystemLineCache(memory, sessions=1, pause_s=4 * HOUR)


def line(cache: SystemLineCache) -> SystemLine:
    (found,) = cache.lines(SPACE, "now", began=BEGAN)
    return found


def test_line_is_the_models_summary_without_its_keywords(
    cache: SystemLineCache, ids: list[str], written: str
) -> None:
    found = line(cache)
    assert (found.text, found.is_extract) == (WRITTEN, False)
    assert (found.sources, found.summary_id) == ((written,), written)
    assert set(found.made_of) == set(ids)
    assert not found.uses_none_of(frozenset({ids[1]}))


def test_stored_extract_is_not_taken_for_the_models_summary(
    memory: LongTermMemory, cache: SystemLineCache, ids: list[str]
) -> None:
    summarise(memory, ids, "(2026-09-21) Ana: He eats little.", made_by=EXTRACTIVE)
    assert line(cache).text.startswith(EXTRACT)


def test_line_is_marked_as_an_extract_without_a_models_summary(
    cache: SystemLineCache, ids: list[str]
) -> None:
    found = line(cache)
    assert (found.text.startswith(EXTRACT), found.is_extract) == (True, True)
    assert found.sources == tuple(ids)
    assert found.is_extract


@pytest.mark.usefixtures("written")
def test_extract_stands_in_after_an_edit_until_the_summary_is_made_again(
    memory: LongTermMemory, cache: SystemLineCache, ids: list[str]
) -> None:
    line(cache)
    memory.edit(SPACE, ids[1], {"user": "He eats a lot."})
    assert line(cache).is_extract
    summarise(memory, ids, "Bruno eats again.")
    fresh = SystemLineCache(memory, sessions=1, pause_s=4 * HOUR)
    assert line(fresh).text == "(2026-09-21) Bruno eats again."


@pytest.mark.usefixtures("written", "ids")
def test_extract_stands_in_after_a_swipe(memory: LongTermMemory, cache: SystemLineCache) -> None:
    line(cache)
    shown = [said("My dog Bruno is ill today."), said("He eats little.", "Oh no.", ts=NOW + 60)]
    memory.reconcile(SPACE, "day0", shown, whole=True)
    assert line(cache).is_extract


@pytest.mark.usefixtures("written")
def test_extract_stands_in_after_a_source_is_forgotten(
    memory: LongTermMemory, cache: SystemLineCache, ids: list[str]
) -> None:
    line(cache)
    memory.forget(SPACE, [ids[1]])
    assert line(cache) == SystemLine(
        text=EXTRACT, sources=(ids[0],), ts=NOW, is_summary=True, is_extract=True
    )


@pytest.mark.usefixtures("written", "ids")
def test_extract_stands_in_while_a_resumed_session_has_an_old_summary(
    memory: LongTermMemory, cache: SystemLineCache
) -> None:
    memory.remember(SPACE, "day0", said("He is well again.", ts=NOW + HOUR))
    assert line(cache).is_extract


def test_lines_of_a_chat_stay_the_same_when_a_summary_is_made_meanwhile(
    memory: LongTermMemory, cache: SystemLineCache, ids: list[str]
) -> None:
    before = line(cache)
    summarise(memory, ids, "Ana looks after her ill dog Bruno.")
    assert line(cache) == before
