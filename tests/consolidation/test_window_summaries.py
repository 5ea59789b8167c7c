"""Summaries of the old parts of a long chat: when they are made, and how they are condensed."""

import json
import re
from collections.abc import Sequence

from memory_core.config.consolidation_settings import ConsolidationSettings
from memory_core.config.schema import ContextSettings, ContextStrategy, Settings
from memory_core.consolidation.registry import build_workers
from memory_core.consolidation.runner import Runner, Step
from memory_core.consolidation.window_summaries import WindowSummaries
from memory_core.domain.records import Memory, Turn
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.window_parts import WindowPart, find_window_parts, uncondensed
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.text.prompt_files import PromptBook
from tests.builders import NOW, SPACE, opened_namespace, said
from tests.consolidation.scenes import make_runner, run_all, summaries, texts

AFTER = 8  # messages: the latest four exchanges are left alone
SETTINGS = ConsolidationSettings(summarize_after_messages=AFTER)
NUMBER = re.compile(r"story (\d+)")


def tell(memory: LongTermMemory, count: int, *, first: int = 0) -> list[str]:
    return [
        memory.remember(SPACE, "talk", said(f"This is story {number}.", ts=NOW + 60 * number))
        for number in range(first, first + count)
    ]


def retell(turns: Sequence[Turn]) -> str:
    """Answers with the first and the last story of what the prompt asks about."""
    numbers = NUMBER.findall(turns[-1].text)
    text = f"They told story {numbers[0]} to story {numbers[-1]}."
    return json.dumps({"summary": text, "keywords": []})


def runner_of(memory: LongTermMemory, llm: ScriptedLLM | None = None) -> Runner:
    worker = WindowSummaries(settings=SETTINGS)
    return make_runner(memory, llm or ScriptedLLM(retell), workers=[worker])


def told(first: int, last: int) -> str:
    return f"They told story {first} to story {last}."


def chat_of(memory: LongTermMemory) -> list[Memory]:
    return memory.conversation(SPACE, "talk", 10_000)


def parts_of(memory: LongTermMemory) -> list[WindowPart]:
    opened = opened_namespace(memory, SPACE)
    return find_window_parts(
        lambda only: opened.query_without_forgotten(lambda store: store.catalog.find_derived(only)),
        [one.id for one in chat_of(memory)],
    )


def test_old_exchanges_are_summarised_in_blocks_and_the_latest_are_left_alone(
    memory: LongTermMemory,
) -> None:
    ids = tell(memory, 27)
    run_all(runner_of(memory))
    assert texts(memory) == {told(0, 9), told(10, 19)}
    by_text = {one.text: one.sources for one in summaries(memory)}
    assert by_text[told(10, 19)] == tuple(ids[10:20])


def test_a_chat_shorter_than_the_guard_gets_no_summary(memory: LongTermMemory) -> None:
    tell(memory, 13)
    llm = ScriptedLLM([])
    assert set(run_all(runner_of(memory, llm))) == {Step.SKIPPED}
    tell(memory, 1, first=13)
    assert run_all(runner_of(memory)) == [Step.DONE]
    assert texts(memory) == {told(0, 9)}


def test_blocks_are_made_as_the_chat_goes_on(memory: LongTermMemory) -> None:
    runner = runner_of(memory)
    for number in range(45):
        tell(memory, 1, first=number)
        run_all(runner)
    assert texts(memory) == {told(0, 9), told(10, 19), told(20, 29), told(30, 39)}


def test_an_edited_exchange_makes_its_block_anew(memory: LongTermMemory) -> None:
    ids = tell(memory, 27)
    runner = runner_of(memory)
    run_all(runner)
    memory.edit(SPACE, ids[9], {"user": "This is story 90."})
    assert texts(memory) == {told(10, 19)}
    run_all(runner)
    assert texts(memory) == {told(0, 90), told(10, 19)}


def test_a_forgotten_exchange_leaves_the_other_blocks_as_they_are(memory: LongTermMemory) -> None:
    ids = tell(memory, 27)
    llm = ScriptedLLM(retell)
    runner = runner_of(memory, llm)
    run_all(runner)
    memory.forget(SPACE, [ids[0]])
    run_all(runner)
    assert texts(memory) == {told(1, 9), told(10, 19)}
    assert len(llm.asked) == 3


def test_the_oldest_summaries_are_condensed_again(memory: LongTermMemory) -> None:
    tell(memory, 110)
    llm = ScriptedLLM(retell)
    run_all(runner_of(memory, llm))
    assert all('"Ana" and "Mira"' in turns[0].text for turns in llm.asked)
    current = uncondensed(parts_of(memory))
    assert [(part.start, part.end, part.level) for part in current][:2] == [(0, 50, 1), (50, 60, 0)]
    assert current[0].memory.text == told(0, 49)
    assert current[-1].end == 100


def test_a_condensed_summary_goes_with_a_forgotten_exchange(memory: LongTermMemory) -> None:
    ids = tell(memory, 110)
    run_all(runner_of(memory))
    memory.forget(SPACE, [ids[15]])
    assert {part.level for part in parts_of(memory)} == {0}
    assert told(10, 19) not in texts(memory)
    assert told(0, 9) in texts(memory)


def test_invented_numbers_are_cut_from_a_window_summary(memory: LongTermMemory) -> None:
    tell(memory, 14)
    invented = json.dumps({"summary": "Ana told story 3. She paid 4,711.", "keywords": []})
    run_all(runner_of(memory, ScriptedLLM([invented])))
    assert texts(memory) == {"Ana told story 3."}


def test_parts_are_summarised_only_with_a_strategy_that_shows_them() -> None:
    own = ConsolidationSettings(workers="session_summary, window_summary")
    names = {
        strategy: [
            worker.name
            for worker in build_workers(
                Settings(consolidation=own, ltm_context=ContextSettings(strategy=strategy)),
                PromptBook(),
            )
        ]
        for strategy in ContextStrategy
    }
    assert names[ContextStrategy.RETRIEVE] == names[ContextStrategy.SLIDING_WINDOW]
    assert names[ContextStrategy.RETRIEVE] == ["session_summary"]
    assert names[ContextStrategy.SUMMARIZE] == names[ContextStrategy.COMBINED]
    assert names[ContextStrategy.COMBINED] == ["session_summary", "window_summary"]
