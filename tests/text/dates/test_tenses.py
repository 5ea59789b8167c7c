"""The tense of the sentence decides between the last and the next Friday or December."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.storage.index.catalog.rows import mentioned_times
from memory_core.text.dates.find_dates import find_dates
from tests.cases import for_each

BERLIN = ZoneInfo("Europe/Berlin")
TUESDAY = datetime(2026, 11, 24, 15, tzinfo=BERLIN)
OCTOBER = datetime(2026, 10, 3, 12, tzinfo=BERLIN)
LAST_FRIDAY, NEXT_FRIDAY = "2026-11-20", "2026-11-27"

AHEAD = """
I fly on Friday
we meet on Friday
we're meeting on Friday
I will see him on Friday
I'm going to swim on Friday
my exam is on Friday
the exam is Friday
Friday is my exam
I have an exam on Friday
I've got a dentist appointment on Friday
I have to work on Friday
I need to be there on Friday
I leave Friday
On Friday I leave for Rome
On Friday my sister comes
What happens on Friday?
What's on Friday?
what am I doing on Friday?
what do I have on Friday
Do we have plans for Friday?
Are you free on Friday?
Let's meet on Friday
Call me on Friday
The meeting is planned for Friday
I'm supposed to be there on Friday
also i quit, starting at the new place on Friday
mum coming Friday w/ lasagna
I was ill, but on Friday I fly
这周五
这周五我去北京
周五我去
周五有考试
周五开会
周五见
周五做什么
我周五要飞
周五要放假了
周五是我的生日
周五的游泳课，我会问你的
""".strip().splitlines()

BACK = """
I flew on Friday
we met on Friday
what did we do on Friday
I left Friday
I got it on Friday
I was leaving on Friday
I bought a bike on Friday
I saw him on Friday
I have seen her on Friday
Friday was great
how was Friday
How did Friday go
Where were you on Friday?
Do you remember Friday?
I need a rest, we moved on Friday
on Friday
上周五
周五去了
周五我们做了什么
周五下雨了
周五买的
那次聊天是周五
我周五要了一杯咖啡
周五
""".strip().splitlines()


def starts(text: str, now: datetime) -> list[str]:
    return [f"{found.start:%Y-%m-%d}" for found in find_dates(text, now)]


@for_each("text", AHEAD)
def test_friday_in_a_sentence_about_the_future_is_the_next_one(text: str) -> None:
    assert starts(text, TUESDAY) == [NEXT_FRIDAY]


@for_each("text", BACK)
def test_friday_in_the_past_tense_or_in_none_is_the_last_one(text: str) -> None:
    assert starts(text, TUESDAY) == [LAST_FRIDAY]


def test_a_state_since_friday_began_last_friday() -> None:
    assert starts("I am ill since Friday", TUESDAY) == [LAST_FRIDAY]


@for_each(
    ("text", "now", "day"),
    [
        ("my exam is on December 24th", OCTOBER, "2026-12-24"),
        ("December 24th is my exam", OCTOBER, "2026-12-24"),
        ("I have an exam on December 24th", OCTOBER, "2026-12-24"),
        ("what did we eat on December 24th", OCTOBER, "2025-12-24"),
        ("whats on december first", OCTOBER, "2026-12-01"),
        ("december the third", TUESDAY, "2026-12-03"),
        ("december twenty first", TUESDAY, "2026-12-21"),
        ("December twenty-first, 2027", TUESDAY, "2027-12-21"),
        ("the twenty first of December", TUESDAY, "2026-12-21"),
        ("the twenty-first of December", TUESDAY, "2026-12-21"),
        ("the thirteenth of december", TUESDAY, "2026-12-13"),
        ("December 9th", TUESDAY, "2026-12-09"),
        ("We fly to Rome on March 3rd", TUESDAY, "2027-03-03"),
        ("We flew to Rome on March 3rd", TUESDAY, "2026-03-03"),
        ("in March we marry", TUESDAY, "2027-03-01"),
        ("I fly on the 15th", OCTOBER, "2026-10-15"),
        ("we met on the 15th", OCTOBER, "2026-09-15"),
        ("12月5号我考试", OCTOBER, "2026-12-05"),
        ("12月5号我去了", OCTOBER, "2025-12-05"),
        ("12月5号", TUESDAY, "2026-12-05"),
    ],
)
def test_day_without_a_year_is_the_nearest_one_in_the_tense(
    text: str, now: datetime, day: str
) -> None:
    assert starts(text, now) == [day]


def test_verb_spelt_like_a_month_takes_no_ordinal() -> None:
    assert starts("we may first eat", TUESDAY) == []
    assert starts("they march second in line", TUESDAY) == []


@for_each(
    ("said", "asked"),
    [
        ("my exam is on December 24th", "What happens on December 24th 2026?"),
        ("I have an exam on December 1st", "whats on december first"),
        ("12月24号我考试", "12月24号有什么"),
        ("my exam is on the twenty-fourth of December", "what is on December 24"),
    ],
)
def test_memory_of_a_future_day_mentions_the_day_that_a_later_question_asks_for(
    said: str, asked: str
) -> None:
    exchange = Exchange(user=said, assistant="Good luck!", ts=OCTOBER.timestamp())
    memory = Memory(id="a", kind=MemoryKind.EXCHANGE, text=said, ts=exchange.ts, exchange=exchange)
    (meant,) = find_dates(asked, TUESDAY)
    days = {
        datetime.fromtimestamp(start).astimezone().date() for start, _ in mentioned_times(memory)
    }
    assert meant.start.date() in days
    assert len(days) == 2, "a day without a year is the last and the next one"


def test_a_weekday_said_on_that_day_is_never_today() -> None:
    friday = date(2026, 11, 27)
    now = datetime(2026, 11, 27, 12, tzinfo=BERLIN)
    assert starts("I fly on Friday", now) == [f"{friday + timedelta(weeks=1)}"]
    assert starts("I flew on Friday", now) == [f"{friday - timedelta(weeks=1)}"]


@for_each(
    ("text", "now", "period"),
    [
        ("lets wait till Friday", TUESDAY, ("2026-11-24", "2026-11-28")),
        ("i have to pay before Friday", TUESDAY, ("2026-11-24", "2026-11-27")),
        ("we stayed until Friday", TUESDAY, ("1899-01-01", "2026-11-21")),
    ],
)
def test_time_until_a_future_day_begins_today(
    text: str, now: datetime, period: tuple[str, str]
) -> None:
    (found,) = find_dates(text, now)
    assert (f"{found.start:%Y-%m-%d}", f"{found.end:%Y-%m-%d}") == period
