"""What a job asks again after an answer that could not be used."""

from collections.abc import Sequence

import pytest

from memory_core.domain.records import Turn
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.llm.fake import ScriptedLLM
from tests.consolidation.scenes import make_runner, remember, run_all


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
            '你上一个回答无法使用：没有含"summary"的 JSON 对象。请只输出一个 JSON 对象。',
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
