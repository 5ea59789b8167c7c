"""Chats, pauses and traces of renamed and merged characters."""

from dataclasses import replace

import pytest

from memory_core.admin import names
from memory_core.admin.administration import destroy, merge, rename
from memory_core.domain.errors import ConfigError
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.prompt.window import ChatRow
from memory_core.storage.pauses import PauseState
from tests.builders import user_sides
from tests.host.one_page import CHAT, OnePage
from tests.host.saved_chats import BEES, CAT, SHEEP

MIRA, MIA, LEO = (Namespace("default", name) for name in ("Mira", "Mia", "Leo"))
FACT = Exchange(user="My sister Helena keeps bees in Porto", assistant="How lovely!")


@pytest.fixture
def page(tmp_path):
    return OnePage(tmp_path)


def test_chat_under_the_old_character_name_continues_after_a_rename(page):
    page.memory.remember(MIRA, "old", FACT)
    rename(page.hooks, MIRA, MIA)
    assert "Helena keeps bees" in page.say("What does Helena keep in Porto?")
    assert page.memory.namespaces() == [MIA]
    assert page.kept(MIA) == sorted([FACT.user, "What does Helena keep in Porto?"])
    (trace,) = page.runtime.traces.latest(MIA)
    assert trace.character == "Mia"
    assert page.hooks.last_chats.get(MIA).conversation == CHAT


def test_renamed_character_keeps_its_traces_and_its_last_chat(page):
    page.say("My dog is called Bruno")
    rename(page.hooks, MIRA, MIA)
    (trace,) = page.runtime.traces.latest(MIA)
    assert (trace.character, page.runtime.traces.latest(MIRA)) == ("Mia", [])
    assert page.hooks.last_chats.get(MIA).namespace == MIA
    assert page.hooks.last_chats.get(MIRA) is None


@pytest.mark.parametrize("move", [rename, merge])
def test_renamed_character_keeps_its_pauses_and_excluded_messages(page, move):
    if move is merge:
        page.memory.remember(MIA, "hers", FACT)
    page.say("before")
    page.hooks.command_executor.set_pause(MIRA, CHAT, PauseState(is_writing_paused=True))
    page.say("my secret")
    move(page.hooks, MIRA, MIA)
    page.say("my other secret")
    page.restart()
    assert page.runtime.pauses.paused_chats(MIA) == {CHAT: PauseState(is_writing_paused=True)}
    page.hooks.command_executor.set_pause(MIA, CHAT, PauseState())
    page.say("after")
    assert [text for text in page.kept(MIA) if text != FACT.user] == ["after", "before"]


def test_message_from_an_ended_pause_stays_excluded_after_a_merge(page):
    page.memory.remember(MIA, "hers", FACT)
    page.hooks.command_executor.set_pause(MIRA, CHAT, PauseState(is_writing_paused=True))
    page.say("my secret")
    page.hooks.command_executor.set_pause(MIRA, CHAT, PauseState())
    page.say("after")
    merge(page.hooks, MIRA, MIA)
    page.restart()
    page.say("later")
    assert page.kept(MIA) == sorted([FACT.user, "after", "later"])


def test_turn_begun_under_the_old_name_respects_the_pause(page):
    page.say("before")
    chat = page.hooks.last_chats.get(MIRA)
    rename(page.hooks, MIRA, MIA)
    page.hooks.command_executor.set_pause(MIA, CHAT, PauseState(is_writing_paused=True))
    page.hooks.synchronizer.sync_rows(chat, [ChatRow(user="my secret", assistant="hush")])
    assert page.kept(MIA) == ["before"]


def test_command_executed_before_a_merge_is_not_repeated(page):
    page.memory.remember(MIA, "hers", FACT)
    page.ask("/remember I am allergic to nuts")
    merge(page.hooks, MIRA, MIA)
    assert "I am allergic to nuts" in "".join(page.kept(MIA))
    page.memory.forget(MIA, [note.id for note in page.memory.always_in_prompt(MIA)])
    page.ask("/remember I am allergic to nuts")
    assert page.kept(MIA) == [FACT.user]


