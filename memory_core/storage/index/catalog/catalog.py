"""The records of one namespace in SQLite: lookups, filters and counts, but no word search."""

from collections.abc import Collection, Sequence
from contextlib import closing
from itertools import islice

from ....domain.records import Memory
from ...contract import (
    NO_FILTER,
    CatalogSummary,
    DerivedFilter,
    Page,
    RetentionCandidate,
    SearchFilter,
)
from ...listing import SessionQuery, SessionSpan, SpanPart, joined_spans
from ...log.diff import KnownExchange
from ...log.projection import MemoryRecord, MemoryStatus
from .database import LIST, Database, as_json_list
from .rows import LONGEST_S, decode_record, derived_condition, known_exchange_from, sql_condition
from .vector_rows import VectorState
from .writes import POSITIONS

# Not given as "?" in frequent statements: as some indexes have a condition on the state, SQLite
# would plan these statements anew each time.
_LIVE = MemoryStatus.LIVE.value
_FEW_ROWS = 2_000
_ANY_NOTE = "SELECT 1 FROM entries INDEXED BY by_kind WHERE kind != 'exchange' LIMIT 1"
_SUMMARY = """SELECT (SELECT seq FROM totals), (SELECT coalesce(max(first_seq), 0) FROM entries),
    EXISTS (SELECT 1 FROM entries WHERE state = ?)"""
# Reads only the latest of both kinds: very many memories mention "last year".
_WITHIN = """SELECT id FROM entries WHERE row IN (
    SELECT * FROM (SELECT row FROM entries WHERE state = 'live' AND ts >= ? AND ts < ? AND {allowed}
        ORDER BY ts DESC, row DESC LIMIT ?)
    UNION ALL
    SELECT row FROM (SELECT DISTINCT said_at, row FROM mentioned_times WHERE start > ? AND start < ?
        AND end > ? {inside}
        ORDER BY said_at DESC, row DESC LIMIT ?)
    ) ORDER BY ts DESC, row DESC LIMIT ?"""
_INSIDE = "AND EXISTS (SELECT 1 FROM entries WHERE entries.row = mentioned_times.row AND {allowed})"
_KNOWN = """SELECT e.id, e.chat_key, p.position, e.user_key, e.assistant_key, e.state,
    (SELECT count(*) FROM positions AS q WHERE q.row = p.row), e.ts
    FROM positions AS p JOIN entries AS e USING (row)
    WHERE p.conversation = ? ORDER BY p.position, p.row"""
_LATEST_SHOWN = """SELECT data FROM positions AS p JOIN entries AS e USING (row)
    WHERE p.conversation = ? AND e.state = ? ORDER BY p.position DESC, p.row DESC LIMIT ?"""
_ALWAYS_IN_PROMPT = (
    f"SELECT data FROM entries WHERE always_in_prompt = 1 AND state = '{_LIVE}' ORDER BY row"  # noqa: S608
)
_ERASABLE = (  # the index skips records that have no words left
    "SELECT data FROM entries INDEXED BY by_erasable "
    "WHERE state = 'forgotten' AND key != '' ORDER BY row"
)
_OF_KEYS = (
    f"row IN (SELECT row FROM entries WHERE chat_key IN {LIST} AND key = chat_key UNION ALL "  # noqa: S608
    f"SELECT row FROM entries WHERE key IN {LIST} AND key != chat_key)"
)
_EVICTABLE = """SELECT id, ts, state FROM entries WHERE row IN (
    SELECT * FROM (SELECT row FROM entries WHERE state = 'live' AND always_in_prompt = 0
        ORDER BY ts, row LIMIT ?1)
    UNION ALL
    SELECT * FROM (SELECT row FROM entries WHERE state = 'removed' AND always_in_prompt = 0
        ORDER BY ts, row LIMIT ?1)
    ) ORDER BY ts, row"""
_EVICTABLE_LIVE = """SELECT live -
    (SELECT count(*) FROM entries WHERE state = 'live' AND always_in_prompt = 1) FROM totals"""
