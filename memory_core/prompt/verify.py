"""What can be seen in a finished prompt: does everything that was planned stand there, once?

A host's template may drop, double or move text without raising, so the prompt itself is read.
"""

from collections.abc import Iterator

from .plan import Plan
from .window import Mode, Window

_DISTINCTIVE = 16


def faults(prompt: str, plan: Plan) -> tuple[str, ...]:
    """What is wrong, in plain words; empty when all is well or nothing was put in."""
    if plan.window == plan.base:
        return ()
    return tuple(_faults(_Seen(prompt, plan.base), plan))


class _Seen:
    """A prompt, read as the host writes it: texts trimmed, and names put in where it does that."""

    def __init__(self, prompt: str, window: Window) -> None:
        self.prompt = prompt
        self._names = window if window.mode is Mode.CHAT_INSTRUCT else None

    def count(self, text: str) -> int:
        return self.prompt.count(self._written(text))

    def before(self, text: str) -> str:
        return self.prompt.partition(self._written(text))[0]

    def _written(self, text: str) -> str:
        text = text.strip()
        if self._names is None:
            return text
        for macro, name in _macros(self._names):
            text = text.replace(macro, name)
        return text


def _macros(window: Window) -> tuple[tuple[str, str], ...]:
    return (
        ("{{user}}", window.name1),
        ("{{char}}", window.name2),
        ("<USER>", window.name1),
        ("<BOT>", window.name2),
    )


def _faults(seen: _Seen, plan: Plan) -> Iterator[str]:
    if plan.system_block and seen.count(plan.system_block) != 1:
        yield "the system block does not stand in the prompt once"
    if plan.block and seen.count(plan.block) != 1:
        yield "the memory block does not stand in the prompt once"
    elif plan.block and plan.block_in_message and not _after_last_reply(seen, plan):
        yield "the memory block stands before the last reply"
    if not all(_once(seen, text, plan) for pair in plan.replayed for text in pair):
        yield "a replayed exchange does not stand in the prompt once"
    if not seen.count(plan.base.question):
        yield "the user's text is not whole"
    if plan.base.continuing and not _continues(seen, plan.base):
        yield "the reply to continue is not last"


def _after_last_reply(seen: _Seen, plan: Plan) -> bool:
    """A reply that the template rewrites (reasoning left out) cannot be looked for."""
    replies = [row.assistant for row in plan.base.past if row.assistant.strip()]
    if not replies or not seen.count(replies[-1]):
        return True
    return _Seen(seen.before(plan.block), plan.base).count(replies[-1]) > 0


def _once(seen: _Seen, text: str, plan: Plan) -> bool:
    """As often as in the window; a short text may also be part of the template's own words."""
    if len(text) < _DISTINCTIVE:
        return seen.count(text) > 0
    window = plan.window
    cells = [cell for row in window.rows for cell in (row.user, row.assistant, row.tool)]
    cells += [window.message, window.context, window.custom_system_message]
    return 1 <= seen.count(text) <= sum(cell.count(text) for cell in cells)


def _continues(seen: _Seen, window: Window) -> bool:
    reply = window.rows[-1].assistant.strip()
    return not seen.count(reply) or seen.prompt.rstrip().endswith(reply)
