"""Observations: facts of one exchange with their subject, time and status."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memory_core.config.consolidation_settings import ConsolidationSettings
from memory_core.consolidation.calendar_days import period_named
from memory_core.consolidation.observations import Observations
from memory_core.consolidation.runner import Step
from memory_core.domain.derivations import Flag
from memory_core.domain.records import Memory, MemoryKind
from memory_core.memory.derived_memories import DerivedMemories
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.llm.fake import Reply, ScriptedLLM
from memory_core.storage.contract import DerivedFilter
from tests.builders import SPACE, asked, open_memory, recalled, said
from tests.cases import for_each
from tests.consolidation.scenes import make_runner, run_all

SETTINGS = ConsolidationSettings()
LISBON = "Since yesterday I live in Lisbon, Rua da Rosa 12!"


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    return open_memory(tmp_path)


def fact(text: str, **changes: object) -> dict[str, Any]:
    fields = {"about": "Ana", "key": "home", "value": "Lisbon", "status": "fact", "when": ""}
    return {**fields, "text": text, **changes}


def facts(*found: object) -> str:
    return json.dumps({"facts": list(found)}, ensure_ascii=False)


def observe(memory: LongTermMemory, *replies: Reply) -> tuple[list[Step], ScriptedLLM]:
    llm = ScriptedLLM(list(replies))
    steps = run_all(make_runner(memory, llm, workers=[Observations(settings=SETTINGS)]))
    return steps, llm


def remember(memory: LongTermMemory, user: str, answer: str = "How nice for you.") -> str:
    return memory.remember(SPACE, "talk", said(user, answer))


def observations(memory: LongTermMemory) -> list[Memory]:
    only = DerivedFilter(kinds=frozenset({MemoryKind.OBSERVATION}))
    return DerivedMemories(memory).find(SPACE, only)


def test_fact_keeps_its_subject_property_time_and_source(memory: LongTermMemory) -> None:
    source = remember(memory, LISBON)
    observe(memory, facts(fact("Ana lives in Lisbon.", when="2026-09-20")))
    (found,) = observations(memory)
    assert (found.text, found.sources) == ("Ana lives in Lisbon.", (source,))
    assert found.derived is not None
    assert (found.derived.subject, found.derived.key, found.derived.value) == (
        "Ana", "home", "Lisbon",
    )  # fmt: skip
    assert found.derived.event_time == (
        datetime(2026, 9, 20).timestamp(),
        datetime(2026, 9, 21).timestamp(),
    )
    assert (found.derived.made_by, found.derived.flag) == ("scripted", None)


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("flat, apartment，地址", "flat, apartment, 地址"),
        (["flat", " rent \n a room "], "flat, rent a room"),
        ("flat, ana, FLAT of Mira, Mira, , flat", "flat, FLAT of Mira"),
        ("a, b, c, d, e, f, g", "a, b, c, d, e, f"),
        (f"{'long' * 9}, flat", "flat"),
        (3, "3"),
        (None, ""),
        ({"word": "flat"}, ""),
    ],
)
def test_search_words_are_few_short_and_no_names(
    memory: LongTermMemory, written: object, stored: str
) -> None:
    remember(memory, LISBON)
    observe(memory, facts(fact("Ana lives in Lisbon.", search=written)))
    (found,) = observations(memory)
    assert found.derived is not None
    assert found.derived.search_words == stored


def test_fact_is_found_by_its_search_words(memory: LongTermMemory) -> None:
    remember(memory, LISBON)
    observe(memory, facts(fact("Ana lives in Lisbon.", search="apartment, landlord")))
    assert recalled(memory.recall(SPACE, asked("who is the landlord"))) == ["Ana lives in Lisbon."]


@pytest.mark.parametrize(
    ("status", "flag"), [("story", Flag.FICTION), ("if", Flag.HYPOTHETICAL), ("plan", None)]
)
def test_status_becomes_a_flag_or_a_plan(
    memory: LongTermMemory, status: str, flag: Flag | None
) -> None:
    remember(memory, LISBON)
    observe(memory, facts(fact("Ana lives in Lisbon.", status=status)))
    (found,) = observations(memory)
    assert found.derived is not None
    assert found.derived.flag is flag
    assert (found.derived.key == "plan") is (status == "plan")


@pytest.mark.parametrize(
    "changes",
    [
        {"status": ""}, {"status": "certain"}, {"status": None}, {"about": ""}, {"about": ["Ana"]},
        {"text": ""}, {"text": 7.5}, {"text": "Ana pays 900 euros."},
    ],
)  # fmt: skip
def test_fact_without_a_field_or_with_invented_words_is_left_out(
    memory: LongTermMemory, changes: dict[str, object]
) -> None:
    remember(memory, LISBON)
    observe(memory, facts({**fact("Ana is new."), **changes}, fact("Ana lives in Rua da Rosa.")))
    assert [found.text for found in observations(memory)] == ["Ana lives in Rua da Rosa."]


def test_name_that_nobody_said_makes_no_fact(memory: LongTermMemory) -> None:
    remember(memory, "since yesterday i live close to the river with my two old cats")
    observe(memory, facts(fact("Ana met Napoleon there."), fact("Ana has two cats.")))
    assert [found.text for found in observations(memory)] == ["Ana has two cats."]


@pytest.mark.parametrize("about", ["user", "I", "The user", "我"])
def test_speaker_is_called_by_name(memory: LongTermMemory, about: str) -> None:
    remember(memory, LISBON)
    observe(memory, facts(fact("Ana lives in Lisbon.", about=about)))
    (found,) = observations(memory)
    assert found.derived is not None
    assert found.derived.subject == "Ana"


def test_exchange_without_facts_is_read_once(memory: LongTermMemory) -> None:
    remember(memory, LISBON)
    steps, _ = observe(memory, facts())
    assert steps == [Step.DONE]
    steps, llm = observe(memory)
    assert (steps, llm.asked, observations(memory)) == ([], [], [])


@pytest.mark.parametrize("user", ["ok", "What time is it?", "你好"])
def test_exchange_that_states_nothing_is_not_asked_about(memory: LongTermMemory, user: str) -> None:
    remember(memory, user, "Who?")
    steps, llm = observe(memory)
    assert (llm.asked, observations(memory)) == ([], [])
    assert Step.DONE not in steps


def test_edited_exchange_is_observed_anew(memory: LongTermMemory) -> None:
    source = remember(memory, LISBON)
    observe(memory, facts(fact("Ana lives in Lisbon.")))
    memory.edit(SPACE, source, {"user": "I live in Porto, Rua da Rosa 12!", "assistant": "I see."})
    assert observations(memory) == []
    observe(memory, facts(fact("Ana lives in Porto.")))
    assert [found.text for found in observations(memory)] == ["Ana lives in Porto."]


def test_forgotten_exchange_takes_its_facts_along(memory: LongTermMemory) -> None:
    source = remember(memory, LISBON)
    observe(memory, facts(fact("Ana lives in Lisbon.")))
    memory.forget(SPACE, [source])
    assert observations(memory) == []


def test_prompt_has_the_day_and_the_exchange_before(memory: LongTermMemory) -> None:
    remember(memory, LISBON)
    observe(memory, facts(fact("Ana lives in Lisbon.")))
    remember(memory, "My brother Rui lives there too.")
    _, llm = observe(memory, facts(fact("Rui lives in Lisbon.", about="Rui")))
    prompt = llm.asked[0][-1].text
    assert "Monday, 2026-09-21" in prompt
    assert LISBON in prompt
    assert {found.text for found in observations(memory)} == {
        "Ana lives in Lisbon.", "Rui lives in Lisbon.",
    }  # fmt: skip


@pytest.mark.parametrize(
    "reply", ["no JSON", '{"facts": "Ana"}', '{"facts": [7, null]}', "{}", '{"facts": [{}]}']
)
def test_unusable_answer_stores_nothing_and_is_asked_again(
    memory: LongTermMemory, reply: str
) -> None:
    remember(memory, LISBON)
    steps, llm = observe(memory, reply, reply)
    assert (steps, len(llm.asked), observations(memory)) == ([Step.FAILED], 2, [])


def test_exchange_keeps_at_most_the_allowed_number_of_facts(memory: LongTermMemory) -> None:
    remember(memory, LISBON)
    observe(memory, facts(*(fact(f"Ana likes Rua da Rosa {'very ' * n}much.") for n in range(9))))
    assert len(observations(memory)) == SETTINGS.observation_max_facts


def test_chinese_exchange_is_asked_in_chinese(memory: LongTermMemory) -> None:
    remember(memory, "我昨天搬到了上海武康路12号。", "恭喜你！")
    _, llm = observe(memory, facts(fact("Ana住在上海武康路12号。")))
    assert "对话时间为" in llm.asked[0][-1].text
    assert [found.text for found in observations(memory)] == ["Ana住在上海武康路12号。"]


@for_each(
    ("when", "days"),
    [("2025", 365), ("2024-02", 29), ("2025-12", 31), ("2025-03-03", 1), ("soon", 0), ("", 0),
     ("2025-13", 0), ("2025-02-30", 0), ("99999", 0), ("0000", 0)],
)  # fmt: skip
def test_named_period_covers_its_days(when: str, days: int) -> None:
    period = period_named(when)
    length = period[1] - period[0] if period else 0.0
    assert round(length / 86_400) == days


def test_pronoun_is_replaced_by_the_subject(memory: LongTermMemory) -> None:
    remember(memory, "My brother Rui works as a pilot.")
    observe(memory, facts(fact("He works as a pilot.", about="Rui", key="job")))
    assert [one.text for one in observations(memory)] == ["Rui works as a pilot."]


def test_fact_about_an_unnamed_he_is_left_out(memory: LongTermMemory) -> None:
    remember(memory, "My brother Rui works as a pilot, and Ana Sousa bakes.")
    observe(memory, facts(fact("He works as a pilot.", about="he"), fact("Ana Sousa bakes.")))
    assert [one.text for one in observations(memory)] == ["Ana Sousa bakes."]


def test_fact_that_gives_one_speaker_the_words_of_the_other_is_left_out(
    memory: LongTermMemory,
) -> None:
    remember(memory, "Tell me more!", "I paint old wooden boats in the harbour of Faro.")
    wrong = fact("Ana paints old wooden boats in the harbour of Faro.")
    right = fact("Mira paints old wooden boats in the harbour of Faro.", about="Mira")
    observe(memory, facts(wrong, right))
    assert [one.text for one in observations(memory)] == [right["text"]]


@pytest.mark.parametrize(
    ("said_first", "said_then", "first", "second"),
    [
        (
            "If I were emperor I would own three thousand horses.",
            "The bread in the oven smells good today.",
            "Ana owns three thousand horses.",
            "Ana has bread in the oven.",
        ),
        (
            "假如我是皇帝，就住在宫里，有三千匹马！",
            "记住了，我对花生过敏，有点麻烦。",
            "Ana住在宫里，有三千匹马。",
            "Ana对花生过敏。",
        ),
    ],
)
def test_imagined_fact_of_the_exchange_before_stays_flagged(
    memory: LongTermMemory, said_first: str, said_then: str, first: str, second: str
) -> None:
    remember(memory, said_first)
    remember(memory, said_then)
    observe(memory, facts(fact(first)), facts(fact(first), fact(second)))
    found = [(one.text, one.derived and one.derived.flag) for one in observations(memory)]
    assert len(found) == 3
    assert set(found) == {(first, Flag.HYPOTHETICAL), (second, None)}


def test_short_answer_to_a_question_of_the_exchange_before_is_stored(
    memory: LongTermMemory,
) -> None:
    remember(memory, "I love the sea so much, you know.", "Do you live in Lisbon?")
    remember(memory, "Yes, I do, since 2019.")
    observe(memory, facts(), facts(fact("Ana lives in Lisbon.")))
    assert [one.text for one in observations(memory)] == ["Ana lives in Lisbon."]


def test_facts_in_chinese_keys_or_without_their_object_are_used(memory: LongTermMemory) -> None:
    remember(memory, "我住在里斯本，养了一只猫。", "真好。")
    chinese = '[{"内容": "Ana住在里斯本。", "关于": "Ana", "属性": "住址", "状态": "事实"}]'
    steps, _ = observe(memory, chinese)
    assert steps == [Step.DONE]
    assert [one.text for one in observations(memory)] == ["Ana住在里斯本。"]


def test_refusal_in_the_form_of_a_fact_is_never_stored(memory: LongTermMemory) -> None:
    remember(memory, LISBON)
    refusal = facts(fact("As an AI language model, I cannot extract facts."))
    steps, _ = observe(memory, refusal, refusal)
    assert steps == [Step.FAILED]
    assert observations(memory) == []
