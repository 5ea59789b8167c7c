import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.domain.records import Role
from memory_core.text.cleaning import (
    GREETING_MARK,
    OPENING,
    OPENING_ZH,
    clean_answer,
    clean_for_role,
    clean_user_message,
)
from memory_core.text.prompt_fence import HEAD, TAIL, fence
from tests.cases import for_each
from tests.in_time import within

MARKS = [
    "<think>", "</think>", "<thinking>", "</thinking>", "<reasoning>", "</reasoning>", "[THINK]",
    "[/THINK]", "<|channel|>analysis<|message|>", "<|channel|>final<|message|>", "<|end|>",
    "<|start|>assistant", "<|channel>thought\n", "<channel|>", "<tool_call>", "</tool_call>",
    "<function=find>", "</function>", "[TOOL_CALLS]", "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>", "<|python_tag|>", "<audio src='x'>", "</audio>", "<img src=x>",
    "<memories>", "</memories>", HEAD, TAIL, "`", "``", "```", "\n", "\n\n", " ", "<", ">", "|",
    "th", "ink", "![](data:x)", "a < b", GREETING_MARK, "thought\n", "<|think|>", "<|content|>",
    "<|begin|>assistant",
]  # fmt: skip
pieces = st.lists(st.sampled_from(MARKS) | st.text(max_size=4), max_size=14).map("".join)


@for_each(
    ("said", "kept"),
    [
        ("<think>so\nmany words</think>\n\nYes.", "Yes."),
        ("<Think>hm</THINK >Yes.", "Yes."),
        ("so many words</think>Yes.", "Yes."),
        ("<reasoning>a</reasoning><think>b</think>Yes.", "Yes."),
        ("<think>never finished, and\n\nstopped", ""),
        ("Wait.\n<think>never finished", "Wait."),
        ("<think>I open <think> twice</think> more</think>Yes.", "Yes."),
        ("[THINK]hm[/THINK]Yes.", "Yes."),
        ("[THINK]stopped here", ""),
        ("<|channel|>analysis<|message|>stopped here", ""),
        (
            "<|channel|>analysis<|message|>hm<|end|><|start|>assistant"
            "<|channel|>commentary to=functions.find<|message|>{}<|call|><|start|>assistant"
            "<|channel|>final<|message|>Yes.<|return|>",
            "Yes.",
        ),
        ("thought\n \n", ""),
        ("<|channel>thought\nhm<channel|>Yes.", "Yes."),
        ("<think>```py\nx = 1\n```\nno end of `code </think>Use `x`.", "Use `x`."),
    ],
)
def test_reasoning_is_removed_from_an_answer(said, kept):
    assert clean_answer(said) == kept


HOSTS_FORMATS = [  # what text-generation-webui 4.7.3 takes for reasoning: (begins, ends, goes on)
    ("<think>", "</think>", ""),
    ("<|channel|>analysis<|message|>", "<|end|>", "<|channel|>final<|message|>"),
    ("<|channel|>commentary<|message|>", "<|end|>", "<|channel|>final<|message|>"),
    ("<seed:think>", "</seed:think>", ""),
    ("<|channel>thought", "<channel|>", ""),
    ("thought\n", "<channel|>", ""),
    ("<|think|>", "<|end|>", "<|content|>"),
    ("", "</think>", ""),
]


@for_each(("begins", "ends", "goes_on"), HOSTS_FORMATS)
@for_each("before_it", ["", "\n", "<tool_call>{}</tool_call>\n"])
def test_reasoning_that_the_host_hides_is_removed(begins, ends, goes_on, before_it):
    thought = f"{begins}\nShe wants, `x` maybe,\n\na thought\nof mine.\n{ends}"
    assert clean_answer(f"{before_it}{thought}{goes_on}\n\nHello Ana") == "Hello Ana"
    if goes_on:
        turn = "<|begin|>" if begins == "<|think|>" else "<|start|>"
        assert clean_answer(f"{before_it}{thought}{turn}assistant{goes_on}Hello Ana") == "Hello Ana"
    if begins:
        assert clean_answer(f"{before_it}{begins}\nstopped here") == ""


