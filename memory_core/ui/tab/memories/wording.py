"""Formats dates and chats as people say them: "3 May 2026, 14:05", "the chat of 3 May"."""

import re
from dataclasses import dataclass
from datetime import datetime

from ....domain.namespaces import decode
from ....domain.records import Memory
from ....domain.unicode import well_formed
from ....infra.calendar_time import to_datetime
from ....memory.relocation import origin_of_moved
from ....text.excerpts import excerpt
from ....text.locales import Words

_HOST_CHAT = re.compile(r"(\d{4})(\d\d)(\d\d)-(\d\d)-(\d\d)-(\d\d)(?:\D.*)?")
_LONGEST_NAME = 60
_MONTH = re.compile(r"(\d{4})-(\d\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A local date and time, as text for people and as value of HTML's time element."""

    text: str
    iso: str


def moment(ts: float | None, words: Words) -> Moment:
    """Returns the local date and time of a memory, or a note for one outside the calendar."""
    when = to_datetime(ts)
    if when is None:
        return Moment(text=words["no_date"], iso="")
    return Moment(text=_moment_text(when, words), iso=when.isoformat(timespec="minutes"))


def month_name(month: str, words: Words) -> str:
    """Returns "November 2026" for "2026-11", and a note for memories without a date."""
    found = _MONTH.fullmatch(month)
    if found is None:
        return words["no_date"]
    name = words["months"].split(", ")[int(found[2]) - 1]
    return words("month_of_year", month=name, year=found[1])


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
    return words("chat_named", name=_cut(well_formed(name)))


def memory_chat(memory: Memory, words: Words) -> str:
    """Returns the name of the chat in which a memory was said; "" if there is nothing to add."""
    if not memory.conversation or _is_named_by_day(memory, words):
        return ""
    return chat_name(memory.conversation, words)


def _is_named_by_day(memory: Memory, words: Words) -> bool:
    """Returns whether the chat is only named by the day that is shown beside the memory."""
    found = _HOST_CHAT.fullmatch(decode(origin_of_moved(memory.conversation)) or "")
    if found is None:
        return False
    return "-".join(found.groups()[:3]) == moment(memory.ts, words).iso[:10]


def _moment_text(when: datetime, words: Words) -> str:
    month = words["months_short"].split(", ")[when.month - 1]
    return words("date_and_time", day=when.day, month=month, year=when.year, time=f"{when:%H:%M}")


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"


def one_line_label(memory: Memory, words: Words) -> str:
    """Returns the date and the beginning of a memory in one line."""
    text = memory.exchange.user or memory.exchange.assistant if memory.exchange else memory.text
    return f"{moment(memory.ts, words).text} · {excerpt(text, 80)}"
