"""A page whose memories or settings are changed elsewhere is drawn again, and keeps choices."""

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.host.chat_sync.deletions import forget_removed
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
    page.run("_refresh_unless_clicked")


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


def test_target_and_question_of_a_merge_stay_while_the_target_exists(
    page: Page, program: Program
) -> None:
    lea = Namespace("Alex", "Lea")
    program.runtime.memory.remember(lea, "c", Exchange(user="I sing.", assistant="Nice."))
    page.select("ltm-settings-tab")
    page.type("ltm-merge-other", namespace_key(lea))
    page.run("_ask_to_merge")
    question = page.value("ltm-merge-question")
    talk_elsewhere(program)
    draw_what_changed(page)
    assert page.value("ltm-merge-other") == namespace_key(lea)
    assert page.value("ltm-merge-question") == question != ""
    assert "ltm-merge-sure" not in page.hidden
    program.administration.destroy(lea)
    page.run("_refresh")
    assert (page.value("ltm-merge-other"), page.value("ltm-merge-question")) == (None, "")
    assert "ltm-merge-sure" in page.hidden


def test_chosen_alias_stays_until_it_is_removed(page: Page, program: Program) -> None:
    memory = program.runtime.memory
    memory.set_aliases(memory.aliases.with_user("Anon", "Alex"))
    page.select("ltm-settings-tab")
    page.type("ltm-alias", '"Anon"')
    talk_elsewhere(program)
    draw_what_changed(page)
    assert page.value("ltm-alias") == '"Anon"'
    page.run("_drop_alias")
    page.run("_refresh")
    assert page.value("ltm-alias") is None


def test_question_about_removed_messages_stays_while_there_are_some(
    page: Page, program: Program
) -> None:
    talk_elsewhere(program)
    program.runtime.memory.reconcile(MIRA, "elsewhere", [], whole=True)
    page.select("ltm-memories-tab")
    page.hidden.discard("ltm-forget-removed-sure")  # a click asked the question
    talk_elsewhere(program, "I bought a lute.")
    draw_what_changed(page)
    assert "ltm-forget-removed-sure" not in page.hidden
    forget_removed(program.runtime, MIRA)
    draw_what_changed(page)
    assert "ltm-forget-removed-sure" in page.hidden


def test_server_chosen_but_not_saved_stays_with_its_form(page: Page, program: Program) -> None:
    page.select("ltm-settings-tab")
    page.type("ltm-plain-model", "server")
    page.run("_choose")
    page.type("ltm-embedder-address", "http://127.0.0.1:9/v1")
    talk_elsewhere(program)
    draw_what_changed(page)
    assert page.value("ltm-plain-model") == "server"
    assert page.value("ltm-embedder-address") == "http://127.0.0.1:9/v1"
    assert "ltm-embedder-use" not in page.hidden
    program.runtime.save_settings({"embedder.base_url": "http://127.0.0.1:9/v2"})
    page.run("_refresh")
    assert page.value("ltm-plain-model") == "words"
    assert page.value("ltm-embedder-address") == "http://127.0.0.1:9/v2"
    assert "ltm-embedder-use" in page.hidden


def test_state_of_a_chosen_model_is_shown_again_with_all_else(page: Page) -> None:
    """It may be ready between the two; the head, which is drawn again, would no longer wait."""
    page.select("ltm-settings-tab")
    page.type("ltm-plain-model", "built_in")
    page.run("_choose")
    page.run("_show_choice")
    assert "ltm-plain-model" in page.run_following("_show_choice")


def test_form_of_a_server_shows_the_address_that_was_saved_under_advanced(
    page: Page, program: Program
) -> None:
    server = {"embedder.kind": "openai", "embedder.model": "m"}
    program.runtime.save_settings({**server, "embedder.base_url": "http://127.0.0.1:9/v1"})
    page.select("ltm-settings-tab")
    page.type("ltm-knob-embedder-base_url", "http://127.0.0.1:9/v2")
    page.run("_save_changes")
    assert program.runtime.settings.embedder.base_url == "http://127.0.0.1:9/v2"
    page.run_following("_save_changes")
    assert page.value("ltm-embedder-address") == "http://127.0.0.1:9/v2"
