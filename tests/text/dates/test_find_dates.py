"""Misspelt words of dates.

Periods that English dates name, in the speaker's calendar.
"""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from memory_core.text.dates.find_dates import DateRange, correct_dates, find_dates, may_contain_date
from tests.cases import for_each
from tests.text.dates.periods import stretches, the

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


BERLIN = ZoneInfo("Europe/Berlin")
NOW_FIND_DATES = datetime(2026, 11, 21, 15, 0, tzinfo=BERLIN)  # a Saturday
EVER, NEVER = "1899-01-01", "2102-01-01"

MEANT = [
    # days
    ("what did we do today?", the("2026-11-21")),
    ("I saw her yesterday", the("2026-11-20")),
    ("the day before yesterday it rained", the("2026-11-19")),
    ("I leave tomorrow", the("2026-11-22")),
    ("the day after tomorrow", the("2026-11-23")),
    ("this morning I overslept", ("2026-11-21", "2026-11-21 12")),
    ("tonight we dance", ("2026-11-21 18", "2026-11-22 06")),
    ("I dreamt of you last night", ("2026-11-20 18", "2026-11-21 06")),
    ("yesterday afternoon", ("2026-11-20 12", "2026-11-20 18")),
    ("the night before last", ("2026-11-19 18", "2026-11-20 06")),
    ("the other day you told me a story", ("2026-11-07", "2026-11-21")),
    ("what is on the thirtieth?", the("2026-11-30")),
    ("on the twenty-first we met", the("2026-11-21")),
    ("I fly on Thursday the 24th", the("2026-12-24")),
    ("we met on Thursday the 24th", the("2026-09-24")),
    ("Friday, the thirtieth", the("2026-10-30")),
    ("Monday the 24th", the("2026-08-24")),
    # so long ago: the point, half a unit wider at both ends, but days are exact
    ("3 days ago", the("2026-11-18")),
    ("five nights ago", the("2026-11-16")),
    ("a couple of days ago", ("2026-11-18", "2026-11-21")),
    ("a few days ago", ("2026-11-16", "2026-11-20")),
    ("a week ago", ("2026-11-11", "2026-11-18")),
    ("two weeks ago", ("2026-11-04", "2026-11-11")),
    ("2 or 3 weeks ago", ("2026-10-28", "2026-11-11")),
    ("a fortnight ago", ("2026-11-04", "2026-11-11")),
    ("a couple of weeks ago", ("2026-10-28", "2026-11-18")),
    ("a few weeks back", ("2026-10-14", "2026-11-11")),
    ("three months ago", ("2026-08-06", "2026-09-06")),
    # halves are counted in a smaller unit: months, quarters of a month
    ("half a year ago", ("2026-05-06", "2026-06-06")),
    ("half year ago", ("2026-05-06", "2026-06-06")),
    ("0.5 years ago", ("2026-05-06", "2026-06-06")),
    ("1/2 year ago", ("2026-05-06", "2026-06-06")),
    ("half a month ago", ("2026-11-02", "2026-11-10")),
    ("a year and a half ago", ("2025-05-06", "2025-06-06")),
    ("One and a half  years ago", ("2025-05-06", "2025-06-06")),
    ("1.5 years ago", ("2025-05-06", "2025-06-06")),
    ("1,5 years ago", ("2025-05-06", "2025-06-06")),
    ("1½ years back", ("2025-05-06", "2025-06-06")),
    ("2 1/2 years ago", ("2024-05-06", "2024-06-06")),
    ("two and a half years ago", ("2024-05-06", "2024-06-06")),
    ("a month and a half ago", ("2026-10-02", "2026-10-10")),
    ("a week and a half ago", ("2026-11-10", "2026-11-12")),
    ("one and a half or 2 years ago", ("2024-05-21", "2025-05-21")),
    ("an hour and a half ago", the("2026-11-21")),
    ("15.5 hours ago", the("2026-11-20")),
    ("the last year and a half", ("2025-05-21", "2026-11-22")),
    ("the past two and a half years", ("2024-05-21", "2026-11-22")),
    ("half a year from now", ("2027-05-06", "2027-06-06")),
    ("two months from now", ("2027-01-06", "2027-02-06")),
    ("a year ago", ("2025-05-21", "2026-05-21")),
    ("20 minutes ago", the("2026-11-21")),
    ("16 hours ago", the("2026-11-20")),
    # stretches up to now
    ("over the last two weeks", ("2026-11-07", "2026-11-22")),
    ("in the past month", ("2026-10-21", "2026-11-22")),
    ("the past few days", ("2026-11-16", "2026-11-22")),
    # whole units
    ("last week", ("2026-11-09", "2026-11-16")),
    ("this week", ("2026-11-16", "2026-11-23")),
    ("next week", ("2026-11-23", "2026-11-30")),
    ("the week before last", ("2026-11-02", "2026-11-09")),
    ("last month", ("2026-10-01", "2026-11-01")),
    ("next month", ("2026-12-01", "2027-01-01")),
    ("this year", ("2026-01-01", "2027-01-01")),
    ("last year's trip", ("2025-01-01", "2026-01-01")),
    ("last weekend", ("2026-11-14", "2026-11-16")),
    ("this weekend", ("2026-11-21", "2026-11-23")),
    ("the weekend before last", ("2026-11-07", "2026-11-09")),
    ("over the weekend I painted", ("2026-11-21", "2026-11-23")),
    # weekdays: the latest, unless the sentence looks ahead
    ("what did I say on Tuesday?", the("2026-11-17")),
    ("last Tuesday", the("2026-11-17")),
    ("next Tuesday", the("2026-11-24")),
    ("this Thursday", the("2026-11-19")),
    ("I'll see you on Tuesday", the("2026-11-24")),
    ("finish it by Friday", the("2026-11-27")),
    ("the wedding is in three weeks", ("2026-12-09", "2026-12-16")),
    ("my exam is on Friday", the("2026-11-27")),
    ("on Friday I was ill. I will rest now.", the("2026-11-20")),
    ("Saturday was fun", the("2026-11-14")),
    ("on fri we met", the("2026-11-20")),
    ("Tuesday evening", ("2026-11-17 18", "2026-11-18")),
    ("Tuesday last week", the("2026-11-10")),
    ("last week on Tuesday", the("2026-11-10")),
    ("Tuesday's meeting", the("2026-11-17")),
    # months and seasons
    ("what happened in March?", ("2026-03-01", "2026-04-01")),
    ("in december it snowed", ("2025-12-01", "2026-01-01")),
    ("in May, we'll marry", ("2027-05-01", "2027-06-01")),
    ("in may i was ill", ("2026-05-01", "2026-06-01")),
    ("last March", ("2026-03-01", "2026-04-01")),
    ("last November", ("2025-11-01", "2025-12-01")),
    ("in November", ("2026-11-01", "2026-12-01")),
    ("next June", ("2027-06-01", "2027-07-01")),
    ("September was hard", ("2026-09-01", "2026-10-01")),
    ("in early April, I think", ("2026-04-01", "2026-05-01")),
    ("last summer we sailed", ("2026-06-01", "2026-09-01")),
    ("last winter", ("2025-12-01", "2026-03-01")),
    ("summer of 2024", ("2024-06-01", "2024-09-01")),
    ("in the fall, I moved", ("2026-09-01", "2026-12-01")),
    # calendar dates
    ("in March 2024 we moved", ("2024-03-01", "2024-04-01")),
    ("Sept. 2023", ("2023-09-01", "2023-10-01")),
    ("June '23", ("2023-06-01", "2023-07-01")),
    ("on March 5th", the("2026-03-05")),
    ("may 5 we met", the("2026-05-05")),
    ("the 5th of May", the("2026-05-05")),
    ("the fourth of July", the("2026-07-04")),
    ("5 March 2024", the("2024-03-05")),
    ("8 May, 2023", the("2023-05-08")),
    ("on Tuesday, March 5 2024, at noon", the("2024-03-05")),
    ("December 24", the("2026-12-24")),
    ("what did we eat on December 24", the("2025-12-24")),
    ("we'll meet on December 24", the("2026-12-24")),
    ("March 5-8", ("2026-03-05", "2026-03-09")),
    ("2024-03-05", the("2024-03-05")),
    ("2024-03-05T10:00", the("2024-03-05")),
    ("2024/3/5", the("2024-03-05")),
    ("5.3.2024", the("2024-03-05")),
    ("13/05/2024", the("2024-05-13")),
    ("05/05/24", the("2024-05-05")),
    ("on 5/14 we met", the("2026-05-14")),
    ("on the 5th", the("2026-11-05")),
    ("on the 30th I was away", the("2026-10-30")),
    # a weekday with a day of the month: the nearest one, whatever the tense
    ("have I got anything on Tues 24th", the("2026-11-24")),
    ("what have I said yes to on mon 30th", the("2026-11-30")),
    ("we met on Saturday 31st", the("2026-10-31")),
    ("kits play is weds 25th", the("2026-11-25")),
    ("booked it, tues 24th 2.40", the("2026-11-24")),
    ("he comes Friday 27th between 8 and 12", the("2026-11-27")),
    ("booked for the 27th, 10am", the("2026-11-27")),
    ("the party is moved to the 9th", the("2026-12-09")),
    ("a flight out of Detroit the 26th. never flew", the("2026-10-26")),
    ("what have I got on Friday", the("2026-11-27")),
    ("29 February 2024", the("2024-02-29")),
    ("on February 29th", the("2024-02-29")),
    ("in 2023 I moved", ("2023-01-01", "2024-01-01")),
    ("back in 2019", ("2019-01-01", "2020-01-01")),
    # days that keep their date
    ("what did I get at Christmas?", ("2025-12-24", "2025-12-27")),
    ("what will we do on Christmas Eve?", the("2026-12-24")),
    ("New Year's Eve 2023", the("2023-12-31")),
    ("last Halloween", the("2026-10-31")),
    ("on Valentine’s Day", the("2026-02-14")),
    # ranges
    ("between March and May", ("2026-03-01", "2026-06-01")),
    ("from October to January it snowed and I was ill", ("2025-10-01", "2026-02-01")),
    ("March to May 2024", ("2024-03-01", "2024-06-01")),
    ("from 2019 to 2021", ("2019-01-01", "2022-01-01")),
    ("from Monday to Wednesday", ("2026-11-16", "2026-11-19")),
    ("between Friday and Sunday", ("2026-11-13", "2026-11-16")),
    ("between 2024-03-05 and 2024-03-07", ("2024-03-05", "2024-03-08")),
    ("since May", ("2026-05-01", "2026-11-22")),
    ("since last Tuesday", ("2026-11-17", "2026-11-22")),
    ("before June 3rd", (EVER, "2026-06-03")),
    ("she was ill after Christmas", ("2025-12-27", "2026-11-22")),
    ("until 2020", (EVER, "2021-01-01")),
    ("after next week", ("2026-11-30", NEVER)),
    ("the week before 16 November 2023", ("2023-11-09", "2023-11-16")),
    ("the day after Christmas Eve", the("2026-12-25")),
]


