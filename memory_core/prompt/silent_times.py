"""Tells the model that nothing was said at the time that a message asks about.

"What did I say yesterday?" finds memories of other days, too, and a model takes them for the
answer.
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
    """Returns a notice if the message asks only what was said at a time, and nothing was.

    A part of a day counts as the whole day, since the notice names days. There is no notice for a
    day that has not ended, as its last message may not be stored yet; for one that the exchanges
    `shown` in the chat are from, stored or not; and for a question about what happened, which
    memories of other days may answer.
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
