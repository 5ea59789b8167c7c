"""The review, the diary and the answers of the tab: clicks, undo, and what the page shows."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import pytest

from memory_core.consolidation.answers import NO_MODEL, UNANSWERED
from memory_core.domain.derivations import Derivation
from memory_core.domain.errors import HeldForReview
from memory_core.domain.namespaces import Namespace
from memory_core.domain.private_parts import GuardAction, GuardRules, PrivatePart
from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.memory.derived_memories import DerivedMemories, NewDerived
from memory_core.memory.diary import Diary
from memory_core.memory.doubts import Doubts
from memory_core.memory.held_inbox import HeldInbox
from memory_core.memory.questions import Answer, Source, Stage
from memory_core.memory.runtime import Runtime
from memory_core.text.locales import tab_words
from memory_core.ui.tab.common.actions import Action, button_html
from memory_core.ui.tab.memories.ask import answer_html, ask_offer_html
from memory_core.ui.tab.memories.diary import diary_html
from memory_core.ui.tab.memories.diary_clicks import (
    FIRST_DIARY,
    DiaryClick,
    DiaryState,
    after_diary_click,
)
from memory_core.ui.tab.memories.review import fold_title, is_shown
from memory_core.ui.tab.memories.review_clicks import (
    FIRST_REVIEW,
    ReviewClick,
    ReviewState,
    after_review_click,
    inbox_of,
)
from memory_core.ui.tab.memories.review_html import ReviewContent, review_html
from tests.cases import for_each
from tests.host.plain_host import PlainHost, hooks_in, opened

ANA, BOB = Namespace("ana", "Mira"), Namespace("bob", "Mira")
WORDS = tab_words("en")
HOSTILE = "<script>alert(1)</script> Ana likes rivers."


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    yield hooks_in(tmp_path / "home", PlainHost(tmp_path)).runtime
    while opened:
        opened.pop().close()


def fact(runtime: Runtime, text: str, *, kind: MemoryKind = MemoryKind.INSIGHT) -> str:
    noon = datetime(2026, 9, 20, 12).timestamp()
    source = runtime.memory.remember(ANA, "monday", Exchange(user=text, assistant="Oh.", ts=noon))
    with runtime.memory.open_namespace(ANA) as opened:
        seq = opened.records([source])[source].seq
    derived = Derivation(made_by="m", subject="Ana", key="home")
    new = NewDerived(kind=kind, text=text, sources={source: seq}, derived=derived)
    return DerivedMemories(runtime.memory).add(ANA, new)


def review(
    runtime: Runtime,
    name: str,
    *,
    state: ReviewState = FIRST_REVIEW,
    space: Namespace = ANA,
    **values: str,
) -> ReviewState:
    action = Action(name=name, values=values)
    click = ReviewClick(action=action, namespace=space, state=state, words=WORDS)
    return after_review_click(runtime, click)


def diary(
    runtime: Runtime, name: str, *, state: DiaryState = FIRST_DIARY, **values: str
) -> DiaryState:
    action = Action(name=name, values=values)
    return after_diary_click(
        runtime, DiaryClick(action=action, namespace=ANA, state=state, words=WORDS)
    )


def button(name: str, label: str, **values: str) -> str:
    return button_html("field", name, label, **values)


def proposed(runtime: Runtime) -> list[str]:
    return [one.memory.text for one in inbox_of(runtime).proposals(ANA)]


def doubtful(runtime: Runtime) -> tuple[str, str]:
    one = fact(runtime, "Ana lives in Porto.", kind=MemoryKind.OBSERVATION)
    other = fact(runtime, "Ana lives in Faro.", kind=MemoryKind.OBSERVATION)
    DerivedMemories(runtime.memory).doubt(ANA, other, [one])
    return one, other


@pytest.mark.parametrize("name", ["approve", "reject"])
def test_decision_empties_the_inbox_and_undo_fills_it(runtime: Runtime, name: str) -> None:
    state = review(runtime, name, memory_id=fact(runtime, "Ana likes rivers."))
    assert proposed(runtime) == []
    assert review(runtime, "undo", state=state).message == WORDS["undone"]
    assert proposed(runtime) == ["Ana likes rivers."]


def test_edited_proposal_is_kept_in_the_new_words(runtime: Runtime) -> None:
    memory_id = fact(runtime, "Ana likes rivers.")
    assert review(runtime, "edit", memory_id=memory_id).editing == memory_id
    assert review(runtime, "save", memory_id=memory_id, text=" ").message == WORDS["review_empty"]
    review(runtime, "save", memory_id=memory_id, text="Ana loves rivers.")
    assert [one.text for one in runtime.memory.always_in_prompt(ANA)] == ["Ana loves rivers."]


@pytest.mark.parametrize("verdict", ["first", "second", "both"])
def test_doubt_is_settled_with_one_click_and_undone(runtime: Runtime, verdict: str) -> None:
    first, second = doubtful(runtime)
    state = review(runtime, "settle", first=first, second=second, verdict=verdict)
    assert state.message == WORDS["review_settled"]
    assert Doubts(runtime.memory).open(ANA) == []
    review(runtime, "undo", state=state)
    assert len(Doubts(runtime.memory).open(ANA)) == 1


def test_forged_clicks_change_nothing(runtime: Runtime) -> None:
    memory_id = fact(runtime, "Ana likes rivers.")
    assert review(runtime, "approve", memory_id="nothing").message == WORDS["review_gone"]
    assert review(runtime, "reject", memory_id="nothing").message == WORDS["review_gone"]
    assert (
        review(runtime, "approve", space=BOB, memory_id=memory_id).message == WORDS["review_gone"]
    )
    assert review(runtime, "settle", first="a", second="b", verdict="all").message
    assert review(runtime, "drop_everything") == FIRST_REVIEW
    assert proposed(runtime) == ["Ana likes rivers."]


def test_undo_of_another_namespace_is_refused(runtime: Runtime) -> None:
    state = review(runtime, "approve", memory_id=fact(runtime, "Ana likes rivers."))
    message = review(runtime, "undo", state=state, space=BOB).message
    assert (message, proposed(runtime)) == (WORDS["nothing_to_undo"], [])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_review_shows_escaped_proposals_and_doubts(runtime: Runtime, language: str) -> None:
    memory_id = fact(runtime, HOSTILE)
    doubtful(runtime)
    content = ReviewContent(
        proposals=inbox_of(runtime).proposals(ANA),
        doubts=Doubts(runtime.memory).open(ANA),
        sources={one.id: one for one in [runtime.memory.get_record(ANA, memory_id).memory]},
    )
    html = review_html(content, FIRST_REVIEW, tab_words(language), button)
    assert content.count == 2
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert html.count('data-ltm="settle"') == 3
    assert html.count('data-ltm="approve"') == 1
    editing = review_html(content, ReviewState(editing=memory_id), tab_words(language), button)
    assert "<textarea" in editing


def test_page_is_saved_changed_deleted_and_each_is_undone(runtime: Runtime) -> None:
    pages, day = Diary(runtime.memory), {"day": "2026-09-20"}
    saved = diary(runtime, "save", **day, text="One.")
    changed = diary(runtime, "save", **day, text="Two.")
    deleted = diary(runtime, "delete", **day)
    assert pages.pages(ANA) == []
    diary(runtime, "undo", state=deleted)
    assert [one.text for one in pages.pages(ANA)] == ["Two."]
    diary(runtime, "undo", state=changed)
    assert [one.text for one in pages.pages(ANA)] == ["One."]
    assert diary(runtime, "undo", state=saved).message == WORDS["undone"]
    assert pages.pages(ANA) == []


def test_draft_is_kept_only_when_it_is_saved(runtime: Runtime) -> None:
    fact(runtime, "I like rivers.")
    drafted = diary(runtime, "draft", day="2026-09-20")
    assert (drafted.writing, drafted.text) == (date(2026, 9, 20), "12:00 I like rivers.")
    assert drafted.message == WORDS["diary_quoted"]
    assert Diary(runtime.memory).pages(ANA) == []
    diary(runtime, "save", state=drafted, day="2026-09-20", text=drafted.text)
    (page,) = Diary(runtime.memory).pages(ANA)
    assert WORDS["diary_by_quotes"] in diary_html([page], FIRST_DIARY, WORDS, button)


def test_draft_that_was_changed_counts_as_written_by_hand(runtime: Runtime) -> None:
    fact(runtime, "I like rivers.")
    drafted = diary(runtime, "draft", day="2026-09-20")
    diary(runtime, "save", state=drafted, day="2026-09-20", text="I like lakes.")
    (page,) = Diary(runtime.memory).pages(ANA)
    assert WORDS["diary_by_quotes"] not in diary_html([page], FIRST_DIARY, WORDS, button)


def test_bad_days_and_empty_pages_are_refused_in_words(runtime: Runtime) -> None:
    for name in ("open", "draft", "save"):
        state = diary(runtime, name, day="yesterday", text="x")
        assert state.message == WORDS["diary_no_day"]
    assert diary(runtime, "save", day="2026-09-20", text=" ").message == WORDS["diary_empty"]
    assert diary(runtime, "draft", day="2020-01-01").message == WORDS["diary_nothing_said"]
    assert diary(runtime, "delete", day="2020-01-01").message == WORDS["diary_gone"]


def test_diary_escapes_its_pages(runtime: Runtime) -> None:
    Diary(runtime.memory).write(ANA, date(2026, 9, 20), HOSTILE)
    pages = Diary(runtime.memory).pages(ANA)
    writing = replace(FIRST_DIARY, writing=date(2026, 9, 21), text="</textarea><script>")
    for state in (FIRST_DIARY, writing):
        assert "<script>" not in diary_html(pages, state, WORDS, button)
    assert "20 September 2026" in diary_html(pages, FIRST_DIARY, WORDS, button)
    assert "2026年9月20日" in diary_html(pages, FIRST_DIARY, tab_words("zh"), button)


def answer(text: str, *, fault: str = "", used: bool = True) -> Answer:
    memory = Memory(id="m1", kind=MemoryKind.SUMMARY, text=HOSTILE, ts=1_790_000_000.0)
    source = Source(namespace=ANA, memory=memory)
    return Answer(
        text=text,
        used=(source,) if used else (),
        sources=(source,),
        stage=Stage.CONDENSED,
        fault=fault,
    )


def test_search_is_offered_an_answer_and_a_question_with_the_main_button() -> None:
    assert ask_offer_html("", WORDS) == ""
    assert WORDS["ask_button"] in ask_offer_html("ginger cat", WORDS)
    assert "ltm-primary" not in ask_offer_html("ginger cat", WORDS)
    question = ask_offer_html("Where did I live before?", WORDS)
    assert "ltm-primary" in question
    assert WORDS["ask_enter"] in question


def test_answer_shows_its_source_memories() -> None:
    html = answer_html("What does <i>Ana</i> like?", answer("By <b>rivers</b>."), WORDS)
    assert "“What does &lt;i&gt;Ana&lt;/i&gt; like?”" in html
    assert "By &lt;b&gt;rivers" in html
    assert WORDS["ask_drawn_from"] in html
    assert "Ana likes rivers." in html
    assert "<script>" not in html


def test_missing_model_is_reported_above_the_memories() -> None:
    html = answer_html("Why?", answer("", fault=NO_MODEL, used=False), WORDS)
    assert "No language model is set up" in html
    assert "Ana likes rivers." in html
    unanswered = answer("", fault=f"{UNANSWERED}no route", used=False)
    message = answer_html("Why?", unanswered, WORDS)
    assert "There is no answer: no route." in message


def test_question_that_no_memory_fits_is_answered_with_a_note() -> None:
    nothing = Answer(text="", used=(), sources=(), stage=Stage.CONDENSED, fault=NO_MODEL)
    assert WORDS["ask_nothing_found"] in answer_html("Why?", nothing, WORDS)


@for_each(("count", "message", "shown"), [(2, "", True), (0, "Kept.", True), (0, "", False)])
def test_review_stands_above_the_list_while_something_waits_or_may_be_undone(
    count: int, message: str, shown: bool
) -> None:
    assert is_shown(count, ReviewState(message=message)) is shown
    assert ("2" in fold_title(count, WORDS)) == bool(count)


def hold(runtime: Runtime, text: str) -> str:
    runtime.memory.guard.follow(GuardRules(actions={PrivatePart.CARD: GuardAction.ASK}))
    with pytest.raises(HeldForReview):
        runtime.memory.remember(ANA, "monday", Exchange(user=text, assistant="Oh."))
    return HeldInbox(runtime.memory, runtime.pauses).waiting(ANA)[0].id


def held_page(runtime: Runtime, language: str = "en") -> str:
    waiting = HeldInbox(runtime.memory, runtime.pauses).waiting(ANA)
    content = ReviewContent(held=waiting, sources={})
    assert content.count == len(waiting)
    return review_html(content, FIRST_REVIEW, tab_words(language), button)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_held_message_is_shown_escaped_with_its_three_decisions(
    runtime: Runtime, language: str
) -> None:
    hold(runtime, "<script>alert(1)</script> 4111 1111 1111 1111")
    page, words = held_page(runtime, language), tab_words(language)
    assert "<script>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; 4111 1111 1111 1111" in page
    for name in ("approve", "redact", "discard"):
        assert words[f"review_held_{name}"] in page
    standing_out = re.findall('ltm-primary"[^>]*data-decision="([a-z]+)"', page)
    assert set(standing_out) == {"redact"}


@pytest.mark.parametrize(
    ("decision", "left"),
    [("approve", ["4111 1111 1111 1111"]), ("redact", ["[card number removed]"]), ("discard", [])],
)
def test_click_decides_about_a_held_message(
    runtime: Runtime, decision: str, left: list[str]
) -> None:
    held_id = hold(runtime, "4111 1111 1111 1111")
    state = review(runtime, "decide", held_id=held_id, decision=decision)
    assert state.message == WORDS[f"review_held_told_{decision}"]
    found = runtime.memory.conversation(ANA, "monday", 9)
    assert [one.exchange.user for one in found if one.exchange] == left
    gone = review(runtime, "decide", held_id=held_id, decision=decision)
    assert gone.message == WORDS["review_gone"]


def test_held_message_of_another_user_is_out_of_reach(runtime: Runtime) -> None:
    held_id = hold(runtime, "4111 1111 1111 1111")
    state = review(runtime, "decide", space=BOB, held_id=held_id, decision="discard")
    assert state.message == WORDS["review_gone"]
    assert len(HeldInbox(runtime.memory, runtime.pauses).waiting(ANA)) == 1
