"""Store in PostgreSQL: the rows of one namespace, which any number of programs read and write."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from ...domain.records import Memory
from ..contract import Page
from ..index.local_listing import list_memories
from ..listing import ListedMemories, ListQuery
from ..log.contract import Log
from ..log.events import Event
from .catalog import PostgresCatalog
from .database import Database, repeat_rolled_back
from .derived_version import DerivedVersion, may_change
from .fulltext import PostgresFullText
from .listing import PostgresListing
from .names import stored_name
from .posting_groups import PostingGroups
from .reads import Reads
from .table_log import TableLog
from .vectors import PostgresVectors
from .writes import apply_lines, clear_namespace, erase_words, lock_namespace, read_positions

_DAMAGE = """SELECT n.live, n.length, count(m.row), coalesce(sum(m.length), 0)
    FROM namespaces AS n LEFT JOIN memories AS m ON m.namespace = n.namespace AND m.state = 'live'
    WHERE n.namespace = %s GROUP BY n.live, n.length"""


class PostgresStore:
    """A MemoryStore of one namespace. Everything in it can be rebuilt from the event log.

    The server checks its own files; it stores nothing in a folder of this machine.
    """

    def __init__(self, database: Database, namespace: str, log: Log | None = None) -> None:
        """`log` is the namespace's own; without it, one over the same connections is opened."""
        self._db = database
        self._namespace = stored_name(namespace)
        log = log or TableLog(database, namespace, Path(namespace))
        self._derived = DerivedVersion(database, self._namespace, log)
        self._reads = Reads(database, self._namespace)
        self.catalog = PostgresCatalog(database, self._namespace)
        self.fulltext = PostgresFullText(self._reads)
        self.vectors = PostgresVectors(database, self._reads)
        self._posting_groups = PostingGroups(database, self._namespace)
        self._listing = PostgresListing(database, self._namespace)

    def positions(self, logs: Collection[str] | None = None) -> Mapping[str, int]:
        with self._db.connection(self._namespace) as connection:
            found = read_positions(connection, self._namespace)
        return {log: end for log, end in found.items() if logs is None or log in logs}

    @repeat_rolled_back
    def apply(
        self,
        lines: Sequence[Event],
        positions: Mapping[str, int],
        *,
        since: Mapping[str, int] | None = None,
    ) -> bool:
        with self._db.transaction(self._namespace) as connection:
            if not may_change(connection, self._namespace):
                return False
            lock_namespace(connection, self._namespace)
            if since is not None and since != read_positions(connection, self._namespace):
                return False
            apply_lines(connection, self._namespace, lines, positions)
            return True

    @repeat_rolled_back
    def clear(self) -> None:
        with self._db.transaction(self._namespace) as connection:
            clear_namespace(connection, self._namespace)

    @repeat_rolled_back
    def erase(self, ids: Sequence[str]) -> None:
        """Overwrites the remaining text in the tables at once.

        Copies remain in dead rows and in the write-ahead log until scrub() has run.
        """
        self._derived.refuse_newer()
        with self._db.transaction(self._namespace) as connection:
            erase_words(connection, self._namespace, ids)

    def consistent_read(self) -> AbstractContextManager[None]:
        return self._reads.consistent_read()

    def latest(self, page: Page) -> list[Memory]:
        groups = [(word,) for word in page.words]
        rows = self.fulltext.rows_with_each(groups, None).tolist() if groups else None
        return self.catalog.latest(page, rows)

    def list_memories(self, query: ListQuery) -> ListedMemories:
        return list_memories(self._listing, self.fulltext, query)

    def counts(self) -> dict[str, int]:
        counts = self.catalog.counts()
        unused = {} if self.vectors.has_model else {"embedded": 0, "lacking": counts["vectors"]}
        return counts | unused

    def maintain(self) -> bool:
        return (
            self._derived.recompute()
            or self.vectors.wipe_orphans()
            or self._posting_groups.merge()
            or self.vectors.build_index()
        )

    def find_damage(self) -> list[str]:
        found = self._db.rows(self._namespace, _DAMAGE, self._namespace)
        return [
            f"its totals are {(live, length)}, they should be {(counted, summed)}"
            for live, length, counted, summed in found
            if (live, length) != (counted, summed)
        ]

    def is_in_place(self) -> bool:
        return True

    def close(self) -> None:
        """Does nothing, since other namespaces use the same connections."""


def namespace_of(index: Path, root: Path) -> str:
    """Returns the key of the namespace whose index would lie in this folder below `root`."""
    return index.parent.relative_to(root).as_posix()
