"""Contract of a database connection: the part of psycopg's that this package uses."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol

# Until the end of the transaction.
BIND_NAMESPACE = "SELECT set_config('ltm.namespace', %s, true)"


class Rows(Protocol):
    """The result of one statement."""

    @property
    def rowcount(self) -> int: ...

    def __iter__(self) -> Iterator[Any]: ...

    def fetchone(self) -> Any: ...  # noqa: ANN401  (a tuple or None)

    def fetchall(self) -> list[Any]: ...


class Connection(Protocol):
    """A connection; `binary` asks for values in PostgreSQL's binary form, which cost less."""

    answer_limit_s: float | None

    @property
    def closed(self) -> bool: ...

    @property
    def info(self) -> Any: ...  # noqa: ANN401  (psycopg.ConnectionInfo)

    @property
    def adapters(self) -> Any: ...  # noqa: ANN401  (psycopg's AdaptersMap)

    def execute(self, query: str, params: object = None, *, binary: bool | None = None) -> Rows: ...

    def transaction(self) -> AbstractContextManager[object]: ...

    def close(self) -> None: ...

    def __enter__(self) -> "Connection": ...

    def __exit__(self, *exc: object) -> None: ...
