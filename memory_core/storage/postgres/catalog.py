"""The catalog of one namespace in PostgreSQL: lookups by id, conversation, content and time."""

from collections.abc import Collection, Sequence
from typing import Any

from ...domain.records import Memory
from ..contract import (
    NO_FILTER,
    CatalogSummary,
    DerivedFilter,
    Page,
    RetentionCandidate,
    SearchFilter,
)
from ..index.catalog.rows import LONGEST_S, decode_record, known_exchange_from
from ..listing import SessionQuery, SessionSpan, SpanPart, joined_spans
from ..log.diff import KnownExchange
from ..log.projection import MemoryRecord, MemoryStatus
from .database import Database
from .filters import derived_condition, search_condition
from .names import original_name, stored_name, text_array

_OWN = "FROM memories AS m WHERE m.namespace = %s"
_LIVE = "m.state = 'live'"
_SUMMARY = f"""SELECT coalesce(max(last_applied_seq), 0), coalesce(max(last_seq), 0),
    coalesce(max(derived), 0), EXISTS (SELECT 1 {_OWN} AND m.state = 'forgotten')
    FROM namespaces WHERE namespace = %s"""  # noqa: S608
_KNOWN = """SELECT m.id, m.chat_key, p.position, m.user_key, m.assistant_key, m.state,
    (SELECT count(*) FROM places AS q WHERE q.namespace = p.namespace AND q.row = p.row),
    m.ts FROM places AS p JOIN memories AS m ON m.namespace = p.namespace AND m.row = p.row
    WHERE p.namespace = %s AND p.conversation = %s ORDER BY p.position, p.row"""
_CONVERSATION = """SELECT m.data FROM places AS p
    JOIN memories AS m ON m.namespace = p.namespace AND m.row = p.row
    WHERE p.namespace = %s AND p.conversation = %s AND m.state = 'live'
    ORDER BY p.position DESC, p.row DESC LIMIT %s"""
_LAST_POSITION = """SELECT coalesce(max(position), 0) FROM places
    WHERE namespace = %s AND conversation = %s"""
_SPANS = """SELECT p.conversation, m.channel, min(m.ts), max(m.ts), count(*)
    FROM places AS p JOIN memories AS m ON m.namespace = p.namespace AND m.row = p.row
    WHERE p.namespace = %s AND m.kind = 'exchange' AND m.state = 'live'
    AND (%s::float8 IS NULL OR m.ts >= %s::float8) AND (%s::float8 IS NULL OR m.ts < %s::float8)
    AND (%s::text = '' OR m.channel = %s::text) GROUP BY p.conversation, m.channel"""
_AGE = "m.ts NULLS FIRST, m.row"
_CANDIDATES = " UNION ALL ".join(
    f"(SELECT m.id, m.ts, m.state, m.row {_OWN} AND m.state = '{state}' "
    f"AND NOT m.always_in_prompt ORDER BY {_AGE} LIMIT %s)"
    for state in (MemoryStatus.LIVE.value, MemoryStatus.REMOVED.value)
)
# Only the latest of both kinds are read: very many memories mention "last year".
_SAID = f"SELECT m.row, m.ts {_OWN} AND {_LIVE} AND m.ts >= %s AND m.ts < %s"
_MENTIONED = """SELECT DISTINCT m.row, m.ts FROM mentioned_times AS t
    JOIN memories AS m ON m.namespace = t.namespace AND m.row = t.row
    WHERE t.namespace = %s AND t.begins > %s AND t.begins < %s AND t.ends > %s"""
_COUNTS = """SELECT
    (SELECT count(DISTINCT p.conversation) FROM places AS p
        JOIN memories AS m ON m.namespace = p.namespace AND m.row = p.row
        WHERE p.namespace = %s AND m.state = 'live'),
    (SELECT count(*) FROM wanted_vectors WHERE namespace = %s),
    (SELECT count(*) FROM wanted_vectors WHERE namespace = %s AND state = 1),
    (SELECT count(*) FROM wanted_vectors WHERE namespace = %s AND state = 0)"""


