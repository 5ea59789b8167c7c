"""What a job asks again after an answer that could not be used."""

import json
from collections.abc import Callable, Sequence

import pytest

from memory_core.consolidation.contract import Worker
from memory_core.consolidation.exchange_summary import ExchangeSummaries
from memory_core.consolidation.observations import Observations
from memory_core.domain.records import MemoryKind, Role, Turn
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.storage.contract import Page
from tests.builders import SPACE
from tests.consolidation.scenes import SETTINGS, make_runner, remember, run_all


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        (
            "I work at a bakery in Lisbon and get up at five.",
            'Your last answer could not be used: no JSON object with "summary". '
            "Answer with the JSON object alone.",
        ),
        (
            "我在里斯本的一家面包店上班，每天早上五点起床。",
            "你上一个回答无法使用：没有含“summary”的 JSON 对象。请只输出一个 JSON 对象。",
        ),
    ],
)
def test_complaint_is_in_the_language_of_the_prompt(
    memory: LongTermMemory, told: str, complaint: str
) -> None:
    asked = list[str]()

    def reply(turns: Sequence[Turn]) -> str:
        asked.append(turns[-1].text)
        return "Hm."

    remember(memory, told)
    run_all(make_runner(memory, ScriptedLLM(reply)))
    assert asked[1] == f"{asked[0]}\n\n{complaint}"


TOLD = {
    "en": "I moved to Lisbon in May and work in a bakery on the corner.",
    "zh": "我五月搬到了里斯本，在街角的一家面包店上班。",
}
WORKERS = {
    "facts": Observations(settings=SETTINGS),
    "summary": ExchangeSummaries(settings=SETTINGS),
}


def example(turns: Sequence[Turn]) -> str:
    """Answers as the last example of the prompt does."""
    return [turn.text for turn in turns if turn.role is Role.ASSISTANT][-1]


def question(turns: Sequence[Turn]) -> str:
    """Answers with the question in each field."""
    fact = {"text": turns[-1].text, "about": "Ana", "key": "job", "value": "x", "status": "fact"}
    return json.dumps({"summary": turns[-1].text, "facts": [fact]}, ensure_ascii=False)


@pytest.mark.parametrize("copied", [example, question])
@pytest.mark.parametrize("worker", WORKERS.values(), ids=WORKERS)
@pytest.mark.parametrize("language", TOLD)
def test_answer_copied_from_the_prompt_is_not_stored(
    memory: LongTermMemory, language: str, worker: Worker, copied: Callable[[Sequence[Turn]], str]
) -> None:
    kept = remember(memory, TOLD[language])
    run_all(make_runner(memory, ScriptedLLM(copied), workers=[worker]))
    assert [one.id for one in memory.latest(SPACE, Page(limit=99))] == [kept]


def test_fact_beside_a_copied_example_is_stored(memory: LongTermMemory) -> None:
    own = {"about": "Ana", "key": "工作", "value": "面包店", "status": "fact", "when": ""}

    def reply(turns: Sequence[Turn]) -> str:
        facts = [*json.loads(example(turns))["facts"], {**own, "text": "Ana在面包店上班。"}]
        return json.dumps({"facts": facts}, ensure_ascii=False)

    remember(memory, TOLD["zh"])
    run_all(make_runner(memory, ScriptedLLM(reply), workers=[WORKERS["facts"]]))
    found = memory.latest(SPACE, Page(limit=99))
    assert [one.text for one in found if one.kind is MemoryKind.OBSERVATION] == [
        "Ana在面包店上班。"
    ]
