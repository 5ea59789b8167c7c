"""The words of the prompt follow the chat's language, and edited templates stay."""

import re
from dataclasses import replace
from datetime import UTC

import pytest

from memory_core.config.schema import ContextSettings
from memory_core.prompt.plan import make_plan
from memory_core.prompt.templates import FIELDS_BY_TEMPLATE, localised, weekday_and_date
from memory_core.recall.results import Form
from memory_core.text.language import chat_language
from memory_core.text.locales import prompt_words
from memory_core.text.prompt_fence import strip_fences

from .scenes import NOW, material, recalled
from .test_plan import WINDOW

CHINESE, ENGLISH = "我今天去了海边", "I went to the sea today"
NOON = 1_790_000_000.0


@pytest.mark.parametrize(
    ("texts", "known", "language"),
    [
        ([], "", "en"),
        ([], "zh", "zh"),
        (["42", "…"], "zh", "zh"),
        ([CHINESE], "", "zh"),
        ([ENGLISH], "", "en"),
        ([ENGLISH, CHINESE, CHINESE], "", "zh"),
        ([ENGLISH], "zh", "zh"),
        ([ENGLISH, ENGLISH, CHINESE], "zh", "zh"),
        ([ENGLISH, ENGLISH, ENGLISH], "zh", "en"),
        ([ENGLISH, "42", ENGLISH, ENGLISH], "zh", "en"),
        (["How do I say 你好 to my teacher?"], "", "en"),
        (["我用 Python 写了一个小程序"], "", "zh"),
        (["今日は海に行きました"], "", "en"),
        (["Ich war heute am Meer"], "", "en"),
    ],
)
def test_language_follows_the_users_messages_but_not_a_single_one(
    texts: list[str], known: str, language: str
) -> None:
    assert chat_language(texts, known) == language


def test_english_words_are_the_defaults_of_the_settings() -> None:
    defaults, words = ContextSettings(), prompt_words("en")
    assert {key: words.template(key) for key in FIELDS_BY_TEMPLATE} == {
        key: getattr(defaults, key) for key in FIELDS_BY_TEMPLATE
    }
    assert localised(defaults, "en") == defaults


def test_edited_template_stays_while_the_others_are_translated() -> None:
    edited = ContextSettings(memory_template="* {said}")
    found = localised(edited, "zh")
    assert found.memory_template == "* {said}"
    assert found.today_template == prompt_words("zh").template("today_template")


def test_chinese_day_is_written_as_in_chinese() -> None:
    assert weekday_and_date(NOON, UTC, prompt_words("zh")) == ("星期一", "2026年9月21日")


def test_prompt_of_a_chinese_chat_has_no_english_words_and_its_fence_can_be_stripped() -> None:
    line = recalled(4, "我的狗叫豆豆。", "好名字。", Form.LINE)
    settings = localised(ContextSettings(), "zh")
    inputs = replace(
        material(kept=(line,)), system_lines=(), settings=settings, language="zh", today=NOW
    )
    window = replace(WINDOW, message="我的狗叫什么？", name1="小明", name2="小岚")
    plan = make_plan(window, inputs)
    added = (plan.block + plan.system_block).replace("memories", "").replace("Ana", "")
    assert "天前" in plan.block
    assert "星期" in plan.system_block
    assert not re.search("[A-Za-z]", added), added
    assert strip_fences(f"{plan.block}\n\n{window.message}") == window.message
