"""A trace as rows: used and dropped memories, with the reasons."""

from dataclasses import replace

from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.memory.traces import Injected, Trace
from memory_core.recall.results import Candidate, Dropped, DropReason, Form, Recall, Recalled
from memory_core.recall.search import WEIGHTS
from memory_core.text.locales import LANGUAGES, Words, tab_words
from memory_core.ui.tab.answer import trace_rows
from tests.cases import for_each

WORDS = tab_words("en")
NOON = 1_780_000_000.0


def candidate(memory_id: str, score: float) -> Candidate:
    memory = Memory(
        id=memory_id,
        kind=MemoryKind.EXCHANGE,
        text=f"text of {memory_id}",
        ts=NOON,
        conversation="chat-1",
        exchange=Exchange(user="u", assistant="a"),
    )
    return Candidate(memory=memory, score=score, parts={"words": score - 0.1, "turn": 0.1})


def trace(**fields: object) -> Trace:
    fixed = {"ts": NOON, "user": "Alex", "character": "Mira", "conversation": "c", "query": "q"}
    return Trace(**{**fixed, **fields})  # type: ignore[arg-type]


def kept(*candidates: Candidate) -> Recall:
    return Recall(
        kept=tuple(Recalled(candidate=candidate, form=Form.LINE) for candidate in candidates)
    )


def injected(memory_id: str, form: str = "line") -> Injected:
    return Injected(memory_id=memory_id, form=form, text=f"said of {memory_id}", tokens=7)


def column(rows: list[list[str]], head: tuple[str, ...], name: str) -> list[str]:
    return [row[head.index(name)] for row in rows]


def test_an_injected_memory_shows_form_score_and_its_parts() -> None:
    row = trace_rows.injected_rows(
        trace(recall=kept(candidate("m1", 0.5)), injected=(injected("m1"),)), WORDS
    )[0]
    shown = dict(zip(trace_rows.INJECTED_COLUMNS, row, strict=True))
    assert shown["form"] == "short line"
    assert shown["score"] == "0.50"
    assert shown["why"] == "words 0.40 + meaning 0.10"
    assert (shown["tokens"], shown["text"]) == ("7", "said of m1")


def test_score_from_an_earlier_message_is_shown_apart_from_the_sum() -> None:
    carried = replace(candidate("m1", 0.5), carried_over=0.3)
    assert trace_rows.score_text(carried, WORDS) == (
        "words 0.40 + meaning 0.10 · recalled just before 0.30"
    )
    alone = replace(carried, parts={})
    assert trace_rows.score_text(alone, WORDS) == "recalled just before 0.30"


def test_injected_rows_start_with_the_best_and_end_with_the_system_block() -> None:
    rows = trace_rows.injected_rows(
        trace(
            recall=kept(candidate("m1", 0.3), candidate("m2", 0.9)),
            injected=(injected("s1 s2 s3", "system"), injected("m1"), injected("m2")),
        ),
        WORDS,
    )
    texts = ["said of m2", "said of m1", "said of s1 s2 s3"]
    assert column(rows, trace_rows.INJECTED_COLUMNS, "text") == texts
    assert column(rows, trace_rows.INJECTED_COLUMNS, "form")[-1] == "always there"


def test_dropped_row_gives_the_reason_in_plain_words() -> None:
    found = Dropped(
        candidate=candidate("m1", 0.2), reason=DropReason.GATE, detail="score 0.20 is below 0.25"
    )
    budget = Dropped(candidate=candidate("m2", 0.8), reason=DropReason.BUDGET)
    rows = trace_rows.dropped_rows(trace(recall=Recall(dropped=(found,)), dropped=(budget,)), WORDS)
    assert column(rows, trace_rows.DROPPED_COLUMNS, "reason") == [
        "no room was left for it",
        "it does not fit well enough (score 0.20 is below 0.25)",
    ]


@for_each(("language", "day"), [("en", "some time ago"), ("zh", "以前某个时候")])
def test_rows_of_undated_memories_say_so_in_the_language_of_the_tab(
    language: str, day: str
) -> None:
    words, found = tab_words(language), candidate("m1", 0.5)
    undated = replace(found, memory=replace(found.memory, ts=None))
    used = trace_rows.injected_rows(trace(recall=kept(undated), injected=(injected("m1"),)), words)
    dropped = Dropped(candidate=undated, reason=DropReason.GATE)
    left_out = trace_rows.dropped_rows(trace(recall=Recall(dropped=(dropped,))), words)
    assert column(used, trace_rows.INJECTED_COLUMNS, "date") == [day]
    assert column(left_out, trace_rows.DROPPED_COLUMNS, "date") == [day]


def test_outcome_text_shows_cost_and_faults() -> None:
    lines = trace_rows.outcome_text(
        trace(
            recall=Recall(elapsed_ms=12.3),
            injected=(injected("m1"),),
            tokens=99,
            notes=("words only: no answer",),
            added_ms=20.0,
        ),
        WORDS,
    ).splitlines()
    assert lines == [
        "Memories added 99 tokens. Finding them took 12 ms, memory as a whole 20 ms.",
        "found by words only: no answer",
    ]


def test_outcome_text_shows_the_need_for_a_memory() -> None:
    lines = trace_rows.outcome_text(trace(recall=Recall(need=0.834)), WORDS).splitlines()
    assert lines[1:] == ["Likelihood that the message needs a memory: 83%."]


@for_each("words", [*map(tab_words, LANGUAGES.values())], ids=LANGUAGES)
def test_every_part_of_a_score_has_a_name(words: Words) -> None:
    assert {f"part_{part}" for part in (*WEIGHTS, "sticky")} <= words.keys()


def test_outcome_text_says_that_no_memory_was_added() -> None:
    assert trace_rows.outcome_text(trace(skipped="no text"), WORDS).startswith(
        "The model was given no memories"
    )


def test_traces_with_equal_queries_have_different_keys() -> None:
    traces = [trace(ts=NOON + 0.001), trace(ts=NOON)]
    keys = [key for _, key in trace_rows.trace_choices(traces, WORDS)]
    assert [trace_rows.trace_by_key(traces, key) for key in keys] == traces


def test_unknown_trace_key_gives_the_newest_trace() -> None:
    traces = [trace(ts=NOON + 1), trace(ts=NOON)]
    assert trace_rows.trace_by_key(traces, "gone") is traces[0]
    assert trace_rows.trace_by_key([], "gone") is None


def test_newest_trace_choice_is_called_the_last_answer() -> None:
    labels = [label for label, _ in trace_rows.trace_choices([trace(), trace()], WORDS)]
    assert [label.startswith("The last answer · ") for label in labels] == [True, False]


def test_trace_choice_shortens_a_long_query_to_one_line() -> None:
    traces = [trace(), trace(query="a long\nquestion " * 20)]
    label = trace_rows.trace_choices(traces, WORDS)[1][0]
    assert "\n" not in label
    assert len(label) < 100