def test_the_word_thought_stays_within_a_sentence():
    assert clean_answer("I had a\nthought\nthere.") == "I had a\nthought\nthere."
    assert clean_answer("Thought\nis free.") == "Thought\nis free."


@for_each(
    "words",
    [
        "My name is Ana and I live in Porto. Why do you print </think>?",
        "Why does it print </think>. I hate it. My dog is Bo.",
        "He wrote <thought>I miss her</thought> in his diary",
        "[think] about this: my cat is called Tom",
        "[THINK] about this: my cat is called Tom",
        "[TOOL_CALLS] in mistral is a token, isn't it? My name is Ana.\n\nBye",
        "<|channel|>analysis I love this channel",
        "<tool_call>\nis what I got, and I am Ana",
        "<memories>my own words</memories> ok",
        "thought\nis free",
        "<think>",
    ],
)
def test_a_persons_message_about_marks_stays_unchanged(words):
    assert clean_user_message(words) == clean_for_role(words, Role.USER) == words


@for_each("words", ["[think] of me", "[tool_calls] I made\nby phone", "[/think] so"])
def test_words_in_brackets_stay_in_an_answer(words):
    assert clean_answer(words) == words


def test_a_persons_message_loses_media_and_memory_blocks():
    block = fence("Last week, Ana said: I keep bees.")
    picture = '<img src="data:image/png;base64,AAAA"> ![cat](data:image/png;base64,AAAA)'
    assert (
        clean_user_message(f"{block}\n\nLook: {picture}<audio src=x></audio> nice") == "Look: nice"
    )
    assert clean_user_message(block.removesuffix(TAIL)) == clean_user_message(GREETING_MARK) == ""
    assert clean_user_message("`<img src=x>` </think>") == "`<img src=x>` </think>"


def test_each_side_of_an_exchange_is_cleaned_by_its_role():
    said = "Why </think>?"
    assert [clean_for_role(said, role) for role in (Role.USER, Role.ASSISTANT, Role.TOOL)] == [
        said,
        "?",
        "?",
    ]


@for_each(
    "markup",
    [
        '<tool_call>\n{"name": "find", "arguments": {}}\n</tool_call>',
        "<tool_call><function=find><parameter=q>bees</parameter></function></tool_call>",
        '<function=find>{"q": "bees"}</function>',
        '<invoke name="find"><parameter name="q">bees</parameter></invoke>',
        "<function_calls>find()</function_calls>",
        "<tool_response>\nsunny\n</tool_response>",
        "<|tool_calls_section_begin|><|tool_call_begin|>f:0<|tool_call_argument_begin|>{}"
        "<|tool_call_end|><|tool_calls_section_end|>",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        "<|tool_call>call:find{q:bees}<tool_call|>",
        '<|python_tag|>find(q="bees")<|eom_id|>',
        '[TOOL_CALLS][{"name": "find", "arguments": {"q": "bees"}}]\n\n',
        "[TOOL_RESULTS]sunny[/TOOL_RESULTS]",
    ],
)
def test_tool_markup_is_removed_and_the_words_around_stay(markup):
    assert clean_answer(f"I look it up. {markup}It is sunny.").split() == [
        *("I", "look", "it", "up.", "It", "is", "sunny."),
    ]


@for_each(
    "markup",
    ['[TOOL_CALLS]find[ARGS]{"q": ', "\n<tool_call>\n{", "<|tool_call|>[{", "\n<function=f>"],
)
def test_an_unclosed_tool_call_removes_the_rest_of_the_answer(markup):
    assert clean_answer(f"I look it up. {markup}") == "I look it up."


def test_an_echoed_or_pasted_memory_block_is_removed():
    block = fence("Last week, Ana said: I keep bees.")
    assert clean_answer(f"{block}\n\nDo I keep bees?") == "Do I keep bees?"
    assert clean_answer(f"As I recall:\n{block}") == "As I recall:"
    assert clean_answer(block.removesuffix(TAIL)) == ""
    assert clean_answer("<Memories>\nanother head\n</memories >Yes") == "Yes"


