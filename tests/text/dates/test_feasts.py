"""Holidays that move are found in each language, and their greetings and dishes are no dates."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory_core.text.dates.feasts import EasterDay, MoonDay
from memory_core.text.dates.find_dates import find_dates
from tests.cases import for_each
from tests.text.dates.periods import stretches, the

NOW = datetime(2026, 11, 24, 15, tzinfo=ZoneInfo("Europe/Berlin"))
EASTER_2026, EASTER_2027 = ("2026-04-03", "2026-04-07"), ("2027-03-26", "2027-03-30")
SPRING_FESTIVAL_2027 = ("2027-02-05", "2027-02-13")


@for_each(
    ("year", "western", "orthodox"),
    [
        (1954, "1954-04-18", "1954-04-25"),  # exceptions of the Gregorian reckoning
        (1981, "1981-04-19", "1981-04-26"),
        (2008, "2008-03-23", "2008-04-27"),
        (2025, "2025-04-20", "2025-04-20"),
        (2026, "2026-04-05", "2026-04-12"),
        (2038, "2038-04-25", "2038-04-25"),
    ],
)
def test_easter_is_reckoned_for_both_churches(year: int, western: str, orthodox: str) -> None:
    assert f"{EasterDay(0).of(year).start:%Y-%m-%d}" == western
    assert f"{EasterDay(0, is_orthodox=True).of(year).start:%Y-%m-%d}" == orthodox


def test_festivals_of_the_moon_are_known_from_1990_to_2050() -> None:
    found = [f"{MoonDay(festival).of(2025).start:%m-%d}" for festival in range(3)]
    assert found == ["01-29", "05-31", "10-06"]
    assert f"{MoonDay(0).of(2050).start:%m-%d}" == "01-23"
    for year in (1989, 2051):
        with pytest.raises(ValueError, match="no lunar calendar"):
            MoonDay(0).of(year)


@for_each(
    ("text", "period"),
    [
        ("what did you give me at Easter?", EASTER_2026),
        ("Easter 2024 was cold", ("2024-03-29", "2024-04-02")),
        ("we are going to Rome next Easter", EASTER_2027),
        ("I have to fast on Good Friday", the("2027-03-26")),
        ("we had fish on good friday", the("2026-04-03")),
        ("Good Friday was quiet", the("2026-04-03")),
        ("le vendredi saint on a mangé du poisson", the("2026-04-03")),
        ("le dimanche des rameaux j'étais malade", the("2026-03-29")),
        ("le mardi gras on a fait des crêpes", the("2026-02-17")),
        ("le jeudi de l'ascension j'étais malade", the("2026-05-14")),
        ("los viernes santo fuimos a misa", the("2026-04-03")),
        ("An Ostern kommen meine Eltern", EASTER_2027),
        ("Über Ostern waren wir in Rom", EASTER_2026),
        ("Ostern 2024", ("2024-03-29", "2024-04-02")),
        ("Karfreitag war ich krank", the("2026-04-03")),
        ("zu Pfingsten fahren wir weg", ("2027-05-15", "2027-05-18")),
        ("Pour Pâques on va chez mamie", ("2027-03-27", "2027-03-30")),
        ("le lundi de Pâques j'étais malade", the("2026-04-06")),
        ("qué hago en Semana Santa", ("2027-03-21", "2027-03-29")),
        ("la Semana Santa pasada", ("2026-03-29", "2026-04-06")),
        ("el Viernes Santo fuimos a misa", the("2026-04-03")),
        ("На Пасху поедем к бабушке", the("2027-05-02")),
        ("春节回家", SPRING_FESTIVAL_2027),
        ("女婿过年要来", SPRING_FESTIVAL_2027),
        ("儿子说不回来过年了", SPRING_FESTIVAL_2027),
        ("今年春节我回老家了", ("2026-02-16", "2026-02-24")),
        ("1985年春节", ("1985-01-01", "1986-01-01")),
        ("2060年中秋", ("2060-01-01", "2061-01-01")),
        ("除夕那天我哭了", the("2027-02-05")),
        ("中秋节那天我哭了", the("2026-09-25")),
        ("今年端午我在加班", the("2026-06-19")),
        ("an Pfingsten fahrn wir nach Prag", ("2027-05-15", "2027-05-18")),
        ("五一去爬山", ("2027-05-01", "2027-05-06")),
        ("ゴールデンウィークに旅行する", ("2027-04-29", "2027-05-06")),
    ],
)
def test_moving_holiday_is_found(text: str, period: tuple[str, str]) -> None:
    assert stretches(text, NOW) == [period]


def test_moving_holiday_has_no_other_reading() -> None:
    """The same day of another year is not the holiday."""
    (found,) = find_dates("qué hago en Semana Santa", NOW)
    assert found.cycle is None


@for_each(
    "text",
    [
        "did you have a good friday?",
        "I had a really good friday",
        "it was a Good Friday",
        "It was a good Friday night",
        "have a good friday",
    ],
)
def test_a_good_friday_is_no_holiday(text: str) -> None:
    assert find_dates(text, NOW) == ()


@for_each(
    "text",
    [
        "Happy Easter!",
        "an Easter egg hunt",
        "we flew to Hawaii and on Easter Island we slept",
        "a basket for Easter eggs",
        "the garden is full of Easter lilies",
        "how do people work out the date of Easter",
        "Frohe Ostern!",
        "ein Osterei",
        "Felices Pascuas",
        "Joyeuses Pâques !",
        "chaque vendredi saint on mange du poisson",
        "le vendredi Saint-Malo est calme",
        "с Пасхой!",
        "春节快乐！",
        "过年好",
        "春节联欢晚会好看吗",
        "我妈做的端午粽子",
        "中秋月饼好吃",
        "每年春节都吵架",
        "他不过年轻几岁",
        "十五一放假就回家",
        "初五一回来就上班",
        "第五一回合",
        "进入五一回合",
    ],
)
def test_greeting_or_dish_is_no_date(text: str) -> None:
    assert find_dates(text, NOW) == ()