@pytest.mark.parametrize("first", [MIRA, MIA])
def test_chats_of_one_name_continue_side_by_side_after_a_merge(forgetting, first):
    forgetting.talk("Main", BEES, namespace=MIRA)
    forgetting.talk("Main", CAT, namespace=MIA)
    merge(with_settler(forgetting), MIRA, MIA)
    rows = {MIRA: [BEES], MIA: [CAT]}
    for namespace in (first, *({MIRA, MIA} - {first}), first):
        rows[namespace].append((f"more {len(rows[namespace])}", "I see"))
        forgetting.talk("Main", *rows[namespace], namespace=namespace)
        forgetting.restart()
    assert forgetting.stored("Main", MIA) == rows[MIA]
    assert forgetting.stored("Main/Mira", MIA) == rows[MIRA]
    forgetting.path("Main", "Mira").unlink()
    forgetting.settle()
    assert (forgetting.stored("Main/Mira", MIA), forgetting.stored("Main", MIA)) == ([], rows[MIA])


@pytest.mark.parametrize("second", [MIRA, MIA])
def test_chat_renamed_to_a_taken_name_gets_a_unique_name(forgetting, second):
    first = MIA if second is MIRA else MIRA
    forgetting.talk("hers", SHEEP, namespace=MIA)
    names.add_alias(forgetting.runtime.memory, MIRA, MIA)
    forgetting.talk("Main", BEES, namespace=first)
    forgetting.talk("Main", CAT, namespace=second)
    forgetting.save("Main", BEES, SHEEP, character=first.character)
    forgetting.settle()
    forgetting.restart()
    forgetting.save("Main", CAT, SHEEP, character=second.character)
    forgetting.settle()
    assert forgetting.stored("Main", MIA) == [BEES, SHEEP]
    assert forgetting.stored(f"Main/{second.character}", MIA) == [CAT, SHEEP]


@pytest.mark.parametrize("is_instruct_first", [True, False])
def test_instruct_chat_and_its_aliased_characters_chat_stay_separate(forgetting, is_instruct_first):
    instruct = Namespace.instruct("default")
    forgetting.talk("own", SHEEP, namespace=instruct)
    names.add_alias(forgetting.runtime.memory, MIRA, instruct)
    rows = {instruct: BEES, MIRA: CAT}
    first, second = (instruct, MIRA) if is_instruct_first else (MIRA, instruct)
    for namespace in (first, second):
        forgetting.talk("Main", rows[namespace], namespace=namespace)
    assert forgetting.stored("Main", instruct) == [rows[first]]
    name = forgetting.runtime.memory.aliases.chat_name(instruct, second.character, "Main")
    assert name == ("Main/Mira" if is_instruct_first else "Main/_instruct")
    assert forgetting.stored(name, instruct) == [rows[second]]


def test_chats_that_shared_a_name_are_separated_without_loss(forgetting):
    forgetting.talk("hers", SHEEP, namespace=MIA)
    memory = forgetting.runtime.memory
    names.add_alias(memory, MIRA, MIA)
    forgetting.talk("Main", BEES, namespace=MIRA)
    forgetting.talk("Main", CAT, namespace=MIA)
    memory.set_aliases(replace(memory.aliases, chats={}))
    forgetting.talk("Main", BEES, SHEEP, namespace=MIRA)
    forgetting.talk("Main", CAT, SHEEP, namespace=MIA)
    assert forgetting.stored("Main/Mira", MIA) == [BEES, SHEEP]
    assert forgetting.stored("Main", MIA) == [CAT, SHEEP]


def test_page_chat_continues_under_its_stored_name_after_a_merge(page):
    page.say("My dog is called Bruno")
    page.memory.reconcile(MIA, CHAT, [FACT], whole=True)
    merge(page.hooks, MIRA, MIA)
    assert page.hooks.last_chats.get(MIA).conversation == f"{CHAT}/Mira"
    page.say("My cat is called Tux")
    assert user_sides(page.memory.conversation(MIA, f"{CHAT}/Mira", 9)) == [
        "My dog is called Bruno",
        "My cat is called Tux",
    ]
    assert user_sides(page.memory.conversation(MIA, CHAT, 9)) == [FACT.user]