@for_each(
    ("said", "kept"),
    [
        ('Hello!<audio src="file/a.wav" controls autoplay></audio>', "Hello!"),
        ("<audio src=x controls>No player here.</audio>\n\nHello!", "Hello!"),
        ('See: <img src="data:image/png;base64,AAAA" alt="x"> nice', "See: nice"),
        ("![cat](data:image/png;base64,AAAA)A cat", "A cat"),
        ("<video controls><source src=v.mp4></video>Done", "Done"),
    ],
)
def test_html_of_other_extensions_is_removed(said, kept):
    assert clean_answer(said) == kept


@for_each(
    "text",
    [
        "if a < b and c > d: x = y[0]",
        "What does the <think> tag do?",
        "I asked what the </think> mark is for.",
        "Write `<think>` and `[TOOL_CALLS]` and ``</think>`` please.",
        "Like so:\n```html\n<audio src=x></audio>\n<think>no</think>\n```\nDone.",
        "```\n<tool_call>not closed",
        "Use <img> and <b>bold</b>, 1 <2 & 3> 2, [1] [x]",
        "List<String> l; std::vector<char> v; I <3 you",
        "我喜欢《红楼梦》，<b>真的</b>。",
        "[link](https://example.org) and ![pic](https://example.org/a.png)",
        "*thinks* &lt;b&gt; &amp;",
    ],
)
def test_text_that_only_looks_like_markup_stays(text):
    assert clean_answer(text) == text


def test_the_mark_of_a_greeting_is_removed():
    assert clean_answer(GREETING_MARK) == ""


@given(pieces)
def test_cleaning_a_cleaned_text_changes_nothing(text):
    for how in (clean_answer, clean_user_message):
        once = how(text)
        assert how(once) == once


@given(st.text())
def test_any_text_can_be_cleaned(text):
    clean_answer(text)
    clean_user_message(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "mark", [*MARKS, "<think", "<img ", "<|tool", "a<think>", " <think> b", "<th<th", "x`"]
)
def test_cleaning_a_hostile_megabyte_takes_linear_time(mark):
    text = (mark or " ") * (1_000_000 // len(mark))
    with within(15, time.process_time):
        clean_answer("." + text)
        clean_answer(text + "." + text[::-1][:1000])
        clean_user_message("." + text)


def test_nested_marks_do_not_survive_cleaning():
    deep = "<thi" * 40 + "<think></think>" + "nk></think>" * 40
    once = clean_answer(deep)
    assert clean_answer(once) == once


@for_each(
    ("answer", "left"),
    [
        (f"{OPENING}\n\nOn 2026-07-12 you told me: “My canoe.”\n\nI also remember: a.", ""),
        (f"{OPENING_ZH}\n\n没有找到相关的回忆。你刚才说的，我会记住。", ""),
        ("I also remember: 3 days ago, Ana: “The canoe leaks.”", ""),
        ("A fine name.\n\nI also remember: today, Ana: “Hi.”", "A fine name."),
        ("Here is what I remember:\n- You keep bees.\n- You live in Porto.", ""),
        (
            "Sure!\n\nHere's what I remember about you:\n\n1. You keep bees.\n\n2. You swim.\n\n"
            "Is that right?",
            "Sure!\n\nIs that right?",
        ),
        ("**Here is everything I remember:**\n* bees", ""),
        ("这是我记得的：\n1、你养蜜蜂。", ""),
        ("我还记得：你养蜜蜂。", ""),
    ],
)
def test_a_recited_list_of_memories_is_removed(answer: str, left: str) -> None:
    assert clean_answer(answer) == left
    assert clean_answer(left) == left


@for_each(
    "answer",
    [
        "I remember: you keep bees.",
        "I also remember that summer in Porto.",
        "Here is what I remember of it best, the smell of the sea.",
        "我还记得你养蜜蜂。",
        "Remember: two eggs.\n\n- one onion",
    ],
)
def test_a_memory_told_in_conversation_stays(answer: str) -> None:
    assert clean_answer(answer) == answer


def test_a_list_in_a_persons_message_stays() -> None:
    listed = "Here is what I remember:\n- the bees"
    assert clean_user_message(listed) == listed
