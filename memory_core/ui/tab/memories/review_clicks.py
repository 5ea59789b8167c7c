"""Executes clicks in the review: approve, reject, settle, and the undo of each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ....domain.errors import LongTermMemoryError, SourcesChanged, UnknownMemory
from ....memory.doubts import Doubts, Verdict
from ....memory.held_inbox import HeldDecision, HeldInbox
from ....memory.inbox import Inbox
from ....memory.runtime import Runtime
from ....text.problem_text import failure_text
from ..common.actions import Click, Undo, undo_last


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewState:
    """The outcome of the last click, its undo, and the proposal that is being edited."""

    message: str = ""
    undo: Undo | None = None
    editing: str = ""


FIRST_REVIEW = ReviewState()


ReviewClick = Click[ReviewState]


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
    note = inbox_of(runtime).approve(
        space, click.action.value("memory_id"), click.action.value("text")
    )
    runtime.schedule(space)
    undo = Undo(namespace=space, run=lambda runtime: inbox_of(runtime).withdraw(space, note))
    return ReviewState(message=click.words["review_approved"], undo=undo)


def _save(runtime: Runtime, click: ReviewClick) -> ReviewState:
    if not click.action.value("text").strip():
        return replace(click.state, message=click.words["review_empty"], undo=None)
    return _approve(runtime, click)


def _reject(runtime: Runtime, click: ReviewClick) -> ReviewState:
    space, memory_id = click.namespace, click.action.value("memory_id")
    inbox_of(runtime).reject(space, memory_id)
    undo = Undo(namespace=space, run=lambda runtime: inbox_of(runtime).reconsider(space, memory_id))
    return ReviewState(message=click.words["review_rejected"], undo=undo)


def _settle(runtime: Runtime, click: ReviewClick) -> ReviewState:
    space, verdict = click.namespace, Verdict(click.action.value("verdict"))
    pair = (click.action.value("first"), click.action.value("second"))
    settled = Doubts(runtime.memory).settle(space, pair, verdict)
    runtime.schedule(space)
    undo = Undo(namespace=space, run=lambda runtime: Doubts(runtime.memory).undo(space, settled))
    return ReviewState(message=click.words["review_settled"], undo=undo)


def _decide(runtime: Runtime, click: ReviewClick) -> ReviewState:
    decision = HeldDecision(click.action.value("decision"))
    inbox = HeldInbox(runtime.memory, runtime.pauses)
    inbox.decide(click.namespace, click.action.value("held_id"), decision)
    runtime.schedule(click.namespace)
    return ReviewState(message=click.words[f"review_held_told_{decision}"])


def _undo(runtime: Runtime, click: ReviewClick) -> ReviewState:
    done = undo_last(click.state.undo, runtime, click.namespace, click.words)
    return ReviewState(message=done)


_HANDLERS: Mapping[str, Callable[[Runtime, ReviewClick], ReviewState]] = {
    "approve": _approve,
    "save": _save,
    "reject": _reject,
    "settle": _settle,
    "decide": _decide,
    "edit": lambda _, click: ReviewState(editing=click.action.value("memory_id")),
    "cancel": lambda *_: FIRST_REVIEW,
    "undo": _undo,
}
