from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from memory_core.host.delivery import (
    MAX_REFITS,
    BuiltPrompt,
    build_fitting_prompt,
    find_prompt_faults,
)
from memory_core.prompt.plan import PromptInputs, PromptLayout, PromptPlan, make_plan
from memory_core.prompt.window import ChatMode, ChatRow, Window
from tests.cases import for_each

from ..prompt.scenes import KEPT, SAID, material

ROWS = (
    ChatRow(user="What grows here?", assistant="Only the finest of thyme."),
    ChatRow(user="And there?", assistant="A little rosemary, as you see."),
)
WINDOW = Window(rows=ROWS, message="Which dog?", mode=ChatMode.CHAT, context="A gardener.")
PLAN = make_plan(WINDOW, material())


def written(window: Window) -> str:
    cells = [window.context, *(cell for row in window.rows for cell in (row.user, row.assistant))]
    return "\n".join([*cells, window.message])


@dataclass
class GardenAttempts:
    """Attempts made of three functions."""

    write: Callable[[Window], str]
    shrunk_window: Callable[[float], Window] = lambda factor: WINDOW
    count: Callable[[str], int | None] = len
    limit: int = 100_000
    shown: Window = WINDOW
    inputs: PromptInputs = field(default_factory=material)

    def build(self, plan: PromptPlan) -> str:
        return self.write(plan.window)


def delivered(write: Callable[[Window], str], **others: Any) -> BuiltPrompt:
    return build_fitting_prompt(GardenAttempts(write, **others))


def test_template_that_takes_all_gets_the_full_plan() -> None:
    result = delivered(written)
    assert result.plan == PLAN
    assert result.tokens == len(result.prompt)
    assert result.faults == ()


def test_template_that_refuses_replays_gets_everything_in_the_block() -> None:
    def build(window: Window) -> str:
        if len(window.rows) > 2:
            raise RuntimeError("too many turns")
        return written(window)

    result = delivered(build)
    assert result.plan.replayed == ()
    assert all(said in result.plan.block for said in SAID)
    assert any("too many turns" in fault for fault in result.faults)


def test_template_that_refuses_any_memory_gets_the_chat_alone() -> None:
    result = delivered(lambda window: written(window).replace("record", ""))
    assert result.plan.window == WINDOW
    assert result.prompt == written(WINDOW)


def test_prompt_that_cannot_be_built_is_left_to_the_host() -> None:
    def build(window: Window) -> str:
        raise KeyError("gone")

    result = delivered(build)
    assert result.prompt is None
    assert result.plan is None
    assert len(result.faults) == len(PromptLayout)


def test_too_long_prompt_is_shrunk_until_it_fits() -> None:
    asked: list[float] = []

    def shrink(stretch: float) -> Window:
        asked.append(stretch)
        return replace(WINDOW, rows=ROWS if stretch < 1.3 else ROWS[1:])

    full = len(written(PLAN.window))
    result = delivered(written, shrunk_window=shrink, limit=full - 10)
    assert result.plan is not None
    assert result.tokens <= full - 10
    assert asked
    assert asked == sorted(asked)


def test_prompt_that_never_fits_is_left_to_the_host() -> None:
    built: list[Window] = []
    result = delivered(lambda window: built.append(window) or written(window), limit=5)
    assert result.prompt is None
    assert len(built) == MAX_REFITS
    assert "does not fit" in result.faults[-1]


def test_prompt_without_a_token_counter_is_accepted() -> None:
    assert delivered(written, count=lambda prompt: None, limit=5).plan == PLAN


@for_each(
    ("spoil", "fault"),
    [
        (lambda text: text.replace(PLAN.block, ""), "memory block"),
        (lambda text: f"{text}\n{PLAN.block}", "memory block"),
        (lambda text: PLAN.block + text.replace(PLAN.block, ""), "before the last reply"),
        (lambda text: text.replace(PLAN.system_block, ""), "system block"),
        (lambda text: text + PLAN.system_block, "system block"),
        (lambda text: text.replace(PLAN.replayed[0][0], ""), "replayed"),
        (lambda text: text + PLAN.replayed[1][1], "replayed"),
        (lambda text: text.removesuffix("dog?"), "user's text"),
    ],
)
def test_each_prompt_fault_is_found(spoil: Callable[[str], str], fault: str) -> None:
    prompt = written(PLAN.window)
    assert find_prompt_faults(prompt, PLAN) == ()
    assert any(fault in found for found in find_prompt_faults(spoil(prompt), PLAN))


def test_names_inserted_by_the_host_are_no_fault() -> None:
    window = Window(
        rows=ROWS,
        message="Does {{char}} know <USER>?",
        mode=ChatMode.CHAT_INSTRUCT,
        name1="A",
        name2="B",
    )
    plan = make_plan(window, material(kept=KEPT[2:]))
    prompt = written(plan.window).replace("{{char}}", "B").replace("<USER>", "A")
    assert find_prompt_faults(prompt, plan) == ()


def test_continued_reply_must_be_last_in_the_prompt() -> None:
    window = Window(rows=ROWS, is_continuing=True)
    plan = make_plan(window, material())
    head = "\n".join(
        (plan.window.context, *(f"{row.user}\n{row.assistant}" for row in plan.window.rows))
    )
    head = f"{plan.window.custom_system_message}\n{head}"
    assert find_prompt_faults(head, plan) == ()
    assert find_prompt_faults(f"{head}<|end|>", plan) == ("the reply to continue is not last",)
