"""Executes clicks in the review: approve, reject, settle, and the undo of each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ....domain.errors import LongTermMemoryError, SourcesChanged, UnknownMemory
from ....domain.namespaces import Namespace
from ....memory.doubts import Doubts, Settled, Verdict
from ....memory.held_inbox import HeldDecision, HeldInbox
from ....memory.inbox import Inbox
from ....memory.runtime import Runtime
from ....text.locales import Words
from ....text.problem_text import failure_text
from ..common.actions import Action
from .undo import Undo


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewState:
    """The outcome of the last click, its undo, and the proposal that is being edited."""

    message: str = ""
    undo: Undo | None = None
    editing: str = ""


FIRST_REVIEW = ReviewState()


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoApproval:
    namespace: Namespace
    note_id: str

    def run(self, runtime: Runtime) -> None:
        inbox_of(runtime).withdraw(self.namespace, self.note_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoRejection:
    namespace: Namespace
    memory_id: str

    def run(self, runtime: Runtime) -> None:
        inbox_of(runtime).reconsider(self.namespace, self.memory_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoVerdict:
    namespace: Namespace
    settled: Settled

    def run(self, runtime: Runtime) -> None:
        Doubts(runtime.memory).undo(self.namespace, self.settled)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewClick:
    """An action of a visitor in a namespace, with the state before it."""

    action: Action
    namespace: Namespace
    state: ReviewState
    words: Words

    def value(self, name: str) -> str:
        return self.action.values.get(name, "")


def inbox_of(runtime: Runtime) -> Inbox:
    return Inbox(runtime.memory, min_times=runtime.settings.consolidation.proposal_min_times)


def after_review_click(runtime: Runtime, click: ReviewClick) -> ReviewState:
    """Returns the state after a click; an unknown action changes nothing."""
    handler = _HANDLERS.get(click.action.name)
    if handler is None:
        return click.state
    try:
        return handler(runtime, click)
    except (UnknownMemory, SourcesChanged):
        return ReviewState(message=click.words["review_gone"])
    except (LongTermMemoryError, ValueError) as exc:
        return ReviewState(message=failure_text(exc, click.words))


def _approve(runtime: Runtime, click: ReviewClick) -> ReviewState:
    space = click.namespace
    note = inbox_of(runtime).approve(space, click.value("memory_id"), click.value("text"))
    runtime.schedule(space)
    undo = UndoApproval(namespace=space, note_id=note)
    return ReviewState(message=click.words["review_approved"], undo=undo)


def _save(runtime: Runtime, click: ReviewClick) -> ReviewState:
    if not click.value("text").strip():
        return replace(click.state, message=click.words["review_empty"], undo=None)
    return _approve(runtime, click)


def _reject(runtime: Runtime, click: ReviewClick) -> ReviewState:
    memory_id = click.value("memory_id")
    inbox_of(runtime).reject(click.namespace, memory_id)
    undo = UndoRejection(namespace=click.namespace, memory_id=memory_id)
    return ReviewState(message=click.words["review_rejected"], undo=undo)


def _settle(runtime: Runtime, click: ReviewClick) -> ReviewState:
    verdict = Verdict(click.value("verdict"))
    pair = (click.value("first"), click.value("second"))
    settled = Doubts(runtime.memory).settle(click.namespace, pair, verdict)
    runtime.schedule(click.namespace)
    undo = UndoVerdict(namespace=click.namespace, settled=settled)
    return ReviewState(message=click.words["review_settled"], undo=undo)


def _decide(runtime: Runtime, click: ReviewClick) -> ReviewState:
    decision = HeldDecision(click.value("decision"))
    inbox = HeldInbox(runtime.memory, runtime.pauses)
    inbox.decide(click.namespace, click.value("held_id"), decision)
    runtime.schedule(click.namespace)
    return ReviewState(message=click.words[f"review_held_told_{decision}"])


def _edit(_: Runtime, click: ReviewClick) -> ReviewState:
    return ReviewState(editing=click.value("memory_id"))


def _cancel(_: Runtime, __: ReviewClick) -> ReviewState:
    return FIRST_REVIEW


def _undo(runtime: Runtime, click: ReviewClick) -> ReviewState:
    undo = click.state.undo
    if undo is None or undo.namespace != click.namespace:
        return ReviewState(message=click.words["nothing_to_undo"])
    undo.run(runtime)
    runtime.schedule(click.namespace)
    return ReviewState(message=click.words["undone"])


_HANDLERS: Mapping[str, Callable[[Runtime, ReviewClick], ReviewState]] = {
    "approve": _approve,
    "save": _save,
    "reject": _reject,
    "settle": _settle,
    "decide": _decide,
    "edit": _edit,
    "cancel": _cancel,
    "undo": _undo,
}