@for_each(("text", "stretch"), MEANT, ids=[text for text, _ in MEANT])
def test_english_words_name_this_period(text: str, stretch: tuple[str, str]) -> None:
    assert stretches(text, NOW_FIND_DATES) == [stretch]


def test_two_dates_of_a_text_are_both_found_in_order() -> None:
    assert stretches("Yesterday I was ill, but on March 5th I was fine", NOW_FIND_DATES) == [
        the("2026-11-20"),
        the("2026-03-05"),
    ]


def test_both_readings_of_an_ambiguous_date_are_given() -> None:
    assert stretches("03/05/2024", NOW_FIND_DATES) == [the("2024-03-05"), the("2024-05-03")]


def test_span_is_the_position_of_the_matched_words() -> None:
    text = "Ｉ met her ５ March 2024 in Rome"
    (named,) = find_dates(text, NOW_FIND_DATES)
    assert text[slice(*named.span)] == "５ March 2024"


@for_each(
    ("text", "explicit"),
    [
        ("2024-03-05", True),
        ("March 5th", True),
        ("in March 2024", True),
        ("in 2023", True),
        ("before June 3rd", True),
        ("in March", False),
        ("on Tuesday", False),
        ("yesterday", False),
        ("two weeks ago", False),
        ("at Christmas", False),
        ("last year", False),
    ],
)
def test_only_absolute_english_dates_are_explicit(text: str, explicit: bool) -> None:
    assert [found.is_explicit for found in find_dates(text, NOW_FIND_DATES)] == [explicit]


