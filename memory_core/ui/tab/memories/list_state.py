"""The choices of a visitor in the list of memories, and their change by a click."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from ....domain.records import MemoryKind, Role
from ....storage.listing import ListQuery, Order
from ..common.actions import Action
from .undo import Undo

PAGE_SIZE = 20
ABOUT = "about"
_MAX_PAGE = 100_000


class ListView(StrEnum):
    LIST = "list"
    TIMELINE = "timeline"
    MAP = "map"


class OpenForm(StrEnum):
    """A form that is open in the list."""

    NONE = ""
    EDIT = "edit"
    MERGE = "merge"
    ERASE = "erase"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """The limits of the list. `month` is "2026-11", `chat` the log of a conversation."""

    kind: MemoryKind | None = None
    pinned: bool = False
    said_by: Role | None = None
    month: str = ""
    chat: str = ""
    forgotten: bool = False

    @property
    def is_empty(self) -> bool:
        return self == NO_FILTERS


NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """The outcome of an action, shown before the item with this index of the page.

    `also` are ids of memories that are similar to those forgotten. `is_in_about`: it is shown in
    the fold "About me" instead.
    """

    text: str
    index: int = 0
    is_in_about: bool = False
    undo: Undo | None = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListState:
    """A visitor's choices. `asked_about` are the memories that the open question is about; `opened`
    is the one below the map. `is_asked_in_about`: the question is in the fold "About me".
    `searched` is the text of the search that the list shows.
    """

    filters: Filters = NO_FILTERS
    order: Order | None = None
    page: int = 0
    view: ListView = ListView.LIST
    open_form: OpenForm = OpenForm.NONE
    asked_about: tuple[str, ...] = ()
    is_asked_in_about: bool = False
    opened: str = ""
    all_ticked: bool = False
    about_open: bool = False
    searched: str = ""
    notice: Notice | None = None

    def query(self) -> ListQuery:
        """Returns the page to read. Without a choice of order, the newest come first."""
        filters = self.filters
        since, until = month_interval(filters.month) or (None, None)
        return ListQuery(
            kinds=frozenset([filters.kind] if filters.kind else []),
            pinned=filters.pinned,
            said_by=filters.said_by,
            since=since,
            until=until,
            conversation=filters.chat,
            order=self.order or Order.NEWEST,
            limit=PAGE_SIZE,
            offset=self.page * PAGE_SIZE,
        )


FIRST_STATE = ListState()


def after_click(state: ListState, action: Action) -> ListState:
    """Returns the state after a click that changes no memory; unknown values change nothing."""
    calm = without_question(state)
    change = _CHANGES.get(action.name)
    if change is None:
        return calm
    with suppress(ValueError):
        return change(calm, action.values, action.ticked)
    return calm


def without_question(state: ListState) -> ListState:
    """Returns the state with no form, no outcome and no ticks."""
    return replace(
        state,
        open_form=OpenForm.NONE,
        asked_about=(),
        is_asked_in_about=False,
        notice=None,
        all_ticked=False,
    )


def month_interval(month: str) -> tuple[float, float] | None:
    """Returns the half-open local interval of a month "2026-11", in seconds since the epoch."""
    try:
        first = datetime.strptime(month, "%Y-%m")
        year, index = divmod(first.year * 12 + first.month, 12)
        return first.timestamp(), datetime(year, index + 1, 1).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


Values = Mapping[str, str]
Ticked = tuple[str, ...]


def _filtered(state: ListState, values: Values, _: Ticked) -> ListState:
    """Sets one filter, or removes it if it already has the value."""
    name, value = values.get("field", ""), values.get("value", "")
    changed = _with_filter(state.filters, name, value)
    view = ListView.LIST if name in ("month", "forgotten") else state.view
    return replace(state, filters=changed, page=0, view=view)


def _with_filter(filters: Filters, name: str, value: str) -> Filters:
    if name == "kind":
        return replace(filters, kind=MemoryKind(value) if value else None)
    if name == "said_by":
        return replace(filters, said_by=Role(value) if value else None)
    if name == "pinned":
        return replace(filters, pinned=not filters.pinned)
    if name == "forgotten":
        return Filters(forgotten=not filters.forgotten)
    if name == "month":
        return replace(filters, month=value if month_interval(value) else "")
    if name == "chat":
        return replace(filters, chat=value)
    raise ValueError(name)


def _cleared(state: ListState, _: Values, __: Ticked) -> ListState:
    return replace(state, filters=NO_FILTERS, page=0)


def _ordered(state: ListState, values: Values, _: Ticked) -> ListState:
    return replace(state, order=Order(values.get("value", "")), page=0)


def _turned(state: ListState, values: Values, _: Ticked) -> ListState:
    return replace(state, page=min(max(int(values.get("value", "")), 0), _MAX_PAGE))


def _viewed(state: ListState, values: Values, _: Ticked) -> ListState:
    """Changes the view. Forgotten memories are only listed: another view shows all again."""
    view, filters = ListView(values.get("value", "")), state.filters
    if view is not ListView.LIST and filters.forgotten:
        filters = NO_FILTERS
    return replace(state, view=view, filters=filters, page=0, opened="")


def _ticked(state: ListState, values: Values, _: Ticked) -> ListState:
    return replace(state, all_ticked=values.get("value") == "yes")


def _editing(state: ListState, values: Values, _: Ticked) -> ListState:
    ids = (values.get("memory_id", ""),)
    is_in_about = values.get("place") == ABOUT
    return replace(state, open_form=OpenForm.EDIT, asked_about=ids, is_asked_in_about=is_in_about)


def _merging(state: ListState, _: Values, ticked: Ticked) -> ListState:
    return replace(state, open_form=OpenForm.MERGE, asked_about=ticked) if ticked else state


def _erasing(state: ListState, _: Values, __: Ticked) -> ListState:
    return replace(state, open_form=OpenForm.ERASE)


def _opened(state: ListState, values: Values, _: Ticked) -> ListState:
    return replace(state, opened=values.get("memory_id", ""))


def _about(state: ListState, _: Values, __: Ticked) -> ListState:
    return replace(state, about_open=not state.about_open)


_CHANGES = {
    "filter": _filtered,
    "clear": _cleared,
    "order": _ordered,
    "page": _turned,
    "view": _viewed,
    "tick_all": _ticked,
    "edit": _editing,
    "merge": _merging,
    "erase_ask": _erasing,
    "open": _opened,
    "about": _about,
}
