"""The host's rows as exchanges: clean words, who said them, when and by which channel."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from ...domain.records import Exchange, Role, Turn
from ...prompt.window import ChatMode, ChatRow, Window
from ...text.cleaning import clean_answer, clean_for_role, clean_user_message
from ...text.commands.parser import is_command_message
from ...text.macros import replace_macros
from .incremental_parse import parse_exchanges

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_STAMP = re.compile(r"([A-Z][a-z]{2}) (\d{1,2}), (\d{4}) (\d{1,2}):(\d{2})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Speakers:
    """Who talks in a chat, and by which channel it came.

    `is_heard`: no file tells what an answer is; it is what the host shows, names put in.
    """

    user_name: str
    assistant_name: str
    channel: str
    is_unsaved_chat: bool = False


def speakers_of(window: Window, *, is_api: bool, is_unsaved_chat: bool = False) -> Speakers:
    """In instruct mode the host's two names are not shown to anybody, so they are none."""
    named = window.mode is not ChatMode.INSTRUCT
    return Speakers(
        user_name=window.name1 if named else "",
        assistant_name=window.name2 if named else "",
        channel=f"api-{window.mode}" if is_api else window.mode.value,
        is_unsaved_chat=is_unsaved_chat,
    )


def to_exchanges(rows: Sequence[ChatRow], speakers: Speakers) -> list[Exchange]:
    """One for each message, also an empty one or a picture alone, with its answer; the greeting is
    none, nor is what was said to the memory or off the record.

    A tool's calls and results behind a message, and the answer to them, belong to it.
    """

    def memorable(run: Sequence[ChatRow]) -> Exchange | None:
        exchange = _to_exchange(run, speakers)
        says_any = exchange.user or exchange.assistant
        return exchange if says_any and not is_command_message(exchange.user) else None

    return parse_exchanges(rows, memorable, by=speakers)


def _to_exchange(rows: Sequence[ChatRow], speakers: Speakers) -> Exchange:
    answers = [text for row in rows if not row.is_system and (text := clean_answer(row.assistant))]
    exchange = Exchange(
        user=clean_user_message(rows[0].question),
        assistant="\n\n".join(answers),
        user_name=speakers.user_name,
        assistant_name=speakers.assistant_name,
        ts=first_version_time(rows[0].user_meta),
        channel=speakers.channel,
        turns=tuple(_to_turns(rows)) if len(rows) > 1 or rows[0].tool_text else (),
    )
    return replace_macros(exchange) if speakers.is_unsaved_chat else exchange


def _to_turns(rows: Sequence[ChatRow]) -> Iterator[Turn]:
    for row in rows:
        role = Role.SYSTEM if row.is_system else Role.USER
        for side, text in (
            (role, row.user),
            (Role.ASSISTANT, row.assistant),
            (Role.TOOL, row.tool_text),
        ):
            if words := clean_for_role(text, side):
                yield Turn(role=side, text=words)


def date_last_exchange(exchanges: Sequence[Exchange], now: float) -> list[Exchange]:
    """The last exchange is being said now, where the host does not tell when it was."""
    if not exchanges or exchanges[-1].ts is not None:
        return list(exchanges)
    return [*exchanges[:-1], replace(exchanges[-1], ts=now)]


def first_version_time(meta: Mapping[str, object] | None) -> float | None:
    """When its first version was said: the host dates a message by the version that it shows."""
    if not meta:
        return None
    shown, versions = _parse_stamp(str(meta.get("timestamp", ""))), meta.get("versions")
    if not isinstance(versions, list):
        return shown
    dated = (version for version in versions if isinstance(version, Mapping))
    times = [shown, *(_parse_stamp(str(version.get("timestamp", ""))) for version in dated)]
    return min((time for time in times if time is not None), default=None)


@lru_cache(maxsize=8192)
def _parse_stamp(stamp: str) -> float | None:
    """The host's local-time stamp ("Nov 21, 2026 07:24", English in every locale) in seconds."""
    match = _STAMP.fullmatch(stamp)
    if match is None or match[1] not in _MONTHS:
        return None
    month, day, year, hour, minute = match.groups()
    try:
        moment = datetime(int(year), _MONTHS.index(month) + 1, int(day), int(hour), int(minute))
        return moment.timestamp()
    except (ValueError, OverflowError, OSError):
        return None
