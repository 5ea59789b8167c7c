"""Notes for one chat only, through the real hooks."""

from functools import partial

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.host.chat.turn_request import ChatRef
from memory_core.host.chat_sync.deletions import DeletedChatStats
from memory_core.storage.contract import Page
from memory_core.text.locales import tab_words
from memory_core.ui.tab.common.actions import button_html
from memory_core.ui.tab.memories import notes
from memory_core.ui.tab.memories.cards import CardParts, card
from memory_core.ui.tab.memories.notes import NoteScope
from tests.host.one_page import API_MIRA, MIRA, Client, OnePage
from tests.host.saved_chats import CAST, SavedChats

OTHER = "20261122-10-00-00"
QUINT = "the captain is called Quint"
WORDS = tab_words("en")


@pytest.fixture
def page(tmp_path):
    return OnePage(tmp_path)


def elsewhere(page, text):
    """Returns the prompt for this text in a new chat."""
    page.rows = []
    return page.ask(text, OTHER)


@pytest.mark.parametrize(
    "text",
    [f"/remember chat: {QUINT}", f"Remember that {QUINT}, in this chat only."],
    ids=["slash", "plain words"],
)
def test_chat_note_is_confirmed_and_reaches_only_this_chats_prompts(page, text):
    page.say("Hello")
    assert f"for this chat only: {QUINT} — it has been saved" in page.say(text)
    page.say("Go on")
    assert "Quint" in page.ask("Who is the captain?").split("Go on")[0]
    assert page.kept() == ["Go on", "Hello", f"note: {QUINT}"]
    assert "Quint" not in elsewhere(page, "Who is the captain called Quin?")


MORE = f"Remember that {QUINT}, in this chat only.\n\nBy the way, my mother died yesterday."


def test_other_text_of_a_message_with_a_chat_note_is_stored(page):
    assert f"for this chat only: {QUINT} — it has been saved" in page.say(MORE)
    assert page.kept() == [MORE, f"note: {QUINT}"]
    assert "my mother died" in elsewhere(page, "When did my mother die?")


def test_other_text_of_an_api_message_with_a_chat_note_is_stored(page):
    client = Client(page)
    client.say("Hello")
    client.say(MORE)
    assert page.kept(API_MIRA) == ["Hello", MORE, f"note: {QUINT}"]


@pytest.mark.parametrize("is_api", [False, True])
def test_chat_note_request_is_an_ordinary_message_while_commands_are_off(tmp_path, is_api):
    page = OnePage(tmp_path, {"commands": {"enabled": False}})
    text = f"Remember that {QUINT}, in this chat only."
    talk = Client(page) if is_api else page
    for said in ("Hello", "/off Bye", text):
        talk.say(said)
    assert page.kept(API_MIRA if is_api else MIRA) == ["Hello", text]
    talk.say("Go on")
    assert page.kept(API_MIRA if is_api else MIRA) == ["Go on", "Hello", text]


def test_chat_note_request_on_display_is_not_recalled_while_commands_are_off(tmp_path):
    page = OnePage(tmp_path, {"commands": {"enabled": False}})
    page.say(f"Remember that {QUINT}, in this chat only.")
    page.say("Go on")
    assert page.ask("Is the captain called Quint?").count(QUINT) == 1
    assert elsewhere(page, "Is the captain called Quint?").count(QUINT) == 1


HERE = f"Remember that {QUINT}, in this chat only."


def switched(page, *, enabled):
    page.settings = {**page.settings, "commands": {"enabled": enabled}}
    page.restart()


@pytest.mark.parametrize("is_api", [False, True])
def test_stored_chat_note_request_stays_a_message_when_commands_are_enabled(tmp_path, is_api):
    page = OnePage(tmp_path, {"commands": {"enabled": False}})
    talk, namespace = (Client(page), API_MIRA) if is_api else (page, MIRA)
    for said in ("Hello", HERE):
        talk.say(said)
    switched(page, enabled=True)
    talk.say("Go on")
    assert page.kept(namespace) == ["Go on", "Hello", HERE]


@pytest.mark.parametrize("is_api", [False, True])
def test_chat_note_does_not_become_a_message_when_commands_are_disabled(tmp_path, is_api):
    page = OnePage(tmp_path)
    talk, namespace = (Client(page), API_MIRA) if is_api else (page, MIRA)
    for said in ("Hello", HERE):
        talk.say(said)
    switched(page, enabled=False)
    talk.say("Go on")
    assert page.kept(namespace) == ["Go on", "Hello", f"note: {QUINT}"]


