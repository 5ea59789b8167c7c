"""A text of nothing but dates, such as a pasted calendar, takes no longer than another."""

import time
from datetime import UTC, datetime

import pytest

from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.storage.index.catalog.rows import mentioned_times
from memory_core.text.dates.find_dates import find_dates
from tests.cases import for_each
from tests.in_time import within

NOW = datetime(2026, 11, 24, 15, tzinfo=UTC)
LONG = 20_000
LIMIT_S = 5.0  # fifty and more times what it takes
MOST = 50
REPEATED = (
    """
3月|3月5日|12月5号我考试|2024年3月5日|周五|上周五|昨天|3天前|半个月前|第3月|十|日
on Friday |May 4th |4 May |5/5/2024 |2024-03-05 |1 |1/1/|may |last |in |two weeks |3 days ago
we fly on Friday and |Friday, |from May to |between March and |twenty first of |christmas
am 3. März |am Freitag |gestern |vor 3 Tagen |im Mai |letzte |jahr
el 4 de diciembre |el viernes |ayer |mañana |hace 3 días |en
le 12 juin |1er mai |vendredi |hier |il y a 3 jours |un
5 января |в пятницу |вчера |неделю назад |прошлой
12月19日|金曜日|昨日|先週|3日前|先週の金曜日
""".strip()
    .replace("\n", "|")
    .split("|")
)


def long_text(repeated: str) -> str:
    return (repeated * LONG)[:LONG]


@pytest.mark.slow
@for_each("repeated", REPEATED)
def test_find_dates_in_a_long_text_of_repeated_dates_is_fast(repeated: str) -> None:
    find_dates(repeated * 20, NOW)  # its patterns are compiled once
    with within(LIMIT_S, clock=time.process_time):
        found = find_dates(long_text(repeated), NOW)
    assert len(found) <= 2 * MOST  # both readings of what is ambiguous


@pytest.mark.parametrize("repeated", ["3月", "on Friday ", "am 3. März ", "5 января "])
def test_indexing_a_memory_of_repeated_dates_is_fast(repeated: str) -> None:
    text = long_text(repeated)
    exchange = Exchange(user=text, assistant=text, ts=NOW.timestamp())
    memory = Memory(id="a", kind=MemoryKind.EXCHANGE, text=text, ts=exchange.ts, exchange=exchange)
    mentioned_times(memory)
    with within(2 * LIMIT_S, clock=time.process_time):
        assert len(mentioned_times(memory)) <= 2 * MOST


@pytest.mark.parametrize("repeated", ["3月5日", "on Friday ", "am 3. März ", "hace 3 días "])
def test_only_the_first_of_very_many_dates_are_found(repeated: str) -> None:
    found = find_dates(repeated * 1000, NOW)
    assert len(found) == MOST
    assert found[0].span[0] < len(repeated)
    assert len(find_dates(repeated * 20, NOW)) == 20
