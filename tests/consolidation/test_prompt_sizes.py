"""Prompts and their answers fit a context of 4,096 tokens, in any language."""

from datetime import date
from pathlib import Path

import pytest

from memory_core.config.consolidation_settings import ConsolidationSettings
from memory_core.consolidation.answers import Answerer
from memory_core.consolidation.contract import Worker
from memory_core.consolidation.diary_drafts import DiaryDrafter
from memory_core.consolidation.exchange_summary import ExchangeSummaries
from memory_core.consolidation.insights import Insights
from memory_core.consolidation.observations import Observations
from memory_core.consolidation.session_summaries import SessionSummaries
from memory_core.domain.derivations import Derivation
from memory_core.domain.records import Memory, MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.questions import Source
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.recall.gate import ScoreGate
from memory_core.recall.llm_judge import LLMGate
from memory_core.recall.query import Query
from memory_core.recall.results import Candidate
from memory_core.text.token_counter import beginning, beginnings, estimate_tokens
from tests.builders import DAY, HOUR, NOW, SPACE, Clock, open_memory, said
from tests.consolidation.scenes import NEVER, make_runner, run_all
from tests.memory.derived_scene import observe

CONTEXT = 4_096
HOBBY = Derivation(made_by="model", subject="Ana", key="hobby")
SETTINGS = ConsolidationSettings(insight_min_observations=3)
LONG = pytest.mark.parametrize(
    "text", ["I told him that it rains. " * 500, "我告诉他今天下雨了。" * 1_000], ids=["en", "zh"]
)
WORKERS: list[Worker] = [
    Observations(settings=SETTINGS),
    ExchangeSummaries(settings=SETTINGS),
    SessionSummaries(settings=SETTINGS, pause_s=HOUR),
]


def longest_prompt(llm: ScriptedLLM) -> int:
    assert llm.asked, "the model was not asked, so this tests nothing"
    return max(sum(estimate_tokens(turn.text) + 5 for turn in turns) for turns in llm.asked)


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    return open_memory(tmp_path)


@LONG
@pytest.mark.parametrize("worker", WORKERS, ids=lambda worker: worker.name)
def test_prompt_about_long_messages_leaves_room_for_an_answer(
    memory: LongTermMemory, worker: Worker, text: str
) -> None:
    for number in range(3):
        memory.remember(SPACE, "talk", said(text, text, ts=NOW + 60 * number))
    llm = ScriptedLLM(lambda turns: "{}")
    run_all(make_runner(memory, llm, workers=[worker], clock=Clock(NOW + DAY)))
    assert longest_prompt(llm) + SETTINGS.max_tokens <= CONTEXT


@LONG
def test_prompt_of_insights_leaves_room_for_an_answer(memory: LongTermMemory, text: str) -> None:
    for number in range(60):
        source = memory.remember(SPACE, "talk", said(f"{number}", ts=NOW + number))
        observe(memory, f"{number} {text}"[:300], source, derived=HOBBY)
    llm = ScriptedLLM(lambda turns: "{}")
    runner = make_runner(memory, llm, workers=[Insights(settings=SETTINGS)])
    runner.scan(SPACE, NEVER)
    runner.step(SPACE, NEVER)  # each job of the subject shows all of its facts
    assert longest_prompt(llm) + SETTINGS.max_tokens <= CONTEXT


@LONG
def test_prompt_of_an_answer_leaves_room_for_it(memory: LongTermMemory, text: str) -> None:
    sources = [
        Source(namespace=SPACE, memory=Memory(id=f"{number}", kind=MemoryKind.SUMMARY, text=text))
        for number in range(50)
    ]
    llm = ScriptedLLM(lambda turns: "{}")
    Answerer(memory, llm, timeout_s=1.0).ask(text, sources)
    assert longest_prompt(llm) + 700 <= CONTEXT


@LONG
def test_prompt_of_a_diary_page_leaves_room_for_it(memory: LongTermMemory, text: str) -> None:
    for number in range(60):  # of which fifteen are long: indexing them takes most of the time
        told = f"{number} {text}" if number % 4 == 0 else f"{number}"
        memory.remember(SPACE, "talk", said(told, told, ts=NOW + number))
    llm = ScriptedLLM(lambda turns: "{}")
    DiaryDrafter(memory, llm, timeout_s=1.0).draft(SPACE, date.fromtimestamp(NOW))
    assert longest_prompt(llm) + 900 <= CONTEXT


@LONG
def test_prompt_of_the_gate_leaves_room_for_an_answer(text: str) -> None:
    found = [
        Candidate(memory=Memory(id=f"{number}", kind=MemoryKind.SUMMARY, text=text), score=0.5)
        for number in range(60)
    ]
    llm = ScriptedLLM(lambda turns: "{}")
    first = ScoreGate(min_score=0.0, min_letters=1)
    LLMGate(first, llm, keep_max=8, timeout_s=1.0).keep(Query(text="Hello?"), found)
    assert longest_prompt(llm) + 700 <= CONTEXT


def test_beginning_has_no_more_tokens_than_asked_for() -> None:
    assert beginning("我告诉他今天下雨了。", 4) == "我告诉他"
    assert beginning("short", 4) == "short"


def test_short_text_leaves_its_room_to_the_other_one() -> None:
    first, second = beginnings("是", "我" * 50, 20)
    assert (first, len(second)) == ("是", 19)
    assert tuple(map(len, beginnings("我" * 50, "你" * 50, 20))) == (10, 10)
