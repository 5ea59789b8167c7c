"""Search terms of texts in scripts with and without blanks."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.text.search_terms import STOP_WORDS, _known, simplified, terms
from tests.cases import for_each


@for_each(
    ("text", "expected"),
    [
        ("My dogs are called Bruno", ["dog", "call", "bruno"]),
        ("don't you think it's Ana's?", ["think", "ana"]),
        ("it’s Ana’s", ["ana"]),
        ("ＦＵＬＬ width ﬁne", ["full", "width", "fine"]),
        ("Straße STRASSE", ["strass", "strass"]),
        ("Собака лает", ["собак", "лает"]),
        ("naïve café", ["naiv", "cafe"]),
        ("snake_case 3.14 v2", ["snake", "case", "3", "14", "v2"]),
        ("我的狗叫小黑", ["狗叫", "叫小", "小黑", "狗", "叫", "小", "黑"]),
        ("狗", ["狗"]),
        ("我", []),
        ("犬のベルが大好き", ["犬", "ベル", "大好", "大", "好"]),
        ("강아지 이름", ["강아", "아지", "이름"]),
        ("iPhone手机", ["iphon", "手机", "手", "机"]),
        ("ไทย", ["ไท", "ทย"]),
        ("", []),
        ("!!! 🐝 …", []),
    ],
)  # fmt: skip
def test_terms_are_stemmed_words_and_character_pairs(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_pairs_of_particles_alone_are_no_terms() -> None:
    assert terms("你的我的") == []


@for_each(
    ("asked", "said"),
    [
        ("我的车是什么颜色？", "买了一辆二手车"),
        ("狗叫什么名字？", "领养了一只小狗"),
        ("犬は元気？", "子犬をもらった"),
    ],
)
def test_a_word_of_one_character_is_found_inside_others(asked: str, said: str) -> None:
    assert set(terms(asked)) & set(terms(said))


@for_each(
    "text", ["是什么？", "为什么呢", "怎么了", "哪个？", "多少？", "多久了", "你是谁", "是什么来着"]
)
def test_chinese_question_words_are_no_terms(text: str) -> None:
    assert terms(text) == []


@for_each(
    ("typed", "written"),
    [
        ("whats the wifi password", "what's the wifi password"),
        ("didnt you say im allergic", "didn't you say I'm allergic"),
        ("r u sure", "are you sure"),
        ("im ill and lets id shell", "ill id shell"),
    ],
)
def test_sloppy_spelling_gives_the_same_terms(typed: str, written: str) -> None:
    assert terms(typed) == terms(written)


@for_each(
    ("typed", "written"),
    [
        ("我對花生過敏", "我对花生过敏"),
        ("牙醫約在週三", "牙医约在周三"),
        ("我們幾時吃麵", "我们几时吃面"),
        ("後で時間ある", "后で时间ある"),
    ],
)
def test_traditional_characters_give_the_terms_of_simplified_ones(typed: str, written: str) -> None:
    assert terms(typed) == terms(written) != []


@given(st.text(alphabet="過敏对對a ひ僕時间", max_size=20))
def test_simplified_forms_keep_the_length(text: str) -> None:
    assert len(simplified(text)) == len(text)


def test_a_very_long_word_is_cut() -> None:
    assert terms("x" * 1000) == terms("x" * 40)


def test_stop_words_are_no_terms() -> None:
    assert terms(" ".join(STOP_WORDS)) == []


@given(text=st.text())
def test_terms_are_the_same_whatever_the_case_and_never_hold_blanks(text: str) -> None:
    found = terms(text)
    assert all(term and not any(char.isspace() for char in term) for term in found)


@given(text=st.text(st.characters(max_codepoint=127)))
def test_ascii_text_gives_the_same_terms_beside_other_scripts(text: str) -> None:
    assert terms(text) == terms(f"{text} \u2014")


@given(
    words=st.lists(
        st.sampled_from(["don't", "Ana's", "l'eau", "'tis", "''", "a-b", "3rd", "x" * 50])
    )
)
def test_words_with_apostrophes_give_the_same_terms_beside_other_scripts(words: list[str]) -> None:
    assert terms(" ".join(words)) == terms(" ".join([*words, "\u2014"]))


def test_the_cache_of_terms_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory_core.text.search_terms._MAX_CACHED", 10)
    _known.clear()
    assert len(terms(" ".join(f"word{number}" for number in range(100)))) == 100
    assert len(_known) == 10


def test_threads_do_not_disturb_each_others_stemming() -> None:
    words = [f"running{n}s jumping{n}s собаками{n} evlerimizin{n}ı" for n in range(300)]
    expected = [terms(word) for word in words]
    _known.clear()
    results: list[bool] = []

    def check() -> None:
        results.append([terms(word) for word in words] == expected)

    threads = [threading.Thread(target=check) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert results == [True] * 6


def test_vowel_signs_and_written_out_accents_stay_in_their_words() -> None:
    assert terms("मेरा नाम अमित है।") == ["नाम", "अमित"]
    assert terms("আমার নাম অমিত") == ["আমার", "নাম", "অমিত"]
    assert terms("cafe\u0301") == terms("café") == ["cafe"]
