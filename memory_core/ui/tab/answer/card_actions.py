"""Executes the buttons of a card on its memory."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ....domain.errors import LongTermMemoryError, UnknownMemory, WordsErased
from ....domain.namespaces import Namespace
from ....host.hooks import Hooks
from ....text.locales import Words
from ....text.problem_text import failure_text
from ..common.actions import Action
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CardAction:
    """An action on one memory, in the chat of the answer; `last` is the outcome before it."""

    action: Action
    namespace: Namespace
    conversation: str
    last: Outcome
    words: Words

    @property
    def memory_id(self) -> str:
        return self.action.values.get("memory_id", "")

    def outcome(self, key: str = "") -> Outcome:
        return Outcome(memory_id=self.memory_id, message=self.words[key] if key else "")


class CardActions:
    """Pins, edits, forgets and leaves out memories; each outcome names what can be undone."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self._memory = hooks.runtime.memory
        self._handlers: Mapping[str, Callable[[CardAction], Outcome]] = {
            "pin": self._pin,
            "unpin": self._unpin,
            "forget": self._forget,
            "unforget": self._unforget,
            "leave_out": self._leave_out,
            "use_again": self._use_again,
            "edit": self._edit,
            "undo_edit": self._undo_edit,
        }

    def run(self, wanted: CardAction) -> Outcome:
        """Returns the outcome; a failure is a message at the card."""
        handler = self._handlers.get(wanted.action.name)
        if handler is None:
            return NOTHING_DONE
        try:
            return handler(wanted)
        except WordsErased:
            return wanted.outcome("words_erased")
        except UnknownMemory:
            return wanted.outcome("answer_not_yours")
        except LongTermMemoryError as exc:
            return replace(wanted.outcome(), message=failure_text(exc, wanted.words))

    def _pin(self, wanted: CardAction) -> Outcome:
        self._memory.pin(wanted.namespace, wanted.memory_id)
        return wanted.outcome("did_pin")

    def _unpin(self, wanted: CardAction) -> Outcome:
        self._memory.unpin(wanted.namespace, wanted.memory_id)
        return wanted.outcome("did_unpin")

    def _forget(self, wanted: CardAction) -> Outcome:
        self._hooks.runtime.forget(wanted.namespace, [wanted.memory_id])
        return wanted.outcome()

    def _unforget(self, wanted: CardAction) -> Outcome:
        self._memory.unforget(wanted.namespace, wanted.memory_id)
        return wanted.outcome("did_unforget")

    def _leave_out(self, wanted: CardAction) -> Outcome:
        if not wanted.conversation:
            return wanted.outcome("answer_no_chat")
        done = self._hooks.command_executor.set_left_out(
            wanted.namespace, wanted.conversation, wanted.memory_id, left_out=True
        )
        return wanted.outcome("" if done else "switch_later")

    def _use_again(self, wanted: CardAction) -> Outcome:
        done = self._hooks.command_executor.set_left_out(
            wanted.namespace, wanted.conversation, wanted.memory_id, left_out=False
        )
        return wanted.outcome("answer_used_again" if done else "switch_later")

    def _edit(self, wanted: CardAction) -> Outcome:
        values = wanted.action.values
        new = (values.get("user", ""), values.get("character", ""))
        if not any(text.strip() for text in new):
            return wanted.outcome("answer_empty")
        before = self._change(wanted, new)
        return replace(wanted.outcome("saved_edit"), before=before)

    def _undo_edit(self, wanted: CardAction) -> Outcome:
        if wanted.last.memory_id != wanted.memory_id or wanted.last.before is None:
            return NOTHING_DONE
        self._change(wanted, wanted.last.before)
        return wanted.outcome("answer_edit_undone")

    def _change(self, wanted: CardAction, new: tuple[str, str]) -> tuple[str, str]:
        """Changes both sides of the memory and returns the former ones."""
        memory = self._memory.get_record(wanted.namespace, wanted.memory_id).memory
        self._memory.edit(wanted.namespace, memory.id, edited_fields(memory, *new))
        self._hooks.runtime.schedule(wanted.namespace)
        return memory.sides
