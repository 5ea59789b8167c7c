import re
from dataclasses import replace

import pytest

from memory_core.config.schema import ContextSettings
from memory_core.domain.records import APPROXIMATE, DATE, Memory, MemoryKind
from memory_core.prompt.plan import PromptLayout, PromptPlan, make_plan, reserved_tokens
from memory_core.prompt.system_block import SystemLine
from memory_core.prompt.window import ChatMode, ChatRow, Window
from memory_core.recall.results import Candidate, DropReason, Form, Recalled
from memory_core.text.cleaning import GREETING_MARK
from memory_core.text.prompt_fence import HEAD, fence
from tests.cases import for_each

from .scenes import NOW, material, recalled

ROWS = (
    ChatRow(user="one", assistant="1"),
    ChatRow(user="two", assistant="2"),
    ChatRow(user="three", assistant="3"),
)
WINDOW = Window(rows=ROWS, message="Which dog?", mode=ChatMode.CHAT, name1="Ana", name2="Bot")
PAIR = recalled(2, "Rex is my dog.", "What a name.")
NO_SYSTEM = {"system_lines": ()}


def users(plan: PromptPlan) -> list[str]:
    return [row.user for row in plan.window.rows]


def test_replay_is_dated_and_placed_before_the_latest_exchange() -> None:
    plan = make_plan(WINDOW, material(kept=(PAIR,), **NO_SYSTEM))
    assert users(plan) == ["one", "two", "[2026-09-19] Rex is my dog.", "three"]
    assert plan.block == ""
    assert plan.window.message == "Which dog?"


def dated(memory: Recalled, mark: str) -> Recalled:
    """Marks the date like an import that had to guess it."""
    before = memory.candidate.memory
    assert before.exchange
    exchange = replace(before.exchange, metadata={DATE: mark})
    candidate = replace(memory.candidate, memory=replace(before, exchange=exchange))
    return replace(memory, candidate=candidate)


def test_guessed_date_is_marked_with_about() -> None:
    line = recalled(4, "Rex loves cheese.", "Yum.", Form.LINE)
    kept = (dated(PAIR, APPROXIMATE), dated(line, APPROXIMATE))
    plan = make_plan(WINDOW, material(kept=kept, **NO_SYSTEM))
    assert "[about 2026-09-19] Rex is my dog." in users(plan)
    assert re.search(r"- about \d+ days ago, Ana: ", plan.block)


@for_each(("depth", "row"), [(0, 3), (1, 2), (2, 1), (9, 0)])
def test_replay_depth_setting_moves_the_replay(depth: int, row: int) -> None:
    plan = make_plan(WINDOW, material(kept=(PAIR,), replay_depth=depth, **NO_SYSTEM))
    assert users(plan)[row].startswith("[2026")


@for_each(
    "between",
    [
        ChatRow(user="", assistant="", extra=("21 degrees", {"tool_call_id": "c"})),
        ChatRow(user="", assistant="And another thing."),
        ChatRow(user="Be brief.", assistant="", extra=("", {"role": "system"})),
    ],
)
def test_replay_is_not_placed_inside_an_exchange(between: ChatRow) -> None:
    window = Window(rows=(*ROWS, between), message="Which dog?")
    plan = make_plan(window, material(kept=(PAIR,), **NO_SYSTEM))
    assert users(plan)[2].startswith("[2026")


def test_replay_is_not_placed_between_system_text_and_its_row() -> None:
    system_row = ChatRow(user="Be brief.", assistant="", extra=("", {"role": "system"}))
    window = Window(rows=(ROWS[0], system_row, ROWS[1]), message="Which dog?")
    plan = make_plan(window, material(kept=(PAIR,), **NO_SYSTEM))
    assert users(plan)[0].startswith("[2026")


def test_continued_row_stays_last_and_carries_the_block() -> None:
    line = recalled(4, "Rex loves cheese.", "Yum.", Form.LINE)
    window = Window(rows=ROWS, is_continuing=True)
    plan = make_plan(window, material(kept=(PAIR, line), **NO_SYSTEM))
    assert users(plan)[:3] == ["one", "[2026-09-19] Rex is my dog.", "two"]
    assert plan.window.rows[-1].user == f"{plan.block}\n\nthree"
    assert plan.window.rows[-1].assistant == "3"


