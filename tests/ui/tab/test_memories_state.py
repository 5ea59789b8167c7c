"""Choices in the list of memories: what a click changes, and what a page may not send."""

from dataclasses import replace
from datetime import datetime

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind, Role
from memory_core.storage.listing import Order
from memory_core.ui.tab.common.actions import Action, Undo
from memory_core.ui.tab.memories.list_state import (
    FIRST_STATE,
    NO_FILTERS,
    PAGE_SIZE,
    ListState,
    ListView,
    Notice,
    OpenForm,
    after_click,
    month_interval,
)
from tests.cases import for_each

OLD = replace(FIRST_STATE, page=3, notice=Notice(text="Done"), all_ticked=True)


def click(state: ListState, name: str, *ticked: str, **values: str) -> ListState:
    return after_click(state, Action(name=name, values=values, ticked=ticked))


@for_each(
    ("field", "value", "expected"),
    [
        ("kind", "knowledge", {"kind": MemoryKind.KNOWLEDGE}),
        ("said_by", "user", {"said_by": Role.USER}),
        ("month", "2026-11", {"month": "2026-11"}),
        ("chat", "monday", {"chat": "monday"}),
        ("pinned", "", {"pinned": True}),
        ("forgotten", "", {"forgotten": True}),
    ],
)
def test_a_filter_narrows_the_list_and_goes_to_its_first_page(
    field: str, value: str, expected: dict[str, object]
) -> None:
    changed = click(OLD, "filter", field=field, value=value)
    assert changed.filters == replace(NO_FILTERS, **expected)  # type: ignore[arg-type]
    assert (changed.page, changed.notice, changed.all_ticked) == (0, None, False)
    assert click(changed, "clear").filters == NO_FILTERS


def test_forgotten_memories_are_always_a_list() -> None:
    timeline = click(FIRST_STATE, "view", value="timeline")
    forgotten = click(timeline, "filter", field="forgotten")
    assert (forgotten.view, forgotten.filters.forgotten) == (ListView.LIST, True)
    for view in (ListView.TIMELINE, ListView.MAP):
        assert click(forgotten, "view", value=view).filters == NO_FILTERS
    assert click(forgotten, "view", value="list").filters.forgotten


@for_each(
    ("name", "values"),
    [
        ("filter", {"field": "kind", "value": "nonsense"}),
        ("filter", {"field": "__class__", "value": "x"}),
        ("filter", {"field": "month", "value": "2026-99"}),
        ("order", {"value": "random"}),
        ("view", {"value": "x"}),
        ("page", {"value": "many"}),
        ("unknown", {}),
    ],
)
def test_forged_click_changes_no_choice(name: str, values: dict[str, str]) -> None:
    changed = click(FIRST_STATE, name, **values)
    assert changed == FIRST_STATE


def test_pages_are_never_negative() -> None:
    assert click(FIRST_STATE, "page", value="-4").page == 0
    assert click(FIRST_STATE, "page", value="2").query().offset == 2 * PAGE_SIZE


def test_a_month_is_a_local_interval() -> None:
    first, next_month = datetime(2026, 12, 1), datetime(2027, 1, 1)
    assert month_interval("2026-12") == (first.timestamp(), next_month.timestamp())
    query = click(FIRST_STATE, "filter", field="month", value="2026-12").query()
    assert (query.since, query.until) == (first.timestamp(), next_month.timestamp())
    assert month_interval("12") is None


def test_a_month_chosen_in_the_timeline_shows_its_list() -> None:
    timeline = click(FIRST_STATE, "view", value="timeline")
    assert timeline.view is ListView.TIMELINE
    assert click(timeline, "filter", field="month", value="2026-11").view is ListView.LIST


def test_a_question_stands_until_the_next_click() -> None:
    editing = click(FIRST_STATE, "edit", memory_id="m1")
    assert (editing.open_form, editing.asked_about) == (OpenForm.EDIT, ("m1",))
    assert click(editing, "cancel") == FIRST_STATE
    merging = click(FIRST_STATE, "merge", "m1", "m2")
    assert (merging.open_form, merging.asked_about) == (OpenForm.MERGE, ("m1", "m2"))
    assert click(FIRST_STATE, "merge") == FIRST_STATE


def test_the_order_is_the_newest_first_until_one_is_chosen() -> None:
    assert FIRST_STATE.query().order is Order.NEWEST
    assert click(FIRST_STATE, "order", value="oldest").query().order is Order.OLDEST


def test_another_click_ends_the_offer_of_an_undo() -> None:
    undo = Undo(namespace=Namespace("ana", "Mira"), run=str)
    assert click(replace(FIRST_STATE, notice=Notice(text="x", undo=undo)), "about").notice is None
