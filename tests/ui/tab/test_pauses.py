"""The tab's pauses act on the open chat and show in the head."""

import asyncio
import json

import gradio as gr
import pytest

from memory_core.admin.administration import Administration
from memory_core.domain.namespaces import Namespace
from memory_core.storage.contract import Page
from memory_core.storage.pauses import PauseState
from memory_core.text.locales import tab_words
from memory_core.ui.tab.common.header import Labels, Selection, TabHeader
from memory_core.ui.tab.header_panel import HeaderPanel, paused_elsewhere
from memory_core.ui.tab.memories.notes import NoteScope, add_note
from tests.host.plain_host import PlainHost, history_of, hooks_in, page_state

MIRA = Namespace("default", "Mira")
CHAT = "20261121-10-00-00"
WORDS = tab_words("en")


@pytest.fixture
def hooks(tmp_path):
    return hooks_in(tmp_path / "home", PlainHost(tmp_path))


def save(hooks, *rows):
    history = history_of(*rows)
    hooks.custom_generate_chat_prompt("and?", page_state(history=history), history=history)
    path = hooks.host.folder / f"{CHAT}.json"
    path.write_text(json.dumps(history), encoding="utf-8")


def kept(hooks):
    hooks.synchronizer.sync_and_close()
    return [memory.exchange.user for memory in hooks.runtime.memory.latest(MIRA, Page(limit=9))]


def test_last_chat_is_the_last_active_chat(hooks):
    save(hooks)
    assert hooks.last_chats.get(MIRA).conversation == CHAT


def test_pause_writes_earlier_messages_and_no_later_ones(hooks):
    save(hooks, ("before", "yes"))
    assert hooks.command_executor.set_pause(MIRA, CHAT, PauseState(is_writing_paused=True))
    save(hooks, ("before", "yes"), ("meanwhile", "yes"))
    assert hooks.command_executor.set_pause(MIRA, CHAT, PauseState())
    save(hooks, ("before", "yes"), ("meanwhile", "yes"), ("after", "yes"))
    assert sorted(kept(hooks)) == ["after", "before"]


def test_answer_that_ends_after_the_pause_is_not_written(hooks):
    hooks.command_executor.set_pause(MIRA, CHAT, PauseState(is_writing_paused=True))
    save(hooks, ("meanwhile", "half an"))
    hooks.command_executor.set_pause(MIRA, CHAT, PauseState())
    save(hooks, ("meanwhile", "half an answer"))
    assert kept(hooks) == []


def test_head_counts_the_other_paused_chats(hooks):
    assert paused_elsewhere(hooks, MIRA, CHAT, WORDS) == ""
    assert paused_elsewhere(hooks, None, "", WORDS) == ""
    save(hooks)
    hooks.command_executor.set_pause(
        MIRA, CHAT, PauseState(is_writing_paused=True, is_recall_paused=True)
    )
    hooks.command_executor.set_pause(MIRA, "other", PauseState(is_recall_paused=True))
    assert paused_elsewhere(hooks, MIRA, CHAT, WORDS) == "1 other chat"


def test_head_tells_the_open_chat_from_the_one_active_last(hooks):
    save(hooks)
    hooks.command_executor.set_pause(MIRA, "open", PauseState(is_writing_paused=True))
    assert paused_elsewhere(hooks, MIRA, "open", WORDS) == ""
    assert paused_elsewhere(hooks, MIRA, CHAT, WORDS) == "1 other chat"


async def shown_head(hooks):
    """Builds the head in a running loop: Gradio would make one of its own and leave it open."""
    with gr.Blocks():
        header = TabHeader(Administration(hooks), Labels("en"))
        panel = HeaderPanel(header)
    banner, _, button = panel.show(
        Selection(language="en", chosen=MIRA, conversation=CHAT, visible=(MIRA,))
    )
    return banner, button["value"]


def test_head_offers_to_resume_a_paused_chat(hooks):
    save(hooks)
    hooks.command_executor.set_pause(MIRA, CHAT, PauseState(is_recall_paused=True))
    banner, button = asyncio.run(shown_head(hooks))
    assert WORDS["health_recall_paused"] in banner
    assert button == WORDS["resume_chat"]


def test_head_offers_to_pause_a_chat_from_which_only_a_memory_is_left_out(hooks):
    save(hooks)
    hooks.runtime.pauses.set_pause(MIRA, CHAT, PauseState(left_out=frozenset({"m1"})))
    _, button = asyncio.run(shown_head(hooks))
    assert button == WORDS["pause_chat"]


def test_head_says_that_a_character_is_never_remembered(hooks):
    save(hooks)
    assert hooks.command_executor.set_never_remembered(MIRA, never=True)
    banner, button = asyncio.run(shown_head(hooks))
    assert WORDS["health_writing_paused"] in banner
    assert button == WORDS["pause_chat"]


def test_unreadable_pause_file_is_reported(hooks):
    hooks.runtime.pauses.set_pause(MIRA, CHAT, PauseState(is_writing_paused=True))
    (MIRA.folder(hooks.runtime.memory.root) / "switches.json").write_text("{")
    hooks.runtime.pauses.drop(MIRA)
    assert "cannot be read" in paused_elsewhere(hooks, MIRA, CHAT, WORDS)


def test_note_for_one_chat_names_it_as_people_do(hooks):
    save(hooks, ("before", "yes"))
    told = add_note(hooks, MIRA, "Ana likes tea", NoteScope.CHAT, WORDS, conversation=CHAT)
    assert "chat of 21 Nov 2026, 10:00" in told
    assert CHAT not in told
