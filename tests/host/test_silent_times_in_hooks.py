"""A message that asks what was said at a time of which nothing is stored gets a notice."""

from datetime import datetime, timedelta
from time import localtime, strftime

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.storage.contract import Page
from memory_core.storage.pauses import PauseState
from tests.host.one_page import CHAT, MIRA, OnePage
from tests.host.plain_host import history_of, page_state

DAY_S = 86_400.0


@pytest.fixture
def page(tmp_path):
    page = OnePage(tmp_path)
    now = page.runtime.clock()
    for days, text in ((20, "My sister moved to Lisbon"), (6, "I started as a nurse")):
        said = Exchange(user=text, assistant="Good to know.", ts=now - days * DAY_S)
        page.memory.remember(MIRA, "earlier", said)
    return page


@pytest.mark.parametrize(
    ("asked", "notice"),
    [
        ("what did i say yesterday", "Nothing that was said on "),
        ("What did we talk about two days ago?", "Nothing that was said on "),
        ("what did we talk about in march 2024?", "from 2024-03-01 to 2024-03-31 is stored"),
        ("was habe ich gestern gesagt?", "ist gespeichert."),
        ("昨天我们聊了什么？", "记忆里没有这一天说过的话"),
        ("¿de qué hablamos ayer?", "No hay nada guardado"),
        ("о чём мы говорили вчера?", "Ничего из сказанного в этот день не сохранено"),
        ("昨日何を話したっけ？", "この日に話したことは何も保存されていません"),
    ],
)
def test_question_about_a_silent_time_is_told_that_nothing_is_stored(page, asked, notice):
    assert notice in page.ask(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "what did i say six days ago",
        "what did we talk about today?",
        "what did i say yesterday about my sister",
        "did you sleep well yesterday?",
        "i was so tired yesterday",
        "what did i say",
        "what will we talk about tomorrow?",
    ],
)
def test_other_question_gets_no_such_notice(page, asked):
    assert "Nothing that was said" not in page.ask(asked)


def test_month_to_which_a_memory_refers_makes_no_silent_day_of_it_talk(page):
    said = Exchange(user="I move in June 2024", assistant="Good luck!", ts=page.runtime.clock())
    page.memory.remember(MIRA, "earlier", said)
    assert "Nothing that was said on" in page.ask("what did i say on 5 june 2024?")


def test_question_what_happened_is_answered_by_memories_of_other_days(page):
    said = Exchange(
        user="My driving test is tomorrow",
        assistant="Good luck!",
        ts=page.runtime.clock() - 2 * DAY_S,
    )
    page.memory.remember(MIRA, "earlier", said)
    prompt = page.ask("what happened yesterday?")
    assert "My driving test is tomorrow" in prompt
    assert "Nothing that was said" not in prompt


def remember_at(page, days, text="I bought a kite", namespace=MIRA):
    """Stores the text as said at noon, this many days ago; returns its id."""
    day = datetime.fromtimestamp(page.runtime.clock()).astimezone() - timedelta(days=days)
    said = Exchange(user=text, assistant="Good to know.", ts=day.replace(hour=12).timestamp())
    return page.memory.remember(namespace, "earlier", said)


@pytest.mark.parametrize(
    "asked",
    ["what did i say yesterday evening?", "what did i say last night?", "what did i say yesterday"],
)
def test_day_of_which_another_part_is_stored_is_not_called_silent(page, asked):
    remember_at(page, 1)
    assert "Nothing that was said" not in page.ask(asked)


def test_day_that_has_not_ended_is_not_called_silent(page):
    assert "Nothing that was said" not in page.ask("what did i say this morning")


@pytest.mark.parametrize("namespace", [Namespace.shared("default"), Namespace.world()])
def test_day_known_to_a_shared_namespace_is_not_silent(page, namespace):
    remember_at(page, 1, namespace=namespace)
    assert "Nothing that was said" not in page.ask("what did i say yesterday")


@pytest.mark.parametrize("forgotten", [1, 2])
def test_day_of_which_memories_were_just_forgotten_is_not_silent(page, forgotten):
    for text in ("I bought a kite", "I lost the kite"):
        remember_at(page, 1, text)
    newest = page.memory.latest(MIRA, Page(limit=forgotten))
    page.runtime.forget(MIRA, [memory.id for memory in newest])
    assert "Nothing that was said" not in page.ask("what did i say yesterday")


def test_day_that_the_chat_itself_shows_is_not_silent(page):
    page.hooks.command_executor.set_pause(MIRA, CHAT, PauseState(is_writing_paused=True))
    page.stamp = strftime("%b %d, %Y 12:00", localtime(page.runtime.clock() - DAY_S))
    page.say("I bought a kite")
    assert "I bought a kite" not in page.kept()
    assert "Nothing that was said" not in page.ask("what did i say yesterday")


def test_notice_stays_while_a_tool_call_continues_the_turn(page):
    asked = "what did i say yesterday"
    page.ask(asked)
    state = page_state(unique_id=CHAT, history=history_of(stamp=page.stamp)) | {"_tool_turn": True}
    prompt = page.hooks.custom_generate_chat_prompt(asked, state, history=state["history"])
    assert "Nothing that was said on" in prompt
