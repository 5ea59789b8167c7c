"""From plans to a prompt: the best one that the host's template takes, else none."""

from collections.abc import Callable
from dataclasses import dataclass

from ..prompt.plan import PromptLayout, PromptPlan
from ..prompt.verify import find_prompt_faults
from ..prompt.window import Window

MAX_REFITS = 4
_REFIT_MARGIN = 1.1

PlanPrompt = Callable[[PromptLayout, float], PromptPlan]
"""Plans this shape for a window fitted as if every text cost so many times its estimate."""

BuildPrompt = Callable[[Window], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltPrompt:
    """`prompt` and `plan` are None where only the host can build one. `faults` tells what failed.

    `stretch` is above 1 where the window had to be fitted tighter than the estimate wanted it.
    """

    prompt: str | None
    window: Window
    plan: PromptPlan | None = None
    tokens: int | None = None
    faults: tuple[str, ...] = ()
    shrink_factor: float = 1.0


@dataclass(slots=True)
class _LayoutFallback:
    """The shapes still to try, and how much tighter than estimated the window has to be."""

    layouts: list[PromptLayout]
    failed_windows: list[Window]
    faults: list[str]
    shrink_factor: float = 1.0
    refits_left: int = MAX_REFITS

    def fall_back(self, window: Window, found: tuple[str, ...]) -> None:
        self.faults += found
        self.failed_windows.append(window)
        self.layouts.pop(0)

    def shrink(self, over: float) -> None:
        self.shrink_factor *= over * _REFIT_MARGIN
        self.refits_left -= 1


def build_fitting_prompt(
    window: Window,
    *,
    attempt: PlanPrompt,
    build: BuildPrompt,
    count_prompt: Callable[[str], int | None],
    limit: int,
) -> BuiltPrompt:
    """Tries the shapes in order; a prompt of more than `limit` tokens is fitted anew.

    `build` should not truncate, for then nobody can tell how long the prompt really is.
    `count_prompt` gives None where nothing counts tokens.
    """
    ladder = _LayoutFallback(layouts=list(PromptLayout), failed_windows=[], faults=[])
    while ladder.layouts and ladder.refits_left:
        plan = attempt(ladder.layouts[0], ladder.shrink_factor)
        prompt, found = _try_build(plan, build, ladder.failed_windows)
        if found is not None:
            ladder.fall_back(plan.window, found)
            continue
        tokens = count_prompt(prompt)
        if tokens is None or tokens <= limit:
            return BuiltPrompt(
                prompt=prompt,
                window=plan.window,
                plan=plan,
                tokens=tokens,
                faults=tuple(ladder.faults),
                shrink_factor=ladder.shrink_factor,
            )
        ladder.shrink(tokens / limit)
    if not ladder.refits_left:
        ladder.faults.append("the prompt does not fit the context, even without memories")
    return BuiltPrompt(prompt=None, window=window, faults=tuple(ladder.faults))


def _try_build(
    plan: PromptPlan, build: BuildPrompt, failed: list[Window]
) -> tuple[str, tuple[str, ...] | None]:
    """The prompt, and what is wrong with it: None when all is well."""
    if plan.window in failed:
        return "", ()
    try:
        prompt = build(plan.window)
    except Exception as exc:  # noqa: BLE001 - a chat template may raise anything it likes
        return "", (f"the chat template refuses: {exc}",)
    return prompt, find_prompt_faults(prompt, plan) or None
