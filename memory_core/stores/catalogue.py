"""The entries of one namespace in SQLite: everything but the search by words."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from enum import IntEnum
from itertools import islice

from ..records import Memory
from ..transcript.entries import Entry, State, fold
from ..transcript.lines import Line
from ..transcript.reconcile import Known
from .base import Page, Side, Unembedded
from .database import EVER, LIST, Database, listed, quoted
from .rows import LONGEST_S, entry_of, sides_of
from .saving import load, save


class Kept(IntEnum):
    """What became of a vector that a memory wants."""

    LACKING = 0
    EMBEDDED = 1
    USELESS = 2  # no unit row: another would be none either


_LIVE = State.LIVE.value
# The latest of either kind, without going through the others: "last year" names very many.
_WITHIN = """SELECT id FROM entries WHERE row IN (
    SELECT * FROM (SELECT row FROM entries WHERE state = ? AND ts >= ? AND ts < ? AND +born <= ?
        ORDER BY ts DESC, row DESC LIMIT ?)
    UNION ALL
    SELECT row FROM (SELECT DISTINCT said, row FROM happened WHERE start > ? AND start < ?
        AND end > ? AND row NOT IN (SELECT row FROM entries WHERE born > ?)
        ORDER BY said DESC, row DESC LIMIT ?)
    ) ORDER BY ts DESC, row DESC LIMIT ?"""
_KNOWN = """SELECT e.id, e.chat_key, p.place, e.user_key, e.assistant_key, e.state,
    (SELECT count(*) FROM places AS q WHERE q.row = p.row)
    FROM places AS p JOIN entries AS e USING (row)
    WHERE p.conversation = ? ORDER BY p.place, p.row"""
_COUNTS = {
    "conversations": "SELECT count(*) FROM (SELECT conversation FROM entries "
    "WHERE conversation != '' UNION SELECT conversation FROM places)",
    "last_seq": "SELECT coalesce(max(born), 0) FROM entries",
    "vectors": "SELECT count(*) FROM vectors",
    "embedded": f"SELECT count(*) FROM vectors WHERE kept = {Kept.EMBEDDED:d}",  # noqa: S608
}


class Catalogue:
    """What a store says of its entries, in SQL. Safe for many threads."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def _entries(self, where: str, *values: object) -> list[Entry]:
        return [entry_of(data) for (data,) in self._db.rows(f"SELECT data FROM {where}", *values)]  # noqa: S608

    def positions(self) -> dict[str, int]:
        return dict(self._db.rows("SELECT log, position FROM logs"))

    def apply(self, lines: Sequence[Line], positions: Mapping[str, int]) -> None:
        with self._db.writing() as db:
            before = load(db, {line.id for line in lines})
            after, born = dict(before), dict[str, int]()
            for line in lines:
                entry = fold(after.get(line.id), line)
                if entry is not None:
                    after[line.id] = entry
                    born.setdefault(line.id, line.seq)
            save(db, before, after, born)
            db.executemany("REPLACE INTO logs VALUES (?, ?)", list(positions.items()))

    def get(self, ids: Sequence[str]) -> dict[str, Entry]:
        found = self._entries(f"entries WHERE id IN {LIST}", listed(ids))
        return {entry.memory.id: entry for entry in found}

    def seqs(self, ids: Sequence[str]) -> dict[str, int]:
        return dict(
            self._db.rows(
                f"SELECT id, seq FROM entries WHERE id IN {LIST} AND +state = ?",  # noqa: S608
                listed(ids),
                _LIVE,
            )
        )

    def known(self, conversation: str) -> list[Known]:
        return [
            Known(
                id=row[0],
                key=row[1],
                place=row[2],
                user_key=row[3],
                assistant_key=row[4],
                forgotten=row[5] == State.FORGOTTEN,
                shared=row[6] > 1,
            )
            for row in self._db.rows(_KNOWN, conversation)
        ]

    def conversation(self, conversation: str, limit: int) -> list[Memory]:
        found = self._entries(
            "places AS p JOIN entries AS e USING (row) WHERE p.conversation = ? AND e.state = ? "
            "ORDER BY p.place DESC, p.row DESC LIMIT ?",
            conversation,
            _LIVE,
            limit,
        )
        return [entry.memory for entry in reversed(found)]

    def said(self, keys: Collection[str]) -> list[tuple[str, Entry]]:
        found = self._db.rows(
            f"SELECT chat_key, data FROM entries WHERE chat_key IN {LIST} "  # noqa: S608
            "AND +kind = 'exchange' ORDER BY row",
            listed(list(keys)),
        )
        return [(key, entry_of(data)) for key, data in found]

    def find_key(self, key: str) -> str | None:
        found = self._db.rows(
            "SELECT conversation FROM entries WHERE key = ? AND state = ? "
            "ORDER BY row DESC LIMIT 1",
            key,
            _LIVE,
        )
        return found[0][0] if found else None

    def copies(self, keys: Collection[str]) -> list[str]:
        found = self._db.rows(
            f"SELECT id FROM entries WHERE key IN {LIST} AND +state = ? ORDER BY row",  # noqa: S608
            listed(list(keys)),
            _LIVE,
        )
        return [memory_id for (memory_id,) in found]

    def latest(self, page: Page) -> list[Memory]:
        before = "" if page.before is None else "AND ts < ? "
        order = f"{before}ORDER BY ts DESC, row DESC LIMIT ? OFFSET ?"
        ends = [it for it in (page.before,) if it is not None] + [page.limit, page.offset]
        if not page.words:
            found = self._entries(f"entries WHERE state = ? {order}", _LIVE, *ends)
        else:
            match = " AND ".join(quoted(page.words))
            inside = "row IN (SELECT rowid FROM words WHERE words MATCH ?)"
            found = self._entries(f"entries WHERE {inside} {order}", match, *ends)
        return [entry.memory for entry in found]

    def standing(self) -> list[Memory]:
        found = self._entries("entries WHERE stands = 1 AND state = ? ORDER BY row", _LIVE)
        return [entry.memory for entry in found]

    def forgotten(self) -> list[Entry]:
        found = self._entries("entries WHERE state = ? ORDER BY row", State.FORGOTTEN)
        return [entry for entry in found if entry.has_words]

    def erase(self, emptied: Mapping[str, Entry]) -> None:
        self._db.scrub()  # first: once the entries are empty, nobody would come back for the rest
        with self._db.writing() as db:
            save(db, load(db, emptied.keys()), emptied, {})
        self._db.checkpoint()

    def within(
        self, since: float, until: float, *, limit: int, until_seq: int | None = None
    ) -> list[str]:
        seq = until_seq if until_seq is not None else EVER
        said = (_LIVE, since, until, seq, limit)
        spoken_of = (since - LONGEST_S, until, since, seq, limit)
        return [memory_id for (memory_id,) in self._db.rows(_WITHIN, *said, *spoken_of, limit)]

    def vector_ids(self) -> set[int]:
        return {it for (it,) in self._db.rows("SELECT vector_id FROM vectors")}

    def vector_ids_of(self, ids: Collection[str]) -> dict[str, dict[Side, int]]:
        found = self._db.rows(
            "SELECT id, side, vector_id FROM entries JOIN vectors USING (row) "  # noqa: S608
            f"WHERE id IN {LIST}",
            listed(list(ids)),
        )
        sides: dict[str, dict[Side, int]] = {}
        for memory_id, side, vector_id in found:
            sides.setdefault(memory_id, {})[Side(side)] = vector_id
        return sides

    def by_vectors(self, vector_ids: Collection[int], until_seq: int | None) -> dict[int, str]:
        """vector_id → id of the live memories among these."""
        return dict(
            self._db.rows(
                "SELECT vector_id, id FROM vectors JOIN entries USING (row) "  # noqa: S608
                f"WHERE vector_id IN {LIST} AND +born <= ?",
                listed(list(vector_ids)),
                until_seq if until_seq is not None else EVER,
            )
        )

    def pairs(self, embedded: Callable[[int], bool], limit: int) -> list[str]:
        """Live exchanges both of whose sides are embedded, in no order that tells anything."""
        sql = (
            "SELECT id, user.vector_id, answer.vector_id FROM vectors AS user "
            "JOIN vectors AS answer ON answer.row = user.row AND answer.side = 1 "
            "JOIN entries ON entries.row = user.row "
            "WHERE user.side = 0 AND user.kept = 1 "
            "ORDER BY user.vector_id"  # a hash: as good as drawn by lot
        )
        with self._db.using() as db, closing(db.execute(sql)) as found:
            whole = (it for it, user, answer in found if embedded(user) and embedded(answer))
            return list(islice(whole, limit))

    def born_after(self, seq: int) -> int:
        return int(self._db.rows("SELECT count(*) FROM entries WHERE born > ?", seq)[0][0])

    def mark(self, vector_ids: Collection[int], kept: Kept) -> None:
        """What became of these; only what is lacking is asked for."""
        if vector_ids:
            with self._db.writing() as db:
                db.execute(
                    f"UPDATE vectors SET kept = ?1 WHERE kept != ?1 AND vector_id IN {LIST}",  # noqa: S608
                    (kept, listed(list(vector_ids))),
                )

    def mark_all(self, is_embedded: Callable[[int], bool]) -> None:
        """Of all vectors, anew, whether they are embedded."""
        with self._db.writing() as db:
            marks = db.execute("SELECT vector_id, kept FROM vectors").fetchall()
            now = ((int(is_embedded(it)), it, kept) for it, kept in marks)
            changed = [(kept, it) for kept, it, before in now if kept != before]
            db.executemany("UPDATE vectors SET kept = ? WHERE vector_id = ?", changed)

    def texts(self, limit: int) -> list[Unembedded]:
        """Live memories' sides whose vector is lacking, newest first: asked for soonest."""
        found = self._db.rows(
            "SELECT vector_id, side, data FROM vectors JOIN entries USING (row) "
            "WHERE kept = 0 ORDER BY vectors.row DESC, side LIMIT ?",
            limit,
        )
        return [
            Unembedded(vector_id=it, text=sides_of(entry_of(data).memory)[side])
            for it, side, data in found
        ]

    def counts(self) -> dict[str, int]:
        found = dict.fromkeys((state.value for state in State), 0)
        found |= dict(self._db.rows("SELECT state, count(*) FROM entries GROUP BY state"))
        return found | {name: self._db.rows(sql)[0][0] for name, sql in _COUNTS.items()}
