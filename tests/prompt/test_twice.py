"""Tests that no sentence appears twice in a prompt."""

from dataclasses import replace

from memory_core.domain.records import Memory, MemoryKind
from memory_core.prompt.plan import PromptPlan, make_plan
from memory_core.prompt.system_block import SystemLine
from memory_core.prompt.window import ChatMode, ChatRow, Window
from memory_core.recall.results import (
    ALREADY_IN_SYSTEM_BLOCK,
    Candidate,
    DropReason,
    Form,
    Recalled,
)
from tests.cases import for_each

from .scenes import material, recalled

WINDOW = Window(message="What of Rex?", mode=ChatMode.CHAT, name1="Ana", name2="Mira")
FACT = "My dog Rex loves old cheese."
ASKED = "What does my dog Rex love?"
ANSWER = "He should not eat so much of it!"
SUMMARY = SystemLine(sources=("m9",), text=f"(2026-09-23) Ana: {FACT}", is_summary=True)


def note(text: str, memory_id: str = "n1") -> Recalled:
    memory = Memory(id=memory_id, kind=MemoryKind.KNOWLEDGE, text=text)
    return Recalled(candidate=Candidate(memory=memory, score=1.0), form=Form.LINE)


def planned(
    *kept: Recalled, lines: tuple[SystemLine, ...] = (), window: Window = WINDOW
) -> PromptPlan:
    return make_plan(window, material(kept=kept, system_lines=lines))


def prompt_of(plan: PromptPlan) -> str:
    rows = [text for row in plan.window.rows for text in (row.user, row.assistant)]
    return "\n".join([plan.window.context, *rows, plan.window.message])


@for_each("form", [Form.REPLAY, Form.LINE])
def test_question_quoted_in_the_system_block_leaves_a_line_of_the_answer(form: Form) -> None:
    summary = replace(SUMMARY, text=f"(2026-09-23) Ana: {ASKED}")
    plan = planned(recalled(9, ASKED, "Old cheese.", form), lines=(summary,))
    assert prompt_of(plan).count(ASKED) == 1
    assert '- 9 days ago, the assistant: "Old cheese."' in plan.block
    assert plan.replayed == ()


@for_each("form", [Form.REPLAY, Form.LINE])
def test_statement_quoted_in_the_system_block_leaves_no_mere_reaction(form: Form) -> None:
    plan = planned(recalled(9, FACT, ANSWER, form), lines=(SUMMARY,))
    assert plan.block == ""
    assert [drop.reason for drop in plan.dropped] == [DropReason.SHOWN]


@for_each("asked", ["What does Rex eat?", "was frisst Rex eigentlich?", "雷克斯吃什么？"])
def test_question_whose_answer_is_in_the_prompt_leaves_no_line(asked: str) -> None:
    answered = recalled(9, asked, f"You told me: {FACT}", Form.LINE)
    assert "You told me" in planned(answered).block
    fact = replace(SUMMARY, text=f"(2026-09-23) Mira: You told me: {FACT}")
    assert planned(answered, lines=(fact,)).block == ""


@for_each("reaction", ["Me too!", "Cool!", "Hi Rex!", "Old cheese for Rex, got it."])
def test_reaction_without_new_terms_is_left_out_though_it_matches(reaction: str) -> None:
    told = recalled(9, FACT, reaction, Form.LINE)
    kept = replace(told, candidate=replace(told.candidate, matching_side=1))
    assert planned(kept, lines=(SUMMARY,)).block == ""
    assert FACT in planned(kept).block


@for_each(
    ("request", "answer"),
    [
        ("Suggest a name for my puppy", "Rex."),
        ("please recommend me a book", "Dune!"),
        ("schlag einen Namen für meinen Hund vor", "Rex."),
        ("recomiéndame un libro", "Dune."),
        ("посоветуй книгу", "Дюна."),
    ],
)
def test_answer_of_one_word_to_a_request_stays(request: str, answer: str) -> None:
    summary = replace(SUMMARY, text=f"(2026-09-23) Ana: {request}")
    assert answer in planned(recalled(9, request, answer, Form.LINE), lines=(summary,)).block


