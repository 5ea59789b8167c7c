"""Tests of the query: words, names, context and past dates."""

import subprocess
import sys

import pytest

from memory_core.recall.query import Query, local_time
from tests.cases import for_each


def query(text: str, *names: str) -> Query:
    return Query(text=text, names=names)


@for_each(
    "text",
    ["Hi Mira, what's my dog's name?", "what's my dog's name?", "Good morning! My dog's name?"],
)
def test_greeting_is_not_searched_for(text):
    assert Query(text=text, names=("Ana", "Mira")).words == ["dog", "name"]


def test_query_words_are_search_terms_without_names() -> None:
    assert query("Mira, have you seen Ana's dogs?", "Ana", "Mira").words == ["seen", "dog"]


@for_each(
    ("text", "words"),
    [
        ("do you still remember Bruno's vet", ["bruno", "vet"]),
        ("erinnerst du dich noch an meine Katze", ["katz"]),
        ("помнишь мою кошку", ["кошк"]),
        ("你还记得猫吗", ["猫"]),
        ("do you remember?", ["rememb"]),
    ],
)
def test_query_words_leave_out_the_question_if_something_is_remembered(
    text: str, words: list[str]
) -> None:
    assert query(text).words == words


def test_query_words_leave_out_a_chinese_name() -> None:
    assert query("小明", "小明").words == []


@for_each(
    ("text", "expected"),
    [
        ("Mira, what is my dog called?", ", what is my dog called?"),
        ("MIRA, you know", ", you know"),
        ("Miranda knows", "Miranda knows"),
        ("Mira", "I"),
        ("What did Mira paint?", "What did I paint?"),
        ("Is Mira's dog old?", "Is my dog old?"),
        ("Did Mira like Ana's cake?", "Did like 's cake?"),
    ],
)
def test_embedder_text_speaks_as_the_addressed_person(text: str, expected: str) -> None:
    assert " ".join(query(text, "Ana", "Mira", " ").text_for_embedder.split()) == expected


def test_embedder_text_is_never_empty() -> None:
    assert query("Ana Mira", "Ana", "Mira").text_for_embedder == "Ana Mira"


def test_name_may_contain_regex_characters() -> None:
    assert query("what (bot), C++ said", "(bot)", "C++").text_for_embedder.split() == [
        "what",
        ",",
        "said",
    ]


# ---- parts


def test_question_among_many_sentences_is_a_part_of_its_own() -> None:
    text = "It rains. Where are the bees? I wonder, since Ida comes. The soup is hot. Think!"
    assert query(text).parts == [
        ["bee"],
        ["rain", "wonder", "sinc", "ida", "come"],
        ["soup", "hot", "think"],
    ]


def test_many_questions_share_two_parts_and_statements_one() -> None:
    text = "It rains. Where are the bees? Who has the hens? Are the goats in? The soup is hot."
    assert query(text).parts == [["bee", "hen"], ["goat"], ["rain", "soup", "hot"]]


@for_each(
    ("text", "parts"),
    [
        ("Bees. Hens! Goats?", [["bee"], ["hen"], ["goat"]]),
        ("Bees. Hens. Goats. Soup.", [["bee", "hen"], ["goat", "soup"]]),
        ("Bees? Hens? Goats? Soup?", [["bee", "hen"], ["goat", "soup"]]),
        ("", []),
    ],
)
def test_few_or_uniform_sentences_keep_their_order_in_parts(
    text: str, parts: list[list[str]]
) -> None:
    assert query(text).parts == parts


def test_chinese_question_is_a_part_of_its_own() -> None:
    assert query("下雨了。蜜蜂在哪里？汤很热。请想想。").parts[0] == query("蜜蜂在哪里？").words


# ---- addressed speaker


@for_each(
    ("text", "expected"),
    [
        ("What did Mira say?", 1), ("Where does Ana live?", 0), ("Where do you live?", None),
        ("Did Ana call Mira?", None), ("Mira, where do I live?", None), ("Thanks, Mira!", None),
        ("Oh Mira, you know", None), ("米拉，你呢？", None), ("Ana's dog?", 0),
    ],
)  # fmt: skip
def test_named_person_is_asked_about_unless_merely_addressed(
    text: str, expected: int | None
) -> None:
    assert query(text, "Ana", "米拉" if "米拉" in text else "Mira").addressed_speaker == expected


def test_addressed_side_is_the_side_of_the_addressed_speaker() -> None:
    asked = query("What did Mira say?", "Ana", "Mira")
    assert asked.addressed_side(("Ana", "Mira")) == 1
    assert asked.addressed_side(("mira", "Ana")) == 0, "told by another character"
    assert asked.addressed_side(("", "")) == 1, "no names are known"
    assert query("What did you say?", "Ana", "Mira").addressed_side(("Ana", "Mira")) is None