# "+ts": notes always in the prompt are few, and have an index of their own.
_EVICTABLE_BEFORE = """SELECT
    (SELECT count(*) FROM entries WHERE state IN ('live', 'removed') AND ts < ?1) -
    (SELECT count(*) FROM entries
        WHERE state IN ('live', 'removed') AND always_in_prompt = 1 AND +ts < ?1)"""
_COUNTS = {
    "conversations": "SELECT count(DISTINCT positions.conversation) "
    "FROM entries JOIN positions USING (row) WHERE state = 'live'",
    "vectors": "SELECT count(*) FROM vectors",
    "embedded": f"SELECT count(*) FROM vectors WHERE vector_state = {VectorState.STORED:d}",  # noqa: S608
    "lacking": "SELECT count(*) FROM vectors WHERE vector_state = 0",
}
_SPANS = """
SELECT conversation, channel, min(ts), max(ts), count(*) FROM (
  SELECT positions.conversation AS conversation, entries.ts AS ts,
    coalesce(json_extract(entries.data, '$.exchange.channel'), '') AS channel
  FROM positions JOIN entries ON entries.row = positions.row
  WHERE entries.kind = 'exchange' AND entries.state = 'live'
    AND (?1 IS NULL OR entries.ts >= ?1) AND (?2 IS NULL OR entries.ts < ?2)
) WHERE ?3 = '' OR channel = ?3 GROUP BY conversation, channel
"""