@for_each("told", ["Name's Ana by the way.", "I find that sad.", "Such a long day."])
def test_reaction_of_one_word_to_news_is_left_out(told: str) -> None:
    summary = replace(SUMMARY, text=f"(2026-09-23) Ana: {told}")
    assert planned(recalled(9, told, "Wow!", Form.LINE), lines=(summary,)).block == ""


@for_each("form", [Form.REPLAY, Form.LINE])
def test_statement_quoted_in_the_system_block_without_a_name_is_not_repeated(form: Form) -> None:
    nameless = replace(SUMMARY, text=f"(2026-09-23) {FACT}")
    assert planned(recalled(9, FACT, ANSWER, form), lines=(nameless,)).block == ""
    chinese = replace(SUMMARY, text="(2026-09-23) 我的狗叫雷克斯，它喜欢吃奶酪。")
    said = recalled(9, "我的狗叫雷克斯，它喜欢吃奶酪。", "好的！", form)
    plan = planned(said, lines=(chinese,))
    assert (plan.block, plan.replayed) == ("", ())


def test_correction_is_repeated_beside_the_number_that_it_corrects() -> None:
    summary = replace(SUMMARY, text="(2026-09-23) Ana: Oh wait, the gate code is 3370.")
    wrong = recalled(9, "The gate code is 3307.", "Noted.", Form.LINE)
    right = recalled(9, "Oh wait, the gate code is 3370.", "Noted.", Form.LINE)
    raised = replace(right.candidate, corrects=wrong.memory.id)
    plan = planned(wrong, replace(right, candidate=raised), lines=(summary,))
    assert "3370" in plan.block


def test_changed_fact_is_repeated_beside_its_former_version() -> None:
    summary = replace(SUMMARY, text="(2026-09-23) Ana: I weigh 77 kg now, the swimming helps.")
    former = recalled(90, "I weigh 79 kg now.", "Hm.")
    newer = recalled(9, "I weigh 77 kg now, the swimming helps.", "Well done.")
    raised = replace(newer.candidate, replaces=former.memory.id)
    plan = planned(replace(newer, candidate=raised), former, lines=(summary,))
    assert ["79" in user for user, _ in plan.replayed] == [True, False]
    alone = planned(replace(newer, candidate=raised), lines=(summary,))
    assert (alone.replayed, alone.block) == ((), "")


def test_reaction_that_shares_one_chinese_character_with_the_message_is_left_out() -> None:
    summary = replace(SUMMARY, text="(2026-09-23) 我对芒果过敏。")
    said = recalled(9, "我对芒果过敏。", "记住了。", Form.LINE)
    window = replace(WINDOW, message="你还记得我的过敏吗")
    assert planned(said, lines=(summary,), window=window).block == ""


@for_each("form", [Form.REPLAY, Form.LINE])
@for_each(
    ("asked", "note"),
    [
        (f"Remember that {FACT}", FACT),
        (f"Please remember: {FACT}", FACT),
        ("请记住：雷克斯最喜欢吃老奶酪。", "雷克斯最喜欢吃老奶酪。"),
    ],
)
def test_request_to_remember_a_note_is_not_repeated_beside_the_note(
    asked: str, note: str, form: Form
) -> None:
    pinned = replace(SUMMARY, text=note)
    plan = planned(recalled(9, asked, "Noted!", form), lines=(pinned,))
    assert (plan.block, plan.replayed) == ("", ())
    said = recalled(9, f"{asked} He barks at the moon.", "Noted!", form)
    assert "barks at the moon" in prompt_of(planned(said, lines=(pinned,)))


def test_request_to_remember_stays_without_its_note() -> None:
    assert FACT in prompt_of(planned(recalled(9, f"Remember that {FACT}", "Noted!")))


def test_new_statement_stays_though_the_question_back_matches_better() -> None:
    told = recalled(9, FACT, "What does Rex eat besides cheese?")
    kept = replace(told, candidate=replace(told.candidate, matching_side=1), is_brief=True)
    assert FACT in planned(kept).block


def test_question_beside_a_quoted_statement_is_left_out() -> None:
    plan = planned(recalled(9, f"{FACT} Dont you think he eats too fast?", ""), lines=(SUMMARY,))
    assert plan.block == ""


