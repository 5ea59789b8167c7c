"""Misspelt words of dates."""

from datetime import date, datetime

from memory_core.text.dates.find_dates import find_dates, may_contain_date
from memory_core.text.dates.misspelt import correct_dates
from tests.cases import for_each

NOW = datetime.fromisoformat("2026-11-27T12:00:00+00:00")  # a Friday


@for_each(
    ("text", "day"),
    [
        ("what do I have tommorow", date(2026, 11, 28)),
        ("I fly on teusday", date(2026, 12, 1)),
        ("my exam is on Febuary 3rd", date(2027, 2, 3)),
        ("plans for 2moro", date(2026, 11, 28)),
        ("ich fliege am Freitga, also am Donerstag davor", date(2026, 12, 3)),
        ("Was ist am 20. Febrar?", date(2027, 2, 20)),
        ("el sabasdo viene mi tía", date(2026, 11, 28)),
        ("в суботу едем к маме", date(2026, 11, 28)),
    ],
)
def test_misspelt_date_is_found(text: str, day: date) -> None:
    assert may_contain_date(text)
    assert day in {found.start.date() for found in find_dates(text, NOW)}


@for_each(
    "text",
    ["Morgan called", "Javier is here", "I play domino", "завтрак готов", "sundae", "monden"],
)
def test_other_word_is_no_misspelt_date(text: str) -> None:
    assert correct_dates(text)[0] == text


def test_span_covers_the_word_as_it_was_typed() -> None:
    text = "see you tommorow, or on wednsday, ok?"
    words = [text[slice(*found.span)] for found in find_dates(text, NOW)]
    assert words == ["tommorow", "wednsday"]


def test_position_within_a_corrected_word_stays_within_it() -> None:
    corrected, original = correct_dates("so wednsday, ok")
    assert corrected == "so wednesday, ok"
    assert [original(at) for at in range(len(corrected) + 1)][-5:] == [11, 12, 13, 14, 15]
    assert max(original(at) for at in range(corrected.index(","))) <= 11