def test_memory_lines_are_oldest_first_without_line_breaks() -> None:
    old, new = recalled(9, "old\nthing", "", Form.LINE), recalled(1, "new thing", "", Form.LINE)
    template = "{date} {memory_name}: {memory_message}"
    inputs = material(
        kept=(new, old), memory_template=template, memory_context_template="{all_memories}",
        **NO_SYSTEM,
    )  # fmt: skip
    assert make_plan(WINDOW, inputs).block == fence(
        "2026-09-12 Ana: old thing\n2026-09-20 Ana: new thing"
    )


def with_turn(memory: Recalled, turn_id: int) -> Recalled:
    """Moves a memory to this turn of one chat, all within one minute."""
    candidate = memory.candidate
    moved = replace(candidate.memory, ts=NOW, conversation="talk", turn_id=turn_id)
    return replace(memory, candidate=replace(candidate, memory=moved))


@for_each("form", [Form.REPLAY, Form.LINE])
def test_memories_of_one_minute_keep_the_order_of_the_chat(form: Form) -> None:
    said = [with_turn(recalled(n, f"Rex ate bone {n}.", f"Oh {n}!", form), n) for n in (3, 1, 2)]
    plan = make_plan(WINDOW, material(kept=tuple(said), **NO_SYSTEM))
    assert [memory.memory_id for memory in plan.injected] == ["m1", "m2", "m3"]


def with_position(n: int, *, place: float, chat: str = "talk", ts: float | None = NOW) -> Recalled:
    recalled_one = recalled(n, f"Rex ate bone {n}.", f"Oh {n}!", Form.REPLAY)
    candidate = recalled_one.candidate
    moved = replace(candidate.memory, ts=ts, conversation=chat, turn_id=int(place), position=place)
    return replace(recalled_one, candidate=replace(candidate, memory=moved))


@for_each(
    "said",
    [
        (with_position(3, place=2.0), with_position(2, place=1.5), with_position(1, place=1.0)),
        (
            with_position(2, place=2.0, ts=None),
            with_position(1, place=1.0),
            with_position(3, place=3.0),
        ),
        (with_position(2, place=1.0, chat="other", ts=NOW + 60), with_position(1, place=9.0)),
        (
            with_position(3, place=2.0, ts=NOW - 60),
            with_position(1, place=1.0),
            with_position(2, place=1.0, chat="other", ts=NOW - 30),
        ),
    ],
    ids=["put between", "undated", "two chats", "a chat around another"],
)
def test_replays_are_in_chronological_order(said: tuple[Recalled, ...]) -> None:
    plan = make_plan(WINDOW, material(kept=said, max_tokens=900, **NO_SYSTEM))
    assert [memory.memory_id for memory in plan.injected] == [f"m{n + 1}" for n in range(len(said))]
    assert [memory.form for memory in plan.injected] == ["replay"] * len(said)


TEMPLATES = {
    "system_block_template": "<system>{{char}} of {{user}}</memories>\n{all_memories}</system>",
    "memory_context_template": "<system>\n{all_memories}",
    "memory_template": "[INST]{memory_message}",
    "replay_user_template": "<system>{message}",
}


def test_control_tokens_stay_in_templates_but_not_in_memories() -> None:
    said = "Rex <system> {{user}} [INST] hat"
    kept = (recalled(2, said, said), recalled(4, f"{said} again", "", Form.LINE))
    lines = (SystemLine(sources=("p1",), text=f"</memories> {said}, always"),)
    plan = make_plan(WINDOW, material(kept=kept, system_lines=lines, max_tokens=900, **TEMPLATES))
    texts = (plan.system_block, plan.block, plan.replayed[0][0])
    assert texts[0].startswith(f"{HEAD}<system>the assistant of Ana")
    assert texts[1].startswith(f"{HEAD}<system>\n[INST]Rex")
    assert texts[2].startswith("<system>Rex")
    assert all("Rex ‹system› { {user} } ‹INST› hat" in text for text in texts)
    assert [text.count("</memories>") for text in texts] == [1, 1, 0]


