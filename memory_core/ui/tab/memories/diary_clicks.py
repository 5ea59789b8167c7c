"""Executes clicks in the diary: write, draft, edit, delete, and undo of saved changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime

from ....consolidation.diary_drafts import DiaryDrafter, Draft
from ....domain.derivations import EXTRACTIVE
from ....domain.errors import LongTermMemoryError
from ....domain.namespaces import Namespace
from ....memory.diary import BY_USER, Diary
from ....memory.runtime import Runtime
from ....text.locales import Words
from ....text.problem_text import failure_text, problem_text
from ..common.actions import Action
from .undo import Undo

DRAFT = "draft"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiaryState:
    """The page that is open for writing with its text, the days shown, and the last outcome.

    `made_by` is the author of `text`. The days shown include both ends.
    """

    writing: date | None = None
    text: str = ""
    made_by: str = BY_USER
    since: date | None = None
    until: date | None = None
    message: str = ""
    undo: Undo | None = None


FIRST_DIARY = DiaryState()


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoWriting:
    """Restores a page's earlier text; "" removes the page."""

    namespace: Namespace
    day: date
    before: str

    def run(self, runtime: Runtime) -> None:
        diary = Diary(runtime.memory)
        if self.before:
            diary.write(self.namespace, self.day, self.before)
        else:
            diary.remove(self.namespace, self.day)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoRemoval:
    namespace: Namespace
    memory_id: str

    def run(self, runtime: Runtime) -> None:
        runtime.memory.unforget(self.namespace, self.memory_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiaryClick:
    """An action of a visitor in a namespace, with the state before it."""

    action: Action
    namespace: Namespace
    state: DiaryState
    words: Words

    @property
    def day(self) -> date | None:
        return day_named(self.action.values.get("day", ""))


def day_named(text: str) -> date | None:
    """Returns the day in YYYY-MM-DD; None for anything else."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def after_diary_click(runtime: Runtime, click: DiaryClick) -> DiaryState:
    """Returns the state after a click; an unknown action changes nothing."""
    if click.action.name == "undo":
        return _undone(runtime, click)
    handler = _HANDLERS.get(click.action.name)
    if handler is None:
        return click.state
    quiet = replace(click, state=replace(click.state, message="", undo=None))
    try:
        return handler(runtime, quiet)
    except LongTermMemoryError as exc:
        return replace(quiet.state, message=failure_text(exc, click.words))


def _undone(runtime: Runtime, click: DiaryClick) -> DiaryState:
    undo = click.state.undo
    if undo is None or undo.namespace != click.namespace:
        return _closed(click.state, click.words["nothing_to_undo"])
    try:
        undo.run(runtime)
    except LongTermMemoryError as exc:
        return _closed(click.state, failure_text(exc, click.words))
    runtime.schedule(click.namespace)
    return _closed(click.state, click.words["undone"])


def _open(runtime: Runtime, click: DiaryClick) -> DiaryState:
    """Opens the page of a day for writing, with the text it has."""
    if click.day is None:
        return replace(click.state, message=click.words["diary_no_day"])
    page = Diary(runtime.memory).page(click.namespace, click.day)
    text = page.text if page else ""
    return replace(click.state, writing=click.day, text=text, made_by=BY_USER)


def _draft(runtime: Runtime, click: DiaryClick) -> DiaryState:
    if click.day is None:
        return replace(click.state, message=click.words["diary_no_day"])
    drafter = DiaryDrafter.of(runtime.memory, runtime.models, runtime.settings)
    draft = drafter.draft(click.namespace, click.day)
    message = _draft_message(draft, click.words)
    if not draft.text:
        return replace(click.state, message=message)
    if Diary(runtime.memory).page(click.namespace, click.day) is not None:
        message = f"{message} {click.words['diary_replaces']}"
    return replace(
        click.state, writing=click.day, text=draft.text, made_by=draft.made_by, message=message
    )


def _draft_message(draft: Draft, words: Words) -> str:
    if not draft.exchanges:
        return words["diary_nothing_said"]
    if not draft.text:
        return words["diary_nothing_to_quote"]
    if draft.fault:
        return words("diary_quoted_because", reason=problem_text(draft.fault, words))
    return words["diary_quoted" if draft.made_by == EXTRACTIVE else "diary_drafted"]


def _save(runtime: Runtime, click: DiaryClick) -> DiaryState:
    text, day = click.action.values.get("text", "").strip(), click.day
    if day is None:
        return replace(click.state, message=click.words["diary_no_day"])
    if not text:
        return replace(click.state, message=click.words["diary_empty"])
    diary = Diary(runtime.memory)
    known = diary.page(click.namespace, day)
    is_draft = text == click.state.text.strip()
    diary.write(click.namespace, day, text, made_by=click.state.made_by if is_draft else BY_USER)
    runtime.schedule(click.namespace)
    undo = UndoWriting(namespace=click.namespace, day=day, before=known.text if known else "")
    return _closed(click.state, click.words["diary_saved"], undo)


def _delete(runtime: Runtime, click: DiaryClick) -> DiaryState:
    diary = Diary(runtime.memory)
    page = diary.page(click.namespace, click.day) if click.day else None
    if page is None:
        return _closed(click.state, click.words["diary_gone"])
    runtime.memory.forget_exactly(click.namespace, [page.id])
    undo = UndoRemoval(namespace=click.namespace, memory_id=page.id)
    return _closed(click.state, click.words["diary_deleted"], undo)


def _cancel(_: Runtime, click: DiaryClick) -> DiaryState:
    return _closed(click.state, "")


def _choose(_: Runtime, click: DiaryClick) -> DiaryState:
    given = click.action.values
    since, until = day_named(given.get("since", "")), day_named(given.get("until", ""))
    return replace(click.state, since=since, until=until)


def _closed(state: DiaryState, message: str, undo: Undo | None = None) -> DiaryState:
    """Returns the state without an open page."""
    return replace(state, writing=None, text="", made_by=BY_USER, message=message, undo=undo)


def today() -> date:
    return datetime.now().date()


_HANDLERS: Mapping[str, Callable[[Runtime, DiaryClick], DiaryState]] = {
    "open": _open,
    DRAFT: _draft,
    "save": _save,
    "delete": _delete,
    "cancel": _cancel,
    "choose": _choose,
}
