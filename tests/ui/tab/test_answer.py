"""The tab Last answer: cards of what an answer was given, their actions and undo, the budget."""

import asyncio
import json
from dataclasses import replace

import gradio as gr
import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.memory.traces import Injected, Trace, decode_trace, encode_trace
from memory_core.recall.results import Candidate, Dropped, DropReason, Form, Recall, Recalled
from memory_core.text.locales import tab_words
from memory_core.ui.demo.program import Program
from memory_core.ui.demo.responder import MemoryResponder
from memory_core.ui.tab.answer import cards
from memory_core.ui.tab.answer.answer import FoldedParts
from memory_core.ui.tab.answer.answer_view import budget_html, budget_of, view_of, why_no_memory
from memory_core.ui.tab.answer.card_actions import NOTHING_DONE, CardClick, Outcome, execute
from memory_core.ui.tab.answer.card_html import speaker_html
from memory_core.ui.tab.answer.trace_rows import dropped_rows
from memory_core.ui.tab.common.actions import Action
from memory_core.ui.tab.common.header import Labels, TabHeader
from tests.cases import for_each

MIRA = Namespace("Alex", "Mira")
NO_MATCH = cards._MatchingWords(own=(), related=())
CAT = "What is my cat called, and where did I find him?"
WORDS = tab_words("en")


@pytest.fixture
def program(program: Program) -> Program:
    for _ in program.session("Alex", "Mira").send(CAT, MemoryResponder()):
        pass
    return program


def last(program: Program) -> Trace:
    return program.runtime.traces.latest(MIRA)[0]


def shown(program: Program, done: Outcome = NOTHING_DONE) -> str:
    return view_of(program.hooks, MIRA, last(program), WORDS, done).html


def run(
    program: Program, name: str, memory_id: str, last_done: Outcome = NOTHING_DONE, **values: str
) -> Outcome:
    click = CardClick(
        action=Action(name=name, values={"memory_id": memory_id, **values}),
        namespace=MIRA,
        conversation=last(program).conversation,
        state=last_done,
        words=WORDS,
    )
    return execute(program.hooks, click)


def biscuit(program: Program) -> str:
    """Returns the id of the memory of the cat's name."""
    records = program.runtime.memory.get_records(MIRA, cards.shown_ids(last(program)))
    return next(one for one, record in records.items() if "Rua da Rosa" in record.memory.text)


def test_cards_quote_the_memory_with_its_day_chat_and_reason(program: Program) -> None:
    html = shown(program)
    assert "I found him behind the bakery" in html
    assert "<mark>cat</mark>" in html
    assert "<time datetime=" in html
    assert "matched “cat”" in html
    assert "from “" in html
    assert "“What is my cat called" in html


def test_card_names_the_related_word_that_found_its_memory(program: Program) -> None:
    chat = program.session("Alex", "Mira")
    for _ in chat.send("Who looks after my teeth?", MemoryResponder()):
        pass
    assert "Why: related: “tooth”" in shown(program)


def test_card_names_the_word_that_a_misspelt_one_stands_for(program: Program) -> None:
    chat = program.session("Alex", "Mira")
    for _ in chat.send("Who gave me the choclates?", MemoryResponder()):
        pass
    html = shown(program)
    assert "“chocolates”; said the same" in html
    assert "<mark>chocolates</mark>" in html


def test_fields_of_an_edit_bear_the_names_of_the_speakers(program: Program) -> None:
    html = shown(program)
    assert '<label>Alex<textarea name="user"' in html
    assert '<label>Mira<textarea name="character"' in html


def test_no_card_shows_the_code_of_a_chat_or_an_id_as_text(program: Program) -> None:
    html = shown(program)
    for memory_id in cards.shown_ids(last(program)):
        assert f">{memory_id}" not in html
    assert last(program).conversation not in html


def test_everything_in_a_card_is_escaped(program: Program) -> None:
    memory_id = biscuit(program)
    run(program, "edit", memory_id, user="<script>cat</script>", character="</textarea><b>")
    html = shown(program)
    assert "<script>" not in html
    assert "</textarea><b>" not in html