@for_each(
    ("text", "said", "stretch"),
    [
        ("yesterday", "2024-03-01", the("2024-02-29")),
        ("yesterday", "2026-01-01", the("2025-12-31")),
        ("last month", "2026-01-31", ("2025-12-01", "2026-01-01")),
        ("next month", "2026-01-31", ("2026-02-01", "2026-03-01")),
        ("a month ago", "2026-03-31", ("2026-02-13", "2026-03-16")),
        ("last week", "2026-01-01", ("2025-12-22", "2025-12-29")),
        ("this week", "2026-11-16", ("2026-11-16", "2026-11-23")),
        ("this week", "2026-11-22", ("2026-11-16", "2026-11-23")),
        ("on Monday", "2026-11-16", the("2026-11-09")),
        ("last weekend", "2026-11-23", ("2026-11-21", "2026-11-23")),
        ("last weekend", "2026-11-22", ("2026-11-14", "2026-11-16")),
        ("on the 31st", "2026-10-02", the("2026-08-31")),
        ("in January I moved", "2026-12-31", ("2026-01-01", "2026-02-01")),
        ("in January", "2026-12-31", ("2027-01-01", "2027-02-01")),
        ("due at the end of June", "2026-04-14", ("2026-06-01", "2026-07-01")),
        ("the end of June was grey", "2026-04-14", ("2025-06-01", "2025-07-01")),
        ("this winter", "2026-02-10", ("2025-12-01", "2026-03-01")),
        ("last summer", "2026-07-10", ("2025-06-01", "2025-09-01")),
    ],
)
def test_dates_at_the_edges_of_weeks_months_and_years(
    text: str, said: str, stretch: tuple[str, str]
) -> None:
    now = datetime.fromisoformat(said).replace(hour=12, tzinfo=BERLIN)
    assert stretches(text, now) == [stretch]