def test_regenerated_chat_note_request_stays_a_stored_message(tmp_path):
    page = OnePage(tmp_path, {"commands": {"enabled": False}})
    page.say(HERE)
    switched(page, enabled=True)
    page.rows.pop()
    page.say(HERE, "Quint it is.")
    assert page.kept() == [HERE, f"note: {QUINT}"]


def test_chat_note_request_stored_before_is_stored_in_a_branch_too(tmp_path):
    page = OnePage(tmp_path, {"commands": {"enabled": False}})
    page.say("Hello")
    page.say(HERE)
    switched(page, enabled=True)
    page.say("Onward", chat=OTHER)
    page.say("Go on")
    assert page.kept() == ["Go on", "Hello", "Onward", HERE]


def test_message_edited_into_a_chat_note_request_is_not_stored(page):
    page.say("Hello")
    page.say("The captain is Quint")
    page.rows.pop()
    page.ask(HERE)
    page.rows.append((HERE, "I see."))
    page.save()
    assert page.kept() == ["Hello", f"note: {QUINT}"]


def test_chat_note_is_recalled_in_its_chat_only_without_a_system_block(tmp_path):
    context = {"system_block_max_tokens": 0, "summary_sessions": 0}
    page = OnePage(tmp_path, {"ltm_context": context})
    page.say("Hello")
    page.say(f"/remember chat: {QUINT}")
    assert page.ask("Who is the captain called Quin?").count("Quint") == 1  # the chat shows it
    del page.rows[1:]
    assert page.ask("Who is the captain called Quin?").count("Quint") == 1
    assert "Quint" not in elsewhere(page, "Who is the captain called Quin?")


def test_chinese_chat_note_reaches_only_this_chats_prompts(page):
    page.say("你好")
    assert "只在这个对话里记住：船长叫昆特——已经记住" in page.say("请记住船长叫昆特，仅限本对话")
    assert "船长叫昆特" in page.ask("船长叫什么？")
    assert "昆特" not in elsewhere(page, "船长叫什么？")


def test_first_message_of_a_page_chat_can_make_a_chat_note(page):
    assert "it has been saved" in page.say(f"/remember chat: {QUINT}")
    assert "Quint" in page.ask("Hello")


def test_unnamed_chat_refuses_a_chat_note_until_its_name_is_known(page):
    client = Client(page)
    assert "not known yet" in client.say(f"/remember chat: {QUINT}")
    assert page.kept(API_MIRA) == []
    client.say("Hello")
    assert "it has been saved" in client.say(f"/remember chat: {QUINT}")
    assert QUINT in client.say("And now?").split("And now?")[0]
    assert QUINT not in Client(page).say("Good evening")


def test_chat_note_does_not_reach_another_users_chat_that_begins_alike(page):
    ana, ben = (Client(page, user) for user in ("ana", "ben"))
    for client in (ana, ben):
        client.say("Hello")
    ana.say(f"/remember chat: {QUINT}")
    assert QUINT in ana.say("And now?").split("And now?")[0]
    assert "Quint" not in ben.say("Who is the captain?")
    assert page.kept(Namespace("api:ana", "Mira")) == ["And now?", "Hello", f"note: {QUINT}"]
    assert page.kept(Namespace("api:ben", "Mira")) == ["Hello", "Who is the captain?"]


def test_chat_note_is_made_once_and_a_general_note_beside_it_on_request(page):
    page.say("Hello")
    page.say(f"/remember chat: {QUINT}")
    assert "saved already" in page.say(f"/remember chat: {QUINT}")
    assert f"remember: {QUINT} — it has been saved" in page.say(f"/remember {QUINT}")
    assert page.kept().count(f"note: {QUINT}") == 2
    assert "saved already" in page.say(f"/remember chat: {QUINT}")
    assert "Quint" in elsewhere(page, "Hello there")


def test_memories_command_marks_chat_notes_and_hides_those_of_other_chats(page):
    page.say("Hello")
    page.say(f"/remember chat: {QUINT}")
    assert f"{QUINT} (this chat only) [" in page.ask("/memories")
    assert f"{QUINT}（仅限这个对话） [" in page.ask("/记忆")
    assert f"{QUINT} (this chat only) [" in page.ask("/memories captain")
    page.rows = []
    prompt = page.ask("/memories", OTHER)
    assert "Quint" not in prompt
    assert "1 memory in all" in prompt
    assert "none of 1 memory" in page.ask("/memories captain", OTHER)


