"""Sentences that the source does not support, or that state nothing, are cut from a summary."""

import pytest

from memory_core.consolidation.grounding import supported_sentences, supported_summary
from memory_core.domain.errors import BadAnswer
from tests.cases import for_each

SOURCE = "Ana: I pay 1,250 a month since May 3rd, and Tom's sister helps.\n2024-05-07"


@for_each(
    "summary",
    [
        "Ana pays 1250 a month since May 3rd.",
        "Ana pays 1,250. Tom's sister helps her.",
        "On 7 May 2024 Ana said that she pays 1250.",
        "She said so on Tuesday.",
        "Nothing else was said.",
        "",
    ],
)
def test_a_supported_summary_stays_whole(summary: str) -> None:
    assert supported_sentences(summary, SOURCE) == summary


@for_each(
    ("summary", "kept"),
    [
        ("Ana pays 1,350 a month. Tom's sister helps.", "Tom's sister helps."),
        ("Tom's sister Berta helps.", ""),
        ("She helps, Berta said.", ""),
        ("It costs 12 500.", ""),
        ("/", ""),
        ("\u2013", ""),
        ("The summary.", ""),
        ("As an AI I cannot summarise this conversation.", ""),
        ("I'm sorry, but I can't help with that.", ""),
        ("Tom's sister helps. I cannot provide more details.", "Tom's sister helps."),
        ("I can't do that.", ""),
        ("I won't continue this conversation.", ""),
        ("Sorry, I am unable to process your request.", ""),
        ("I'm unable to summarize the conversation.", ""),
        ("I cannot answer that.", ""),
        ("她每月付1250。", ""),
    ],
)
def test_an_unsupported_sentence_is_cut(summary: str, kept: str) -> None:
    assert supported_sentences(summary, SOURCE) == kept


@for_each(
    ("summary", "kept"),
    [
        ("小安每月付1250。小安有4只猫。", "小安每月付1250。"),
        ("抱歉，作为人工智能，我无法完成这个请求。", ""),
        ("我无法总结这段对话。", ""),
        ("我不能提供摘要。", ""),
        ("对不起，我无法帮助你。", ""),
        ("摘要", ""),
        ("The user pays 1250 a month.", ""),
    ],
)
def test_an_unsupported_sentence_about_a_chinese_chat_is_cut(summary: str, kept: str) -> None:
    source = "小安: 我每月付1250，用Python写程序。"
    assert supported_sentences(summary, source) == kept


@for_each(
    ("sentence", "source"),
    [
        ("Ana is sorry that she can't come.", "I am sorry, I can't come."),
        ("I'm sorry that I can't row with Rui.", "I'm sorry I can't row with Rui."),
        ("Mira said that as an AI she has no body.", "As an AI I have no body."),
        ("Ana learns 你好.", "Ana: I learn 你好 and 谢谢."),
        ("安娜喜欢Python。", "我喜欢Python。"),
        ("As an AI engineer, Ana earns well.", "Ana: I am an AI engineer and earn well."),
        ("小安作为AI工程师很忙。", "我是AI工程师，很忙。"),
        ("她说很抱歉，不能来。", "很抱歉，我不能来。"),
        ("I can't help smiling when Rui calls.", "Rui called, and I smiled."),
        ("I am not able to help my mother any more.", "I can't help my mother any more."),
        ("I can't continue like this.", "I can't continue like this."),
        ("I won't do that again.", "I won't do that again."),
        ("I won't answer his letters.", "I won't answer his letters."),
        ("我无法完成马拉松。", "我无法完成马拉松。"),
        ("我不能帮助妈妈搬家了。", "我不能帮助妈妈搬家了。"),
    ],
)
def test_a_statement_that_resembles_a_refusal_stays(sentence: str, source: str) -> None:
    assert supported_sentences(sentence, source) == sentence


@for_each(
    ("summary", "asked"),
    [
        ("用户请助手写一个把两个数加起来的程序。", "帮我写一个把两个数加起来的程序。"),
        ("Она просит программу сложения чисел.", "Напиши мне, пожалуйста, программу сложения."),
    ],
)
def test_summary_in_the_language_of_the_request_stays_beside_long_code(
    summary: str, asked: str
) -> None:
    code = "def add(first, second): return first + second\n" * 60
    assert supported_sentences(summary, f"{asked}\n{code}") == summary


def test_summary_without_a_word_of_the_chat_is_refused() -> None:
    invented, said = "They talked about a lost wallet.", "I moved to Porto and bought a bicycle."
    with pytest.raises(BadAnswer, match="does not contain"):
        supported_summary(invented, source=said, said=said)
    found = supported_summary("She bought\nbicycles.", source=said, said=said)
    assert found == "She bought bicycles."


def test_german_nouns_are_no_names() -> None:
    source = "Ana: Ich habe gestern den Vertrag für die Wohnung am Fluss unterschrieben."
    summary = "Ana hat einen Mietvertrag für die Wohnung."
    assert supported_sentences(summary, source) == summary
