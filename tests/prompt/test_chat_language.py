"""The words of the prompt follow the chat's language, and edited templates stay."""

import re
from dataclasses import replace
from datetime import UTC

from memory_core.config.schema import ContextSettings
from memory_core.prompt.plan import make_plan
from memory_core.prompt.templates import (
    FIELDS_BY_TEMPLATE,
    dates_in_words,
    localised,
    mark_approximate,
    weekday_and_date,
)
from memory_core.recall.results import Form
from memory_core.text.language import chat_language
from memory_core.text.locales import prompt_words
from memory_core.text.prompt_fence import strip_fences
from tests.cases import for_each

from .scenes import DAY, NOW, material, recalled
from .test_plan import WINDOW

CHINESE, ENGLISH = "我今天去了海边", "I went to the sea today"
NOON = 1_790_000_000.0


@for_each(
    ("texts", "known", "language"),
    [
        ([], "", ""),
        (["ok"], "", ""),
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
        (["我の朋友"], "", "zh"),
        (["今日は海に行きました"], "", "ja"),
        (["Ich war heute am Meer"], "", "de"),
        (["Hoy fui al mar con mi hermana"], "", "es"),
        (["Je suis allé à la mer avec ma sœur"], "", "fr"),
        (["Сегодня я ездила к морю"], "", "ru"),
        (["Сьогодні я їздила до моря"], "", ""),
        (["Wo ist Lena?"], "", "de"),
        (["Die Hard was great"], "", ""),
        (["mi amor, I miss you"], "", ""),
        (["Oggi sono andata al mare con mia sorella"], "", "en"),
        (["ok", "Ich war heute am Meer", "ok"], "", "de"),
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


def test_first_of_the_month_is_an_ordinal_in_french() -> None:
    first, second = NOON + 10 * 86_400, NOON + 11 * 86_400
    assert weekday_and_date(first, UTC, prompt_words("fr"))[1] == "1er octobre 2026"
    assert weekday_and_date(second, UTC, prompt_words("fr"))[1] == "2 octobre 2026"


@for_each(
    ("language", "ago", "day", "guessed"),
    [
        ("de", "vor 4 Tagen", "Montag, der 21. September 2026", "etwa vor 4 Tagen"),
        ("es", "hace 4 días", "lunes, 21 de septiembre de 2026", "aproximadamente hace 4 días"),
        ("fr", "il y a 4 jours", "lundi 21 septembre 2026", "approximativement il y a 4 jours"),
        ("ja", "4日前", "2026年9月21日、月曜日", "およそ4日前"),
        ("ru", "4 дн. назад", "понедельник, 21 сентября 2026 года", "примерно 4 дн. назад"),
    ],
)
def test_times_are_written_in_the_language_of_the_chat(
    language: str, ago: str, day: str, guessed: str
) -> None:
    words = prompt_words(language)
    assert dates_in_words(NOON - 4 * DAY, NOON, UTC, words) == ago
    assert mark_approximate(ago, words) == guessed
    assert mark_approximate(words["yesterday"], words) == words["yesterday"]
    inputs = replace(
        material(kept=(recalled(4, "Ana", "Ja.", Form.LINE),)),
        settings=localised(ContextSettings(), language),
        language=language,
        today=NOON,
    )
    plan = make_plan(WINDOW, inputs)
    assert day in plan.system_block
    assert words("said", name="", text="").strip()[-1] in plan.block


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
