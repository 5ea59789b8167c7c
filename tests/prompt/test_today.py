"""The day on which the sitting began, told in the system block."""

from dataclasses import replace
from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from memory_core.config.schema import ContextSettings
from memory_core.prompt.plan import PromptPlan, SystemLine, make_plan
from memory_core.prompt.templates import template_problems, weekday_and_date
from memory_core.prompt.window import ChatMode, ChatRow, Window

from .scenes import NOW, material

WINDOW = Window(rows=(ChatRow(user="one", assistant="1"),), message="Hi!", mode=ChatMode.CHAT)
NOTE = SystemLine(memory_id="a", text="I keep bees.")
TODAY = "Today is Monday, 21 September 2026."


def planned(*lines: SystemLine, today: float | None = NOW, **settings: object) -> PromptPlan:
    wanted = material(kept=(), system_lines=lines, **settings)
    return make_plan(WINDOW, replace(wanted, today=today, tz=UTC))


def test_today_stands_in_the_system_block_before_what_is_remembered() -> None:
    block = planned(NOTE).system_block
    assert block.count(TODAY) == 1
    assert block.index(TODAY) < block.index("I keep bees.")


def test_today_alone_makes_a_system_block_without_the_words_about_memories() -> None:
    block = planned().system_block
    assert TODAY in block
    assert "remembers" not in block


def test_without_a_day_the_system_block_is_as_ever() -> None:
    assert planned(today=None).system_block == ""
    assert "Today" not in planned(NOTE, today=None).system_block


def test_a_template_of_ones_own_tells_today() -> None:
    assert "[the assistant: Monday]" in planned(today_template="[{name2}: {weekday}]").system_block
    assert planned(today_template="").system_block == ""


def test_what_is_no_field_of_a_template_is_told() -> None:
    (problem,) = template_problems(ContextSettings(today_template="{day}"))
    assert "ltm_context.today_template" in problem


@pytest.mark.parametrize("most", [0, 5])
def test_a_system_block_without_room_tells_no_day(most: int) -> None:
    assert planned(system_block_max_tokens=most).system_block == ""


def test_a_system_block_with_the_day_keeps_its_budget() -> None:
    notes = [SystemLine(memory_id=f"{n}", text=f"Fact {n} of many.", ts=n) for n in range(60)]
    plan = planned(*notes, system_block_max_tokens=150)
    assert TODAY in plan.system_block
    assert material().count(plan.system_block) <= 150


def test_the_day_is_that_of_the_time_zone() -> None:
    assert weekday_and_date(NOW, UTC) == ("Monday", "21 September 2026")
    assert weekday_and_date(NOW + 10 * 3600, ZoneInfo("Asia/Tokyo"))[0] == "Tuesday"
    assert weekday_and_date(1e18) == ("", "")
