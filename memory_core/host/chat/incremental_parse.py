"""What was made of the chats met last, so that each turn of a long chat makes only what is new.

Nothing is copied: rows refer to the host's own metadata, which is only ever read.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ...domain.errors import HostError
from ...domain.records import Exchange
from ...infra.lru_cache import Recent
from ...prompt.window import Row

_MOST_CHATS = 128
_MOST_ROWS = 16_384  # of all chats that are kept, but for the one met last
_FEW_ROWS = 8  # so many are made anew sooner than looked up
_READINGS = 2  # of one chat: as it stands, and without its commands to the memory
_KEYS_STEP = 1024


@dataclass(frozen=True, slots=True)
class _Rows:
    cells: list[tuple[Any, ...]]
    user_metas: list[Any]
    assistant_metas: list[Any]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class _Exchanges:
    rows: Sequence[Row]
    starts: list[int]
    found: list[Exchange | None]


_NO_ROWS = _Rows([], [], [], ())
_NO_EXCHANGES = _Exchanges((), [], [])
_rows: Recent[object, _Rows] = Recent(
    _MOST_CHATS, size=lambda it: len(it.rows), most_size=_MOST_ROWS
)
_exchanges: Recent[object, tuple[_Exchanges, ...]] = Recent(
    _MOST_CHATS, size=lambda found: sum(len(it.rows) for it in found), most_size=_MOST_ROWS
)


def row_keys(count: int) -> tuple[Sequence[str], Sequence[str]]:
    """The host's metadata keys of at least so many first rows: the users', the assistants'."""
    return _row_keys(-(-count // _KEYS_STEP) * _KEYS_STEP)


@lru_cache(maxsize=8)
def _row_keys(count: int) -> tuple[Sequence[str], Sequence[str]]:
    return [f"user_{at}" for at in range(count)], [f"assistant_{at}" for at in range(count)]


def rows_of(internal: Sequence[Sequence[Any]], metadata: Mapping[str, Any]) -> tuple[Row, ...]:
    """A row for each of the host's, with its metadata. Raises HostError for what is none."""
    user_keys, assistant_keys = row_keys(len(internal))
    now = list(map(tuple, internal))
    user_metas = list(map(metadata.get, user_keys[: len(now)]))
    assistant_metas = list(map(metadata.get, assistant_keys[: len(now)]))
    key = now[0][:2] if now else ()
    before = _looked_up(_rows, key) or _NO_ROWS
    same = _common(now, before.cells)
    same = _common(user_metas[:same], before.user_metas)
    same = _common(assistant_metas[:same], before.assistant_metas)
    fresh = zip(now[same:], user_metas[same:], assistant_metas[same:], strict=True)
    rows = before.rows[:same] + tuple(_row(at, *it) for at, it in enumerate(fresh, start=same))
    _rows.put(key, _Rows(now, user_metas, assistant_metas, rows))
    return rows


def exchanges_of(
    rows: Sequence[Row], make: Callable[[Sequence[Row]], Exchange | None], by: object
) -> list[Exchange]:
    """One for each run of rows that is one message with its answer, if `make`, which depends on
    `by` alone, makes any of it.
    """
    is_kept = len(rows) > _FEW_ROWS
    key = (by, rows[0].user, rows[0].assistant) if is_kept else None
    known = (is_kept and _exchanges.get(key)) or ()
    before = max(known, key=lambda it: _common(rows, it.rows), default=_NO_EXCHANGES)
    same = _common(rows, before.rows)
    done = max(bisect_left(before.starts, same) - 1, 0)  # the last run may have grown
    begin = before.starts[done] if done else 0
    fresh: list[int] = []
    for at in range(begin, len(rows)):
        if _begins(rows, at, is_first=not (done or fresh)):
            fresh.append(at)
    ends = [*fresh[1:], len(rows)]
    made = [make(rows[at:end]) for at, end in zip(fresh, ends, strict=False)]
    found = before.found[:done] + made
    if is_kept:
        now = _Exchanges(rows, before.starts[:done] + fresh, found)
        others = [it for it in known if it is not before]
        others += [before] if same < len(before.rows) else []  # this is another reading
        _exchanges.put(key, (now, *others[: _READINGS - 1]))
    return [it for it in found if it is not None]


def awaits_answer(rows: Sequence[Row], end: int) -> bool:
    """Whether an answer at this index belongs to the exchange before it: a tool was asked."""
    spoken = next((rows[at] for at in range(end - 1, -1, -1) if not rows[at].is_system), None)
    return spoken is not None and spoken.is_tool_step


def _begins(rows: Sequence[Row], index: int, *, is_first: bool) -> bool:
    """Returns whether an exchange begins with this row, also one without a person's words.

    The page has a row for each message, an empty one or a picture alone too. A client of the API
    sends an answer to nothing, to a tool's result or as a greeting in the same form.
    """
    row = rows[index]
    if row.is_system or row.is_greeting:
        return False
    if row.user.strip() or not row.extra:
        return True
    return not (is_first or row.is_tool_step or awaits_answer(rows, index))


def _looked_up(kept: Recent[object, _Rows], key: object) -> _Rows | None:
    try:
        return kept.get(key)
    except TypeError as exc:  # cells that are no texts
        raise HostError("row 0 of the chat is no pair of texts") from exc


def _common(now: Sequence[Any], before: Sequence[Any]) -> int:
    """How many are equal at the beginning of both."""
    low, high = 0, min(len(now), len(before))
    if now[:high] == before[:high]:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if now[low:middle] == before[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _row(index: int, cells: tuple[Any, ...], user_meta: Any, assistant_meta: Any) -> Row:  # noqa: ANN401
    user, assistant, *extra = cells
    if not (isinstance(user, str) and isinstance(assistant, str)):
        raise HostError(f"row {index} of the chat is no pair of texts")
    for meta in (user_meta, assistant_meta):
        if meta is not None and not isinstance(meta, Mapping):
            raise HostError(f"the metadata of row {index} of the chat is no object")
    return Row(
        user=user,
        assistant=assistant,
        extra=tuple(extra),
        user_meta=user_meta,
        assistant_meta=assistant_meta,
    )
