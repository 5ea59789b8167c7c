"""Messages to a busy namespace: they go out in time, and are stored later."""

import pytest

from memory_core.domain.errors import StorageBusy
from memory_core.host.activity import SkipReason
from tests.host.one_page import API_MIRA, MIRA, Client, OnePage
from tests.meanwhile import taken

AT_ONCE_S = 0.001


@pytest.fixture
def page(tmp_path):
    page = OnePage(tmp_path, {"recall": {"time_limit_s": AT_ONCE_S}})
    page.memory.counts(MIRA)  # opened before the time limit applies
    page.say("My dog is called Bruno")
    page.rows.clear()
    return page


def busy(page, namespace=MIRA):
    """Blocks the namespace, as a merge or a destruction does."""
    return taken(page.memory.closed, namespace)


def test_message_to_a_busy_namespace_goes_out_without_memories_and_says_so(page):
    with busy(page):
        assert "Bruno" not in page.ask("What is my dog called?", chat="other")
    (told,) = page.runtime.problems()
    assert "went out without memories: the memories of default / Mira are being moved" in told
    assert page.hooks.prompt_builder.activity.skip_counts(MIRA) == {SkipReason.BUSY: 1}
    trace = page.runtime.traces.latest()[0]
    assert trace.query == "What is my dog called?"
    assert "are being moved" in trace.skipped


def test_message_after_a_busy_namespace_has_memories_again(page):
    with busy(page):
        page.ask("What is my dog called?", chat="other")
    page.memory.counts(MIRA)
    assert "Bruno" in page.ask("What is my dog called?", chat="other")
    assert page.runtime.problems() == []


def test_page_message_sent_to_a_busy_namespace_is_stored_later(page):
    with busy(page):
        page.ask("My cat is Tom", chat="other")
    page.rows.append(("My cat is Tom", "Aw"))
    page.save("other")
    assert "My cat is Tom" in page.kept()


def test_api_message_sent_to_a_busy_namespace_is_stored_later(page):
    client = Client(page)
    client.say("My cat is Tom")
    with busy(page, API_MIRA):
        client.say("My cow is Rosa", run=False)
    page.runtime.run_pending()
    assert page.kept(API_MIRA) == ["My cat is Tom", "My cow is Rosa"]


def test_message_of_an_unknown_chat_in_a_busy_namespace_has_no_memories(page):
    with busy(page, API_MIRA):
        Client(page).say("My cow is Rosa", run=False)
    assert page.hooks.prompt_builder.activity.skip_counts(API_MIRA) == {SkipReason.BUSY: 1}
    page.runtime.run_pending()


def test_paused_chat_gets_no_memories_when_its_name_was_not_available(page, monkeypatch):
    def moved(*_):
        raise StorageBusy("they are being moved")

    page.memory.counts(API_MIRA)
    Client(page).say("My cow is Rosa")
    paused = Client(page)
    paused.say("Hello")
    paused.say("/pause recall")
    with monkeypatch.context() as patch:
        patch.setattr(page.hooks.synchronizer, "conversation_of", moved)
        assert "Rosa" not in paused.say("What is my cow called?", run=False)
    assert page.hooks.prompt_builder.activity.skip_counts(API_MIRA)[SkipReason.BUSY] == 1
    page.runtime.run_pending()
    assert "Rosa" in Client(page).say("What is my cow called?")


def test_message_is_counted_as_busy_while_nobody_knows_whether_its_chat_is_paused(page):
    (MIRA.folder(page.memory.root) / "switches.json").write_text("{broken")
    page.runtime.pauses.drop(MIRA)
    assert "Bruno" not in page.ask("What is my dog called?", chat="other")
    assert page.hooks.prompt_builder.activity.skip_counts(MIRA) == {SkipReason.BUSY: 1}
    assert "switches.json" in page.runtime.traces.latest()[0].skipped


def test_memories_command_in_a_busy_namespace_says_that_it_is_busy(page):
    with busy(page):
        assert "cannot be answered now" in page.ask("/memories", chat="other")


def test_notebook_mark_is_left_empty_in_a_busy_namespace(page):
    with busy(page):
        state = {"name1": "Ana", "name2": "Mira", "mode": "chat", "character_menu": "Mira"}
        text = page.hooks.input_modifier("<|memory|>My dog", state | {"unique_id": "x"}, False)
    assert text == "My dog"


def test_prompt_does_not_wait_for_the_writer_where_the_chat_left_is_saved(page, monkeypatch):
    waits = []

    class Noted:
        """A lock that notes who wants it."""

        def acquire(self, timeout=-1):
            waits.append(timeout)
            return False

    page.say("My cow is Rosa", chat="one")
    synchronizer = page.hooks.synchronizer
    monkeypatch.setattr(synchronizer, "_lock", Noted())
    synchronizer.sync_left_chat(MIRA, "one")
    assert waits == []
    for path, _ in synchronizer._watched.items():
        path.write_bytes(path.read_bytes() + b" ")
    synchronizer.sync_left_chat(MIRA, "one")
    assert len(waits) == 1, "what is not saved yet needs the lock"
