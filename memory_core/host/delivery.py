"""Builds the best prompt that the host's chat template accepts and that fits the context.

A template may drop, repeat or move text without an error, so each prompt is checked: it has to
contain everything planned, exactly once.
"""

import threading
from dataclasses import dataclass, field

from ..config.schema import Settings
from ..prompt.plan import PromptInputs, PromptLayout, PromptPlan, make_plan, reserved_tokens
from ..prompt.templates import MACROS
from ..prompt.window import ChatMode, Window, fit_window
from ..recall.results import Recall
from ..text.token_counter import estimate_tokens
from .chat.codec import to_host, to_unreadable
from .chat.host_protocol import Host
from .chat.turn_request import UNLIMITED, TurnRequest

MAX_REFITS = 4
_REFIT_MARGIN = 1.1
_SAFETY_FACTOR = 1.1
_DISTINCTIVE_CHARS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltPrompt:
    """A finished prompt with a record of its building.

    `prompt` and `plan` are None when only the host can build one; `faults` lists the failures.
    `shrink_factor` is above 1 when the window had to be smaller than the estimate suggested.
    `recall` is the recall that the plan injects.
    """

    prompt: str | None
    plan: PromptPlan | None = None
    tokens: int | None = None
    faults: tuple[str, ...] = ()
    shrink_factor: float = 1.0
    recall: Recall = field(default_factory=Recall)


class Injection(threading.local):
    """Marks, for this thread, whether the prompt being built contains recalled memories."""

    is_on = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageAttempts:
    """Builds and measures the prompt of one message, of at most `limit` tokens.

    `recall` is the recall that `inputs` inject.
    """

    host: Host
    request: TurnRequest
    settings: Settings
    recall: Recall
    inputs: PromptInputs
    shown: Window
    token_scale: float
    is_scale_learned: bool
    injection: Injection
    limit: int

    def shrunk_window(self, factor: float) -> Window:
        """Returns a smaller window; the factor multiplies the estimated tokens of every text."""
        return fitted_window(self.request, self.settings, self.token_scale * factor)

    def build(self, plan: PromptPlan) -> str:
        """Returns the host's prompt for this plan, untruncated; its length is checked later."""
        request, window = self.request, plan.window
        convert = to_unreadable if request.is_unreadable else to_host
        user_input, state, history = convert(window, request.state, request.history)
        if not request.is_unreadable:  # only the host can truncate an unreadable chat
            state["truncation_length"] = UNLIMITED
        self.injection.is_on = bool(plan.block or plan.replayed)
        try:
            return self.host.build_prompt(
                user_input, state, history=history, continuing=window.is_continuing
            )
        finally:
            # This thread may build the prompt without memories next.
            self.injection.is_on = False

    def count(self, prompt: str) -> int | None:
        """Returns the exact token count, or None when the estimate is clearly below the limit."""
        expected = estimate_tokens(prompt) * self.token_scale
        if self.is_scale_learned and expected * _SAFETY_FACTOR < self.limit:
            return None
        return self.host.count_tokens(prompt)


def build_fitting_prompt(attempts: MessageAttempts) -> BuiltPrompt:
    """Tries the layouts in order, and shrinks the window of a prompt above the limit."""
    window = attempts.shown
    layouts, failed_windows, faults = list(PromptLayout), list[Window](), list[str]()
    shrink_factor, refits_left = 1.0, MAX_REFITS
    while layouts and refits_left:
        plan = make_plan(window, attempts.inputs, layout=layouts[0])
        prompt, new_faults = _try_build(plan, attempts, failed_windows)
        if new_faults is not None:
            faults += new_faults
            failed_windows.append(plan.window)
            layouts.pop(0)
            continue
        tokens = attempts.count(prompt)
        if tokens is None or tokens <= attempts.limit:
            return BuiltPrompt(
                prompt=prompt,
                plan=plan,
                tokens=tokens,
                faults=tuple(faults),
                shrink_factor=shrink_factor,
            )
        shrink_factor *= tokens / attempts.limit * _REFIT_MARGIN
        refits_left -= 1
        window = attempts.shrunk_window(shrink_factor)
    if not refits_left:
        faults.append("the prompt does not fit the context, even without memories")
    return BuiltPrompt(prompt=None, faults=tuple(faults))