def test_pause_still_applies_when_its_chat_gets_a_unique_name(forgetting):
    forgetting.talk("hers", SHEEP, namespace=MIA)
    names.add_alias(forgetting.runtime.memory, MIRA, MIA)
    forgetting.talk("Main", CAT, namespace=MIA)
    forgetting.runtime.pauses.set_pause(MIA, "Main", PauseState(is_writing_paused=True))
    forgetting.talk("Main", BEES, namespace=MIRA)
    assert set(forgetting.runtime.pauses.paused_chats(MIA)) == {"Main", "Main/Mira"}
    assert forgetting.stored("Main/Mira", MIA) == []


def test_chats_of_both_characters_are_synchronized_after_a_merge(forgetting):
    forgetting.talk("one", BEES)
    forgetting.talk("two", CAT, namespace=MIA)
    merge(with_settler(forgetting), MIRA, MIA)
    forgetting.save("one", SHEEP)
    forgetting.settle()
    assert (forgetting.stored("one", MIA), forgetting.stored("two", MIA)) == ([SHEEP], [CAT])
    forgetting.restart()
    forgetting.save("one", BEES, SHEEP)
    forgetting.save("new", CAT)
    forgetting.settle()
    assert (forgetting.stored("one", MIA), forgetting.stored("new", MIA)) == ([BEES, SHEEP], [CAT])
    forgetting.path("one").unlink()
    forgetting.settle()
    assert forgetting.stored("one", MIA) == []
    assert forgetting.runtime.memory.namespaces() == [MIA]


def test_chat_deleted_after_a_merge_is_noticed_even_if_it_never_continued(forgetting):
    forgetting.talk("one", BEES)
    forgetting.talk("two", CAT, namespace=MIA)
    merge(with_settler(forgetting), MIRA, MIA)
    forgetting.path("one").unlink()
    forgetting.settle()
    assert (forgetting.stored("one", MIA), forgetting.live(MIA)) == ([], 1)


def test_character_renamed_in_the_host_is_offered_once_and_followed(forgetting):
    forgetting.talk("one", BEES)
    forgetting.talk("two", CAT)
    folder = forgetting.path("one").parent
    folder.rename(folder.with_name("Mia"))
    forgetting.settle()
    assert forgetting.settler.renamed_to(MIRA) == "Mia"
    rename(with_settler(forgetting), MIRA, MIA)
    assert forgetting.settler.renamed_to(MIRA) == ""
    forgetting.settle()
    forgetting.restart()
    forgetting.save("one", BEES, SHEEP, character="Mia")
    forgetting.settle()
    assert forgetting.runtime.problems() == []
    assert (forgetting.stored("one", MIA), forgetting.stored("two", MIA)) == ([BEES, SHEEP], [CAT])
    assert forgetting.settler.renamed_to(MIA) == ""


def test_destroying_leaves_the_chats_under_all_its_names_alone(forgetting):
    forgetting.talk("one", BEES)
    hooks = with_settler(forgetting)
    rename(hooks, MIRA, MIA)
    destroy(hooks, MIA)
    forgetting.settle()
    assert forgetting.runtime.memory.namespaces() == []


def test_taken_name_and_an_unknown_one_are_refused_and_change_nothing(page):
    page.memory.remember(MIRA, "old", FACT)
    page.memory.remember(MIA, "hers", FACT)
    with pytest.raises(ConfigError, match="merge"):
        rename(page.hooks, MIRA, MIA)
    for act in (rename, merge):
        with pytest.raises(ConfigError, match="no memories"):
            act(page.hooks, LEO, MIA)
    assert page.memory.namespaces() == [MIA, MIRA]


def with_settler(forgetting):
    """Returns the hooks with the synchronizer of the manual clock."""
    forgetting.hooks.synchronizer = forgetting.settler
    return forgetting.hooks