# ---- context


def test_context_words_are_new_and_weigh_less_in_answers() -> None:
    asked = Query(
        text="and the dog?", names=("Ana", "Mira"), context=("the cat sleeps", "Ana, the dog barks")
    )
    assert asked.words == ["dog"]
    assert asked.context_words == {"bark": 0.15, "cat": 0.5, "sleep": 0.5}


def test_context_words_fade_with_each_exchange_back() -> None:
    told = ("a red kite", "Lovely.", "a blue boat", "Nice.")
    words = Query(text="how old?", context=told).context_words
    assert words["kite"] == pytest.approx(0.7 * words["boat"])
    assert words["love"] == pytest.approx(0.7 * words["nice"])


def test_context_weight_falls_with_the_length_of_the_message() -> None:
    short, long = (
        Query(text=text, context=("before",)).context_weight
        for text in ("and the dog?", "Which toys did the brown dog next door bury yesterday?")
    )
    assert short == 0.5
    assert 0 < long < 0.2


@for_each(
    ("text", "words"),
    [
        ("will it rain tomorrow", ["rain"]),
        ("wie wird das wetter morgen", ["wetter"]),
        ("завтра будет дождь?", ["дожд"]),
    ],
)
def test_question_about_the_weather_asks_for_no_day_and_no_word_of_it(
    text: str, words: list[str]
) -> None:
    asked = Query(text=text, now=local_time(1_790_000_000.0))
    assert asked.dates == ()
    assert asked.words == words


@for_each(
    ("text", "expected"),
    [
        ("What did we do yesterday?", True), ("昨天呢？", True), ("How was today?", False),
        ("See you tomorrow", False), ("What did we do?", False),
    ],
)  # fmt: skip
def test_query_names_a_past_time_only_for_dates_before_today(text: str, expected: bool) -> None:
    assert Query(text=text, now=local_time(1_790_000_000.0)).names_a_past_time is expected
    assert not Query(text=text).names_a_past_time, "without a clock nothing is over"


def test_warm_up_loads_everything_for_the_first_message() -> None:
    process = "; ".join(
        (
            "from memory_core.recall import cue, query",
            "from memory_core.text import topics",
            "query.warm_up()",
            "caches = cue._weights, topics.lexicon_of",
            "loaded = [cache.cache_info().misses for cache in caches]",
            "_ = cue.cue('what is my dog called'), topics.topics('unheardof words')",
            "assert all(loaded)",
            "assert loaded == [cache.cache_info().misses for cache in caches]",
        )
    )
    subprocess.run([sys.executable, "-c", process], check=True)


@for_each("names", [("You", "AI"), ("user", "Assistant"), ("你", "助手"), ("", ""), ("Me", "Bot")])
@for_each(
    "text",
    ["Which tea did you recommend me, and what does the AI say?", "助手推荐我喝的茶是哪种？"],
)
def test_placeholder_names_are_ignored_in_a_query(names: tuple[str, str], text: str) -> None:
    query = Query(text=text, names=names)
    assert query.addressed_speaker is None
    assert query.text_for_embedder == query.text
    assert query.words == Query(text=query.text).words


def test_ai_can_be_a_real_name() -> None:
    assert Query(text="What does Ai like?", names=("Ben", "Ai")).addressed_speaker == 1


def test_chinese_name_is_left_out_but_its_characters_count_elsewhere() -> None:
    query = Query(text="小雨说今天下雨吗", names=("小雨", "Mira"))
    assert "雨" in query.words
    assert "小雨" not in query.words
    assert Query(text="小雨", names=("小雨", "Mira")).words == []


def test_character_pair_counts_as_one_word_of_a_date_question() -> None:
    now = local_time(1_700_000_000.0)
    assert Query(text="昨天吃饭", now=now).is_about_a_date
    assert not Query(text="昨天吃饭看电影", now=now).is_about_a_date


@for_each("text", ["What should I cook tonight?", "Was soll ich heute kochen?"])
def test_wish_for_a_proposal_is_not_about_the_day_it_names(text: str) -> None:
    query = Query(text=text, now=local_time(1_700_000_000.0))
    assert query.dates
    assert not query.is_about_a_date
    assert query.is_about_the_future


def test_question_about_today_is_about_the_day() -> None:
    query = Query(text="What did I say today?", now=local_time(1_700_000_000.0))
    assert query.is_about_a_date
    assert not query.is_about_the_future
