"""Says that nothing is stored of a time of which the message asks what was said.

"What did I say yesterday?" finds memories of other days, too, which a model takes for the answer.
"""

import re
from collections.abc import Sequence
from datetime import timedelta

from ..domain.namespaces import Namespace
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
    memory: LongTermMemory, namespace: Namespace, query: Query, language: str
) -> tuple[str, ...]:
    """Returns a notice if the message only asks what was said at a time of which nothing is stored.

    A time that has not ended does not count: its last message may not be stored yet. Nor does a
    question what happened, which memories of other days may tell.
    """
    times = [one for one in query.dates if query.now and one.start < query.now]
    if not times or any(query.now and one.end > query.now for one in times):
        return ()
    said = _BEFORE_TIMES.sub(" ", query.text_without_dates)
    if _WHAT_HAPPENED.search(said) or not only_asks_what_was_said(said, query.names):
        return ()
    if any(_is_anything_of(memory, namespace, one) for one in times):
        return ()
    return (_notice(times, language),)


def _is_anything_of(memory: LongTermMemory, namespace: Namespace, time: DateRange) -> bool:
    latest = memory.latest(namespace, Page(limit=1, before=time.end.timestamp()))
    return any(one.ts is not None and one.ts >= time.start.timestamp() for one in latest)


def _notice(times: Sequence[DateRange], language: str) -> str:
    words = prompt_words(language)
    start = min(one.start.timestamp() for one in times)
    end = max(one.end.timestamp() for one in times)
    if all(one.end - one.start <= _DAY for one in times) and len(times) == 1:
        weekday, date = weekday_and_date(start, words=words)
        return words("nothing_on", weekday=weekday, date=date)
    first, last = date_in_digits(start), date_in_digits(end - _SECOND_S)
    return words("nothing_between", first=first, last=last)
