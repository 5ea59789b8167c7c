import re
import time
from bisect import bisect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.text.excerpts import _length_added, _plain, _shown, excerpt, words_wanted
from memory_core.text.search_terms import terms
from memory_core.text.sentences import sentence_spans, sentences
from tests.cases import for_each
from tests.in_time import within


def test_excerpt_of_a_short_text_is_the_whole_text() -> None:
    assert excerpt(" One. Two. ", 20) == "One. Two."


def test_excerpt_without_words_keeps_the_first_sentences() -> None:
    assert excerpt("One is here. Two is here. Three is here.", 28) == "One is here. Two is here. …"


def test_excerpt_keeps_the_sentence_with_the_words_and_shows_the_gap() -> None:
    text = "We met. The weather was bad all day long. My dogs are called Rex and Max. It was late."
    kept = excerpt(text, 46, words=terms("dog"))
    assert kept == "We met. … My dogs are called Rex and Max. …"
    assert excerpt(text, 36, words=terms("late")).endswith("It was late.")


def test_excerpt_keeps_a_repeated_sentence_once() -> None:
    loud = "The harbour is loud."
    text = f"{loud} The harbour is loud! We met Rex. {loud} Nothing else."
    kept = excerpt(text, 60, words=terms("harbour Rex"))
    assert kept == "The harbour is loud. … We met Rex. … Nothing else."


def test_excerpt_prefers_a_rare_word_to_many_common_ones() -> None:
    noise = " ".join(f"Stall {n} of the harbour market was open." for n in range(30))
    kept = excerpt(f"{noise} Rex barked. {noise}", 90, words=terms("harbour market stall Rex"))
    assert "Rex barked." in kept


def test_excerpt_prefers_a_statement_to_a_question_with_the_same_words() -> None:
    text = "What is my dog called again? I forgot it all. My dog is called Rex. We went home then."
    assert excerpt(text, 26, words=terms("dog called")) == "My dog is called Rex. …"


@for_each(
    ("text", "asked"),
    [
        ("so we walked on and on " * 20 + "and my dog Rex barked " + "and on we went " * 20, "Rex"),
        ("我们走了很久，" * 30 + "小黑叫了，" + "我们走了很久，" * 30, "小黑"),
    ],
)
def test_excerpt_cuts_a_long_sentence_around_the_words(text: str, asked: str) -> None:
    kept = excerpt(text, 60, words=terms(asked))
    assert asked in kept
    assert kept.startswith("…")
    assert len(kept) <= 60


def test_excerpt_of_exactly_the_limit_shows_no_ellipsis() -> None:
    assert excerpt("One is here. Two is here.", 13) == "One is here."


def test_excerpt_finds_chinese_words() -> None:
    assert (
        excerpt("今天天气很好。我的狗叫小黑。我们走吧。", 8, words=terms("狗叫什么"))
        == "我的狗叫小黑。"
    )


@for_each(
    ("text", "cut"), [("alpha beta gamma delta", "alpha beta…"), ("我" * 30, "我" * 12 + "…")]
)
def test_excerpt_cuts_a_long_sentence_between_words_if_possible(text: str, cut: str) -> None:
    assert excerpt(text, 13) == cut


@given(st.text(max_size=200), st.integers(1, 80), st.sets(st.text(max_size=3), max_size=3))
def test_excerpt_is_never_longer_than_its_limit(text: str, limit: int, words: set[str]) -> None:
    assert len(excerpt(text, limit, words=words)) <= limit


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["So it is.", "cmd: run it with -c 16384 and -ngl 99 on port 8080"]),
            st.sampled_from([" ", "\n", "\n        "]),
        ),
        max_size=8,
    ),
    st.integers(1, 150),
    st.sets(st.sampled_from(["port", "so", "run"])),
)
def test_excerpt_of_indented_lines_is_never_longer_than_its_limit(
    lines: list[tuple[str, str]], limit: int, words: set[str]
) -> None:
    text = "".join(line + blanks for line, blanks in lines)
    assert len(excerpt(text, limit, words=words)) <= limit


@given(st.text(alphabet="ab. ", max_size=120), st.integers(30, 80))
def test_excerpt_cuts_at_most_one_sentence(text: str, limit: int) -> None:
    whole = set(sentences(text))
    if max(map(len, whole), default=0) <= limit:
        kept = excerpt(text, limit).replace(" … ", "\n").replace("… ", "\n").removesuffix(" …")
        cut = set(sentences(kept)) - whole
        assert len(cut) <= 1
        assert all(any(one.startswith(part) for one in whole) for part in cut)


@pytest.mark.parametrize("text", ["a. " * 300_000, "." * 300_000, "İ. " * 300_000])
def test_excerpt_finds_words_at_the_end_of_a_very_long_text(text: str) -> None:
    with within(15, time.process_time):
        assert "Helena keeps bees." in excerpt(
            f"{text} Helena keeps bees.", 60, words=terms("helena bees")
        )


