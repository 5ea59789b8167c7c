"""A page whose memories or settings are changed elsewhere is drawn again, and keeps choices."""

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.ui.demo.program import Program
from memory_core.ui.tab.common.visible_namespaces import namespace_key
from tests.ui.tab.test_rooms import MEMORIES, MIRA, Page, talked_of


@pytest.fixture
def page(program: Program) -> Page:
    """A page just opened, over memories that the test may change."""
    page = talked_of(program)
    page.run("_open")
    return page


def draw_what_changed(page: Page) -> None:
    """Lets the page ask, and draws it again as Gradio does once the text of its field differs."""
    before = page.value("ltm-changed") or ""  # a page shows None as an empty text
    page.run("ask")
    assert page.value("ltm-changed") != before, "no event follows"
    page.run("_refresh", trigger="ltm-changed")


def talk_elsewhere(program: Program, text: str = "I bought a harp.") -> None:
    program.runtime.memory.remember(MIRA, "elsewhere", Exchange(user=text, assistant="Lovely."))


def test_page_is_drawn_again_once_its_character_was_deleted_elsewhere(
    page: Page, program: Program
) -> None:
    page.select("ltm-memories-tab")
    assert "Biscuit" in page.value(MEMORIES)
    program.administration.destroy(MIRA)
    draw_what_changed(page)
    assert "Biscuit" not in page.value(MEMORIES)
    assert page.run("ask") == []


def test_page_is_drawn_again_at_a_change_that_looks_like_an_earlier_one(
    page: Page, program: Program
) -> None:
    """Two characters may have the same number of changes, and the same latest answer."""
    for space in (Namespace("Alex", "Lea"), Namespace("Alex", "Leo")):
        program.runtime.memory.remember(space, "c", Exchange(user="I sing.", assistant="Nice."))
    page.run("_refresh")
    for name in ("Lea", "Leo"):
        space = Namespace("Alex", name)
        page.type("ltm-who", namespace_key(space))
        page.run("_show_all")
        program.runtime.memory.remember(space, "c", Exchange(user="I hum.", assistant="Nice."))
        draw_what_changed(page)
