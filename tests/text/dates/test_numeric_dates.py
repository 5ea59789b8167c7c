"""Dates with the number of their month, and weekdays beside a date, in several languages."""

from datetime import datetime
from zoneinfo import ZoneInfo

from memory_core.text.dates.find_dates import find_dates, may_contain_date
from tests.cases import for_each
from tests.text.dates.periods import stretches, the

NOW = datetime(2026, 11, 24, 15, tzinfo=ZoneInfo("Europe/Berlin"))  # a Tuesday

NUMERIC = [
    ("Winterreifen am 24.11. um 16:30", the("2026-11-24")),
    ("am 3.12 bei uns", the("2026-12-03")),
    ("3.12.26", the("2026-12-03")),
    ("bin vom 21. bis 27.9. weg gewesen", ("2026-09-21", "2026-09-28")),
    ("vom 5. bis zum 7. Dezember", ("2026-12-05", "2026-12-08")),
    ("le 3/12", the("2026-12-03")),
    ("3/12 à 9h", the("2026-12-03")),
    ("du 5 au 7 décembre", ("2026-12-05", "2026-12-08")),
    ("el 3/12 a las 9", the("2026-12-03")),
    ("el 03/12/26", the("2026-12-03")),
    ("del 5 al 8 de diciembre", ("2026-12-05", "2026-12-09")),
    ("у нас с 03.12", the("2026-12-03")),
    ("03.12 в 9", the("2026-12-03")),
    ("dentist 24/11 at 9", the("2026-11-24")),
]
WITH_WEEKDAY = [
    ("livré vendredi 27 entre 8 et 10", the("2026-11-27")),
    ("la signature est repoussée au vendredi 18 décembre", the("2026-12-18")),
    ("le 29, un dimanche", the("2026-11-29")),
    ("fiesta el viernes 11 con 6 amigas", the("2026-12-11")),
    ("será el 29, domingo", the("2026-11-29")),
    ("am 29., sonntag", the("2026-11-29")),
    ("wurde auf samstag, den 6. februar verlegt", the("2027-02-06")),
    ("у меня в пт врач", the("2026-11-27")),
    ("27日(金)19時", the("2026-11-27")),
    ("12月8日の火曜やって", the("2026-12-08")),
]
NO_NUMERIC_DATES = """
das kostet 12.10 euro
um 12.10 Uhr
am 3.5 Grad kalten Morgen
version 3.11
цена 24.11
le 1/3 des gens
""".strip().splitlines()


@for_each(("text", "stretch"), NUMERIC)
def test_date_with_the_number_of_its_month_in_the_order_of_the_language(
    text: str, stretch: tuple[str, str]
) -> None:
    assert may_contain_date(text)
    assert stretches(text, NOW) == [stretch]


@for_each(("text", "stretch"), WITH_WEEKDAY)
def test_weekday_beside_a_date_tells_the_month_or_year(text: str, stretch: tuple[str, str]) -> None:
    assert stretches(text, NOW) == [stretch]


@for_each("text", NO_NUMERIC_DATES)
def test_price_time_or_share_is_no_date(text: str) -> None:
    assert find_dates(text, NOW) == ()
