"""Builds the best prompt that the host's chat template accepts and that fits the context."""

from collections.abc import Callable
from dataclasses import dataclass, field

from ..prompt.plan import PromptLayout, PromptPlan
from ..prompt.verify import find_prompt_faults
from ..prompt.window import Window
from ..recall.results import Recall

MAX_REFITS = 4
_REFIT_MARGIN = 1.1

PlanPrompt = Callable[[PromptLayout, float], PromptPlan]
"""Plans a layout; the factor multiplies the estimated token cost of every text."""

BuildPrompt = Callable[[Window], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltPrompt:
    """A finished prompt, and how it was built.

    `prompt` and `plan` are None when only the host can build one; `faults` lists the failures.
    `shrink_factor` is above 1 when the window had to be smaller than the estimate suggested.
    `recall` is the recall that the plan injects.
    """

    prompt: str | None
    window: Window
    plan: PromptPlan | None = None
    tokens: int | None = None
    faults: tuple[str, ...] = ()
    shrink_factor: float = 1.0
    recall: Recall = field(default_factory=Recall)


@dataclass(slots=True)
class _LayoutFallback:
    """Layouts still to try, and the factor by which the window has to shrink."""

    layouts: list[PromptLayout]
    failed_windows: list[Window]
    faults: list[str]
    shrink_factor: float = 1.0
    refits_left: int = MAX_REFITS

    def fall_back(self, window: Window, faults: tuple[str, ...]) -> None:
        self.faults += faults
        self.failed_windows.append(window)
        self.layouts.pop(0)

    def shrink(self, excess_ratio: float) -> None:
        self.shrink_factor *= excess_ratio * _REFIT_MARGIN
        self.refits_left -= 1


def build_fitting_prompt(
    window: Window,
    *,
    attempt: PlanPrompt,
    build: BuildPrompt,
    count_prompt: Callable[[str], int | None],
    limit: int,
) -> BuiltPrompt:
    """Tries the layouts in order, and shrinks the window of a prompt above `limit` tokens.

    `build` must not truncate, since that would hide the real length of the prompt.
    `count_prompt` returns None when no tokenizer is loaded.
    """
    fallback = _LayoutFallback(layouts=list(PromptLayout), failed_windows=[], faults=[])
    while fallback.layouts and fallback.refits_left:
        plan = attempt(fallback.layouts[0], fallback.shrink_factor)
        prompt, faults = _try_build(plan, build, fallback.failed_windows)
        if faults is not None:
            fallback.fall_back(plan.window, faults)
            continue
        tokens = count_prompt(prompt)
        if tokens is None or tokens <= limit:
            return BuiltPrompt(
                prompt=prompt,
                window=plan.window,
                plan=plan,
                tokens=tokens,
                faults=tuple(fallback.faults),
                shrink_factor=fallback.shrink_factor,
            )
        fallback.shrink(tokens / limit)
    if not fallback.refits_left:
        fallback.faults.append("the prompt does not fit the context, even without memories")
    return BuiltPrompt(prompt=None, window=window, faults=tuple(fallback.faults))


def _try_build(
    plan: PromptPlan, build: BuildPrompt, failed_windows: list[Window]
) -> tuple[str, tuple[str, ...] | None]:
    """Returns the prompt and its faults; the faults are None when the prompt is good."""
    if plan.window in failed_windows:
        return "", ()
    try:
        prompt = build(plan.window)
    except Exception as exc:  # noqa: BLE001 - a chat template may raise any exception
        return "", (f"the chat template raised an error: {exc}",)
    return prompt, find_prompt_faults(prompt, plan) or None
