"""From plans to a prompt: the best one that the host's template takes, else none."""

from collections.abc import Callable
from dataclasses import dataclass

from ..prompt.plan import Plan, Shape
from ..prompt.verify import faults
from ..prompt.window import Window

REFITS = 4
_SLACK = 1.1

Attempt = Callable[[Shape, float], Plan]
"""Plans this shape for a window fitted as if every text cost so many times its estimate."""

Build = Callable[[Window], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """`prompt` and `plan` are None where only the host can build one. `faults` tells what failed.

    `stretch` is above 1 where the window had to be fitted tighter than the estimate wanted it.
    """

    prompt: str | None
    window: Window
    plan: Plan | None = None
    tokens: int | None = None
    faults: tuple[str, ...] = ()
    stretch: float = 1.0


@dataclass(slots=True)
class _Ladder:
    """The shapes still to try, and how much tighter than estimated the window has to be."""

    shapes: list[Shape]
    failed: list[Window]
    faults: list[str]
    stretch: float = 1.0
    refits: int = REFITS

    def step_down(self, window: Window, found: tuple[str, ...]) -> None:
        self.faults += found
        self.failed.append(window)
        self.shapes.pop(0)

    def tighten(self, over: float) -> None:
        self.stretch *= over * _SLACK
        self.refits -= 1


def deliver(
    window: Window,
    *,
    attempt: Attempt,
    build: Build,
    count_prompt: Callable[[str], int | None],
    limit: int,
) -> Delivered:
    """Tries the shapes in order; a prompt of more than `limit` tokens is fitted anew.

    `build` should not truncate, for then nobody can tell how long the prompt really is.
    `count_prompt` gives None where nothing counts tokens.
    """
    ladder = _Ladder(shapes=list(Shape), failed=[], faults=[])
    while ladder.shapes and ladder.refits:
        plan = attempt(ladder.shapes[0], ladder.stretch)
        prompt, found = _built(plan, build, ladder.failed)
        if found is not None:
            ladder.step_down(plan.window, found)
            continue
        tokens = count_prompt(prompt)
        if tokens is None or tokens <= limit:
            return Delivered(
                prompt=prompt,
                window=plan.window,
                plan=plan,
                tokens=tokens,
                faults=tuple(ladder.faults),
                stretch=ladder.stretch,
            )
        ladder.tighten(tokens / limit)
    if not ladder.refits:
        ladder.faults.append("the prompt does not fit the context, even without memories")
    return Delivered(prompt=None, window=window, faults=tuple(ladder.faults))


def _built(plan: Plan, build: Build, failed: list[Window]) -> tuple[str, tuple[str, ...] | None]:
    """The prompt, and what is wrong with it: None when all is well."""
    if plan.window in failed:
        return "", ()
    try:
        prompt = build(plan.window)
    except Exception as exc:  # noqa: BLE001 - a chat template may raise anything it likes
        return "", (f"the chat template refuses: {exc}",)
    return prompt, faults(prompt, plan) or None