def test_chat_note_is_forgotten_from_its_own_chat_only(page):
    page.say("Hello")
    page.say(f"/remember chat: {QUINT}")
    page.rows = []
    assert "nothing matched" in page.say("/forget captain", chat=OTHER)
    assert f"note: {QUINT}" in page.kept()
    page.rows = [("Hello", "I see."), (f"/remember chat: {QUINT}", "I see.")]
    assert "it has been forgotten" in page.say("/forget captain")
    assert page.kept() == ["Hello"]


def test_forget_last_after_a_chat_note_forgets_the_note_alone(page):
    page.say("Hello")
    page.say(f"Remember that {QUINT}, in this chat only.")
    assert f"{QUINT} — it has been forgotten" in page.say("/forget last")
    assert page.kept() == ["Hello"]


def test_branch_inherits_chat_notes_and_keeps_its_own(page):
    page.say("Hello")
    page.say(f"/remember chat: {QUINT}")
    page.save(OTHER)
    page.say("Onward", chat=OTHER)
    assert "Quint" in page.ask("Who is the captain?", OTHER)
    page.say("/remember chat: the ship is called Orca", chat=OTHER)
    assert "Orca" in page.ask("Which ship?", OTHER)
    del page.rows[2:]
    assert "Orca" not in page.ask("Which ship?")


def test_renamed_chat_keeps_its_chat_notes(tmp_path):
    chats = SavedChats(tmp_path)
    chats.talk("one", ("I keep bees", "Lovely"))
    note(chats, "one")
    chats.path("one").rename(chats.path("two"))
    chats.settle()
    memory = chats.runtime.memory
    assert [note.text for note in memory.always_in_prompt(MIRA, "two")] == [QUINT]
    assert memory.always_in_prompt(MIRA, "one") == []


@pytest.mark.parametrize("is_noticed", [True, False])
def test_tab_adds_a_chat_note_under_the_last_chats_new_name(tmp_path, is_noticed):
    chats = SavedChats(tmp_path)
    chats.hooks.last_chats = chats.settler.last_chats
    chats.talk("one", ("I keep bees", "Lovely"))
    chats.hooks.last_chats.put(MIRA, ChatRef(namespace=MIRA, conversation="one", speakers=CAST))
    chats.path("one").rename(chats.path("two"))
    if is_noticed:
        chats.settle()
    open_now = chats.hooks.last_chats.get(MIRA).conversation
    notes.add_note(chats.hooks, MIRA, QUINT, NoteScope.CHAT, WORDS, conversation=open_now)
    chats.settle()
    memory = chats.runtime.memory
    assert [note.text for note in memory.always_in_prompt(MIRA, "two")] == [QUINT]
    assert memory.always_in_prompt(MIRA, "one") == []


def test_chat_note_of_a_deleted_chat_is_counted_and_forgotten_with_it(tmp_path):
    chats = SavedChats(tmp_path)
    chats.talk("one", ("I keep bees", "Lovely"))
    chats.talk("two", ("I keep sheep", "Many?"))
    note(chats, "one")
    chats.path("one").unlink()
    chats.settle()
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats(chats=1, memories=2)
    assert chats.hooks.synchronizer.forget_deleted(MIRA) == 2
    assert [note.text for note in chats.runtime.memory.always_in_prompt(MIRA, "one")] == []


def test_forgetting_deleted_chats_forgets_their_chat_notes(tmp_path):
    chats = SavedChats(tmp_path, on_chat_deleted="forget")
    chats.talk("one", ("I keep bees", "Lovely"))
    chats.talk("two", ("I keep sheep", "Many?"))
    note(chats, "one")
    chats.path("one").unlink()
    chats.settle()
    assert chats.live() == 1


def note(chats, chat):
    kind = MemoryKind.KNOWLEDGE
    chats.runtime.memory.add_note(MIRA, QUINT, kind=kind, pinned=False, conversation=chat)


def test_tab_adds_a_chat_note_to_the_open_chat_and_shows_its_scope(page):
    add = partial(notes.add_note, page.hooks, MIRA, QUINT, NoteScope.CHAT, WORDS)
    with pytest.raises(notes.NoteRefused, match=WORDS["no_chat_open"]):
        add()
    page.say("Hello")
    open_now = page.hooks.last_chats.get(MIRA).conversation
    message = add(conversation=open_now)
    assert message == "Saved for Mira, for one chat only: chat of 21 Nov 2026, 10:00."
    assert add(conversation=open_now) == WORDS["note_known"]
    (note,) = page.memory.latest(MIRA, Page(limit=1))
    shown = card(note, 0, CardParts(words=WORDS, button=partial(button_html, "field")))
    assert "for this chat only · chat of 21 Nov 2026, 10:00" in shown
    assert "Quint" not in elsewhere(page, "Hello")
