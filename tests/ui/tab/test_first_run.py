"""The first steps are shown to new installations, until they are dismissed."""

from collections.abc import Callable

from memory_core.memory.runtime import Runtime
from memory_core.ui.tab.answer.first_run import FirstRun
from tests.builders import SPACE, said

MakeRuntime = Callable[..., Runtime]


def test_card_is_shown_without_memories_and_stays_when_the_first_ones_come(
    make_runtime: MakeRuntime,
) -> None:
    runtime = make_runtime()
    first_run = FirstRun(runtime)
    assert first_run.is_due()
    runtime.memory.remember(SPACE, "chat", said("My dog is called Bello"))
    assert first_run.has_memories()
    assert first_run.is_due()


def test_installation_with_memories_gets_no_card(make_runtime: MakeRuntime) -> None:
    runtime = make_runtime()
    runtime.memory.remember(SPACE, "chat", said("My dog is called Bello"))
    assert not FirstRun(runtime).is_due()


def test_dismissed_card_does_not_come_back(make_runtime: MakeRuntime) -> None:
    runtime = make_runtime()
    FirstRun(runtime).dismiss()
    assert not FirstRun(runtime).is_due()
