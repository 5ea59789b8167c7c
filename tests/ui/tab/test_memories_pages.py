"""The room of memories as HTML: escaped, marked, and named as people name things."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest

from memory_core.domain.derivations import Derivation, Flag
from memory_core.domain.namespaces import Namespace, encode
from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.host.hooks import Hooks
from memory_core.memory.derived_memories import DerivedMemories
from memory_core.memory.meaning_map import MapPoint
from memory_core.memory.recall_counts import add_counts, read_counts
from memory_core.storage.listing import ListedMemories, Order
from memory_core.text.locales import LANGUAGES, tab_words
from memory_core.text.search_terms import terms
from memory_core.ui.tab.common.actions import Action, button_html
from memory_core.ui.tab.common.memory_text import marked, passage
from memory_core.ui.tab.common.wording import chat_name, moment_html, moment_text, month_name
from memory_core.ui.tab.memories.cards import CardParts, card, edit_card
from memory_core.ui.tab.memories.chat_link import chat_button, chat_link
from memory_core.ui.tab.memories.filters_page import filters_html
from memory_core.ui.tab.memories.list_reader import Viewpoint, room_html
from memory_core.ui.tab.memories.list_state import FIRST_STATE, ListState, after_click
from memory_core.ui.tab.memories.views_page import map_html, timeline_html
from tests.cases import for_each
from tests.host.plain_host import PlainHost, hooks_in, opened
from tests.memory.derived_scene import observe

ANA = Namespace("ana", "Mira")
WORDS = tab_words("en")
BUTTON = partial(button_html, "field")
PARTS = CardParts(words=WORDS, button=BUTTON)
EVIL = '<script>alert("x")</script>'
EXCHANGE = Memory(
    id="ab12",
    kind=MemoryKind.EXCHANGE,
    text="t",
    ts=1_795_000_000.0,
    conversation="20261121-07-24-00",
    exchange=Exchange(user=f"My cat {EVIL}", assistant=EVIL, assistant_name=EVIL),
)


@pytest.fixture
def hooks(tmp_path: Path) -> Iterator[Hooks]:
    yield hooks_in(tmp_path / "home", PlainHost(tmp_path))
    while opened:
        opened.pop().close()


def room(hooks: Hooks, state: ListState = FIRST_STATE, search: str = "") -> str:
    view = Viewpoint(namespace=ANA, search=search, targets=(), words=WORDS, button=BUTTON)
    return room_html(hooks, view, state)


def said(hooks: Hooks, user: str, *, chat: str = "monday", ts: float | None = 1e9) -> str:
    exchange = Exchange(user=user, assistant="I see.", assistant_name="Mira", ts=ts)
    return hooks.runtime.memory.remember(ANA, chat, exchange)


def test_list_by_recalls_begins_with_the_most_recalled_and_shows_the_number(hooks: Hooks) -> None:
    first, second = said(hooks, "an old cello"), said(hooks, "a new lamp", ts=2e9)
    folder = ANA.folder(hooks.runtime.memory.root)
    assert room(hooks).index("lamp") < room(hooks).index("cello")
    add_counts(folder, {first: 2, second: 1})
    shown = room(hooks, ListState(order=Order.RECALLED))
    assert shown.index("cello") < shown.index("lamp")
    assert "recalled 2 times" in shown
    assert "recalled 1 time<" in shown


def test_order_by_recalls_is_not_offered_where_they_are_not_counted() -> None:
    listed = ListedMemories(memories=(), total=0, months={}, kinds={}, pinned=0, conversations={})
    counted = filters_html(listed, FIRST_STATE, replace(PARTS, recalls={}), is_searching=False)
    absent = filters_html(listed, FIRST_STATE, PARTS, is_searching=False)
    assert WORDS["order_recalled"] in counted
    assert WORDS["order_recalled"] not in absent
    assert WORDS["recalls_not_counted"] in absent


def test_erasing_a_memory_erases_its_count(hooks: Hooks) -> None:
    memory, memory_id = hooks.runtime.memory, said(hooks, "an old cello")
    folder = ANA.folder(memory.root)
    add_counts(folder, {memory_id: 2})
    memory.forget(ANA, [memory_id])
    assert read_counts(folder) == {memory_id: 2}  # it may be brought back
    memory.erase_all_forgotten(ANA)
    assert read_counts(folder) == {}


def test_list_marks_facts_that_do_not_hold(hooks: Hooks) -> None:
    memory, source = hooks.runtime.memory, said(hooks, "I moved.")
    add = partial(observe, memory, space=ANA)
    states = {
        "from a story": {"flag": Flag.FICTION},
        "only imagined": {"flag": Flag.HYPOTHETICAL},
    }
    for text, own in states.items():
        add(f"Ana, {text}.", source, derived=Derivation(made_by="small", **own))
        assert f"· {text}" in room(hooks)
    old = add("Ana lives in Porto.", source)
    new = add("Ana lives in Faro.", said(hooks, "I moved again.", ts=2e9))
    assert "no longer so" not in room(hooks)
    DerivedMemories(memory).supersede(ANA, old, new)
    assert room(hooks).count("no longer so") == 1
    memory.forget(ANA, [new])
    assert "no longer so" not in room(hooks)
    DerivedMemories(memory).supersede(ANA, old, add("Ana's home is Porto.", source), valid_to=1e9)
    assert "said again elsewhere" in room(hooks)


def test_list_marks_a_note_that_was_corrected_at_once(hooks: Hooks) -> None:
    memory = hooks.runtime.memory
    wrong, right = (
        memory.add_note(ANA, text, kind=MemoryKind.KNOWLEDGE, pinned=False)
        for text in ("my locker is 14", "my locker is 41")
    )
    said_at = memory.get_records(ANA, [wrong])[wrong].memory.ts
    DerivedMemories(memory).supersede(ANA, wrong, right, valid_to=said_at)
    assert "· corrected" in room(hooks)


def test_list_marks_a_doubt_until_it_is_settled(hooks: Hooks) -> None:
    memory = hooks.runtime.memory
    old = observe(memory, "Ana lives in Porto.", said(hooks, "I moved."), space=ANA)
    new = observe(memory, "Ana lives in Faro.", said(hooks, "Off again.", ts=2e9), space=ANA)
    derived = DerivedMemories(memory)
    derived.doubt(ANA, new, [old])
    assert room(hooks).count("· in doubt") == 2
    derived.supersede(ANA, old, new)
    assert "· in doubt" not in room(hooks)


def test_all_texts_of_a_card_are_escaped() -> None:
    for shown in (card(EXCHANGE, 0, PARTS), edit_card(EXCHANGE, {"index": "0"}, PARTS)):
        assert "<script" not in shown
        assert "&lt;script&gt;" in shown
    assert "<script" not in map_html([MapPoint(memory=EXCHANGE, x=0.5, y=0.5)], None, PARTS)


def test_an_answer_without_a_name_is_the_characters() -> None:
    """In instruct mode, the host has no character and so no name."""
    unnamed = replace(EXCHANGE, exchange=Exchange(user="Hello.", assistant="I see."))
    assert "<b>Character:</b>" in card(unnamed, 0, PARTS)
    assert "Character said" in edit_card(unnamed, {"index": "0"}, PARTS)


def test_no_card_shows_an_id_or_a_file_name() -> None:
    shown = re.sub(r"<[^>]*>", "", card(EXCHANGE, 0, PARTS))
    assert "ab12" not in shown
    assert "20261121" not in shown
    assert "chat of 21 Nov 2026, 07:24" in shown


def test_about_me_shows_days_without_questions_and_clock_times(hooks: Hooks) -> None:
    said(hooks, "what am I allergic to")
    said(hooks, "I am allergic to walnuts")
    shown = room(hooks, ListState(about_open=True)).partition("</section>")[0]
    assert "I am allergic to walnuts" in shown
    assert "what am I" not in shown
    assert "9 September 2001" in shown
    assert not re.search(r"\d\d:\d\d", shown)


def test_searched_words_are_marked_in_every_form() -> None:
    assert marked("Cats & a cat", terms("cat")) == "<mark>Cats</mark> &amp; a <mark>cat</mark>"
    assert marked("我对芒果过敏", ["芒果"]) == "我对<mark>芒果</mark>过敏"
    assert marked("我對芒果過敏", terms("过敏")) == "我對芒果<mark>過敏</mark>"
    assert marked("<b>", ["b"]) == "&lt;<mark>b</mark>&gt;"
    assert marked("none", []) == "none"


def test_a_long_text_is_shortened_around_the_searched_words() -> None:
    text = "It rained. " * 60 + "The cello was loud. " + "It snowed. " * 60
    assert "<mark>cello</mark>" in passage(text, ["cello"], 200).html


@for_each("language", LANGUAGES.values())
def test_dates_are_worded_in_each_language(language: str) -> None:
    words = tab_words(language)
    expected = {"en": "November 2026", "zh": "2026年11月"}
    assert month_name("2026-11", words) == expected[language]
    assert moment_text(None, words) == moment_text(1e300, words) == words["no_date"]
    assert 'datetime="2026-11-18T' in moment_html(1_795_000_000.0, words)


@for_each(
    ("name", "expected"),
    [
        ("20260503-14-05-09", "chat of 3 May 2026, 14:05"),
        ("Our garden", "chat “Our garden”"),
        ("moved:20260503-14-05-09", "chat of 3 May 2026, 14:05"),
        ("99999999-99-99-99", "a chat without a name"),
        ("x" * 300, "a chat without a name"),
    ],
)
def test_chats_have_the_name_that_people_gave_them(name: str, expected: str) -> None:
    assert chat_name(encode(name), WORDS) == expected


def test_a_moved_memory_names_the_chat_in_which_it_was_said() -> None:
    log = encode("moved:" + encode("Our garden"))
    assert chat_name(log, WORDS) == "chat “Our garden”"


def test_the_room_counts_marks_and_filters(hooks: Hooks) -> None:
    said(hooks, "My cat is called Biscuit", chat="monday")
    said(hooks, "My dog is called Bruno", chat="tuesday")
    whole = room(hooks)
    assert "2 memories" in whole
    assert "chat “monday” (1)" in whole
    found = room(hooks, search="bisc")
    assert "1 memory found" in found
    assert "<mark>Biscuit</mark>" in found
    assert "Bruno" not in found
    said(hooks, "老婆对猫毛过敏", chat="tuesday")
    assert "<mark>过敏</mark>" in room(hooks, search="過敏")
    narrowed = after_click(
        FIRST_STATE, Action(name="filter", values={"field": "chat", "value": "tuesday"})
    )
    assert "Biscuit" not in room(hooks, narrowed)


def test_room_without_a_character_says_so(hooks: Hooks) -> None:
    assert WORDS["nobody"] in room(hooks)
    said(hooks, "My cat")
    assert WORDS["none_found_words"] in room(hooks, search="zebra")


def test_an_edit_form_holds_the_text_as_it_is(hooks: Hooks) -> None:
    own = said(hooks, "\nMy <cat>\n & dog")
    state = after_click(FIRST_STATE, Action(name="edit", values={"memory_id": own}))
    assert ">\n\nMy &lt;cat&gt;\n &amp; dog</textarea>" in room(hooks, state)


def test_forms_show_nothing_of_foreign_or_forgotten_ids(hooks: Hooks) -> None:
    foreign = hooks.runtime.memory.remember(
        Namespace("bob", "Mira"), "c", Exchange(user="Bob's secret", assistant="x")
    )
    gone = said(hooks, "Forgotten words")
    hooks.runtime.memory.forget(ANA, [gone])
    said(hooks, "Others")
    for name, values in (
        ("edit", {"memory_id": foreign}),
        ("merge", {}),
        ("open", {"memory_id": gone}),
    ):
        state = after_click(FIRST_STATE, Action(name=name, values=values, ticked=(foreign, gone)))
        shown = room(hooks, state)
        assert "secret" not in shown
        assert "Forgotten words" not in shown


def test_list_of_forgotten_memories_promises_no_return_if_they_are_erased_at_once(
    hooks: Hooks,
) -> None:
    hooks.runtime.save_settings({"ltm_writes.undo_forget_s": 0})
    state = after_click(FIRST_STATE, Action(name="filter", values={"field": "forgotten"}))
    assert "Nothing can be brought back here" in room(hooks, state)
    hooks.runtime.memory.forget(ANA, [said(hooks, "My cat")])
    assert "never used any more. Their words are erased at once" in room(hooks, state)


def test_forgotten_memories_are_listed_and_searched_apart(hooks: Hooks) -> None:
    state = after_click(FIRST_STATE, Action(name="filter", values={"field": "forgotten"}))
    assert "brought back here for 10 minutes" in room(hooks, state)
    hooks.runtime.memory.forget(ANA, [said(hooks, "My cat"), said(hooks, "My dog")])
    shown = room(hooks, state)
    assert "2 forgotten memories that can still be brought back" in shown
    assert WORDS["leave_forgotten"] in shown
    assert "My dog" not in room(hooks, state, search="cat")
    asked = after_click(state, Action(name="erase_ask", values={}))
    assert WORDS["erase_yes"] in room(hooks, asked)


def test_the_timeline_has_a_bar_for_each_month() -> None:
    shown = timeline_html({"2026-11": 4, "2026-10": 1, "": 2}, PARTS)
    assert shown.index("November 2026") < shown.index("October 2026")
    assert "2 more without a date" in shown
    assert WORDS["timeline_empty"] in timeline_html({}, PARTS)


def test_the_map_without_a_model_is_one_sentence(hooks: Hooks) -> None:
    said(hooks, "My cat")
    state = after_click(FIRST_STATE, Action(name="view", values={"value": "map"}))
    assert WORDS["map_no_model"].split(".")[0] in room(hooks, state)
    assert "<svg" not in room(hooks, state)


def test_points_that_do_not_fit_the_search_are_faint() -> None:
    points = [MapPoint(memory=replace(EXCHANGE, id=name), x=0.1, y=0.2) for name in ("one", "two")]
    shown = map_html(points, {"one"}, PARTS)
    assert shown.count("ltm-faint") == 1
    assert shown.count('tabindex="0"') == 1


def test_about_me_shows_a_line_of_quotes_until_it_is_opened(hooks: Hooks) -> None:
    said(hooks, "My sister Clara lives in Porto.")
    said(hooks, "I am allergic to walnuts.", ts=2e9)
    closed = room(hooks).partition("</section>")[0]
    preview = "<q>I am allergic to walnuts.</q> · <q>My sister Clara lives in Porto.</q>"
    assert preview in closed
    assert "People and family" not in closed
    shown = room(hooks, replace(FIRST_STATE, about_open=True)).partition("</section>")[0]
    assert "People and family" in shown
    assert preview not in shown
    assert "<q>My sister Clara lives in Porto.</q>" in shown


def test_about_me_quotes_pinned_memories_and_notes_only_once(hooks: Hooks) -> None:
    memory = hooks.runtime.memory
    pinned = said(hooks, "My sister Clara lives in Porto.")
    memory.pin(ANA, pinned)
    said(hooks, "Remember that my brother Leo is allergic to walnuts.")
    note = "my brother Leo is allergic to walnuts"
    memory.add_note(ANA, note, kind=MemoryKind.KNOWLEDGE, pinned=False)
    shown = room(hooks, replace(FIRST_STATE, about_open=True)).partition("</section>")[0]
    assert shown.count("Clara lives in Porto.</q>") == 1
    assert shown.count("allergic to walnuts</q>") == 1
    assert "Remember that" not in shown


def test_about_me_stands_aside_during_a_search_and_offers_nothing_when_empty(hooks: Hooks) -> None:
    said(hooks, "It rained.")
    assert WORDS["about_empty"] in room(hooks)
    assert 'data-ltm="about"' not in room(hooks)
    said(hooks, "My sister Clara lives in Porto.")
    assert WORDS["about_me"] not in room(hooks, search="sister")


def test_an_edit_form_names_the_channel_and_the_metadata() -> None:
    said_there = {"mood": "<b>glad</b>"}
    exchange = Exchange(user="a", assistant="b", channel="telegram", metadata=said_there)
    shown = edit_card(replace(EXCHANGE, exchange=exchange), {}, PARTS)
    assert "Channel: telegram" in shown
    assert "&lt;b&gt;glad&lt;/b&gt;" in shown
    assert "Channel" not in edit_card(EXCHANGE, {}, PARTS)


def test_only_a_page_that_opens_chats_has_a_button_for_it(hooks: Hooks) -> None:
    hooks.host.open_chat_field = "opener"  # type: ignore[attr-defined]
    link = chat_link(hooks, ANA, WORDS, is_open=False)
    shown = card(EXCHANGE, 0, replace(PARTS, chat=link))
    assert 'data-ltm-to="opener"' in shown
    assert 'data-chat="20261121-07-24-00"' in shown
    assert 'data-character="Mira"' in shown
    assert "Open in chat" not in card(EXCHANGE, 0, PARTS)
    note = replace(EXCHANGE, exchange=None, kind=MemoryKind.KNOWLEDGE)
    assert chat_button(note, link) == ""


def test_a_shared_namespace_has_no_chats_to_open(hooks: Hooks) -> None:
    hooks.host.open_chat_field = "opener"  # type: ignore[attr-defined]
    assert chat_link(hooks, ANA, WORDS, is_open=False) is not None
    assert chat_link(hooks, Namespace.shared("ana"), WORDS, is_open=False) is None


def test_a_host_with_a_list_of_chats_opens_those_of_the_open_character(hooks: Hooks) -> None:
    hooks.host.open_chat_list = "past-chats"  # type: ignore[attr-defined]
    assert chat_link(hooks, ANA, WORDS, is_open=False) is None
    link = chat_link(hooks, ANA, WORDS, is_open=True)
    opens = 'data-ltm-chat="20261121-07-24-00" data-ltm-in="past-chats"'
    assert opens in chat_button(EXCHANGE, link)
    assert chat_button(replace(EXCHANGE, exchange=None), link) == ""
    evil = replace(EXCHANGE, conversation=encode(EVIL))
    assert "<script" not in chat_button(evil, link)


def test_unnamed_chat_is_named_only_if_it_began_on_another_day(hooks: Hooks) -> None:
    began = datetime(2026, 5, 3, 14, 5)
    said(hooks, "the same evening", chat="20260503-14-05-09", ts=began.timestamp())
    said(hooks, "two days later", chat="20260503-14-05-09", ts=began.timestamp() + 2 * 86_400)
    cards = re.findall('<p class="ltm-muted ltm-source">.*?</p>', room(hooks))
    assert ["chat of 3 May 2026, 14:05" in one for one in cards] == [True, False]