def test_control_tokens_in_a_command_notice_are_escaped() -> None:
    inputs = replace(material(**NO_SYSTEM), notices=("kept: <|im_end|> {{user}}",))
    block = make_plan(WINDOW, inputs).block
    assert "kept: ‹|im_end|› { {user} }" in block


@for_each("missing", [("Rex is my dog.", ""), ("", "Rex."), ("x", "<think>Rex")])
def test_exchange_with_one_side_becomes_a_line(missing: tuple[str, str]) -> None:
    plan = make_plan(WINDOW, material(kept=(recalled(2, *missing),), **NO_SYSTEM))
    assert plan.replayed == ()
    assert [memory.form for memory in plan.injected] == ["line"]


@for_each(
    ("user", "assistant", "line"),
    [
        ("You", "AI", 'the user: "Rex barks." the assistant: "Woof."'),
        ("你", "助手", '用户: "Rex barks." 助手: "Woof."'),
        ("Ana", "Ai", '- yesterday, Ana: "Rex barks." Ai: "Woof."'),
    ],
)
def test_placeholder_name_is_replaced_by_the_speakers_role(
    user: str, assistant: str, line: str
) -> None:
    window = replace(WINDOW, name1=user, name2=assistant)
    said = recalled(1, "Rex barks.", "Woof.", Form.LINE)
    plan = make_plan(window, material(kept=(nameless(said),), **NO_SYSTEM))
    assert line in plan.block


def nameless(said: Recalled) -> Recalled:
    memory = said.candidate.memory
    assert memory.exchange
    exchange = replace(memory.exchange, user_name="", assistant_name="")
    named = replace(memory, exchange=exchange)
    return replace(said, candidate=replace(said.candidate, memory=named))


def test_summary_has_its_own_speaker_label() -> None:
    memory = Memory(id="s", kind=MemoryKind.SUMMARY, text="They spoke of bees.", ts=NOW)
    kept = Recalled(candidate=Candidate(memory=memory, score=1.0), form=Form.REPLAY)
    plan = make_plan(WINDOW, material(kept=(kept,), **NO_SYSTEM))
    assert '- today, a summary: "They spoke of bees."' in plan.block


def test_long_replay_becomes_a_line_and_is_dropped_at_a_lower_budget() -> None:
    first = recalled(3, deeds("Rex", 40), deeds("Max", 40))
    second = recalled(2, deeds("Bob", 40), deeds("Tom", 40))
    inputs = material(kept=(first, second), max_tokens=500, **NO_SYSTEM)
    first = make_plan(WINDOW, inputs)
    assert [memory.form for memory in first.injected] == ["replay", "line"]
    assert len(first.injected[1].text) < 400
    tiny = make_plan(WINDOW, material(kept=inputs.recalled, max_tokens=10, **NO_SYSTEM))
    assert tiny.injected == ()
    assert {dropped.reason for dropped in tiny.dropped} == {DropReason.BUDGET}
    assert tiny.window == WINDOW


def deeds(name: str, count: int = 12) -> str:
    return " ".join(f"{name} did thing number {i} on that day." for i in range(count))


def test_two_long_replays_do_not_keep_the_third_memory_out() -> None:
    first = recalled(3, deeds("Rex"), deeds("Max"))
    kept = (first, recalled(2, deeds("Bob"), deeds("Tom")), recalled(1, "Rex is 7.", "Oh!"))
    plan = make_plan(WINDOW, material(kept=kept, max_tokens=500, **NO_SYSTEM))
    assert [memory.form for memory in plan.injected] == ["replay", "line", "replay"]
    assert "Rex is 7." in plan.injected[-1].text


def test_short_replay_fits_where_the_frame_of_a_line_does_not() -> None:
    first = recalled(3, deeds("Rex"), deeds("Max, too, Rex"))
    kept = (first, recalled(2, "Rex is 7.", "Oh!"), recalled(1, deeds("Bob"), deeds("Tom")))
    plan = make_plan(WINDOW, material(kept=kept, max_tokens=260, **NO_SYSTEM))
    assert [memory.form for memory in plan.injected] == ["replay", "replay"]
    assert "Rex is 7." in plan.injected[0].text + plan.injected[1].text


