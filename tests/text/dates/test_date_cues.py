"""The quick check that rules out most texts without a date."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from memory_core.text.dates import english_calendar, english_relative, english_words
from memory_core.text.dates.find_dates import find_dates, may_contain_date
from memory_core.text.dates.rule_engine import Grammar, TokenisedText, match_at_cues

NOW = datetime(2026, 11, 21, 15, 0, tzinfo=UTC)
RULES = (*english_calendar.RULES, *english_relative.RULES)
GRAMMAR = Grammar(*RULES, tenses=english_words.TENSES)
CUES = sorted({cue for rule in GRAMMAR.rules for cue in rule.cues})
LEADS = [
    "last",
    "in",
    "on the",
    "since",
    "two",
    "3",
    "5th of",
    "2024",
    "LAST",
    "day before",
    "half a",
    "and a half",
    "1.5",
    "2½",
]
BETWEEN = ["", " ", "-", ".", "\n", "’", "_", "é", "\u017f", "\u0130", "\U0001f600", "明", "５"]
WORDS = st.sampled_from(
    [*CUES, *LEADS, *(cue.replace("k", "\u212a") for cue in CUES if "k" in cue)]
)
TEXTS = st.lists(st.tuples(WORDS, st.sampled_from(BETWEEN))).map(
    lambda pairs: "".join(part for pair in pairs for part in pair)
)


@given(TEXTS, st.sampled_from([str, str.upper, str.title]))
def test_quick_check_accepts_every_text_with_a_date(text, written) -> None:
    text = written(text)
    assert GRAMMAR.may_match(text) or not list(match_at_cues(GRAMMAR, TokenisedText(text)))
    assert may_contain_date(text) or not find_dates(text, NOW)


def test_quick_check_reads_the_kelvin_sign_as_a_letter() -> None:
    (odd,), (plain,) = find_dates("over the wee\u212aend", NOW), find_dates("over the weekend", NOW)
    assert (odd.start, odd.end) == (plain.start, plain.end)


def test_quick_check_rejects_texts_without_a_date() -> None:
    assert not may_contain_date(
        "Mira likes tea with honey and a dayless, weekly-ish yesterdayness."
    )
    assert [may_contain_date(text) for text in ("YESTERDAY!", "room 55", "昨天", "a_week_ago")] == [
        True
    ] * 4
