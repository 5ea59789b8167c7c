"""No text is in a prompt twice: pinned, summarised, recalled or shown."""

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, MemoryKind
from memory_core.recall.results import ALREADY_IN_SYSTEM_BLOCK, DropReason
from memory_core.storage.contract import Page
from tests.host.one_page import OnePage
from tests.host.plain_host import PlainHost, history_of, hooks_in, page_state

MIRA = Namespace("default", "Mira")
FACT, ANSWER = "My sister Helena keeps bees in Porto.", "Honey from Porto must taste of thyme."
ASKS = "What does Helena keep in Porto?"


@pytest.fixture
def hooks(tmp_path):
    return hooks_in(tmp_path / "home", PlainHost(tmp_path))


def told(user, assistant=ANSWER, ts=1_790_000_000.0):
    return Exchange(user=user, assistant=assistant, user_name="Ana", assistant_name="Mira", ts=ts)


def ask(hooks, text=ASKS, history=None):
    state, history = page_state(), history or history_of()
    return hooks.custom_generate_chat_prompt(text, state, history=history)


def test_memory_quoted_in_the_last_sessions_is_recalled_without_the_quote(hooks):
    hooks.runtime.memory.remember(MIRA, "old", told(FACT))
    prompt = ask(hooks)
    assert prompt.count("Helena keeps bees") == 1
    assert prompt.count(ANSWER) == 1


def test_pinned_note_is_not_recalled_beside_the_system_block(hooks):
    memory = hooks.runtime.memory
    memory.add_note(MIRA, FACT, kind=MemoryKind.KNOWLEDGE, pinned=True)
    assert ask(hooks).count("Helena keeps bees") == 1
    (trace,) = hooks.runtime.traces.latest(MIRA)
    assert [(dropped.reason, dropped.detail) for dropped in trace.recall.dropped] == [
        (DropReason.SHOWN, ALREADY_IN_SYSTEM_BLOCK)
    ]


def test_equal_text_of_several_chats_is_recalled_once(hooks):
    for chat, answer in enumerate((ANSWER, "Bees are hard work.", "How many hives has she got?")):
        hooks.runtime.memory.remember(MIRA, f"chat{chat}", told(FACT, answer, ts=1.79e9 + chat))
    prompt = ask(hooks)
    assert prompt.count("Helena keeps bees") == 1
    assert prompt.count(ANSWER) == 1


def test_text_shown_in_this_chat_is_not_recalled_from_an_older_one(hooks):
    hooks.runtime.memory.remember(MIRA, "old", told(FACT))
    prompt = ask(hooks, history=history_of((f"Hello there! {FACT}", "Oh?")))
    assert prompt.count("Helena keeps bees") == 2  # the block stays as it was before this chat
    assert prompt.count(ANSWER) == 1


def test_unanswered_old_question_does_not_displace_the_answer(tmp_path):
    settings = {
        "recall": {"retrieve_k": 1, "lines": 0},
        "ltm_context": {"system_block_max_tokens": 0},
    }
    hooks = hooks_in(tmp_path / "few", PlainHost(tmp_path), settings)
    hooks.runtime.memory.remember(MIRA, "old", told(FACT))
    hooks.runtime.memory.remember(MIRA, "vain", told(ASKS, "I'm sorry, I don't know.", ts=1.791e9))
    assert FACT in ask(hooks)


def test_list_of_memories_repeated_by_the_model_is_not_stored(tmp_path):
    page = OnePage(tmp_path)
    page.say("My canoe is called Marguerite.", "I also remember: 3 days ago, Ana: “It leaks.”")
    page.say("Is she green?", "Here is what I remember:\n- She is called Marguerite.\n\nNo idea.")
    latest = page.runtime.memory.latest(MIRA, Page(limit=9))
    assert [(memory.exchange.user, memory.exchange.assistant) for memory in latest] == [
        ("Is she green?", "No idea."),
        ("My canoe is called Marguerite.", ""),
    ]


def test_system_block_does_not_change_with_the_recalled_memories(hooks):
    hooks.runtime.memory.remember(MIRA, "old", told(FACT))
    blocks = set()
    for text in (ASKS, "Good morning!", "What of the honey?"):
        ask(hooks, text)
        blocks.add(hooks.runtime.traces.latest(MIRA)[-1].system_block)
    assert len(blocks) == 1
