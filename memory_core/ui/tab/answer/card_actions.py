"""Executes the buttons of a card on its memory."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ....domain.errors import LongTermMemoryError, UnknownMemory, WordsErased
from ....host.hooks import Hooks
from ....text.problem_text import failure_text
from ..common.actions import Click
from ..common.memory_text import edited_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The message of the last action, at the card of its memory.

    `before` has the two sides before an edit that can be undone.
    """

    memory_id: str = ""
    message: str = ""
    before: tuple[str, str] | None = None


NOTHING_DONE = Outcome()


@dataclass(frozen=True, kw_only=True)
class CardClick(Click[Outcome]):
    """A click on a card of an answer in `conversation`; its state is the outcome before it."""

    conversation: str

    @property
    def memory_id(self) -> str:
        return self.action.value("memory_id")

    def outcome(self, key: str = "") -> Outcome:
        return Outcome(memory_id=self.memory_id, message=self.words[key] if key else "")


def execute(hooks: Hooks, click: CardClick) -> Outcome:
    """Executes the action; its outcome names what can be undone. A failure is an outcome, too."""
    handler = _HANDLERS.get(click.action.name)
    if handler is None:
        return NOTHING_DONE
    try:
        return handler(hooks, click)
    except WordsErased:
        return click.outcome("words_erased")
    except UnknownMemory:
        return click.outcome("answer_not_yours")
    except LongTermMemoryError as exc:
        return replace(click.outcome(), message=failure_text(exc, click.words))


def _pin_or_unpin(hooks: Hooks, click: CardClick) -> Outcome:
    memory, name = hooks.runtime.memory, click.action.name
    (memory.pin if name == "pin" else memory.unpin)(click.namespace, click.memory_id)
    return click.outcome(f"did_{name}")


def _forget(hooks: Hooks, click: CardClick) -> Outcome:
    hooks.runtime.forget(click.namespace, [click.memory_id])
    return click.outcome()


def _unforget(hooks: Hooks, click: CardClick) -> Outcome:
    hooks.runtime.memory.unforget(click.namespace, click.memory_id)
    return click.outcome("did_unforget")


def _leave_out_or_use(hooks: Hooks, click: CardClick) -> Outcome:
    leaves_out = click.action.name == "leave_out"
    if not click.conversation:
        return click.outcome("answer_no_chat")
    is_done = hooks.command_executor.set_left_out(
        click.namespace, click.conversation, click.memory_id, left_out=leaves_out
    )
    if not is_done:
        return click.outcome("switch_later")
    return click.outcome("" if leaves_out else "answer_used_again")


def _edit(hooks: Hooks, click: CardClick) -> Outcome:
    new = (click.action.value("user"), click.action.value("character"))
    if not any(text.strip() for text in new):
        return click.outcome("answer_empty")
    return replace(click.outcome("saved_edit"), before=_change(hooks, click, new))


def _undo_edit(hooks: Hooks, click: CardClick) -> Outcome:
    if click.state.memory_id != click.memory_id or click.state.before is None:
        return NOTHING_DONE
    _change(hooks, click, click.state.before)
    return click.outcome("answer_edit_undone")


def _change(hooks: Hooks, click: CardClick, new: tuple[str, str]) -> tuple[str, str]:
    """Changes both sides of the memory and returns the former ones."""
    memory = hooks.runtime.memory.get_record(click.namespace, click.memory_id).memory
    hooks.runtime.memory.edit(click.namespace, memory.id, edited_fields(memory, *new))
    hooks.runtime.schedule(click.namespace)
    return memory.sides


_HANDLERS: Mapping[str, Callable[[Hooks, CardClick], Outcome]] = {
    "pin": _pin_or_unpin,
    "unpin": _pin_or_unpin,
    "forget": _forget,
    "unforget": _unforget,
    "leave_out": _leave_out_or_use,
    "use_again": _leave_out_or_use,
    "edit": _edit,
    "undo_edit": _undo_edit,
}
