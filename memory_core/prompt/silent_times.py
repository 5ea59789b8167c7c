"""Says that nothing is stored of a time of which the message asks what was said.

"What did I say yesterday?" finds memories of other days, too, which a model takes for the answer.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from ..domain.namespaces import Namespace
from ..domain.records import Exchange
from ..memory.long_term_memory import LongTermMemory
from ..recall.query import Query
from ..storage.contract import Page
from ..text.dates.find_dates import DateRange
from ..text.locales import prompt_words
from ..text.overview_questions import only_asks_what_was_said
from .templates import date_in_digits, weekday_and_date

_DAY = timedelta(days=1)
_SECOND_S = 1.0
# Words that stood before the time: "what did we talk about in", "was haben wir am".
_BEFORE_TIMES = re.compile(
    r"\s(?:on|in|at|during|the|am|im|vom|el|en|le|du|en|в|во|на|за)(?=\s*[?!.]*\s*\Z|\s{2})",
    re.IGNORECASE,
)
_WHAT_HAPPENED = re.compile(
    r"\bhappened|\bdone?\b|\bdoing|\bwar\b|gemacht|pasó|hicimos|\bfait\b|делали|было|何を?し(?:た|ました)|何があ",
    re.IGNORECASE,
)


def silent_time_notices(
    memory: LongTermMemory,
    namespace: Namespace,
    query: Query,
    *,
    shown: Sequence[Exchange],
    language: str,
) -> tuple[str, ...]:
    """Returns a notice if the message only asks what was said at a time of which nothing is stored.

    A part of a day counts as the day, as the notice names days. A day that has not ended does not
    count: its last message may not be stored yet. Nor does one of which the chat has an exchange
    among those `shown`, stored or not, nor a question what happened, which memories of other days
    may tell.
    """
    times = [_whole_days(one) for one in query.dates if query.now and one.start < query.now]
    if not times or any(query.now and one.end > query.now for one in times):
        return ()
    said = _BEFORE_TIMES.sub(" ", query.text_without_dates)
    if _WHAT_HAPPENED.search(said) or not only_asks_what_was_said(said, query.names):
        return ()
    for one in times:
        start, end = one.start.timestamp(), one.end.timestamp()
        if any(said.ts is not None and start <= said.ts < end for said in shown):
            return ()
        if _is_anything_between(memory, namespace, start, end):
            return ()
    return (_notice(times, language),)


def _is_anything_between(
    memory: LongTermMemory, namespace: Namespace, start: float, end: float
) -> bool:
    """Returns whether this namespace or a shared one has memories from `start` until `end`.

    Forgotten memories count until they are erased.
    """
    page = Page(limit=1, before=end)
    for scope in memory.scopes(namespace):
        with memory.open_namespace(scope) as opened:
            found = opened.query(lambda store: store.latest(page))
            found += (record.memory for record in opened.forgotten())
        if any(one.ts is not None and start <= one.ts < end for one in found):
            return True
    return False


def _whole_days(time: DateRange) -> DateRange:
    start, end = (
        one.replace(hour=0, minute=0, second=0, microsecond=0) for one in (time.start, time.end)
    )
    return replace(time, start=start, end=end if end == time.end else end + _DAY)


def _notice(times: Sequence[DateRange], language: str) -> str:
    words = prompt_words(language)
    start = min(one.start.timestamp() for one in times)
    end = max(one.end.timestamp() for one in times)
    if all(one.end - one.start <= _DAY for one in times) and len(times) == 1:
        weekday, date = weekday_and_date(start, words=words)
        return words("nothing_on", weekday=weekday, date=date)
    first, last = date_in_digits(start), date_in_digits(end - _SECOND_S)
    return words("nothing_between", first=first, last=last)