class SqliteCatalog:
    """SQL queries over the records of one namespace. Safe for many threads."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._counted: tuple[tuple[int, int], dict[str, int]] = ((-1, -1), {})

    def positions(self, logs: Collection[str] | None = None) -> dict[str, int]:
        if logs is None:
            return dict(self._db.rows(POSITIONS))
        return dict(self._db.rows(f"{POSITIONS} WHERE log IN {LIST}", as_json_list(list(logs))))

    def summary(self) -> CatalogSummary:
        seq, last_seq, has_forgotten = self._db.rows(_SUMMARY, MemoryStatus.FORGOTTEN)[0]
        return CatalogSummary(
            last_applied_seq=int(seq), last_seq=int(last_seq), has_forgotten=bool(has_forgotten)
        )

    def get(self, ids: Sequence[str]) -> dict[str, MemoryRecord]:
        sql = f"SELECT id, data FROM entries WHERE id IN {LIST}"  # noqa: S608
        return {
            memory_id: decode_record(data)
            for memory_id, data in self._db.rows(sql, as_json_list(ids))
        }

    def live_seqs(self, ids: Collection[str], only: SearchFilter = NO_FILTER) -> dict[str, int]:
        condition, values = ("1", ()) if only == NO_FILTER else sql_condition(only)
        sql = f"SELECT id, seq FROM entries WHERE id IN {LIST} AND +state = ? AND {condition}"  # noqa: S608
        return dict(self._db.rows(sql, as_json_list(list(ids)), _LIVE, *values))

    def known_exchanges(self, conversation: str) -> list[KnownExchange]:
        return list(map(known_exchange_from, self._db.rows(_KNOWN, conversation)))

    def conversation(self, conversation: str, limit: int) -> list[Memory]:
        found = self._db.rows(_LATEST_SHOWN, conversation, _LIVE, limit)
        return [decode_record(data).memory for (data,) in reversed(found)]

    def exchanges_by_content(self, keys: Collection[str]) -> list[tuple[str, MemoryRecord]]:
        found = self._db.rows(
            f"SELECT chat_key, data FROM entries WHERE chat_key IN {LIST} "  # noqa: S608
            "AND +kind = 'exchange' ORDER BY row",
            as_json_list(list(keys)),
        )
        return [(key, decode_record(data)) for key, data in found]

    def last_position(self, conversation: str) -> float:
        sql = "SELECT coalesce(max(position), 0.0) FROM positions WHERE conversation = ?"
        return float(self._db.rows(sql, conversation)[0][0])

    def ids_by_content(self, keys: Collection[str]) -> list[str]:
        found = self._db.rows(
            f"SELECT id FROM entries WHERE {_OF_KEYS} AND +state != ? ORDER BY row",  # noqa: S608
            *[as_json_list(list(keys))] * 2,
            MemoryStatus.FORGOTTEN.value,
        )
        return [memory_id for (memory_id,) in found]

    def latest(self, page: Page, rows: Sequence[int] | None = None) -> list[Memory]:
        """Returns live memories, newest first; if `rows` are given, only of these."""
        before = "" if page.before is None else "AND ts < ? "
        order = before + "ORDER BY ts DESC, row DESC "
        where = "SELECT data, row FROM entries WHERE {} " + order  # noqa: S608
        ends = [end for end in (page.before,) if end is not None]
        if rows is not None and len(rows) > _FEW_ROWS:
            return self._latest_among(where.format("state = ?"), [_LIVE, *ends], page, set(rows))
        if rows is None:
            where, first = where.format("state = ?"), _LIVE
        else:
            where, first = where.format(f"row IN {LIST} AND +state = '{_LIVE}'"), as_json_list(rows)
        found = self._db.rows(f"{where} LIMIT ? OFFSET ?", first, *ends, page.limit, page.offset)
        return [decode_record(data).memory for data, _ in found]

    def _latest_among(
        self, sql: str, values: Sequence[object], page: Page, rows: Collection[int]
    ) -> list[Memory]:
        """Reads all rows, newest first, until enough of them are in `rows`; with many `rows` that
        is soon.
        """
        with self._db.read_connection() as db, closing(db.execute(sql, values)) as found:
            wanted = (data for data, row in found if row in rows)
            return [
                decode_record(data).memory
                for data in islice(wanted, page.offset, page.offset + page.limit)
            ]

    def list_sessions(self, query: SessionQuery) -> list[SessionSpan]:
        rows = self._db.rows(_SPANS, query.since, query.until, query.channel)
        return joined_spans(SpanPart(*row) for row in rows)

    def always_in_prompt(self) -> list[Memory]:
        return [decode_record(data).memory for (data,) in self._db.rows(_ALWAYS_IN_PROMPT)]

    def find_derived(self, only: DerivedFilter) -> list[Memory]:
        if only.ids is not None and not self._db.rows(_ANY_NOTE):
            return []  # every search asks this: without notes it must cost nothing
        condition, values = derived_condition(only)
        # "+row": sorted by row, SQLite would read every exchange for the sake of a few notes.
        sql = f"SELECT data FROM entries WHERE {condition} AND +state = ? ORDER BY +row"  # noqa: S608
        found = (decode_record(data).memory for (data,) in self._db.rows(sql, *values, _LIVE))
        return [memory for memory in found if not only.kinds or memory.kind in only.kinds]

    def forgotten(self) -> list[MemoryRecord]:
        return [decode_record(data) for (data,) in self._db.rows(_ERASABLE)]

    def retention_candidates(self, limit: int) -> list[RetentionCandidate]:
        found = self._db.rows(_EVICTABLE, limit)
        return [
            RetentionCandidate(id=memory_id, ts=ts, is_live=state == _LIVE)
            for memory_id, ts, state in found
        ]

    def count_retention_candidates(self, *, before: float | None = None) -> int:
        if before is None:
            return int(self._db.rows(_EVICTABLE_LIVE)[0][0])
        return int(self._db.rows(_EVICTABLE_BEFORE, before)[0][0])

    def search_dates(
        self, since: float, until: float, *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        condition, values = sql_condition(only)
        inside = "" if only == NO_FILTER else _INSIDE.format(allowed=condition)
        said = (since, until, *values, limit)
        spoken_of = (since - LONGEST_S, until, since, *values, limit)
        sql = _WITHIN.format(allowed=condition, inside=inside)
        return [memory_id for (memory_id,) in self._db.rows(sql, *said, *spoken_of, limit)]

    def counts(self) -> dict[str, int]:
        """Returns cached counts until the next write, since counting reads every row."""
        version = self._db.version()
        counted_at, found = self._counted
        if counted_at != version:
            found = self._count_rows()
            self._counted = version, found
        return dict(found)

    def _count_rows(self) -> dict[str, int]:
        found = dict.fromkeys((state.value for state in MemoryStatus), 0)
        found |= dict(self._db.rows("SELECT state, count(*) FROM entries GROUP BY state"))
        return (
            found
            | {name: self._db.rows(sql)[0][0] for name, sql in _COUNTS.items()}
            | {"last_seq": self.summary().last_seq}
        )
