"""Words, events and observations of golden conversations are compared as the format says."""

from datetime import date

import pytest

from benchmarks.golden_values import Fact, Fiction, Place, Span, has_word, read_span
from tests.cases import for_each


@for_each(
    ("text", "word"),
    [
        ("Ana got married", "marr"),
        ("two cups, or 2", "2"),
        ("saw them 3x", "3"),
        ("Lives in KRAKÓW", "Kraków"),
        ("Krako\u0301w", "Kraków"),
        ("她考过A1了", "A1"),
        ("号码是１３９", "139"),
        ("works on A&E", "a&e"),
    ],
)
def test_a_word_is_found_where_it_begins(text: str, word: str) -> None:
    assert has_word(text, word)


@for_each(("text", "word"), [("start", "art"), ("2025", "2"), ("12 cups", "2"), ("élan", "lan")])
def test_a_word_is_not_found_within_another(text: str, word: str) -> None:
    assert not has_word(text, word)


def test_a_fact_needs_every_word_of_one_alternative() -> None:
    fact = Fact(
        id="sister",
        about="Rita",
        place=Place(0, 0),
        words=[["sister", "Porto"], ["Rita", "Porto"]],
        superseded_by=None,
        event=None,
    )
    assert fact.is_stated_by("Ana's sister lives in Porto.")
    assert not fact.is_stated_by("Ana has a sister called Rita.")


@for_each(
    ("observation", "asserted"),
    [
        ("Ivy is the queen of the elves.", True),
        ("Ivy plays the queen of the elves in a role-play.", False),
        ("Ivy dreamt that she was a queen.", False),
        ("If Ivy were a queen, she would ban leaf blowers.", False),
        ("Ivy likes pizza.", False),
    ],
)
def test_an_observation_that_names_the_play_asserts_nothing(
    observation: str, asserted: bool
) -> None:
    assert Fiction(place=Place(0, 0), words=[["queen"]]).is_asserted_by(observation) is asserted


@for_each(
    ("text", "first", "last"),
    [
        ("2025-03-07", date(2025, 3, 7), date(2025, 3, 7)),
        ("2024-02", date(2024, 2, 1), date(2024, 2, 29)),
        ("2022", date(2022, 1, 1), date(2022, 12, 31)),
        ("2024-06/2024-08", date(2024, 6, 1), date(2024, 8, 31)),
    ],
)
def test_an_event_spans_the_days_that_it_may_have_had(text: str, first: date, last: date) -> None:
    assert read_span(text) == Span(first, last)


@for_each("text", ["", "next Friday", "2025-13", "2025-02-30", "25-03-07"])
def test_a_date_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_span(text)
