"""Verifies that a finished prompt contains everything planned, exactly once.

A host's template may drop, repeat or move text without an error, so the prompt itself is checked.
"""

from dataclasses import dataclass

from .plan import PromptPlan
from .templates import MACROS
from .window import ChatMode, Window

_DISTINCTIVE_CHARS = 16


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
