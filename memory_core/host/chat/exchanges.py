"""Converts the host's rows to exchanges: clean text, speakers, time and channel."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from ...domain.records import Exchange, Role, Turn
from ...prompt.window import ChatMode, ChatRow, Window
from ...text.cleaning import clean_answer, clean_for_role, clean_user_message
from ...text.commands.parser import is_command_message
from ...text.names import is_name, replace_macros
from .incremental_parse import parse_exchanges

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_STAMP = re.compile(r"([A-Z][a-z]{2}) (\d{1,2}), (\d{4}) (\d{1,2}):(\d{2})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Speakers:
    """The two speakers of a chat, and the channel it came through.

    `is_unsaved_chat`: the answers come from the output hook, with names already filled in.
    """

    user_name: str
    assistant_name: str
    channel: str
    is_unsaved_chat: bool = False

    @property
    def has_names(self) -> bool:
        """Returns whether both names are real ones, not "You" or the like."""
        return is_name(self.user_name) and is_name(self.assistant_name)


def speakers_of(window: Window, *, is_api: bool, is_unsaved_chat: bool = False) -> Speakers:
    """Returns the speakers; without names in instruct mode, where the host shows none."""
    named = window.mode is not ChatMode.INSTRUCT
    return Speakers(
        user_name=window.name1 if named else "",
        assistant_name=window.name2 if named else "",
        channel=f"api-{window.mode}" if is_api else window.mode.value,
        is_unsaved_chat=is_unsaved_chat,
    )


def to_exchanges(rows: Sequence[ChatRow], speakers: Speakers) -> list[Exchange]:
    """Returns one exchange for each message and its answer.

    Skips greetings, memory commands, messages off the record and exchanges without any text.
    Tool calls, tool results and the final answer belong to the message before them.
    """
    return parse_exchanges(rows, _memorable_exchange, by=speakers)


def _memorable_exchange(rows: Sequence[ChatRow], speakers: Speakers) -> Exchange | None:
    user = clean_user_message(rows[0].question)
    answers = [text for row in rows if not row.is_system and (text := clean_answer(row.assistant))]
    if not (user or answers) or is_command_message(user):
        return None
    exchange = Exchange(
        user=user,
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
    """Dates the last exchange with `now` if the host gives no time for it."""
    if not exchanges or exchanges[-1].ts is not None:
        return list(exchanges)
    return [*exchanges[:-1], replace(exchanges[-1], ts=now)]


def first_version_time(meta: Mapping[str, object] | None) -> float | None:
    """Returns the time of a message's first version, in seconds since the epoch.

    The host dates a message by the version that it shows.
    """
    if not meta:
        return None
    if not isinstance(meta.get("versions"), list):
        return _parse_stamp(str(meta.get("timestamp", "")))
    return min(version_times(meta), default=None)


def version_times(meta: Mapping[str, object] | None) -> list[float]:
    """Returns the known times of all versions of a message, in seconds since the epoch."""
    if not meta:
        return []
    shown, versions = _parse_stamp(str(meta.get("timestamp", ""))), meta.get("versions")
    if not isinstance(versions, list):
        return [] if shown is None else [shown]
    dated = (version for version in versions if isinstance(version, Mapping))
    times = [shown, *(_parse_stamp(str(version.get("timestamp", ""))) for version in dated)]
    return [time for time in times if time is not None]


@lru_cache(maxsize=8192)
def _parse_stamp(stamp: str) -> float | None:
    """Returns the host's local timestamp ("Nov 21, 2026 07:24", always English) in seconds."""
    match = _STAMP.fullmatch(stamp)
    if match is None or match[1] not in _MONTHS:
        return None
    month, day, year, hour, minute = match.groups()
    try:
        moment = datetime(int(year), _MONTHS.index(month) + 1, int(day), int(hour), int(minute))
        return moment.timestamp()
    except (ValueError, OverflowError, OSError):
        return None
