"""Dates and chats as people say them: "3 May 2026, 14:05", "the chat of 3 May"."""

import math
import re
import time
from collections.abc import Iterable, Sequence
from datetime import date, datetime

from ....domain.namespaces import Namespace, decode
from ....domain.records import Memory
from ....domain.unicode import well_formed
from ....infra.calendar_time import to_datetime
from ....memory.long_term_memory import LongTermMemory
from ....memory.relocation import origin_of_moved
from ....memory.runtime import Runtime
from ....text.excerpts import excerpt
from ....text.locales import Words
from .markup import escaped
from .memory_text import clipped

_HOST_CHAT = re.compile(r"(\d{4})(\d\d)(\d\d)-(\d\d)-(\d\d)-(\d\d)(?:\D.*)?")
_CODE = re.compile(r"(?:h-)?[0-9a-f-]{16,}", re.IGNORECASE)
_MONTH = re.compile(r"(\d{4})-(\d\d)")
_LONGEST_NAME = 60
_MAX_TITLE_CHARS = 48
_MINUTE_S = 60.0


def day_text(ts: float | None, words: Words) -> str:
    """Returns the day of a time: 12 March 2026."""
    day = to_datetime(ts)
    return words["day_unknown"] if day is None else date_text(day, words)


def date_text(day: date, words: Words) -> str:
    month = words["months"].split(", ")[day.month - 1]
    return words("day_text", day=day.day, month=month, year=day.year)


def day_html(ts: float | None, words: Words) -> str:
    return _time_html(day_text(ts, words), ts)


def moment_text(ts: float | None, words: Words) -> str:
    """Returns the local date and time of a memory, or a note for one outside the calendar."""
    when = to_datetime(ts)
    return words["no_date"] if when is None else _moment_text(when, words)


def moment_html(ts: float | None, words: Words) -> str:
    return _time_html(moment_text(ts, words), ts)


def _time_html(text: str, ts: float | None) -> str:
    when = to_datetime(ts)
    if when is None:
        return f"<span>{escaped(text)}</span>"
    return f'<time datetime="{when:%Y-%m-%dT%H:%M}">{escaped(text)}</time>'


def _moment_text(when: datetime, words: Words) -> str:
    month = words["months_short"].split(", ")[when.month - 1]
    return words("date_and_time", day=when.day, month=month, year=when.year, time=f"{when:%H:%M}")


def month_name(month: str, words: Words) -> str:
    """Returns "November 2026" for "2026-11", and a note for memories without a date."""
    found = _MONTH.fullmatch(month)
    if found is None:
        return words["no_date"]
    name = words["months"].split(", ")[int(found[2]) - 1]
    return words("month_of_year", month=name, year=found[1])


def minute(ts: float) -> str:
    """Returns a time of this machine in digits, for files and programs."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(ts))


def undo_minutes(runtime: Runtime) -> int:
    """Returns for how many minutes a forgotten memory can be brought back; 0 if not at all."""
    return math.ceil(runtime.settings.ltm_writes.undo_forget_s / _MINUTE_S)


def undo_text(words: Words, minutes: int, key: str, **values: object) -> str:
    """Returns the text of the key, or that for memories which cannot be brought back."""
    if not minutes:
        return words(f"{key}_at_once", **values)
    return words(key, minutes=minutes, **values)


def chat_name(log: str, words: Words) -> str:
    """Returns the name that people gave a chat, else the date of its beginning."""
    name = decode(origin_of_moved(log))
    if name is None:
        return words["chat_unnamed"]
    found = _HOST_CHAT.fullmatch(name)
    if found:
        try:
            began = datetime(*map(int, found.groups()))  # type: ignore[arg-type]
        except ValueError:
            return words["chat_unnamed"]
        return words("chat_of", when=_moment_text(began, words))
    return words("chat_named", name=clipped(well_formed(name), _LONGEST_NAME))


def memory_chat(memory: Memory, words: Words) -> str:
    """Returns the name of the chat in which a memory was said; "" if there is nothing to add."""
    if not memory.conversation or _is_named_by_day(memory):
        return ""
    return chat_name(memory.conversation, words)


def _is_named_by_day(memory: Memory) -> bool:
    """Returns whether the chat is only named by the day that is shown beside the memory."""
    found = _HOST_CHAT.fullmatch(decode(origin_of_moved(memory.conversation)) or "")
    said = to_datetime(memory.ts)
    if found is None or said is None:
        return False
    return f"{said:%Y%m%d}" == "".join(found.groups()[:3])


def one_line_label(memory: Memory, words: Words) -> str:
    """Returns the date and the beginning of a memory in one line."""
    text = memory.exchange.user or memory.exchange.assistant if memory.exchange else memory.text
    return f"{moment_text(memory.ts, words)} · {excerpt(text, 80)}"


def chat_titles(
    memory: LongTermMemory, namespace: Namespace, logs: Iterable[str]
) -> dict[str, str]:
    """Returns log → the name that people gave this chat, else its first words; "" for neither."""
    names = {log: _given_name(decode(log) or log) for log in set(logs) if log}
    nameless = [log for log, name in names.items() if not name]
    return names | _first_words(memory, namespace, nameless)


def _given_name(conversation: str) -> str:
    """Returns a chat's name, or "" for the code that a host gives to unnamed chats."""
    name = conversation.rpartition("/")[0] or conversation  # behind it: which of two of that name
    is_code = _HOST_CHAT.fullmatch(name) or _CODE.fullmatch(name)
    return "" if is_code else well_formed(name)


def _first_words(
    memory: LongTermMemory, namespace: Namespace, logs: Sequence[str]
) -> dict[str, str]:
    if not logs:
        return {}
    with memory.open_namespace(namespace) as opened:
        first = opened.query(
            lambda store: {log: store.catalog.known_exchanges(log)[:3] for log in logs}
        )
    ids = [exchange.id for exchanges in first.values() for exchange in exchanges]
    records = memory.get_records(namespace, ids)
    titles = {}
    for log, exchanges in first.items():
        said = (records[one.id].memory.sides[0] for one in exchanges if one.id in records)
        titles[log] = excerpt(" ".join(next(filter(None, said), "").split()), _MAX_TITLE_CHARS)
    return titles
