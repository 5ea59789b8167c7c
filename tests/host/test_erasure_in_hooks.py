"""Erasure in a running program that watches files, keeps traces and logs."""

import logging
from pathlib import Path

import pytest

from memory_core.admin.administration import destroy
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.storage.contract import Page
from tests.forensics import leaks, words_needles
from tests.host.plain_host import page_state
from tests.host.saved_chats import MIRA, SavedChats

TALK = "20261120-09-00-00"
SECRETS = {
    "en": (
        ("Zyxquorvath", "Umbrastelle", "Blornificat"),
        ("My therapist Zyxquorvath lives in Umbrastelle.", "So you take Blornificat?"),
        "What do you know about my therapist?",
    ),
    "zh": (
        ("饕餮魑魅", "魍魉", "囹圄"),
        ("我的医生叫饕餮魑魅，他住在魍魉镇。", "那么你去过囹圄吗？"),
        "你还记得我的医生叫什么吗？",
    ),
}


@pytest.fixture
def chats(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> SavedChats:
    caplog.set_level(logging.DEBUG)
    return SavedChats(tmp_path)


@pytest.fixture(params=SECRETS)
def secret(request):
    return SECRETS[request.param]


def told(chats, words, said):
    """Tells the secret in one chat and recalls it in another; returns its id."""
    chats.talk(TALK, ("Hello", "Good morning."), said, ("Something else", "Oh."))
    (found,) = (
        memory.id
        for memory in chats.runtime.memory.latest(MIRA, Page(limit=9))
        if memory.exchange.user == said[0]
    )
    assert leaks(chats.home, words_needles(words))
    return found


def recalled(chats, question, said):
    prompt = chats.hooks.custom_generate_chat_prompt(
        question, page_state(), history=page_state()["history"]
    )
    return said[0] in prompt


def test_erased_text_is_in_no_file_trace_or_log(chats, secret, caplog, capfd):
    words, said, question = secret
    memory_id = told(chats, words, said)
    chats.runtime.memory.pin(MIRA, memory_id)
    assert recalled(chats, question, said)
    chats.hooks.runtime.forget(MIRA, [memory_id])
    assert chats.runtime.memory.erase_all_forgotten(MIRA) == 1
    chats.settle()
    assert not recalled(chats, question, said)
    traces = repr(chats.runtime.traces.latest())
    told_elsewhere = traces + caplog.text + "".join(capfd.readouterr())
    assert not [word for word in words if word in told_elsewhere]
    chats.runtime.close()
    assert leaks(chats.home, words_needles(words)) == []


def test_forgotten_message_is_not_stored_again_with_a_regenerated_answer(chats, secret):
    words, said, question = secret
    memory_id = told(chats, words, said)
    chats.hooks.runtime.forget(MIRA, [memory_id])
    chats.talk(TALK, ("Hello", "Good morning."), (said[0], "Another answer."))
    assert chats.runtime.memory.erase_all_forgotten(MIRA) == 1
    chats.talk(TALK, ("Hello", "Good morning."), (said[0], "Another answer, continued."))
    chats.settle()
    assert not recalled(chats, question, said)
    chats.runtime.close()
    assert leaks(chats.home, words_needles(words)) == []


def test_erased_text_that_a_chat_still_shows_is_not_stored_again(chats, secret):
    words, said, _ = secret
    chats.hooks.runtime.forget(MIRA, [told(chats, words, said)])
    chats.runtime.memory.erase_all_forgotten(MIRA)
    chats.talk(TALK, ("Hello", "Good morning."), said, ("Something else", "Oh."), ("More", "Yes"))
    chats.restart()
    chats.look_after(TALK)
    chats.settle()
    assert chats.stored(TALK)[-1] == ("More", "Yes")
    assert leaks(chats.home, words_needles(words)) == []


def test_destroyed_namespace_is_in_its_backup_alone(chats, secret):
    words, said, question = secret
    told(chats, words, said)
    assert recalled(chats, question, said)
    saved = destroy(chats.hooks, MIRA)
    assert leaks(saved.parent, words_needles(words))
    saved.unlink()
    assert chats.runtime.traces.latest() == []
    assert leaks(chats.home, words_needles(words)) == []


SHARED_BY = {
    "all characters": Namespace.shared(MIRA.user),
    "everybody": Namespace.world(),
}
NOTE = ("Zyxquorvath", "The plumber is called Zyxquorvath.", "What is the plumber called?")


def noted(chats, space):
    """Saves a note for several characters, and recalls it in a chat; returns the note's id."""
    word, text, question = NOTE
    chats.talk(TALK, ("Hello", "Good morning."))
    note = chats.runtime.memory.add_note(space, text, kind=MemoryKind.KNOWLEDGE, pinned=True)
    assert recalled(chats, question, (word,))
    return note


@pytest.mark.parametrize("space", SHARED_BY.values(), ids=SHARED_BY)
@pytest.mark.parametrize("is_saved", [True, False], ids=["saved trace", "waiting trace"])
def test_words_of_a_note_for_several_leave_every_trace_when_they_are_deleted(
    chats, space, is_saved
):
    noted(chats, space)
    if is_saved:
        chats.runtime.traces.save()
        chats.restart()
    destroy(chats.hooks, space).unlink()
    chats.runtime.traces.save()
    assert NOTE[0] not in repr(chats.runtime.traces.latest(MIRA))
    assert leaks(chats.home, words_needles(NOTE[:1])) == []


@pytest.mark.parametrize("space", SHARED_BY.values(), ids=SHARED_BY)
def test_words_of_a_note_for_several_leave_every_trace_when_it_is_erased(chats, space):
    note = noted(chats, space)
    chats.runtime.traces.save()
    chats.runtime.memory.forget(space, [note])  # as another program does
    assert chats.runtime.memory.erase_all_forgotten(space) == 1
    assert leaks(chats.home, words_needles(NOTE[:1])) == []


def test_trace_of_a_message_that_was_never_stored_goes_with_its_chat(chats, secret):
    words, said, _ = secret
    chats.talk(TALK, ("Hello", "Good morning."), ("My dog is Rex", "Nice."))
    for message in ("My dog is Rex", f"{said[0]} Do you know my dog?"):
        state = page_state(unique_id=TALK)
        chats.hooks.custom_generate_chat_prompt(message, state, history=state["history"])
    chats.runtime.traces.save()
    assert leaks(chats.home, words_needles(words))
    kept, gone = (memory.id for memory in chats.runtime.memory.latest(MIRA, Page(limit=9)))
    chats.runtime.forget(MIRA, [gone])
    chats.runtime.memory.erase_all_forgotten(MIRA)
    assert leaks(chats.home, words_needles(words)) == []
    chats.restart()
    assert [one.query for one in chats.runtime.traces.latest(MIRA)] == ["My dog is Rex"]
    assert kept in chats.runtime.memory.get_records(MIRA, [kept])
