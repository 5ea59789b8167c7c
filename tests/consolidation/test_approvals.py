"""Approvals by rule: which proposals become notes without being asked about."""

from pathlib import Path

import pytest

from memory_core.config.consolidation_settings import AutoApprove, ConsolidationSettings
from memory_core.config.schema import Settings
from memory_core.consolidation.approvals import Approvals
from memory_core.consolidation.registry import build_workers
from memory_core.memory.derived_memories import DerivedMemories
from memory_core.memory.inbox import Inbox
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.text.prompt_files import PromptBook
from tests.builders import SPACE, open_memory
from tests.consolidation.scenes import folder, make_runner, run_all
from tests.memory.test_inbox import HOME, always, fact, insight, repeat


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    return open_memory(tmp_path)


def approve(memory: LongTermMemory, rule: AutoApprove) -> None:
    worker = Approvals(settings=ConsolidationSettings(auto_approve=rule))
    run_all(make_runner(memory, ScriptedLLM([]), workers=[worker]))


def test_insights_become_notes_without_a_question_to_the_model(memory: LongTermMemory) -> None:
    source = insight(memory)
    approve(memory, AutoApprove.INSIGHTS)
    assert always(memory) == ["Ana loves rivers."]
    assert [one.sources for one in memory.always_in_prompt(SPACE)] == [(source,)]


def test_rule_for_insights_leaves_repeated_facts_in_the_inbox(memory: LongTermMemory) -> None:
    repeat(memory, fact(memory, days_ago=5), 3)
    approve(memory, AutoApprove.INSIGHTS)
    assert always(memory) == []


def test_repeated_fact_becomes_a_note_when_it_is_said_again(memory: LongTermMemory) -> None:
    known = fact(memory, days_ago=5)
    approve(memory, AutoApprove.ALL)
    assert always(memory) == []
    repeat(memory, known, 2)
    approve(memory, AutoApprove.ALL)
    assert always(memory) == [HOME]


def test_note_that_was_taken_back_is_not_approved_again(memory: LongTermMemory) -> None:
    insight(memory)
    approve(memory, AutoApprove.ALL)
    (note,) = memory.always_in_prompt(SPACE)
    Inbox(memory, min_times=3).withdraw(SPACE, note.id)
    (folder(memory) / "jobs.sqlite").unlink()
    approve(memory, AutoApprove.ALL)
    assert always(memory) == []


def test_newer_fact_replaces_the_approved_note(memory: LongTermMemory) -> None:
    porto = fact(memory, said="Please remember that I live in Porto.", days_ago=30)
    approve(memory, AutoApprove.ALL)
    DerivedMemories(memory).supersede(SPACE, porto, fact(memory, "Ana lives in Faro."))
    approve(memory, AutoApprove.ALL)
    assert always(memory) == ["Ana lives in Faro."]


def test_rejected_insight_is_not_approved(memory: LongTermMemory) -> None:
    DerivedMemories(memory).reject(SPACE, insight(memory))
    approve(memory, AutoApprove.ALL)
    assert always(memory) == []


def test_worker_runs_only_with_a_rule() -> None:
    def names(rule: AutoApprove) -> list[str]:
        own = ConsolidationSettings(workers="insights", auto_approve=rule)
        settings = Settings(consolidation=own)
        return [worker.name for worker in build_workers(settings, PromptBook())]

    assert names(AutoApprove.OFF) == ["insights"]
    assert names(AutoApprove.ALL) == ["insights", "approvals"]