def fitted_window(request: TurnRequest, settings: Settings, scale: float) -> Window:
    """Returns the window without its oldest rows, so that memories fit beside it."""
    own, limit = settings.ltm_context, request.token_limit
    return fit_window(
        request.with_recent_turns(own.recent_turns),
        limit_tokens=limit,
        reserved_tokens=reserved_tokens(own, limit),
        scale=scale,
    )


def _try_build(
    plan: PromptPlan, attempts: MessageAttempts, failed_windows: list[Window]
) -> tuple[str, tuple[str, ...] | None]:
    """Returns the prompt and its faults; the faults are None when the prompt is good."""
    if plan.window in failed_windows:
        return "", ()
    try:
        prompt = attempts.build(plan)
    except Exception as exc:  # noqa: BLE001 - a chat template may raise any exception
        return "", (f"the chat template raised an error: {exc}",)
    return prompt, find_prompt_faults(prompt, plan) or None


def find_prompt_faults(prompt: str, plan: PromptPlan) -> tuple[str, ...]:
    """Returns the faults in plain words; empty if all is well or nothing was injected."""
    if plan.window == plan.base_window:
        return ()
    host_prompt, base = _HostPrompt(prompt, plan.base_window), plan.base_window
    system_blocks = host_prompt.count(plan.system_block) if plan.system_block else 1
    blocks = host_prompt.count(plan.block) if plan.block else 1
    has_block = bool(plan.block) and plan.block_in_message and blocks == 1
    replayed = [text for pair in plan.replayed for text in pair]
    faults = {
        "the prompt does not contain the system block exactly once": system_blocks != 1,
        "the prompt does not contain the memory block exactly once": blocks != 1,
        "the memory block comes before the last reply": has_block
        and not _is_after_last_reply(host_prompt, plan),
        "the prompt does not contain a replayed exchange exactly once": not all(
            _occurs_as_expected(host_prompt, text, plan) for text in replayed
        ),
        "the user's text is incomplete": not host_prompt.count(base.question),
        "the reply to continue is not last": base.is_continuing
        and not _ends_with_reply(host_prompt, base),
    }
    return tuple(fault for fault, is_found in faults.items() if is_found)


@dataclass(frozen=True, slots=True)
class _HostPrompt:
    """A prompt as the host writes it: texts are trimmed, and name macros may be filled in."""

    prompt: str
    window: Window

    def count(self, text: str) -> int:
        return self.prompt.count(self.as_host_writes(text))

    def as_host_writes(self, text: str) -> str:
        text = text.strip()
        if self.window.mode is ChatMode.CHAT_INSTRUCT:
            for macro, field in MACROS.items():
                text = text.replace(macro, getattr(self.window, field))
        return text


def _is_after_last_reply(host_prompt: _HostPrompt, plan: PromptPlan) -> bool:
    """Returns True also for a reply that the template rewrites, which cannot be found."""
    replies = [row.assistant for row in plan.base_window.past_rows if row.assistant.strip()]
    if not replies or not host_prompt.count(replies[-1]):
        return True
    before, _, _ = host_prompt.prompt.partition(host_prompt.as_host_writes(plan.block))
    return host_prompt.as_host_writes(replies[-1]) in before


def _occurs_as_expected(host_prompt: _HostPrompt, text: str, plan: PromptPlan) -> bool:
    """Returns whether the text occurs as often as in the window.

    A short text may also be part of the template itself, so it only has to occur.
    """
    if len(text) < _DISTINCTIVE_CHARS:
        return host_prompt.count(text) > 0
    window = plan.window
    cells = [cell for row in window.rows for cell in (row.user, row.assistant, row.tool_text)]
    cells += [window.message, window.context, window.custom_system_message]
    return 1 <= host_prompt.count(text) <= sum(cell.count(text) for cell in cells)


def _ends_with_reply(host_prompt: _HostPrompt, window: Window) -> bool:
    reply = window.rows[-1].assistant.strip()
    return not host_prompt.count(reply) or host_prompt.prompt.rstrip().endswith(reply)