def test_forgotten_memory_shows_no_words_and_can_be_brought_back_there(program: Program) -> None:
    memory_id = biscuit(program)
    run(program, "forget", memory_id)
    html = shown(program)
    assert "Rua da Rosa" not in html
    assert 'data-ltm="unforget"' in html
    assert "erased in 10 minutes" in html
    program.runtime.save_settings({"ltm_writes.undo_forget_s": 0})
    assert "Its words are erased at once." in shown(program)
    run(program, "unforget", memory_id)
    assert "Rua da Rosa" in shown(program)


def test_erased_memory_leaves_no_card(program: Program) -> None:
    run(program, "forget", biscuit(program))
    program.runtime.memory.erase_all_forgotten(MIRA)
    assert 'data-ltm="unforget"' not in shown(program)


def test_memory_left_out_of_the_chat_offers_to_use_it_again(program: Program) -> None:
    memory_id = biscuit(program)
    run(program, "leave_out", memory_id)
    assert 'data-ltm="use_again"' in shown(program)
    done = run(program, "use_again", memory_id)
    assert "Used in this chat again" in shown(program, done)


def test_edit_can_be_undone_at_the_card(program: Program) -> None:
    memory_id = biscuit(program)
    before = program.runtime.memory.get_record(MIRA, memory_id).memory.exchange
    done = run(program, "edit", memory_id, user="My cat is a dog.", character="Oh?")
    assert "My cat is a dog." in shown(program).replace("<mark>", "").replace("</mark>", "")
    assert 'data-ltm="undo_edit"' in shown(program, done)
    run(program, "undo_edit", memory_id, last_done=done)
    after = program.runtime.memory.get_record(MIRA, memory_id).memory.exchange
    assert before is not None
    assert after is not None
    assert (after.user, after.assistant) == (before.user, before.assistant)


def test_undo_of_another_memorys_edit_changes_nothing(program: Program) -> None:
    memory_id = biscuit(program)
    other = Outcome(memory_id="another", before=("x", "y"))
    assert run(program, "undo_edit", memory_id, last_done=other) == NOTHING_DONE


def test_edit_without_any_text_is_refused(program: Program) -> None:
    done = run(program, "edit", biscuit(program), user=" ", character="")
    assert done.message == WORDS["answer_empty"]


def test_card_pins_and_unpins_its_memory(program: Program) -> None:
    memory_id = biscuit(program)
    run(program, "pin", memory_id)
    assert 'data-ltm="unpin"' in shown(program)
    run(program, "unpin", memory_id)
    assert 'data-ltm="unpin"' not in shown(program)


@pytest.mark.parametrize("name", ["pin", "forget", "edit", "unforget"])
def test_unknown_memory_is_an_error_at_the_card(program: Program, name: str) -> None:
    done = run(program, name, "../../etc", user="x")
    assert done.message == WORDS["answer_not_yours"]


def test_unknown_action_of_a_card_does_nothing(program: Program) -> None:
    assert run(program, "__class__", biscuit(program)) == NOTHING_DONE


def test_exact_text_of_a_memory_forgotten_by_another_program_is_not_shown(program: Program) -> None:
    memory_id = biscuit(program)
    program.runtime.memory.forget(MIRA, [memory_id])
    view = view_of(program.hooks, MIRA, last(program), WORDS)
    assert view.trace is not None
    assert view.trace.is_redacted
    assert "Rua da Rosa" not in repr(view.trace)


def test_note_is_shown_as_always_there(program: Program) -> None:
    program.runtime.memory.add_note(
        MIRA, "Alex is allergic to cats.", kind=MemoryKind.KNOWLEDGE, pinned=False
    )
    for _ in program.session("Alex", "Mira").send(CAT, MemoryResponder()):
        pass
    assert WORDS["why_always"] in shown(program)


@for_each(
    ("kind", "pinned", "why"),
    [
        (MemoryKind.KNOWLEDGE, False, "why_always"),
        (MemoryKind.EXCHANGE, True, "why_pinned"),
        (MemoryKind.EXCHANGE, False, "why_session"),
        (MemoryKind.SUMMARY, False, "why_session"),
    ],
)
def test_memory_that_no_search_found_has_its_reason(
    kind: MemoryKind, pinned: bool, why: str
) -> None:
    memory = Memory(id="b", kind=kind, text="The code is 4471.", pinned=pinned)
    assert cards._reasons_text(memory, None, NO_MATCH, WORDS) == WORDS[why]