class PostgresCatalog:
    """A Catalog of one namespace. Safe for many threads."""

    def __init__(self, database: Database, namespace: str) -> None:
        self._db = database
        self._namespace = namespace

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        return self._db.rows(self._namespace, sql, self._namespace, *values)

    def _records(self, where: str, *values: object) -> list[MemoryRecord]:
        rows = self._rows(f"SELECT m.data {_OWN} AND {where}", *values)
        return [decode_record(data) for (data,) in rows]

    def summary(self) -> CatalogSummary:
        applied, last, derived, has_forgotten = self._rows(_SUMMARY, self._namespace)[0]
        return CatalogSummary(
            last_applied_seq=applied,
            last_seq=last,
            has_forgotten=has_forgotten,
            derived_version=derived,
        )

    def get(self, ids: Sequence[str]) -> dict[str, MemoryRecord]:
        found = self._records("m.id = ANY(%s::text[])", _stored(ids))
        return {entry.memory.id: entry for entry in found}

    def live_seqs(self, ids: Collection[str], only: SearchFilter = NO_FILTER) -> dict[str, int]:
        condition, values = search_condition(only)
        sql = f"SELECT m.id, m.seq {_OWN} AND m.id = ANY(%s::text[]) AND {_LIVE} AND {condition}"
        found = self._rows(sql, _stored(ids), *values)
        return {original_name(memory_id): seq for memory_id, seq in found}

    def known_exchanges(self, conversation: str) -> list[KnownExchange]:
        found = self._rows(_KNOWN, stored_name(conversation))
        return [
            known_exchange_from((original_name(memory_id), *rest)) for memory_id, *rest in found
        ]

    def conversation(self, conversation: str, limit: int) -> list[Memory]:
        found = self._rows(_CONVERSATION, stored_name(conversation), limit)
        return [decode_record(data).memory for (data,) in reversed(found)]

    def last_position(self, conversation: str) -> float:
        ((position,),) = self._rows(_LAST_POSITION, stored_name(conversation))
        return float(position)

    def exchanges_by_content(self, keys: Collection[str]) -> list[tuple[str, MemoryRecord]]:
        found = self._rows(
            f"SELECT m.chat_key, m.data {_OWN} AND m.chat_key = ANY(%s::text[]) "
            "AND m.kind = 'exchange' ORDER BY m.row",
            list(keys),
        )
        return [(key, decode_record(data)) for key, data in found]

    def ids_by_content(self, keys: Collection[str]) -> list[str]:
        found = self._rows(
            f"SELECT m.id {_OWN} AND ((m.chat_key = ANY(%s::text[]) AND m.key = m.chat_key) "
            "OR (m.key = ANY(%s::text[]) AND m.key <> m.chat_key)) "
            "AND m.state <> 'forgotten' ORDER BY m.row",
            list(keys),
            list(keys),
        )
        return [original_name(memory_id) for (memory_id,) in found]

    def list_sessions(self, query: SessionQuery) -> list[SessionSpan]:
        ends = [query.since] * 2 + [query.until] * 2
        rows = self._rows(_SPANS, *ends, *[stored_name(query.channel)] * 2)
        return joined_spans(
            SpanPart(original_name(conversation), original_name(channel), *rest)
            for conversation, channel, *rest in rows
        )

    def always_in_prompt(self) -> list[Memory]:
        found = self._records(f"m.always_in_prompt AND {_LIVE} ORDER BY m.row")
        return [entry.memory for entry in found]

    def find_derived(self, only: DerivedFilter) -> list[Memory]:
        condition, values = derived_condition(only)
        found = self._records(f"{condition} AND {_LIVE} ORDER BY m.row", *values)
        return [entry.memory for entry in found]

    def forgotten(self) -> list[MemoryRecord]:
        return self._records("m.state = 'forgotten' AND m.key <> '' ORDER BY m.row")

    def retention_candidates(self, limit: int) -> list[RetentionCandidate]:
        sql = f"SELECT * FROM ({_CANDIDATES}) AS m ORDER BY {_AGE}"  # noqa: S608
        found = self._rows(sql, limit, self._namespace, limit)
        return [
            RetentionCandidate(
                id=original_name(memory_id), ts=ts, is_live=state == MemoryStatus.LIVE
            )
            for memory_id, ts, state, _ in found
        ]

    def count_retention_candidates(self, *, before: float | None = None) -> int:
        sql = f"SELECT count(*) {_OWN} AND NOT m.always_in_prompt AND "
        if before is None:
            found = self._rows(sql + _LIVE)
        else:
            sql += "m.state IN ('live', 'removed') AND m.ts < %s"
            found = self._rows(sql, before)
        return int(found[0][0])

    def search_dates(
        self, since: float, until: float, *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        condition, values = search_condition(only)
        latest = f"AND {condition} ORDER BY m.ts DESC, m.row DESC LIMIT %s"
        rows = f"({_SAID} {latest}) UNION ({_MENTIONED} {latest})"
        sql = f"""SELECT m.id FROM ({rows}) AS found JOIN memories AS m
            ON m.namespace = %s AND m.row = found.row
            ORDER BY m.ts DESC, m.row DESC LIMIT %s"""  # noqa: S608
        own = self._namespace
        said = (since, until, *values, limit)
        mentioned = (own, since - LONGEST_S, until, since, *values, limit)
        found = self._rows(sql, *said, *mentioned, own, limit)
        return [original_name(memory_id) for (memory_id,) in found]

    def latest(self, page: Page, rows: Sequence[int] | None) -> list[Memory]:
        """Returns live memories, newest first; if `rows` are given, only of these."""
        where, values = _LIVE, list[object]()
        if rows is not None:
            where, values = f"{where} AND m.row = ANY(%s::int[])", [list(rows)]
        if page.before is not None:
            where, values = f"{where} AND m.ts < %s", [*values, page.before]
        order = "ORDER BY m.ts DESC NULLS LAST, m.row DESC LIMIT %s OFFSET %s"
        found = self._records(f"{where} {order}", *values, page.limit, page.offset)
        return [entry.memory for entry in found]

    def counts(self) -> dict[str, int]:
        found = dict.fromkeys((state.value for state in MemoryStatus), 0)
        states = f"SELECT m.state, count(*) {_OWN} GROUP BY m.state"
        found |= dict(self._rows(states))
        conversations, vectors, embedded, lacking = self._rows(_COUNTS, *[self._namespace] * 3)[0]
        return found | {
            "conversations": conversations,
            "vectors": vectors,
            "embedded": embedded,
            "lacking": lacking,
            "last_seq": self.summary().last_seq,
        }


def _stored(names: Collection[str]) -> str:
    return text_array(map(stored_name, names))