@for_each("max_tokens", [40, 60, 90, 600])
def test_long_question_back_is_left_out_whether_it_fits_or_not(max_tokens: int) -> None:
    back = recalled(9, FACT, f"Do you ever buy {'ripe, salty, smoked, ' * 6}old cheese?")
    inputs = material(kept=(back,), system_lines=(SUMMARY,), max_tokens=max_tokens)
    assert make_plan(WINDOW, inputs).block == ""


def test_answer_that_matched_stays_though_its_statement_is_quoted() -> None:
    said = recalled(9, FACT, ANSWER)
    matched = replace(said, candidate=replace(said.candidate, matching_side=1))
    assert f'- 9 days ago, the assistant: "{ANSWER}"' in planned(matched, lines=(SUMMARY,)).block


def test_long_answer_stays_though_its_request_is_quoted() -> None:
    recipe = "Grate it, melt butter, stir flour in, pour milk, whisk, season, bake and serve."
    request = "Give me a dish with old cheese."
    summary = replace(SUMMARY, text=f"(2026-09-23) Ana: {request}")
    assert "melt butter" in planned(recalled(9, request, recipe), lines=(summary,)).block


PROSE = (
    '"Oh, Jo." *She tucks her feet under your thigh.* Rain ticks against the window of the room '
    "above the bookshop, and for a while neither of you says anything. "
)


@for_each("told", [FACT, "Ich wohne in Köln am Rhein.", "我对花生过敏，很严重。"])
def test_long_prose_stays_out_when_the_statement_that_it_answers_is_quoted(told: str) -> None:
    summary = replace(SUMMARY, text=f"(2026-09-23) Ana: {told}")
    assert planned(recalled(9, told, PROSE, Form.LINE), lines=(summary,)).block == ""
    near = recalled(9, told, PROSE, Form.LINE)
    near = replace(near, candidate=replace(near.candidate, matching_side=1))
    assert "bookshop" in planned(near, lines=(summary,)).block
    assert planned(replace(near, is_brief=True), lines=(summary,)).block == ""
    about_it = replace(WINDOW, message="What did you say about the bookshop?")
    kept = planned(recalled(9, told, PROSE, Form.LINE), lines=(summary,), window=about_it)
    assert "bookshop" in kept.block


def test_line_of_a_statement_has_no_piece_of_a_long_answer_that_matches_nothing() -> None:
    told = recalled(9, FACT, 4 * PROSE, Form.LINE)
    assert planned(told).block.count("\n- ") == 1
    assert FACT in planned(told).block
    assert "bookshop" not in planned(told).block
    asked = replace(WINDOW, message="Was it raining at the bookshop?")
    assert "bookshop" in planned(told, window=asked).block


def test_unquoted_rest_of_the_users_message_stays() -> None:
    said = recalled(9, f"Good news from home. {FACT} He barks at the moon.", ANSWER)
    plan = planned(said, lines=(SUMMARY,))
    assert "Good news from home. … He barks at the moon." in plan.block
    assert prompt_of(plan).count("loves old cheese") == 1


@for_each(
    ("told", "rest"),
    [
        (f"{FACT} Six kilos.", "Six kilos."),
        ("我家的狗豆豆最爱吃老奶酪。六公斤。", "六公斤。"),
    ],
)
def test_short_sentence_is_repeated_only_if_the_system_block_lacks_it(told: str, rest: str) -> None:
    kept = recalled(9, told, "", Form.LINE)
    whole = replace(SUMMARY, text=f"(2026-09-23) Ana: {told}")
    assert planned(kept, lines=(whole,)).block == ""
    begun = replace(whole, text=whole.text.removesuffix(rest))
    assert rest in planned(kept, lines=(begun,)).block


def test_memory_with_only_quoted_sentences_is_dropped_as_shown() -> None:
    plan = planned(recalled(9, FACT, FACT), recalled(8, FACT, ""), lines=(SUMMARY,))
    assert [drop.reason for drop in plan.dropped] == [DropReason.SHOWN] * 2
    assert plan.block == ""


