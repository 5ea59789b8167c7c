"""A memory is shown with marked passages, days in words and names of chats."""

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.text.locales import tab_words
from memory_core.text.search_terms import terms
from memory_core.ui.demo.program import Program
from memory_core.ui.tab.common import memory_text, wording
from tests.cases import for_each

WORDS, CHINESE = tab_words("en"), tab_words("zh")
NOON = 1_780_000_000.0
SPACE = Namespace("Ana", "Mira")


@for_each(
    ("text", "asked", "shown"),
    [
        ("I play the cello.", "Do you remember my cellos?", "I play the <mark>cello</mark>."),
        ("我家的小狗叫豆豆", "小狗呢", "我家的<mark>小狗</mark>叫豆豆"),
        ("我对芒果过敏", "我对什么水果过敏", "我对芒果<mark>过敏</mark>"),
        ("我對芒果過敏", "过敏", "我對芒果<mark>過敏</mark>"),
        ("我们住在乌镇", "我们住在哪里", "我们<mark>住在</mark>乌镇"),
        ("红灯笼巷很窄", "红灯笼巷在哪", "<mark>红灯笼巷</mark>很窄"),
        ("<b>cello</b> & co", "cello", "&lt;b&gt;<mark>cello</mark>&lt;/b&gt; &amp; co"),
        ("nothing here", "cello", "nothing here"),
    ],
)
def test_passage_marks_the_words_that_match_and_escapes_all(
    text: str, asked: str, shown: str
) -> None:
    found = memory_text.passage(text, frozenset(terms(asked)), 200)
    assert found.html == shown


def test_passage_names_each_matching_word_once() -> None:
    found = memory_text.passage("Cello, cello and tea", frozenset(terms("cello tea")), 200)
    assert found.matched == ("cello", "tea")


def test_long_text_is_cut_to_the_passage_that_matches() -> None:
    found = memory_text.passage("Filler words. " * 60 + "My cello is old.", {"cello"}, 80)
    assert "<mark>cello</mark>" in found.html
    assert len(found.html) < 120


def test_day_is_written_as_in_the_language() -> None:
    assert wording.day_text(NOON, WORDS) == "28 May 2026"
    assert wording.day_text(NOON, CHINESE) == "2026年5月28日"
    assert wording.day_text(None, WORDS) == "some time ago"
    assert wording.day_text(1e18, WORDS) == "some time ago"


def test_chats_are_shown_by_name_or_by_their_first_words_never_by_a_code(tmp_path) -> None:
    program = Program(tmp_path, {})
    memory = program.runtime.memory
    code, hashed = "20261121-07-24-00", "h-" + "0a" * 16
    for chat in (code, hashed, "Trip to Lisbon/Mira"):
        memory.remember(SPACE, chat, Exchange(user=f"First words of {chat[:2]}", assistant="Ok."))
    logs = {found.conversation for found in memory.conversation(SPACE, code, 9)}
    logs |= {found.conversation for found in memory.conversation(SPACE, hashed, 9)}
    logs |= {found.conversation for found in memory.conversation(SPACE, "Trip to Lisbon/Mira", 9)}
    titles = wording.chat_titles(memory, SPACE, logs)
    program.runtime.close()
    assert sorted(titles.values()) == ["First words of 20", "First words of h-", "Trip to Lisbon"]


def test_chat_that_is_not_stored_here_has_no_title(tmp_path) -> None:
    program = Program(tmp_path, {})
    titles = wording.chat_titles(program.runtime.memory, SPACE, {"20261121-07-24-00"})
    program.runtime.close()
    assert titles == {"20261121-07-24-00": ""}