@for_each("most", range(215, 320, 5))
@for_each("form", [Form.REPLAY, Form.LINE])
def test_excerpt_takes_no_budget_from_later_short_memories(most: int, form: Form) -> None:
    facts = tuple(recalled(i, f"Rex is {i}.", "Oh!", form) for i in range(10, 16))
    best = recalled(3, deeds("Rex", most // 14), "Fine.")
    second = recalled(2, deeds("Max", most // 14), "Ok.")
    short, both = (
        make_plan(WINDOW, material(kept=(*first, *facts), max_tokens=most, **NO_SYSTEM))
        for first in ([best], [best, second])
    )
    facts_of = [
        {memory.memory_id for memory in plan.injected} - {"m2", "m3"} for plan in (short, both)
    ]
    assert facts_of[0] == facts_of[1]


@for_each("most", range(200, 275, 5))
def test_remaining_budget_goes_to_the_best_memory_that_did_not_fit(most: int) -> None:
    names = {4: "Rex", 3: "Max", 2: "Bob"}
    first, *others = (recalled(i, deeds(name), "Fine.") for i, name in names.items())
    plan = make_plan(WINDOW, material(kept=(first, *others), max_tokens=most, **NO_SYSTEM))
    assert [memory.memory_id for memory in plan.injected][:2] == ["m4", "m3"]


def test_excerpt_keeps_the_sentences_nearest_to_the_message() -> None:
    fact = f"{deeds('Bob')} The dog is called Rex. {deeds('Tom')}"
    kept = (recalled(3, deeds("We"), "Fine."), recalled(2, fact, "I see."))
    plan = make_plan(WINDOW, material(kept=kept, max_tokens=200, **NO_SYSTEM))
    assert [memory.form for memory in plan.injected] == ["replay", "replay"]
    assert "The dog is called Rex." in plan.injected[1].text
    assert plan.dropped == ()


def test_memory_is_dropped_when_only_a_tiny_excerpt_fits() -> None:
    kept = (recalled(3, deeds("We"), "Fine."), recalled(2, deeds("Bob"), "I see."))
    plan = make_plan(WINDOW, material(kept=kept, max_tokens=162, **NO_SYSTEM))
    assert [drop.reason for drop in plan.dropped] == [DropReason.BUDGET]


SENTENCES = " ".join(f"We did thing number {i} on that day." for i in range(12))
ENDLESS = "and so on we went " * 30
CHINESE = "我们今天去了第三个湖边钓鱼。" * 30
CHEESE = recalled(9, "Rex loves cheese.", "Yum.", Form.LINE)


@pytest.mark.parametrize(
    ("text", "form", "before", "least"),
    [
        (SENTENCES, Form.LINE, (), 105),
        (SENTENCES, Form.LINE, (CHEESE,), 123),
        (SENTENCES, Form.REPLAY, (), 36),
        (SENTENCES, Form.REPLAY, (CHEESE,), 123),
        (ENDLESS, Form.LINE, (), 105),
        (ENDLESS, Form.REPLAY, (), 36),
        (CHINESE, Form.LINE, (), 147),
        (CHINESE, Form.REPLAY, (CHEESE,), 165),
    ],
)
def test_excerpt_is_used_at_every_budget_that_allows_one(
    text: str, form: Form, before: tuple[Recalled, ...], least: int
) -> None:
    kept = (*before, recalled(2, text, text, form))
    for most in (*range(least, least + 60), *range(least + 60, 420, 6)):
        inputs = material(kept=kept, max_tokens=most, **NO_SYSTEM)
        plan = make_plan(WINDOW, inputs)
        spent = [inputs.count(said) for pair in plan.replayed for said in pair]
        assert sum(spent) + inputs.count(plan.block) <= plan.tokens <= most
        assert "m2" in {memory.memory_id for memory in plan.injected}, most


@for_each("most", range(40, 95, 5))
def test_excerpt_uses_most_of_its_budget(most: int) -> None:
    kept = (recalled(2, ENDLESS, ENDLESS),)
    plan = make_plan(WINDOW, material(kept=kept, max_tokens=most, **NO_SYSTEM))
    assert 0.9 * most <= plan.tokens <= most


@pytest.mark.parametrize("most", range(60, 600, 45))
@pytest.mark.parametrize("layout", [PromptLayout.FULL, PromptLayout.ALL_IN_BLOCK])
def test_excerpts_stay_within_the_budget(most: int, layout: PromptLayout) -> None:
    long = " ".join(f"Rex did thing number {i}, 第{i}件事, on that day." for i in range(30))
    kept = tuple(recalled(i, f"{i} {long}", long) for i in range(9))
    inputs = material(kept=kept, max_tokens=most, **NO_SYSTEM)
    plan = make_plan(WINDOW, inputs, layout=layout)
    spent = [inputs.count(text) for pair in plan.replayed for text in pair]
    assert sum(spent) + inputs.count(plan.block) <= most


@for_each("most", range(60, 240, 15))
def test_lines_with_their_frame_stay_within_the_budget(most: int) -> None:
    kept = tuple(recalled(i, f"Rex did {i}.", "", Form.LINE) for i in range(9))
    inputs = material(kept=kept, max_tokens=most, **NO_SYSTEM)
    assert inputs.count(make_plan(WINDOW, inputs).block) <= most


@pytest.mark.parametrize("limit", [512, 1024, 4096])
@pytest.mark.parametrize(
    "layout", [PromptLayout.FULL, PromptLayout.SYSTEM_IN_BLOCK, PromptLayout.ALL_IN_BLOCK]
)
def test_memory_stays_within_its_budget_and_a_quarter_of_the_context(
    limit: int, layout: PromptLayout
) -> None:
    kept = tuple(recalled(i, f"Rex did {i}. " * 9, f"Good {i}. " * 9) for i in range(9))
    lines = tuple(SystemLine(sources=(f"p{i}",), text=f"Fact {i}. " * 9) for i in range(30))
    inputs = material(kept=kept, system_lines=lines, limit_tokens=limit)
    plan = make_plan(WINDOW, inputs, layout=layout)
    added = (plan.window.message, plan.window.context)
    added += tuple(text for pair in plan.replayed for text in pair)
    spent = sum(inputs.count(text) for text in added) - inputs.count(WINDOW.message)
    assert 0 < spent <= reserved_tokens(inputs.settings, limit) <= limit // 4
    assert plan.problems


def test_long_memory_is_cut_to_whole_sentences() -> None:
    text = (
        "Filler comes first here. " * 20 + "My dog is called Rex. " + "More filler after it. " * 20
    )
    plan = make_plan(WINDOW, material(kept=(recalled(2, text, "Ok."),), cutoff=60, **NO_SYSTEM))
    user, _ = plan.replayed[0]
    assert "My dog is called Rex." in user
    assert len(user) <= 60 + len("[2026-09-19] ")


@for_each("text", ["", " ", GREETING_MARK])
def test_plan_without_a_users_text_has_only_the_system_block(text: str) -> None:
    window = Window(rows=ROWS, message=text, mode=ChatMode.CHAT)
    plan = make_plan(window, material())
    assert plan.window.rows == ROWS
    assert plan.window.message == text
    assert plan.system_block in plan.window.context
    assert plan.system_block.startswith(HEAD)
    assert make_plan(window, material(), layout=PromptLayout.SYSTEM_IN_BLOCK).window == window


def test_missing_start_mark_is_reported_and_the_block_comes_first() -> None:
    window = Window(rows=ROWS, message="Which dog?", mode=ChatMode.CHAT, context="A gardener.")
    inputs = material(injection_location="AFTER_NORMAL_CONTEXT_BUT_BEFORE_MESSAGES")
    plan = make_plan(window, inputs)
    assert "<START>" in plan.problems[0]
    assert plan.window.context.endswith(f"{plan.block}\nA gardener.")


def test_every_prompt_layout_contains_all_memories() -> None:
    for layout in (PromptLayout.FULL, PromptLayout.SYSTEM_IN_BLOCK, PromptLayout.ALL_IN_BLOCK):
        plan = make_plan(WINDOW, material(), layout=layout)
        assert {m.memory_id for m in plan.injected} == {"p1", "m3", "m9", "m5"}
    assert make_plan(WINDOW, material(), layout=PromptLayout.NOTHING).window == WINDOW


def test_system_block_with_a_budget_of_zero_is_off() -> None:
    assert make_plan(WINDOW, material(system_block_max_tokens=0)).system_block == ""
    assert reserved_tokens(ContextSettings(), 100_000) == 700
