"""Insights: drawn from several facts about one subject, renewed with new or outdated facts."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from memory_core.config.consolidation_settings import ConsolidationSettings
from memory_core.consolidation.insights import Insights
from memory_core.consolidation.runner import Step
from memory_core.domain.derivations import Derivation, Flag
from memory_core.domain.records import Memory, MemoryKind
from memory_core.memory.derived_memories import DerivedMemories
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.llm.fake import Reply, ScriptedLLM
from memory_core.storage.contract import DerivedFilter
from tests.builders import SPACE, open_memory
from tests.consolidation.scenes import make_runner, run_all
from tests.memory.derived_scene import observe, remember

SETTINGS = ConsolidationSettings(insight_min_observations=3, insight_max_count=2)
FACTS = (
    "Ana rows on the lake every Tuesday.",
    "Ana bought an old kayak.",
    "Ana swims in the river in summer.",
)
LOVES_WATER = "Ana spends her free time on the water."


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    return open_memory(tmp_path)


def note_fact(memory: LongTermMemory, text: str, **derived: object) -> str:
    fields = {"made_by": "scripted", "subject": "Ana", "key": "sport", **derived}
    source = remember(memory, f"{text} That is all.")
    return observe(memory, text, source, derived=Derivation(**fields))


def insight(text: str, *numbers: object, key: str = "sport") -> dict[str, object]:
    return {"text": text, "key": key, "value": "water", "from": list(numbers)}


def reply(*insights: object) -> str:
    return json.dumps({"insights": list(insights)})


def reflect(memory: LongTermMemory, *replies: Reply) -> tuple[list[Step], ScriptedLLM]:
    llm = ScriptedLLM(list(replies))
    return run_all(make_runner(memory, llm, workers=[Insights(settings=SETTINGS)])), llm


def holding(memory: LongTermMemory) -> dict[str, Memory]:
    derived = DerivedMemories(memory)
    only = DerivedFilter(kinds=frozenset({MemoryKind.INSIGHT}))
    found = derived.find(SPACE, only)
    return {one.text: one for one in found if not derived.is_superseded(SPACE, one)}


def sources_of(memory: LongTermMemory, text: str) -> set[str]:
    return set(holding(memory)[text].sources)


def note_all(memory: LongTermMemory, texts: Sequence[str] = FACTS) -> list[str]:
    return [note_fact(memory, text) for text in texts]


def test_insight_names_the_facts_behind_it(memory: LongTermMemory) -> None:
    ids = note_all(memory)
    _, llm = reflect(memory, reply(insight(LOVES_WATER, 1, 2, "[3]")))
    found = holding(memory)[LOVES_WATER]
    assert set(found.sources) == set(ids)
    assert found.derived is not None
    assert (found.derived.subject, found.derived.key) == ("Ana", "sport")
    assert (found.derived.value, found.derived.made_by) == ("water", "scripted")
    assert len(llm.asked) == 1
    assert '[2] 2026-09-21 "sport" "Ana bought an old kayak."' in llm.asked[0][-1].text


def test_few_facts_wait_for_more(memory: LongTermMemory) -> None:
    note_all(memory, FACTS[:2])
    _, llm = reflect(memory)
    assert llm.asked == []
    note_all(memory, FACTS[2:])
    _, llm = reflect(memory, reply(insight(LOVES_WATER, 1, 2)))
    assert len(llm.asked) == 1


def test_facts_count_as_reflected_whether_an_insight_names_them_or_not(
    memory: LongTermMemory,
) -> None:
    ids = note_all(memory)
    reflect(memory, reply(insight(LOVES_WATER, 1, 2)))
    records = memory.get_records(SPACE, ids)
    (made,) = (one.id for one in holding(memory).values())
    into = [one.memory.derived.reflected_into for one in records.values() if one.memory.derived]
    assert into == [(made,)] * 3
    note_fact(memory, "Ana likes tea.")
    _, llm = reflect(memory)
    assert llm.asked == []


def test_new_facts_renew_the_insight_of_the_same_theme(memory: LongTermMemory) -> None:
    note_all(memory)
    reflect(memory, reply(insight(LOVES_WATER, 1, 2)))
    note_all(memory, ["Ana bought a sail.", "Ana dives.", "Ana has a boat."])
    _, llm = reflect(memory, reply(insight("Ana lives for the water.", 1, 2, 4, 6, key="Sport")))
    assert LOVES_WATER in llm.asked[0][-1].text
    assert holding(memory).keys() == {"Ana lives for the water."}


def test_insight_of_another_theme_leaves_the_first_alone(memory: LongTermMemory) -> None:
    note_all(memory)
    reflect(memory, reply(insight(LOVES_WATER, 1, 2)))
    note_all(memory, ["Ana bakes.", "Ana cooks.", "Ana makes jam."])
    reflect(memory, reply(insight("Ana is at home in the kitchen.", 4, 5, key="food")))
    assert holding(memory).keys() == {LOVES_WATER, "Ana is at home in the kitchen."}


def test_outdated_fact_renews_its_insight_at_once(memory: LongTermMemory) -> None:
    ids = note_all(memory)
    reflect(memory, reply(insight(LOVES_WATER, 1, 2)))
    newer = note_fact(memory, "Ana sold her kayak.")
    DerivedMemories(memory).supersede(SPACE, ids[1], newer)
    _, llm = reflect(memory, reply(insight("Ana swims and rows.", 1, 2)))
    assert "old kayak" not in llm.asked[0][-1].text
    assert holding(memory).keys() == {"Ana swims and rows."}


def test_insight_that_is_not_renewed_gives_way_to_the_newer_fact(memory: LongTermMemory) -> None:
    ids = note_all(memory)
    reflect(memory, reply(insight(LOVES_WATER, 1, 2)))
    newer = note_fact(memory, "Ana sold her kayak.")
    DerivedMemories(memory).supersede(SPACE, ids[1], newer)
    reflect(memory, reply())
    assert holding(memory) == {}
    _, llm = reflect(memory)
    assert llm.asked == []


def test_insight_without_one_of_its_facts_is_drawn_again(memory: LongTermMemory) -> None:
    ids = note_all(memory, [*FACTS, "Ana has a boat."])
    reflect(memory, reply(insight(LOVES_WATER, 1, 2)))
    memory.forget(SPACE, [ids[0]])
    assert holding(memory) == {}
    reflect(memory, reply(insight("Ana likes boats.", 1, 3)))
    assert sources_of(memory, "Ana likes boats.") == {ids[1], ids[3]}


def test_forgotten_insight_is_not_drawn_again(memory: LongTermMemory) -> None:
    note_all(memory)
    reflect(memory, reply(insight(LOVES_WATER, 1, 2)))
    memory.forget(SPACE, [holding(memory)[LOVES_WATER].id])
    note_fact(memory, "Ana likes tea.")
    _, llm = reflect(memory)
    assert (llm.asked, holding(memory)) == ([], {})


@pytest.mark.parametrize("derived", [{"flag": Flag.FICTION}, {"key": "plan"}, {"subject": "Rui"}])
def test_stories_plans_and_others_count_for_nothing(
    memory: LongTermMemory, derived: dict[str, object]
) -> None:
    note_all(memory, FACTS[:2])
    note_fact(memory, FACTS[2], **derived)
    _, llm = reflect(memory)
    assert llm.asked == []


def test_invented_name_drops_the_insight(memory: LongTermMemory) -> None:
    note_all(memory)
    good, bad = insight(LOVES_WATER, 1, 2), insight("Ana rows for Norway.", 1, 2, key="country")
    reflect(memory, reply(bad, good))
    assert holding(memory).keys() == {LOVES_WATER}


@pytest.mark.parametrize(
    "answer",
    ["no JSON", "{}", '{"insights": "all"}', reply(insight(LOVES_WATER, 1, 9)),
     reply(insight(LOVES_WATER, 0, 1)), reply(insight(LOVES_WATER, 1)),
     reply(insight(LOVES_WATER, 1, 1)), reply(insight("", 1, 2)), reply("text"),
     reply(insight(LOVES_WATER, 1, 2, key="")), reply({"text": LOVES_WATER, "from": "all"})],
)  # fmt: skip
def test_unusable_answer_stores_nothing(memory: LongTermMemory, answer: str) -> None:
    note_all(memory)
    steps, _ = reflect(memory, *[answer] * 6)
    assert Step.FAILED in steps
    assert holding(memory) == {}


def test_queue_names_no_person(memory: LongTermMemory) -> None:
    note_all(memory, FACTS[:2])
    reflect(memory)
    folder = SPACE.folder(memory.root)
    assert b"Ana" not in (folder / "jobs.sqlite").read_bytes()
