"""Texts that people read call one thing by one name; CONTRIBUTING.md lists the names."""

import re

from memory_core.text.locales import DEFAULT, LANGUAGES, load_texts
from tests.cases import for_each

OTHER_NAMES = {
    "en": r"\bconversation(?!s\.json)|\bmodel for meaning|\bembedder\b|\brolling\b"
    r"|\bprivate parts?\b|\bdestroy|\bfetch|\bthe host\b|\bmachine"
    r"|\breplayed turn|\bobservation|\bknowledge\b",
    "zh": "(?<!独立)(?<!继续)(?<!直接)(?<!有人)聊天(?!接口)|提示(?!词)|忘掉|[擦抹]除|抹去|检索|想起"
    "|含义|语义|按词|领悟|观察|副本|滚动备份|宿主|主程序|私密|隐身|一次对话|字符|机器",
}


LOGGED = "problem_"  # the English texts are those of the log


def other_names(text: str, language: str) -> list[str]:
    return re.findall(OTHER_NAMES[language], text, re.IGNORECASE)


@for_each("language", sorted(LANGUAGES.values()))
def test_no_text_uses_another_name_for_a_thing(language: str) -> None:
    found = {
        (part, key): names
        for part, texts in load_texts(language).items()
        for key, text in texts.items()
        if not (language == DEFAULT and key.startswith(LOGGED))
        if (names := other_names(text, language))
    }
    assert found == {}


@for_each(
    ("language", "text"),
    [("en", "Pause this conversation"), ("zh", "删除这个聊天"), ("zh", "放入提示")],
)
def test_another_name_is_found(language: str, text: str) -> None:
    assert other_names(text, language)


@for_each("text", ["没有人聊天时工作", "可以继续聊天", "放入提示词"])
def test_chatting_and_prompts_are_no_other_names(text: str) -> None:
    assert not other_names(text, "zh")
