"""Computes the rows of a namespace anew from its log if an older version of the program made them.

One program does so, in one transaction: all others read the old rows until it is done. Meanwhile
nobody applies events, which are in the log already.
"""

import logging

from ...domain.errors import StorageFailed
from ..index.catalog.schema import VERSION
from ..log.contract import Log
from ..log.tail_reader import UnreadEvents, read_unread
from .connection import Connection
from .database import Database, repeat_rolled_back
from .writes import apply_lines, clear_namespace, lock_namespace, mark_erased

_log = logging.getLogger("long_term_memory")

_KEY = "hashtextextended(%s, 22)"
_DERIVED = "SELECT derived FROM namespaces WHERE namespace = %s"
_BEGIN_CHANGE = f"""SELECT pg_try_advisory_xact_lock_shared({_KEY}),
    (SELECT derived FROM namespaces WHERE namespace = %s)"""  # noqa: S608
_BEGIN_ANEW = f"SELECT pg_try_advisory_xact_lock({_KEY})"
# The transaction is idle while another connection reads the log.
_WITHOUT_LIMITS = (
    "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0"
)
_EVENTS_PER_STEP = 1000
_NEWER = (
    "a newer version of the program keeps the index of these memories: update this program, which "
    "cannot find what is written from now on"
)


def may_change(connection: Connection, namespace: str) -> bool:
    """Keeps others from computing the rows anew until the transaction ends; returns False if one
    does so just now, or if a newer version of the program has made them.
    """
    is_free, derived = connection.execute(_BEGIN_CHANGE, (namespace, namespace)).fetchone()
    return bool(is_free) and (derived or 0) <= VERSION


class DerivedVersion:
    """The version of one namespace's rows."""

    def __init__(self, database: Database, namespace: str, log: Log) -> None:
        self._db = database
        self._namespace = namespace
        self._event_log = log
        self._is_warned = False

    def recompute(self) -> bool:
        """Computes old rows anew; returns whether it did. Another program may be doing so."""
        derived = self._stored()
        if derived > VERSION and not self._is_warned:
            self._is_warned = True
            _log.warning(_NEWER)
        return derived < VERSION and self._recompute()

    def refuse_newer(self) -> None:
        """Raises StorageFailed if a newer version of the program has made the rows."""
        if self._stored() > VERSION:
            raise StorageFailed(_NEWER)

    def _stored(self) -> int:
        found = self._db.rows(self._namespace, _DERIVED, self._namespace)
        return int(found[0][0]) if found else VERSION

    @repeat_rolled_back
    def _recompute(self) -> bool:
        own = self._namespace
        with self._db.transaction(own) as connection:
            if not connection.execute(_BEGIN_ANEW, (own,)).fetchone()[0]:
                return False
            lock_namespace(connection, own)  # first: nothing is erased after the log was read
            if connection.execute(_DERIVED, (own,)).fetchone()[0] >= VERSION:
                return False
            connection.answer_limit_s = None
            connection.execute(_WITHOUT_LIMITS)
            clear_namespace(connection, own)
            self._apply_all(connection, read_unread(self._event_log, {}, self._event_log.logs()))
            mark_erased(connection, own)  # dead rows hold words that may be erased later
        return True

    def _apply_all(self, connection: Connection, unread: UnreadEvents) -> None:
        for events, ends in unread.batches(_EVENTS_PER_STEP):
            apply_lines(connection, self._namespace, events, ends)
        if not unread.is_complete:
            raise StorageFailed("a log was rewritten meanwhile: its index is computed again later")