@for_each(
    ("user", "language", "shown"),
    [("You", "zh", "你"), ("You", "en", "You"), ("Ana", "zh", "Ana"), ("", "zh", "用户")],
)
def test_speaker_without_a_name_gets_a_role_in_the_language_of_the_tab(
    user: str, language: str, shown: str
) -> None:
    said = Exchange(user="Hi.", assistant="Hello.", user_name=user, assistant_name="Mira")
    memory = Memory(id="b", kind=MemoryKind.EXCHANGE, text="Hi.", exchange=said)
    assert cards._speakers(memory, tab_words(language)) == (shown, "Mira")


def test_parts_of_a_summary_are_no_cards_of_their_own() -> None:
    parts = (
        Injected(memory_id="a b c", form="system", text="s", tokens=9),
        Injected(memory_id="d", form="line", text="t", tokens=5),
    )
    trace = Trace(ts=0.0, user="u", character="c", conversation="", query="", injected=parts)
    assert cards.shown_ids(trace) == ["d"]
    assert cards.summarised_count(trace) == 3


def test_tab_without_an_answer_says_what_it_will_show(program: Program) -> None:
    invited = view_of(program.hooks, MIRA, None, WORDS).html
    assert invited.count("Send a message") == 1
    assert WORDS["answer_see_all"] in invited
    assert WORDS["answer_see_all"] not in view_of(program.hooks, None, None, WORDS).html
    assert view_of(program.hooks, None, last(program), WORDS).trace is None


def test_answer_without_memories_says_so(program: Program) -> None:
    empty = replace(last(program), injected=())
    assert WORDS["answer_given_none"] in view_of(program.hooks, MIRA, empty, WORDS).html


def test_first_chat_of_a_renamed_character_is_told_apart_from_no_match(program: Program) -> None:
    renamed = Namespace("Alex", "Miranda")
    for _ in program.session("Alex", "Miranda").send(CAT, MemoryResponder()):
        pass
    trace = program.runtime.traces.latest(renamed)[0]
    html = view_of(program.hooks, renamed, trace, WORDS).html
    assert WORDS["answer_given_first"] in html
    assert WORDS["answer_given_none"] not in html


def test_small_talk_is_told_apart_from_memories_that_are_gone(program: Program) -> None:
    session = program.session("Alex", "Mira")
    session.new_chat()
    for _ in session.send("hey, how are you?", MemoryResponder()):
        pass
    trace = last(program)
    assert {part.form for part in trace.injected} == {"system_extract"}
    assert WORDS["answer_given_unneeded"] in shown(program)  # though nothing was found, either
    memory = Memory(id="b", kind=MemoryKind.KNOWLEDGE, text="The code is 4471.")
    found = Dropped(candidate=Candidate(memory=memory, score=0.1), reason=DropReason.GATE)
    trace = replace(trace, recall=replace(trace.recall, dropped=(found,)))
    html = view_of(program.hooks, MIRA, trace, WORDS).html
    assert WORDS["answer_given_gone"] not in html
    assert WORDS["answer_given_unneeded"] in html


@for_each(("message", "key"), [("lol ok", "answer_summaries_only"), (CAT, "answer_summaries")])
def test_page_tells_whether_a_summary_was_all_that_an_answer_was_given(
    program: Program, message: str, key: str
) -> None:
    session = program.session("Alex", "Mira")
    session.new_chat()
    for _ in session.send(message, MemoryResponder()):
        pass
    html, count = shown(program), cards.summarised_count(last(program))
    assert count
    assert WORDS(key, count=count) in html


@for_each(
    ("need", "said"),
    [(0.39, "answer_given_none"), (0.0002, "answer_given_unneeded")],  # "Where is my cat?", "ok"
)
def test_question_for_which_nothing_is_found_is_told_apart_from_small_talk(
    need: float, said: str
) -> None:
    recall = Recall(need=need)
    trace = Trace(ts=0.0, user="u", character="c", conversation="", query="", recall=recall)
    assert why_no_memory(trace, WORDS, min_need=0.5) == WORDS[said]


def test_slash_command_is_shown_as_a_command_and_not_as_a_question(program: Program) -> None:
    for _ in program.session("Alex", "Mira").send("/memories", MemoryResponder()):
        pass
    trace = last(program)
    assert trace.query == "/memories"
    assert "a command to the memory" in why_no_memory(trace, WORDS, min_need=0.5)
    assert "What do you remember?" not in shown(program)


