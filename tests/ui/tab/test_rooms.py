"""A refresh of the tab draws its head and the room that is open, and no other room."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr
import pytest

from memory_core.admin.administration import merge, rename
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.memory.browse import browse
from memory_core.storage.listing import ListQuery
from memory_core.ui.demo.program import Program
from memory_core.ui.demo.responder import MemoryResponder
from memory_core.ui.tab.common.visible_namespaces import namespace_key
from memory_core.ui.tab.page import build

MIRA = Namespace("Alex", "Mira")
NOW, MEMORIES = "ltm-last-answer", "ltm-browser"


class Page:
    """The tab without a browser: events run by name, states and values as Gradio keeps them."""

    def __init__(self, program: Program) -> None:
        with gr.Blocks() as blocks:
            build(program.administration)
        self._blocks = blocks
        self.load()
        self._ids = {part.elem_id: key for key, part in blocks.blocks.items() if part.elem_id}

    def load(self) -> None:
        """Begins anew, as a browser does that loads the page."""
        self._values: dict[int, Any] = {
            key: getattr(part, "value", None) for key, part in self._blocks.blocks.items()
        }
        self.hidden: set[str] = set()

    def events(self) -> list[Any]:
        return list(self._blocks.fns.values())

    def value(self, name: str) -> Any:
        return self._values[self._ids[name]]

    def type(self, name: str, text: str) -> None:
        self._values[self._ids[name]] = text

    def select(self, tab: str) -> list[str]:
        """Selects a tab, and returns the names of the elements that it changed."""
        return self.run("open_room", trigger=tab)

    def run_after(self, trigger: str, handler: str) -> list[str]:
        """Runs a handler that follows the event of this field."""
        first = [
            key for key, fn in self._blocks.fns.items() if self._is_wanted(fn, "_act", trigger)
        ]
        follows = [fn.trigger_after for fn in self.events() if fn.name == handler]
        assert set(first) & set(follows), f"nothing counts after {trigger}"
        return self.run(handler)

    def run_following(self, handler: str) -> list[str]:
        """Runs the event that follows this handler's, and returns the names of changed elements."""
        fns = self._blocks.fns
        first = [key for key, fn in fns.items() if self._is_wanted(fn, handler, "")]
        return self._run(next(fn for fn in fns.values() if fn.trigger_after in first))

    def run(self, handler: str, trigger: str = "") -> list[str]:
        """Runs a handler of the page by its name, and returns the names of changed elements."""
        events = self._blocks.fns.values()
        return self._run(next(fn for fn in events if self._is_wanted(fn, handler, trigger)))

    def _run(self, event: Any) -> list[str]:
        given = {part: self._values[part._id] for part in event.inputs}
        updates = event.fn(given, gr.Request(username=None))
        updates = updates if isinstance(updates, list) else [updates]
        changed = []
        for part, update in zip(event.outputs, updates, strict=True):
            if self._take(part._id, update) and part.elem_id:
                changed.append(part.elem_id)
                self._note_visibility(part.elem_id, update)
        return changed

    def _is_wanted(self, event: Any, handler: str, trigger: str) -> bool:
        wanted = self._ids.get(trigger)
        is_trigger = not trigger or any(key == wanted for key, _ in event.targets)
        return is_trigger and getattr(event.fn, "__name__", "") == handler

    def _note_visibility(self, name: str, update: Any) -> None:
        if isinstance(update, dict) and "visible" in update:
            (self.hidden.discard if update["visible"] else self.hidden.add)(name)

    def _take(self, key: int, update: Any) -> bool:
        if not isinstance(update, dict) or "__type__" not in update:
            self._values[key] = update
            return True
        if "value" in update:
            self._values[key] = update["value"]
        return len(update) > 1


