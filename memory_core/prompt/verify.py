"""What can be seen in a finished prompt: does everything that was planned stand there, once?

A host's template may drop, double or move text without raising, so the prompt itself is read.
"""

from collections.abc import Iterator

from .plan import PromptPlan
from .window import ChatMode, Window

_DISTINCTIVE_CHARS = 16


def find_prompt_faults(prompt: str, plan: PromptPlan) -> tuple[str, ...]:
    """What is wrong, in plain words; empty when all is well or nothing was put in."""
    if plan.window == plan.base_window:
        return ()
    return tuple(_iter_faults(_HostPrompt(prompt, plan.base_window), plan))


class _HostPrompt:
    """A prompt, read as the host writes it: texts trimmed, and names put in where it does that."""

    def __init__(self, prompt: str, window: Window) -> None:
        self.prompt = prompt
        self._names = window if window.mode is ChatMode.CHAT_INSTRUCT else None

    def count(self, text: str) -> int:
        return self.prompt.count(self._as_host_writes(text))

    def text_before(self, text: str) -> str:
        return self.prompt.partition(self._as_host_writes(text))[0]

    def _as_host_writes(self, text: str) -> str:
        text = text.strip()
        if self._names is None:
            return text
        for macro, name in _macro_values(self._names):
            text = text.replace(macro, name)
        return text


def _macro_values(window: Window) -> tuple[tuple[str, str], ...]:
    return (
        ("{{user}}", window.name1),
        ("{{char}}", window.name2),
        ("<USER>", window.name1),
        ("<BOT>", window.name2),
    )


def _iter_faults(seen: _HostPrompt, plan: PromptPlan) -> Iterator[str]:
    if plan.system_block and seen.count(plan.system_block) != 1:
        yield "the system block does not stand in the prompt once"
    if plan.block and seen.count(plan.block) != 1:
        yield "the memory block does not stand in the prompt once"
    elif plan.block and plan.block_in_message and not _is_after_last_reply(seen, plan):
        yield "the memory block stands before the last reply"
    if not all(_occurs_as_expected(seen, text, plan) for pair in plan.replayed for text in pair):
        yield "a replayed exchange does not stand in the prompt once"
    if not seen.count(plan.base_window.question):
        yield "the user's text is not whole"
    if plan.base_window.is_continuing and not _ends_with_reply(seen, plan.base_window):
        yield "the reply to continue is not last"


def _is_after_last_reply(seen: _HostPrompt, plan: PromptPlan) -> bool:
    """A reply that the template rewrites (reasoning left out) cannot be looked for."""
    replies = [row.assistant for row in plan.base_window.past_rows if row.assistant.strip()]
    if not replies or not seen.count(replies[-1]):
        return True
    return _HostPrompt(seen.text_before(plan.block), plan.base_window).count(replies[-1]) > 0


def _occurs_as_expected(seen: _HostPrompt, text: str, plan: PromptPlan) -> bool:
    """As often as in the window; a short text may also be part of the template's own words."""
    if len(text) < _DISTINCTIVE_CHARS:
        return seen.count(text) > 0
    window = plan.window
    cells = [cell for row in window.rows for cell in (row.user, row.assistant, row.tool_text)]
    cells += [window.message, window.context, window.custom_system_message]
    return 1 <= seen.count(text) <= sum(cell.count(text) for cell in cells)


def _ends_with_reply(seen: _HostPrompt, window: Window) -> bool:
    reply = window.rows[-1].assistant.strip()
    return not seen.count(reply) or seen.prompt.rstrip().endswith(reply)
