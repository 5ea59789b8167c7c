"""One start with a wrong clock retires no memory; a long pause delays that by a day."""

import pytest

from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.retention import RetentionWorker
from memory_core.memory.retention_policy import RetentionLimits
from tests.builders import DAY, NOW, SPACE, Clock, said
from tests.conftest import OpenMemory

YEAR = 365 * DAY
OLD = RetentionLimits(max_age_s=90 * DAY)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(opened: OpenMemory, clock: Clock) -> LongTermMemory:
    """Returns a memory with an exchange on each of the last three days."""
    memory = opened(clock=clock)
    for days in (3, 2, 1):
        memory.remember(SPACE, "talk", said(f"word{days} was said", ts=NOW - days * DAY))
    return memory


def restarted(memory: LongTermMemory, clock: Clock, quota: RetentionLimits = OLD) -> int:
    """Keeps the limits as a program just started does; returns how many memories are left."""
    worker = RetentionWorker(touch=lambda _: None, forgot=lambda _: None, clock=clock)
    worker.enforce(memory, quota, [SPACE], until=lambda: False)
    return len(memory.conversation(SPACE, "talk", 99))


def test_clock_a_year_ahead_for_one_start_retires_nothing(
    memory: LongTermMemory, clock: Clock
) -> None:
    assert restarted(memory, clock) == 3
    clock.now += YEAR
    memory.remember(SPACE, "talk", said("said by the wrong clock", ts=clock.now))
    assert restarted(memory, clock) == 4
    clock.now += 23 * 3600.0
    assert restarted(memory, clock) == 4
    clock.now -= YEAR
    assert restarted(memory, clock) == 4
    clock.now += 2 * DAY
    assert restarted(memory, clock) == 4


def test_old_memories_are_retired_a_day_after_a_long_pause(
    memory: LongTermMemory, clock: Clock
) -> None:
    assert restarted(memory, clock) == 3
    clock.now += YEAR
    assert restarted(memory, clock) == 3
    clock.now += DAY
    assert restarted(memory, clock) == 0


def test_program_started_every_few_weeks_retires_old_memories_without_a_delay(
    memory: LongTermMemory, clock: Clock
) -> None:
    for _ in range(4):
        assert restarted(memory, clock) == 3
        clock.now += 22 * DAY
    clock.now += 5 * DAY
    assert restarted(memory, clock) == 0


def test_damaged_record_of_the_clock_does_not_stop_retention(
    memory: LongTermMemory, clock: Clock
) -> None:
    (memory.root / "clock.json").write_bytes(b'{"seen": "x"')
    assert restarted(memory, clock, RetentionLimits(max_age_s=1.5 * DAY)) == 1


def test_other_limits_are_kept_whatever_the_clock_says(
    memory: LongTermMemory, clock: Clock
) -> None:
    quota = RetentionLimits(max_age_s=90 * DAY, max_memories=2)
    assert restarted(memory, clock, OLD) == 3
    clock.now += YEAR
    assert restarted(memory, clock, quota) == 2