@pytest.fixture(scope="module")
def page_of_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page for all tests that change no memories: building it takes a second."""
    program = Program(tmp_path_factory.mktemp("demo"), {})
    yield talked_of(program)
    program.runtime.close()


@pytest.fixture
def page(page_of_all: Page) -> Page:
    page_of_all.load()
    return page_of_all


@pytest.fixture
def own_page(program: Program) -> Page:
    """A page over memories that the test may change."""
    return talked_of(program)


def talked_of(program: Program) -> Page:
    """Returns the page of a program with one question asked."""
    session = program.session("Alex", "Mira")
    for _ in session.send("What is my cat called?", MemoryResponder()):
        pass
    return asyncio.run(_page_of(program))


async def _page_of(program: Program) -> Page:
    """Builds the page in a running loop: Gradio would make one of its own and leave it open."""
    return Page(program)


def test_page_just_opened_draws_the_first_room_alone(page: Page) -> None:
    changed = page.run("_open")
    assert {"ltm-banner", NOW} <= set(changed)
    assert MEMORIES not in changed
    assert not [name for name in changed if name.startswith("ltm-knob")]


def test_tab_selected_before_the_page_is_open_draws_nothing(page: Page) -> None:
    assert page.select("ltm-answer-tab") == []


def test_tab_selected_while_the_opened_page_is_on_its_way_shows_the_same_character(
    page: Page,
) -> None:
    page.run("_open")
    chosen = page.value("ltm-who")
    page.type("ltm-who", None)  # the browser has not received the choice yet
    page.select("ltm-memories-tab")
    assert page.value("ltm-who") == chosen
    assert "Biscuit" in page.value(MEMORIES)


def test_refresh_draws_the_room_that_was_opened_last(page: Page) -> None:
    page.run("_open")
    assert MEMORIES in page.select("ltm-memories-tab")
    changed = page.run("_refresh")
    assert MEMORIES in changed
    assert NOW not in changed


def test_room_shows_what_was_forgotten_in_another_once_it_is_opened(
    own_page: Page, program: Program
) -> None:
    page = own_page
    page.run("_open")
    page.select("ltm-memories-tab")
    assert "Biscuit" in page.value(MEMORIES)
    page.select("ltm-answer-tab")
    memory = program.runtime.memory
    memory.forget(MIRA, [one.id for one in browse(memory, MIRA, ListQuery(limit=100)).memories])
    page.select("ltm-memories-tab")
    assert "Biscuit" not in page.value(MEMORIES)


@pytest.mark.parametrize("field", ["ltm-last-answer-action", "ltm-memories-action"])
def test_head_counts_again_after_a_click_that_may_forget(
    own_page: Page, program: Program, field: str
) -> None:
    page = own_page
    page.run("_open")
    before = page.value("ltm-facts")
    memory = program.runtime.memory
    memory.forget(MIRA, [one.id for one in browse(memory, MIRA, ListQuery(limit=1)).memories])
    page.run_after(field, "_recount")
    assert page.value("ltm-facts") != before
    assert page.run("ask") == [], "the page has drawn its own change"


def test_page_is_drawn_again_once_its_memories_were_changed_elsewhere(
    own_page: Page, program: Program
) -> None:
    page, memory = own_page, program.runtime.memory
    page.run("_open")
    page.select("ltm-memories-tab")
    assert page.run("ask") == []
    harp = Exchange(user="I bought a harp.", assistant="Lovely.", ts=2e9)
    memory.remember(MIRA, "elsewhere", harp)
    memory.derive_pending(MIRA)
    assert page.run("ask") == ["ltm-changed"]
    page.run("_refresh_unless_clicked")
    assert "harp" in page.value(MEMORIES)
    assert page.run("ask") == []


def test_page_is_drawn_again_once_a_new_character_has_memories(
    own_page: Page, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, nova = own_page, Namespace("default", "Nova")
    monkeypatch.setattr(program.host, "characters", lambda: ["Nova"], raising=False)
    page.run("_open")
    page.type("ltm-who", namespace_key(nova))
    page.run("_show_all")
    assert page.run("ask") == []
    program.runtime.memory.remember(nova, "c", Exchange(user="I sing.", assistant="Nice."))
    assert page.run("ask") == ["ltm-changed"]


def test_opened_room_leaves_the_list_to_a_search_that_is_being_typed(page: Page) -> None:
    page.run("_open")
    page.type("ltm-search", "cat")
    assert MEMORIES not in page.select("ltm-memories-tab")
    page.type("ltm-search", "")
    assert MEMORIES in page.select("ltm-memories-tab")
    page.select("ltm-answer-tab")
    page.type("ltm-search", "cat")
    assert MEMORIES not in page.select("ltm-memories-tab")


def test_another_character_or_language_draws_every_room(page: Page) -> None:
    page.run("_open")
    assert {"ltm-banner", NOW, MEMORIES, "ltm-health"} <= set(page.run("_show_all"))


@pytest.mark.parametrize(("handler", "trigger"), [("_refresh", "ltm-refresh"), ("_show_all", "")])
def test_settings_that_were_typed_and_not_saved_stay(
    page: Page, handler: str, trigger: str
) -> None:
    page.run("_open")
    page.select("ltm-settings-tab")
    page.type("ltm-knob-recall-lines", "5")
    page.run(handler, trigger)
    assert page.value("ltm-knob-recall-lines") == "5"


def test_settings_are_relabelled_in_another_language_and_keep_what_was_typed(page: Page) -> None:
    page.run("_open")
    page.select("ltm-settings-tab")
    page.type("ltm-knob-recall-lines", "5")
    page.type("ltm-language", "zh")
    assert "ltm-knob-recall-lines" in page.run("_show_all")
    assert page.value("ltm-knob-recall-lines") == "5"


def test_work_without_a_language_model_has_no_buttons(page: Page) -> None:
    page.run("_open")
    page.select("ltm-settings-tab")
    assert {"ltm-work-now", "ltm-work-pause"} <= page.hidden
    assert "(" not in page.value("ltm-work")


def test_part_that_is_always_there_is_not_shown_twice(page: Page) -> None:
    page.run("_open")
    assert "What Mira remembers of Alex" in page.value("ltm-exact")
    assert "ltm-system-block" in page.hidden


def test_choice_of_characters_is_hidden_until_there_is_one(
    own_page: Page, program: Program
) -> None:
    page = own_page
    page.run("_open")
    assert "ltm-who" not in page.hidden
    for namespace in program.runtime.memory.namespaces():
        program.administration.destroy(namespace)
    page.run("_refresh")
    assert "ltm-who" in page.hidden


def test_note_and_marks_can_be_left_for_a_character_without_memories(
    own_page: Page, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, nova = own_page, Namespace("default", "Nova")
    monkeypatch.setattr(program.host, "characters", lambda: ["Nova"], raising=False)
    page.run("_open")
    page.type("ltm-who", namespace_key(nova))
    page.run("_show_all")
    page.select("ltm-memories-tab")
    assert page.value("ltm-who") == namespace_key(nova)
    assert "No memories yet" in page.value(MEMORIES)
    assert nova not in program.runtime.memory.namespaces(), "looking must create nothing"
    page.type("ltm-note-text", "Nova is a robot")
    page.run("_add_note")
    page.run("_refresh")
    assert page.value("ltm-who") == namespace_key(nova)
    assert "Nova is a robot" in page.value(MEMORIES)
    assert "Saved for" in page.value("ltm-note-told")
    page.type("ltm-who", namespace_key(MIRA))
    page.run("_show_all")
    assert page.value("ltm-note-told") == "", "it is told beside another character"


@pytest.mark.parametrize("change", [rename, merge])
def test_page_follows_a_renamed_or_merged_character(
    own_page: Page, program: Program, change: Callable[..., object]
) -> None:
    page = own_page
    page.run("_open")
    lea = Namespace("Alex", "Lea")
    if change is merge:
        program.runtime.memory.remember(lea, "c", Exchange(user="I sing.", assistant="Nice."))
    change(program.hooks, MIRA, lea)
    page.run("_refresh")
    assert page.value("ltm-who") == namespace_key(lea)
    page.select("ltm-memories-tab")
    assert "Biscuit" in page.value(MEMORIES)


def test_events_with_many_outputs_show_no_progress(page: Page) -> None:
    """Gradio 6 searches the whole page for each output that may show progress, at every event."""
    searched = {
        event.name: len(event.outputs)
        for event in page.events()
        if getattr(event, "show_progress_on", []) is None
    }
    assert searched
    assert {name: count for name, count in searched.items() if count > 10} == {}