def test_a_day_begins_at_the_speakers_own_midnight() -> None:
    instant = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)
    there = instant.astimezone(ZoneInfo("Asia/Shanghai"))
    assert stretches("today", instant) == [the("2026-11-21")]
    assert stretches("today", there) == [the("2026-11-22")]
    assert stretches("20 minutes ago", there) == [the("2026-11-22")]
    assert find_dates("today", there)[0].start == datetime(2026, 11, 21, 16, tzinfo=UTC)


@for_each(("day", "hours"), [("2026-03-30", 23), ("2026-10-26", 25)])
def test_the_day_on_which_clocks_change_is_shorter_or_longer(day: str, hours: int) -> None:
    now = datetime.fromisoformat(day).replace(hour=9, tzinfo=BERLIN)
    (named,) = find_dates("yesterday", now)
    assert named.end.timestamp() - named.start.timestamp() == hours * 3600


def test_hours_ago_are_elapsed_hours_across_a_clock_change() -> None:
    now = datetime(2026, 3, 29, 3, 30, tzinfo=BERLIN)  # at two the clock jumped to three
    assert stretches("3 hours ago", now) == [the("2026-03-28")]


PIECES = [
    *[
        "last",
        "next",
        "this",
        "in",
        "on",
        "the",
        "since",
        "before",
        "between",
        "and",
        "from",
        "to",
        "ago",
        "三",
        "月",
        "号",
        "年",
        "前",
        "后",
        "上",
        "周",
    ],
    *[
        "march",
        "may",
        "31",
        "february",
        "0000",
        "99999999",
        "week",
        "days",
        "5th",
        "friday",
        "半",
        "个",
        "十",
        "二〇二四",
        "年前",
        "圣诞",
    ],
    *["9" * 5000, "/", "-", ".", "2024", "0", "1/1/1900", "christmas", "\u0000", "９", " " * 50],
]
NOWS = st.datetimes(
    min_value=datetime(1, 1, 2),
    max_value=datetime(9999, 12, 30),
    timezones=st.sampled_from(
        [UTC, BERLIN, ZoneInfo("America/St_Johns"), ZoneInfo("Asia/Shanghai")]
    ),
)


def well_made(named: DateRange, text: str) -> bool:
    return named.start < named.end and text[slice(*named.span)] != ""


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map(" ".join)), NOWS)
def test_find_dates_accepts_any_text(text: str, now: datetime) -> None:
    assert all(well_made(found, text) for found in find_dates(text, now))


@given(st.lists(st.sampled_from(PIECES)).map("".join), NOWS)
def test_find_dates_accepts_any_text_without_blanks(text: str, now: datetime) -> None:
    assert all(well_made(found, text) for found in find_dates(text, now))
