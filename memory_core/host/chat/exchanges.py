"""Converts the host's rows to exchanges: clean text, speakers, time and channel.

Only rows that changed since the last turn are parsed again. Rows refer to the host's own metadata
instead of copying it, and never change it.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from ...domain.errors import HostError
from ...domain.records import Exchange, Role, Turn
from ...infra.lru_cache import LRUCache
from ...prompt.window import ChatMode, ChatRow, Window
from ...text.cleaning import clean_answer, clean_for_role, clean_user_message
from ...text.commands.parser import is_command_message
from ...text.names import is_name, replace_macros

_MAX_CHATS = 128
_MAX_ROWS = 16_384  # of all cached chats, except for the latest
_MAX_UNCACHED_ROWS = 8  # parsing so few is faster than a lookup
_READINGS_PER_CHAT = 2  # of one chat: with and without its memory commands
_KEYS_STEP = 1024
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_STAMP = re.compile(r"([A-Z][a-z]{2}) (\d{1,2}), (\d{4}) (\d{1,2}):(\d{2})")


@dataclass(frozen=True, slots=True)
class _ParsedRows:
    cells: list[tuple[Any, ...]]
    user_metas: list[Any]
    assistant_metas: list[Any]
    rows: tuple[ChatRow, ...]


@dataclass(frozen=True, slots=True)
class _ParsedExchanges:
    rows: Sequence[ChatRow]
    starts: list[int]
    exchanges: list[Exchange | None]


_NO_ROWS = _ParsedRows([], [], [], ())
_NO_EXCHANGES = _ParsedExchanges((), [], [])
_row_cache: LRUCache[object, _ParsedRows] = LRUCache(
    _MAX_CHATS, size=lambda parsed: len(parsed.rows), max_size=_MAX_ROWS
)
_exchange_cache: LRUCache[object, tuple[_ParsedExchanges, ...]] = LRUCache(
    _MAX_CHATS, size=lambda found: sum(len(parsed.rows) for parsed in found), max_size=_MAX_ROWS
)


def row_keys(count: int) -> tuple[Sequence[str], Sequence[str]]:
    """Returns the host's metadata keys of users and assistants, for `count` rows or more."""
    return _row_keys(-(-count // _KEYS_STEP) * _KEYS_STEP)


@lru_cache(maxsize=8)
def _row_keys(count: int) -> tuple[Sequence[str], Sequence[str]]:
    return [f"user_{index}" for index in range(count)], [
        f"assistant_{index}" for index in range(count)
    ]


def parse_rows(
    internal: Sequence[Sequence[Any]], metadata: Mapping[str, Any]
) -> tuple[ChatRow, ...]:
    """Returns the host's rows with their metadata. Raises HostError for malformed rows."""
    user_keys, assistant_keys = row_keys(len(internal))
    cells = list(map(tuple, internal))
    user_metas = list(map(metadata.get, user_keys[: len(cells)]))
    assistant_metas = list(map(metadata.get, assistant_keys[: len(cells)]))
    key = cells[0][:2] if cells else ()
    try:
        previous = _row_cache.get(key) or _NO_ROWS
    except TypeError as exc:  # unhashable cells are not text
        raise HostError("row 0 of the chat is not a pair of texts") from exc
    unchanged = _common_prefix_length(cells, previous.cells)
    unchanged = _common_prefix_length(user_metas[:unchanged], previous.user_metas)
    unchanged = _common_prefix_length(assistant_metas[:unchanged], previous.assistant_metas)
    fresh = zip(cells[unchanged:], user_metas[unchanged:], assistant_metas[unchanged:], strict=True)
    rows = previous.rows[:unchanged] + tuple(
        _to_row(index, *row) for index, row in enumerate(fresh, start=unchanged)
    )
    _row_cache.put(key, _ParsedRows(cells, user_metas, assistant_metas, rows))
    return rows


def awaits_answer(rows: Sequence[ChatRow], end: int) -> bool:
    """Returns whether the row at `end` answers a tool step, and so continues the exchange."""
    spoken = next(
        (rows[index] for index in range(end - 1, -1, -1) if not rows[index].is_system), None
    )
    return spoken is not None and spoken.is_tool_step


def _begins_exchange(rows: Sequence[ChatRow], index: int, *, is_first: bool) -> bool:
    """Returns whether an exchange begins with this row, even without a user's text.

    The page makes a row for every message, even for an empty one or one with only a picture. API
    clients use rows without a message for greetings and for answers to tool results.
    """
    row = rows[index]
    if row.is_system or row.is_greeting:
        return False
    if row.user.strip() or not row.extra:
        return True
    return not (is_first or row.is_tool_step or awaits_answer(rows, index))


def _common_prefix_length(new: Sequence[Any], old: Sequence[Any]) -> int:
    """Returns the length of the longest common prefix, by binary search."""
    low, high = 0, min(len(new), len(old))
    if new[:high] == old[:high]:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if new[low:middle] == old[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _to_row(index: int, cells: tuple[Any, ...], user_meta: Any, assistant_meta: Any) -> ChatRow:  # noqa: ANN401
    user, assistant, *extra = cells
    if not (isinstance(user, str) and isinstance(assistant, str)):
        raise HostError(f"row {index} of the chat is not a pair of texts")
    for meta in (user_meta, assistant_meta):
        if meta is not None and not isinstance(meta, Mapping):
            raise HostError(f"the metadata of row {index} of the chat is not an object")
    return ChatRow(
        user=user,
        assistant=assistant,
        extra=tuple(extra),
        user_meta=user_meta,
        assistant_meta=assistant_meta,
    )


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
    is_cacheable = len(rows) > _MAX_UNCACHED_ROWS
    key = (speakers, rows[0].user, rows[0].assistant) if is_cacheable else None
    cached = (is_cacheable and _exchange_cache.get(key)) or ()
    previous = max(
        cached, key=lambda parsed: _common_prefix_length(rows, parsed.rows), default=_NO_EXCHANGES
    )
    unchanged = _common_prefix_length(rows, previous.rows)
    done = max(bisect_left(previous.starts, unchanged) - 1, 0)  # the last run may have grown
    start = previous.starts[done] if done else 0
    fresh: list[int] = []
    for index in range(start, len(rows)):
        if _begins_exchange(rows, index, is_first=not (done or fresh)):
            fresh.append(index)
    ends = [*fresh[1:], len(rows)]
    made = [
        _memorable_exchange(rows[start:end], speakers)
        for start, end in zip(fresh, ends, strict=False)
    ]
    exchanges = previous.exchanges[:done] + made
    if is_cacheable:
        parsed = _ParsedExchanges(rows, previous.starts[:done] + fresh, exchanges)
        others = [other for other in cached if other is not previous]
        others += (
            [previous] if unchanged < len(previous.rows) else []
        )  # `previous` is a different reading of the chat
        _exchange_cache.put(key, (parsed, *others[: _READINGS_PER_CHAT - 1]))
    return [exchange for exchange in exchanges if exchange is not None]


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