def test_excerpt_of_a_very_long_text_without_the_words_is_its_beginning() -> None:
    assert excerpt("We go. " + "a b. " * 9000, 20, words=terms("bees")).startswith("We go.")


@for_each("before", range(0, 45_000, 4_999))
def test_excerpt_finds_words_anywhere_in_a_very_long_text(before: int) -> None:
    text = "x" * before + ". Helena keeps bees. " + "y" * (45_000 - before)
    assert "Helena keeps bees." in excerpt(text, 60, words=terms("helena bees"))


@given(st.text(alphabet="ab.\n 我。?", max_size=90), st.integers(1, 60), st.sampled_from("ab我"))
def test_excerpt_has_no_duplicate_sentences(text: str, limit: int, word: str) -> None:
    kept = excerpt(text, limit, words=[word])
    if len(text.strip()) > limit and not (kept.endswith("…") and not kept.endswith(" …")):
        parts = kept.removesuffix(" …").split(" … ")
        said = [_plain(sentence) for part in parts for sentence in sentences(part)]
        assert len(said) == len(set(said))


@pytest.mark.parametrize("text", ["x. " * 7000, "So. We go.\n" * 2000, "走吧。" * 6000])
def test_excerpt_of_many_short_sentences_is_fast(text: str) -> None:
    with within(2, time.process_time):
        for limit in range(1000, 1005):
            excerpt(text, limit, words=terms("go"))


def test_excerpt_is_cached() -> None:
    with within(2, time.process_time):
        for _ in range(300):
            assert "We go. …" in excerpt("So. We go.\n" * 1900, 500, words=terms("go"))


@given(st.text(alphabet="ab.\n 我。", max_size=90), st.integers(1, 60), st.sampled_from("ab我"))
def test_excerpt_leaves_out_no_sentence_that_fits(text: str, limit: int, word: str) -> None:
    kept = excerpt(text, limit, words=[word])
    if not kept.endswith("…") or kept.endswith(" …"):
        said = {_plain(sentence) for sentence in sentences(kept)}
        missing = [
            sentence
            for sentence in sentences(text)
            if sentence not in kept and _plain(sentence) not in said
        ]
        between = max(map(len, [" … ", *re.findall(r"\s+", text.strip())]))
        assert all(len(kept) + between + len(sentence) > limit for sentence in missing)


def test_excerpt_adds_a_sentence_that_fits_after_a_gap_has_closed() -> None:
    assert excerpt(". aaa\nb 。a", 8, words=["b"]) == ". … b 。a"


@given(st.text(alphabet="ab.\n 我。", max_size=60), st.lists(st.integers(0, 9), unique=True))
def test_gaps_predict_the_length_of_an_excerpt(text: str, order: list[int]) -> None:
    text = text.strip()
    spans = list(sentence_spans(text))
    chosen, length = [0], len(_shown(text, spans[:1])) if spans else 0
    for index in (index for index in order if 0 < index < len(spans)):
        where = bisect(chosen, index)
        around = [spans[one] for one in chosen[max(0, where - 1) : where + 1]]
        length += _length_added(text, spans[index], around)
        chosen.insert(where, index)
        assert length == len(_shown(text, [spans[index] for index in chosen]))


@for_each(
    ("text", "limit", "kept"),
    [
        (
            "The oven broke. Pawel from Limerick came on Monday. It was very cold in the kitchen.",
            45,
            "The oven broke. Pawel from Limerick came on …",
        ),
        (
            "我们走了。小黑昨天叫了一整晚，邻居都来敲门了。",
            21,
            "我们走了。小黑昨天叫了一整晚，邻居都来 …",
        ),
        ("The oven broke. Pawel came from Limerick.", 35, "The oven broke. …"),  # too little room
    ],
)
def test_beginning_of_a_further_sentence_fills_an_excerpt(text: str, limit: int, kept: str) -> None:
    assert excerpt(text, limit) == kept


@for_each(
    ("message", "text", "limit", "kept"),
    [
        (
            "when is the wedding again",
            "The wedding is moved! Mum cries all day. It will be on 27 February. Karim cooks.",
            54,
            "It will be on 27 February.",
        ),
        (
            "do you know a good surgeon",
            "I slept badly all week. My operation went well. I hate my job.",
            30,
            "My operation went well.",
        ),
    ],
)
def test_excerpt_has_the_sentence_that_a_message_asks_for(
    message: str, text: str, limit: int, kept: str
) -> None:
    assert kept in excerpt(text, limit, words=words_wanted(message))
    assert kept not in excerpt(text, limit, words=terms(message))
