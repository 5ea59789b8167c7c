"""Drafts of diary pages: written by a model, or quoted without one."""

import json
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from memory_core.consolidation.diary_drafts import DiaryDrafter, Draft
from memory_core.domain.derivations import EXTRACTIVE
from memory_core.domain.errors import LLMUnavailable
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.llm.fake import ScriptedLLM
from tests.builders import SPACE, open_memory, said

DAY = date(2026, 9, 20)
NOON = datetime(2026, 9, 20, 12).timestamp()


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    return open_memory(tmp_path)


@pytest.fixture
def day(memory: LongTermMemory) -> LongTermMemory:
    """Returns a memory with two exchanges of the day, and one of the next."""
    later = (datetime(2026, 9, 20) + timedelta(days=1)).timestamp()
    talk = (("I bought a boat today.", NOON), ("I sold my car.", NOON + 60), ("I sleep.", later))
    for text, ts in talk:
        memory.remember(SPACE, "talk", said(text, "How nice of you.", ts=ts))
    return memory


def draft(memory: LongTermMemory, llm: ScriptedLLM | None) -> Draft:
    return DiaryDrafter(memory, llm, timeout_s=5.0).draft(SPACE, DAY)


def page(text: object) -> str:
    return json.dumps({"page": text})


def test_model_writes_the_page_from_the_exchanges_of_the_day(day: LongTermMemory) -> None:
    llm = ScriptedLLM([page("I bought a boat and sold my car.")])
    found = draft(day, llm)
    assert (found.text, found.exchanges) == ("I bought a boat and sold my car.", 2)
    assert found.made_by == llm.name
    asked = llm.asked[0][-1].text
    assert "12:01" in asked
    assert "I sleep." not in asked


@pytest.mark.parametrize("invented", ["It cost 9000 euros.", "I repair old clocks at home."])
def test_sentences_that_invent_something_are_cut(day: LongTermMemory, invented: str) -> None:
    clocks = said("Who are you?", "A tinker. I repair old clocks at home.", ts=NOON + 120)
    day.remember(SPACE, "talk", clocks)
    found = draft(day, ScriptedLLM([page(f"{invented} I bought a boat.")]))
    assert found.text == "I bought a boat."


def test_draft_without_a_model_quotes_and_says_so(day: LongTermMemory) -> None:
    found = draft(day, None)
    assert found.text.split("\n") == ["12:00 I bought a boat today.", "12:01 I sold my car."]
    assert (found.made_by, found.fault) == (EXTRACTIVE, "")


@pytest.mark.parametrize("reply", [LLMUnavailable("no route"), "no JSON", page(3), page("")])
def test_draft_after_a_failed_model_quotes_and_says_so(
    day: LongTermMemory, reply: str | LLMUnavailable
) -> None:
    found = draft(day, ScriptedLLM([reply]))
    assert found.made_by == EXTRACTIVE
    assert "boat" in found.text
    assert found.fault


def test_day_without_exchanges_has_an_empty_draft_and_asks_nobody(memory: LongTermMemory) -> None:
    llm = ScriptedLLM([])
    assert draft(memory, llm).text == ""
    assert llm.asked == []
