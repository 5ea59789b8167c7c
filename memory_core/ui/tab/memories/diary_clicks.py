"""Executes clicks in the diary: write, draft, edit, delete, and undo of saved changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial

from ....consolidation.diary_drafts import DiaryDrafter, Draft
from ....domain.derivations import EXTRACTIVE
from ....domain.errors import LongTermMemoryError
from ....domain.namespaces import Namespace
from ....memory.diary import BY_USER, Diary
from ....memory.runtime import Runtime
from ....text.locales import Words
from ....text.problem_text import failure_text, problem_text
from ..common.actions import Click, Undo, undo_last

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


DiaryClick = Click[DiaryState]


def day_named(text: str) -> date | None:
    """Returns the day in YYYY-MM-DD; None for anything else."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def after_diary_click(runtime: Runtime, click: DiaryClick) -> DiaryState:
    """Returns the state after a click; an unknown action changes nothing."""
    quiet = replace(click, state=replace(click.state, message="", undo=None))
    try:
        return _changed(runtime, click, quiet)
    except LongTermMemoryError as exc:
        return replace(quiet.state, message=failure_text(exc, click.words))


def _changed(runtime: Runtime, click: DiaryClick, quiet: DiaryClick) -> DiaryState:
    """Returns the state after a click; `quiet` is the click without the last outcome."""
    value, name = click.action.value, click.action.name
    if name == "undo":
        done = undo_last(click.state.undo, runtime, click.namespace, click.words)
        return _closed(click.state, done)
    if name == "cancel":
        return _closed(click.state, "")
    if name == "choose":
        since, until = day_named(value("since")), day_named(value("until"))
        return replace(quiet.state, since=since, until=until)
    if (handler := _HANDLERS_OF_A_DAY.get(name)) is None:
        return click.state
    if (day := day_named(value("day"))) is None:
        return replace(quiet.state, message=click.words["diary_no_day"])
    return handler(runtime, quiet, day)


def _open(runtime: Runtime, click: DiaryClick, day: date) -> DiaryState:
    """Opens the page of a day for writing, with the text it has."""
    page = Diary(runtime.memory).page(click.namespace, day)
    text = page.text if page else ""
    return replace(click.state, writing=day, text=text, made_by=BY_USER)


def _draft(runtime: Runtime, click: DiaryClick, day: date) -> DiaryState:
    drafter = DiaryDrafter.of(runtime.memory, runtime.models, runtime.settings)
    draft = drafter.draft(click.namespace, day)
    message = _draft_message(draft, click.words)
    if not draft.text:
        return replace(click.state, message=message)
    if Diary(runtime.memory).page(click.namespace, day) is not None:
        message = f"{message} {click.words['diary_replaces']}"
    return replace(
        click.state, writing=day, text=draft.text, made_by=draft.made_by, message=message
    )


def _draft_message(draft: Draft, words: Words) -> str:
    if not draft.exchanges:
        return words["diary_nothing_said"]
    if not draft.text:
        return words["diary_nothing_to_quote"]
    if draft.fault:
        return words("diary_quoted_because", reason=problem_text(draft.fault, words))
    return words["diary_quoted" if draft.made_by == EXTRACTIVE else "diary_drafted"]


def _save(runtime: Runtime, click: DiaryClick, day: date) -> DiaryState:
    text = click.action.value("text").strip()
    if not text:
        return replace(click.state, message=click.words["diary_empty"])
    diary = Diary(runtime.memory)
    known = diary.page(click.namespace, day)
    is_draft = text == click.state.text.strip()
    diary.write(click.namespace, day, text, made_by=click.state.made_by if is_draft else BY_USER)
    runtime.schedule(click.namespace)
    before = known.text if known else ""
    undo = Undo(namespace=click.namespace, run=partial(_restore, click.namespace, day, before))
    return _closed(click.state, click.words["diary_saved"], undo)


def _restore(namespace: Namespace, day: date, before: str, runtime: Runtime) -> None:
    """Restores a page's earlier text; "" removes the page."""
    if before:
        Diary(runtime.memory).write(namespace, day, before)
    else:
        Diary(runtime.memory).remove(namespace, day)


def _delete(runtime: Runtime, click: DiaryClick, day: date) -> DiaryState:
    space = click.namespace
    page = Diary(runtime.memory).page(space, day)
    if page is None:
        return _closed(click.state, click.words["diary_gone"])
    runtime.memory.forget_exactly(space, [page.id])
    undo = Undo(namespace=space, run=lambda runtime: runtime.memory.unforget(space, page.id))
    return _closed(click.state, click.words["diary_deleted"], undo)


def _closed(state: DiaryState, message: str, undo: Undo | None = None) -> DiaryState:
    """Returns the state without an open page."""
    return replace(state, writing=None, text="", made_by=BY_USER, message=message, undo=undo)


def today() -> date:
    return datetime.now().date()


_HANDLERS_OF_A_DAY: Mapping[str, Callable[[Runtime, DiaryClick, date], DiaryState]] = {
    "open": _open,
    DRAFT: _draft,
    "save": _save,
    "delete": _delete,
}
