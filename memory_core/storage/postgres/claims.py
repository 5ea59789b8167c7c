"""Claims the background work of namespaces, with advisory locks on one connection."""

import threading
from contextlib import ExitStack

from ...domain.errors import StorageFailed, StorageLocked
from .connection import Connection
from .database import Database

_NO_NAMESPACE = ""
_KEY = "hashtextextended(%s, 21)"


class Claims:
    """This program's claims. Safe for many threads. A lost connection frees all of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._open = ExitStack()
        self._connection: Connection | None = None
        self._claimed: set[str] = set()

    def claim(self, namespace: str) -> None:
        """Claims a namespace until release(). Raises StorageLocked if another program has it, and
        StorageFailed.
        """
        with self._lock:
            try:
                self._claim(namespace)
            except StorageFailed:
                self._forget_all()
                raise

    def release(self, namespace: str) -> None:
        with self._lock:
            if namespace not in self._claimed or self._connection is None:
                return
            self._claimed.discard(namespace)
            try:
                with self._database.translate_errors():
                    self._connection.execute(f"SELECT pg_advisory_unlock({_KEY})", (namespace,))
            except StorageFailed:
                self._forget_all()

    def close(self) -> None:
        with self._lock:
            self._forget_all()

    def _claim(self, namespace: str) -> None:
        connection = self._connected()
        with self._database.translate_errors():
            if namespace in self._claimed:
                connection.execute("SELECT 1")  # fails if the claims are lost
                return
            asked = connection.execute(f"SELECT pg_try_advisory_lock({_KEY})", (namespace,))
            if not asked.fetchone()[0]:
                raise StorageLocked(
                    f"another program does the background work of {namespace}; "
                    "this one leaves it alone until that one ends"
                )
        self._claimed.add(namespace)

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._open.enter_context(self._database.connection(_NO_NAMESPACE))
        return self._connection

    def _forget_all(self) -> None:
        """Closes the connection, which frees all locks on the server."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        self._claimed.clear()
        self._open.close()
