"""The browser's rows and pages."""

from dataclasses import replace

from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.storage.log.projection import MemoryRecord
from memory_core.text.locales import tab_words
from memory_core.ui.tab.memories import browser_rows

EXCHANGE = Memory(
    id="m1",
    kind=MemoryKind.EXCHANGE,
    text="both",
    conversation="c",
    exchange=Exchange(user="a <b>question</b>", assistant="an answer"),
)
WORDS = tab_words("en")
NOTE = Memory(id="n1", kind=MemoryKind.KNOWLEDGE, text="a fact", pinned=True)


def test_browser_row_holds_both_sides_of_an_exchange() -> None:
    shown = dict(zip(browser_rows.COLUMNS, browser_rows.rows([EXCHANGE], WORDS)[0], strict=True))
    assert (shown["user"], shown["character"]) == ("a <b>question</b>", "an answer")
    assert (shown["id"], shown["conversation"], shown["pinned"]) == ("m1", "c", "")


def test_a_note_has_one_side_and_a_pin_shows() -> None:
    shown = dict(zip(browser_rows.COLUMNS, browser_rows.rows([NOTE], WORDS)[0], strict=True))
    assert (shown["user"], shown["character"]) == ("a fact", "")
    assert shown["pinned"]


def test_edits_name_the_fields_that_memory_has() -> None:
    assert browser_rows.edited_fields(EXCHANGE, "u", "a") == {"user": "u", "assistant": "a"}
    assert browser_rows.edited_fields(NOTE, "u", "") == {"text": "u"}


def test_pages_follow_each_other_and_search_by_terms() -> None:
    first, second = browser_rows.page_of(1, ""), browser_rows.page_of(2, "Ginger cats, ginger")
    assert (first.offset, second.offset) == (0, first.limit)
    assert first.words == ()
    assert second.words == ("ginger", "cat")


def test_page_numbers_below_one_give_the_first_page() -> None:
    assert browser_rows.page_of(0, "").offset == 0


def test_forgotten_choices_start_with_the_latest() -> None:
    entries = [
        MemoryRecord(memory=replace(EXCHANGE, id=name), forgotten_at=moment)
        for name, moment in (("old", 1.0), ("new", 2.0))
    ]
    assert [key for _, key in browser_rows.forgotten_choices(entries)] == ["new", "old"]


def test_details_show_channel_and_metadata_of_an_exchange() -> None:
    told = {"mood": "<b>glad</b>", "n": 1}
    exchange = Exchange(user="a", assistant="b", channel="telegram", metadata=told)
    channel, metadata = browser_rows.details(replace(EXCHANGE, exchange=exchange), WORDS)
    assert channel == "Channel: telegram"
    assert metadata == 'Metadata: {"mood": "<b>glad</b>", "n": 1}'
    assert browser_rows.details(EXCHANGE, WORDS) == browser_rows.details(NOTE, WORDS) == []
