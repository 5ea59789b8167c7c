"""The end of a month and the like are found in each language, and so are weekends."""

from datetime import datetime
from zoneinfo import ZoneInfo

from memory_core.text.dates.calendar import Cycle
from memory_core.text.dates.find_dates import find_dates
from tests.cases import for_each
from tests.text.dates.periods import stretches

NOW = datetime(2026, 11, 18, 15, tzinfo=ZoneInfo("Europe/Berlin"))  # a Wednesday
MONTH_END, LAST_MONTH_END = ("2026-11-20", "2026-12-01"), ("2026-10-20", "2026-11-01")
NEXT_MONTH_BEGINNING, NEXT_MONTH_END = ("2026-12-01", "2026-12-12"), ("2026-12-20", "2027-01-01")
YEAR_END, NEXT_YEAR_BEGINNING = ("2026-11-01", "2027-01-01"), ("2027-01-01", "2027-03-01")
LAST_YEAR_END = ("2025-11-01", "2026-01-01")
WEEK_END, MIDDLE_OF_NEXT_WEEK = ("2026-11-19", "2026-11-23"), ("2026-11-24", "2026-11-27")
LAST_WEEKEND, WEEKEND = ("2026-11-14", "2026-11-16"), ("2026-11-21", "2026-11-23")
NEXT_WEEKEND = ("2026-11-28", "2026-11-30")


@for_each(
    ("text", "period"),
    [
        ("I move out at the end of the month", MONTH_END),
        ("at the end of the month we flew to Rome", LAST_MONTH_END),
        ("the rent is due at the beginning of next month", NEXT_MONTH_BEGINNING),
        ("we marry at the end of the year", YEAR_END),
        ("at the end of the year 2024", ("2024-11-01", "2025-01-01")),
        ("the beginning of the year 2025", ("2025-01-01", "2025-03-01")),
        ("Ende des Jahres 2024", ("2024-11-01", "2025-01-01")),
        ("a finales del año 2024", ("2024-11-01", "2025-01-01")),
        ("à la fin de l'année 2024", ("2024-11-01", "2025-01-01")),
        ("2024年の年末", ("2024-11-01", "2025-01-01")),
        ("2024年年底", ("2024-11-01", "2025-01-01")),
        ("二〇二四年年底", ("2024-11-01", "2025-01-01")),
        ("来年の年末に旅行する", ("2027-11-01", "2028-01-01")),
        ("去年の年末", LAST_YEAR_END),
        ("前年年底", ("2024-11-01", "2025-01-01")),
        ("来月の月末", NEXT_MONTH_END),
        ("Ende des Monats ziehe ich um", MONTH_END),
        ("am Monatsende wird es knapp", MONTH_END),
        ("Ende nächsten Monats", NEXT_MONTH_END),
        ("nächsten Monats", ("2026-12-01", "2027-01-01")),
        ("Anfang nächsten Jahres", NEXT_YEAR_BEGINNING),
        ("Ende der Woche fahre ich weg", WEEK_END),
        ("Mitte nächster Woche", MIDDLE_OF_NEXT_WEEK),
        ("a fin de mes me mudo", MONTH_END),
        ("a finales de mes", MONTH_END),
        ("a principios del mes que viene", NEXT_MONTH_BEGINNING),
        ("a finales de año me caso", YEAR_END),
        ("a mediados de la semana que viene", MIDDLE_OF_NEXT_WEEK),
        ("fin du mois je déménage", MONTH_END),
        ("à la fin de l'année on se marie", YEAR_END),
        ("début de mois prochain", NEXT_MONTH_BEGINNING),
        ("mi-mars", ("2026-03-01", "2026-04-01")),
        ("в конце месяца переезжаю", MONTH_END),
        ("в конце следующего месяца", NEXT_MONTH_END),
        ("к концу года", YEAR_END),
        ("月底我要去上海", MONTH_END),
        ("这个月底交房租", MONTH_END),
        ("上月底我去了北京", LAST_MONTH_END),
        ("下个月初去日本", NEXT_MONTH_BEGINNING),
        ("年底结婚", YEAR_END),
        ("去年年底我们分手了", LAST_YEAR_END),
        ("明年初换工作", NEXT_YEAR_BEGINNING),
        ("月末に引っ越す", MONTH_END),
        ("来月末", NEXT_MONTH_END),
        ("来月の初めに会う", NEXT_MONTH_BEGINNING),
        ("年末の予定おしえて", YEAR_END),
        ("am Wochenende fahre ich zu Oma", WEEKEND),
        ("am Wochenende war ich bei Oma", LAST_WEEKEND),
        ("am we bin ich bei mama", WEEKEND),
        ("nächstes we", NEXT_WEEKEND),
        ("qué hago el finde", WEEKEND),
        ("el fin de semana fuimos al mar", LAST_WEEKEND),
        ("составь меню на выходные", WEEKEND),
        ("в выходные едем на дачу", WEEKEND),
        ("на выхах были на даче", LAST_WEEKEND),
        ("来月の頭に会う", NEXT_MONTH_BEGINNING),
        ("来週半ばに会う", MIDDLE_OF_NEXT_WEEK),
        ("週末に温泉行く", WEEKEND),
        ("土日は寝てた", LAST_WEEKEND),
    ],
)
def test_part_of_a_unit_is_found(text: str, period: tuple[str, str]) -> None:
    assert stretches(text, NOW) == [period]


@for_each(
    ("text", "period"),
    [
        ("I must finish it before the end of the month", ("2026-11-18", "2026-12-01")),
        ("before the end of next month", ("2026-11-18", "2027-01-01")),
        ("before the beginning of next month", ("2026-11-18", "2026-12-01")),
        ("年底前要交报告", ("2026-11-18", "2027-01-01")),
        ("月底之前要还钱", ("2026-11-18", "2026-12-01")),
        ("明年年底前", ("2026-11-18", "2028-01-01")),
        ("年末前に会う", ("2026-11-18", "2027-01-01")),
    ],
)
def test_time_before_an_end_includes_it(text: str, period: tuple[str, str]) -> None:
    assert stretches(text, NOW) == [period]


def test_part_without_a_tense_may_be_of_the_month_before() -> None:
    (found,) = find_dates("月底，好穷", NOW)
    assert found.cycle is Cycle.MONTH
    assert not found.has_tense


@for_each(
    "text",
    [
        "the end of the line",
        "here I am we can go",
        "il y a une fin de non-recevoir",
        "les fêtes de fin d'année",
        "los fines de semana descanso",
        "en fin, de mes amigas no sé nada",
        "月底薪三千",
        "农历几月初几",
        "三个月底薪没发",
        "毎月末に掃除する",
        "新年底片",
        "年初一",
        "周末愉快",
        "середина пути",
    ],
)
def test_other_ends_are_no_dates(text: str) -> None:
    assert find_dates(text, NOW) == ()