@for_each(
    "again",
    [FACT, "my dog rex loves old cheese", "Well, my dog Rex just loves his old cheese!"],
)
def test_nearly_equal_memory_is_no_line_beside_a_replay(again: str) -> None:
    reaction = recalled(7, again, "Again?", Form.LINE)
    plan = planned(recalled(9, FACT, ANSWER), note(again), reaction)
    assert len(plan.replayed) == 1
    assert plan.block == ""
    assert [drop.reason for drop in plan.dropped] == [DropReason.SHOWN] * 2


@for_each(
    "other",
    [
        "My dog Rex does not love old cheese.",
        "Does my dog Rex love old cheese?",
        "My dog Max loves old cheese.",
        "My dog Rex loved old cheese until 2024.",
        "Your dog Rex loves old cheese.",
    ],
)
def test_memory_that_says_anything_else_stays_beside_a_replay(other: str) -> None:
    plan = planned(recalled(9, FACT, ANSWER), note(other))
    assert other in plan.block


def test_second_replay_of_a_question_becomes_a_line_of_its_answer() -> None:
    plan = planned(recalled(9, ASKED, "Old cheese."), recalled(8, ASKED, "Rex prefers ham by now."))
    assert len(plan.replayed) == 1
    assert plan.block.count("Rex prefers ham by now.") == 1
    assert prompt_of(plan).count(ASKED) == 1


def test_replayed_answer_leaves_out_sentences_of_another_replay() -> None:
    habit = "She smiles warmly at the sea."
    first = recalled(9, "Rex is my dog.", f"{habit} What a fine name for him.")
    second = recalled(8, "Rex is three years old.", f"{habit} That is young for a dog.")
    plan = planned(first, second)
    assert [answer.count(habit) for _, answer in plan.replayed] == [1, 0]
    assert plan.replayed[1][1] == "That is young for a dog."


def test_memory_does_not_repeat_sentences_shown_in_the_chat() -> None:
    window = replace(WINDOW, rows=(ChatRow(user=f"Hello. {ASKED}", assistant="Oh?"),))
    plan = planned(recalled(9, ASKED, ANSWER), window=window)
    assert prompt_of(plan).count(ASKED) == 1
    assert ANSWER in plan.block


def test_short_courtesies_may_be_repeated() -> None:
    for courtesy in ("I see.", "Oh wow, wow, wow!"):
        pairs = (recalled(9, "Rex is my dog.", courtesy), recalled(8, "Rex is three.", courtesy))
        assert len(planned(*pairs).replayed) == 2


def test_chinese_sentences_appear_only_once() -> None:
    line = SystemLine(sources=("s",), text="(2026-09-23) 安娜：我的狗叫小黑。", is_summary=True)
    said = recalled(9, "我的狗叫小黑呀。", "真是好名字，小黑很可爱。")
    plan = planned(said, lines=(line,), window=replace(WINDOW, message="小黑怎么样？"))
    assert prompt_of(plan).count("狗叫小黑") == 1
    assert "真是好名字" in plan.block


def test_note_in_full_in_the_system_block_is_not_recalled() -> None:
    line = SystemLine(sources=("n1",), text="Tea only.")
    plan = planned(note("Tea only."), lines=(line,))
    ((dropped),) = plan.dropped
    assert (dropped.reason, dropped.detail) == (DropReason.SHOWN, ALREADY_IN_SYSTEM_BLOCK)
    assert plan.block == ""


def test_note_shortened_in_the_system_block_can_be_recalled() -> None:
    rules = " ".join(f"Rule {n}: the guild of number {n} owns the bridge." for n in range(60))
    window = replace(WINDOW, message="What is rule 47 again, of guild number 47?")
    plan = planned(note(rules), lines=(SystemLine(sources=("n1",), text=rules),), window=window)
    assert "number 47 owns" not in plan.system_block
    assert "number 47 owns" in plan.block
    assert "number 1 owns" in plan.system_block
    assert "number 1 owns" not in plan.block


def test_note_omitted_from_the_system_block_can_be_recalled() -> None:
    houses = [f"House {n} of this old street belongs to me, too." for n in range(40)]
    newer = (SystemLine(sources=(house,), text=house, ts=1.0) for house in houses)
    plan = planned(note(FACT), lines=(SystemLine(sources=("n1",), text=FACT), *newer))
    assert FACT not in plan.system_block
    assert FACT in plan.block
