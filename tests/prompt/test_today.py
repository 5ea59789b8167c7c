"""Tests of the current day in the system block."""

from dataclasses import replace
from datetime import UTC
from zoneinfo import ZoneInfo

from memory_core.config.schema import ContextSettings
from memory_core.prompt.plan import PromptPlan, make_plan
from memory_core.prompt.system_block import SystemLine
from memory_core.prompt.templates import template_problems, weekday_and_date
from memory_core.prompt.window import ChatMode, ChatRow, Window
from tests.cases import for_each

from .scenes import NOW, material

WINDOW = Window(rows=(ChatRow(user="one", assistant="1"),), message="Hi!", mode=ChatMode.CHAT)
NOTE = SystemLine(sources=("a",), text="I keep bees.")
TODAY = "Today is Monday, 21 September 2026."


def planned(*lines: SystemLine, today: float | None = NOW, **settings: object) -> PromptPlan:
    wanted = material(kept=(), system_lines=lines, **settings)
    return make_plan(WINDOW, replace(wanted, today=today))


def test_today_comes_before_the_memories_in_the_system_block() -> None:
    block = planned(NOTE).system_block
    assert block.count(TODAY) == 1
    assert block.index(TODAY) < block.index("I keep bees.")


def test_today_alone_makes_a_system_block_without_the_words_about_memories() -> None:
    block = planned().system_block
    assert TODAY in block
    assert "remembers" not in block


def test_system_block_without_today_states_no_day() -> None:
    assert planned(today=None).system_block == ""
    assert "Today" not in planned(NOTE, today=None).system_block


def test_custom_template_states_today() -> None:
    assert "[the assistant: Monday]" in planned(today_template="[{name2}: {weekday}]").system_block
    assert planned(today_template="").system_block == ""


def test_unknown_field_of_the_today_template_is_reported() -> None:
    (problem,) = template_problems(ContextSettings(today_template="{day}"))
    assert "ltm_context.today_template" in problem


@for_each("most", [0, 5])
def test_system_block_without_budget_states_no_day(most: int) -> None:
    assert planned(system_block_max_tokens=most).system_block == ""


def test_system_block_with_the_day_stays_within_its_budget() -> None:
    notes = [SystemLine(sources=(f"{n}",), text=f"Fact {n} of many.", ts=n) for n in range(60)]
    plan = planned(*notes, system_block_max_tokens=150)
    assert TODAY in plan.system_block
    assert material().count(plan.system_block) <= 150


def test_today_is_the_day_of_the_time_zone() -> None:
    assert weekday_and_date(NOW, UTC) == ("Monday", "21 September 2026")
    assert weekday_and_date(NOW + 10 * 3600, ZoneInfo("Asia/Tokyo"))[0] == "Tuesday"
    assert weekday_and_date(1e18) == ("", "")