def test_budget_adds_up_to_the_limit(program: Program) -> None:
    trace = last(program)
    parts = budget_of(trace)
    assert sum(parts.values()) == trace.limit_tokens
    assert parts["replayed"] > 0
    used = parts["always"] + parts["replayed"] + parts["lines"]
    said = WORDS("budget_title", used=used, count=trace.limit_tokens)
    assert f"<summary>{said}</summary>" in budget_html(trace, WORDS)
    assert 'aria-hidden="true"' in budget_html(trace, WORDS)


@pytest.mark.parametrize(
    ("skipped", "reason"),
    [
        ("recall is switched off", "recall is switched off"),
        ("recall is paused in this chat", "recall is paused in this chat"),
    ],
)
def test_answer_without_recall_says_why(program: Program, skipped: str, reason: str) -> None:
    trace = replace(last(program), injected=(), skipped=skipped)
    assert reason in view_of(program.hooks, MIRA, trace, WORDS).html


def test_prompt_of_unknown_length_has_no_bar(program: Program) -> None:
    trace = replace(last(program), chat_tokens=0)
    assert budget_html(trace, WORDS) == ""
    assert budget_of(replace(last(program), limit_tokens=0))["free"] == 0


def test_recalled_memory_that_a_summary_contains_has_a_card() -> None:
    memory = Memory(id="b", kind=MemoryKind.KNOWLEDGE, text="The code is 4471.")
    candidate = Candidate(memory=memory, score=1.0)
    trace = Trace(
        ts=0.0,
        user="u",
        character="c",
        conversation="",
        query="",
        recall=Recall(kept=(Recalled(candidate=candidate, form=Form.LINE),)),
        dropped=(Dropped(candidate=candidate, reason=DropReason.SHOWN),),
        injected=(
            Injected(memory_id="a b c", form="system", text="s", tokens=9),
            Injected(memory_id="d", form="line", text="t", tokens=5),
        ),
    )
    assert cards.shown_ids(trace) == ["b", "d"]
    assert dropped_rows(trace, WORDS) == []
    after_restart = decode_trace(json.loads(json.dumps(encode_trace(trace))))
    assert cards.shown_ids(after_restart) == ["b", "d"]
    assert dropped_rows(after_restart, WORDS) == []
    no_room = replace(trace, dropped=(replace(trace.dropped[0], reason=DropReason.BUDGET),))
    assert cards.shown_ids(no_room) == ["d"]
    assert cards.shown_ids(decode_trace(json.loads(json.dumps(encode_trace(no_room))))) == ["d"]


def test_memory_of_an_overview_says_that_it_was_asked_for(program: Program) -> None:
    session = program.session("Alex", "Mira")
    session.new_chat()
    for _ in session.send("What do you know about me?", MemoryResponder()):
        pass
    recalled = {one.memory.id for one in last(program).recall.kept}
    records = program.runtime.memory.get_records(MIRA, list(recalled))
    found = cards.cards_of(last(program), cards.CardSources(records=records, titles={}), WORDS)
    reasons = [card.why for card in found if card.memory_id in recalled]
    assert reasons
    assert all(WORDS["why_overview"] in reason for reason in reasons)


async def visible_folds(program: Program, trace: Trace) -> list[bool]:
    """Shows the trace on a page built in a running loop, as Gradio would make one of its own."""
    with gr.Blocks():
        folds = FoldedParts(TabHeader(program.administration, Labels("en")))
    return [update["visible"] for update in folds.show(trace, WORDS)[-3:]]


def test_empty_folds_are_hidden(program: Program) -> None:
    trace = Trace(ts=0.0, user="u", character="c", conversation="", query="q", skipped="paused")
    assert asyncio.run(visible_folds(program, trace)) == [False, False, True]
    assert asyncio.run(visible_folds(program, last(program))) == [True, True, True]


@pytest.mark.parametrize(
    ("language", "shown"), [("en", "<b>A&amp;B:</b> "), ("zh", "<b>A&amp;B：</b>")]
)
def test_name_before_a_quote_has_the_colon_of_the_language(language: str, shown: str) -> None:
    words = tab_words(language)
    assert speaker_html("A&B", words) == shown
    assert speaker_html("", words) == ""
