"""The choices of a visitor in the list of memories, and their change by a click."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from ....domain.records import MemoryKind, Role
from ....storage.listing import ListQuery, Order
from ..common.actions import Action, Undo

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
    with suppress(ValueError):
        return change(calm, action) if change else calm
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


def _filtered(state: ListState, action: Action) -> ListState:
    """Sets one filter, or removes it if it already has the value."""
    name = action.value("field")
    changed = _with_filter(state.filters, name, action.value("value"))
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


def _viewed(state: ListState, action: Action) -> ListState:
    """Changes the view. Forgotten memories are only listed: another view shows all again."""
    view, filters = ListView(action.value("value")), state.filters
    if view is not ListView.LIST and filters.forgotten:
        filters = NO_FILTERS
    return replace(state, view=view, filters=filters, page=0, opened="")


def _turned(state: ListState, action: Action) -> ListState:
    return replace(state, page=min(max(int(action.value("value")), 0), _MAX_PAGE))


def _editing(state: ListState, action: Action) -> ListState:
    ids, is_in_about = (action.value("memory_id"),), action.value("place") == ABOUT
    return replace(state, open_form=OpenForm.EDIT, asked_about=ids, is_asked_in_about=is_in_about)


def _merging(state: ListState, action: Action) -> ListState:
    ids = action.ticked
    return replace(state, open_form=OpenForm.MERGE, asked_about=ids) if ids else state


_CHANGES: Mapping[str, Callable[[ListState, Action], ListState]] = {
    "filter": _filtered,
    "clear": lambda state, _: replace(state, filters=NO_FILTERS, page=0),
    "order": lambda state, action: replace(state, order=Order(action.value("value")), page=0),
    "page": _turned,
    "view": _viewed,
    "tick_all": lambda state, action: replace(state, all_ticked=action.value("value") == "yes"),
    "edit": _editing,
    "merge": _merging,
    "erase_ask": lambda state, _: replace(state, open_form=OpenForm.ERASE),
    "open": lambda state, action: replace(state, opened=action.value("memory_id")),
    "about": lambda state, _: replace(state, about_open=not state.about_open),
}
