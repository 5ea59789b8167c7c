"""Several days of one month are one time; scales, ranks and hours are none."""

from datetime import datetime
from zoneinfo import ZoneInfo

from memory_core.text.dates.calendar import Cycle
from memory_core.text.dates.find_dates import find_dates
from tests.cases import for_each
from tests.text.dates.periods import stretches

NOW = datetime(2026, 11, 24, 15, tzinfo=ZoneInfo("Europe/Berlin"))  # a Tuesday
MID_MAY = datetime(2026, 5, 13, 15, tzinfo=ZoneInfo("Europe/Berlin"))  # a Wednesday
DECEMBER = ("2026-12-03", "2026-12-08")


@for_each(
    ("text", "period"),
    [
        ("between the 3rd and the 7th I'm away", DECEMBER),
        ("between the 3rd and 7th of December", DECEMBER),
        ("between December 3 and 7", DECEMBER),
        ("I'm away from the 3rd to the 7th", DECEMBER),
        ("I'm away from the 28th to the 2nd", ("2026-11-28", "2026-12-03")),
        ("zwischen dem 3. und 7. bin ich weg", DECEMBER),
        ("zwischen dem 3. und dem 7. Dezember", DECEMBER),
        ("zwischen dem 3. und 7.12. bin ich weg", DECEMBER),
        ("vom 3. bis zum 7. bin ich weg", DECEMBER),
        ("zwischen Weihnachten und Neujahr", ("2026-12-24", "2027-01-02")),
        ("entre el 3 y el 7 estoy fuera", DECEMBER),
        ("entre el 3 y el 7 de diciembre", DECEMBER),
        ("del 3 al 7 estoy fuera", DECEMBER),
        ("entre le 3 et le 7 décembre", DECEMBER),
        ("du 3 au 7 je suis à Lyon", DECEMBER),
        ("между 3 и 7 декабря", DECEMBER),
        ("едем с 3 по 7 декабря", DECEMBER),
        ("с 3-го по 7-е меня не будет", DECEMBER),
        ("3日から7日まで出張です", DECEMBER),
        ("12月3日から7日まで", DECEMBER),
        ("月曜から金曜まで出張です", ("2026-11-23", "2026-11-28")),
    ],
)
def test_days_of_one_month_are_one_time(text: str, period: tuple[str, str]) -> None:
    assert stretches(text, NOW) == [period]


@for_each(
    ("text", "period"),
    [
        ("10日から14日まで休みです", ("2026-05-10", "2026-05-15")),
        ("10号到14号我不在", ("2026-05-10", "2026-05-15")),
        ("from the 29th to the 2nd of March", ("2026-02-28", "2026-03-03")),
        ("between the 29th and the 2nd of March", ("2026-02-28", "2026-03-03")),
        ("between the 28th and 2nd of January 2025", ("2024-12-28", "2025-01-03")),
        ("zwischen dem 29. und 2. Mai", ("2026-04-29", "2026-05-03")),
        ("le score était 5-2 mars dernier", ("2026-03-02", "2026-03-03")),
        ("between the 5th and the 5th", ("2026-05-05", "2026-05-06")),
        ("I am away from the 10th to the 2nd of June 2027", ("2027-05-10", "2027-06-03")),
    ],
)
def test_days_around_today_are_of_one_month_or_two(text: str, period: tuple[str, str]) -> None:
    assert stretches(text, MID_MAY) == [period]


def test_joined_days_keep_their_cycle() -> None:
    (found,) = find_dates("10日から14日まで出張", NOW)
    assert found.cycle is Cycle.MONTH
    assert not found.has_tense


def test_days_without_a_tense_are_those_nearest() -> None:
    assert stretches("du 26 au 30", NOW) == [("2026-11-26", "2026-12-01")]


@for_each(
    "text",
    [
        "del 1 al 10, cuánto me quieres",
        "du 1 au 10, tu m'aimes comment ?",
        "vom 1. bis zum 10. Platz",
        "zwischen dem 3. und 7. Lebensjahr",
        "entre 3 y 7 años",
        "entre le 3 et le 7 arrondissement",
        "с 9 до 6 работаю",
        "с 3м до 5м",
        "lee los capítulos del 3 al 7.",
        "elige un número del 2 al 6",
        "elige un número entre el 2 y el 6",
        "di un número cualquiera entre el 2 y el 6, por favor",
        "choisis un nombre entre le 2 et le 6",
        "lis les pages du 3 au 7.",
        "между 3 и 7 часами",
        "с 3 по 7 класс",
        "between the 3rd and 7th grade",
        "between the 1st and 2nd of these",
    ],
)
def test_scale_rank_or_hours_are_no_days(text: str) -> None:
    assert find_dates(text, NOW) == ()


@for_each(
    ("text", "period"),
    [
        ("on y va en février, du 20 au 24", ("2027-02-01", "2027-03-01")),
        ("2月の14日から3泊", ("2026-02-01", "2026-03-01")),
    ],
)
def test_days_after_the_name_of_a_month_are_not_of_another(
    text: str, period: tuple[str, str]
) -> None:
    assert period in stretches(text, NOW)
    assert len(stretches(text, NOW)) == 1
