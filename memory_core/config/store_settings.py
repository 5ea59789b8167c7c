"""Settings of the place where memories are stored."""

from enum import StrEnum

from pydantic import Field

from .section import Section


class StoreBackend(StrEnum):
    LOCAL = "local"
    POSTGRES = "postgres"


class StoreSettings(Section):
    """The place where memories are stored. A change takes effect after a restart."""

    backend: StoreBackend = Field(
        default=StoreBackend.LOCAL,
        description="local: in the folder storage_dir, for one machine. postgres: in the database "
        "that store.dsn names, for several servers at once; it needs psycopg "
        "(pip install 'psycopg[binary]>=3.3,<4') and pgvector 0.8 or newer in the database. "
        "A change takes effect after a restart.",
    )
    dsn: str = Field(
        default="",
        repr=False,
        description="Address of the PostgreSQL database with user and password, such as "
        "postgresql://user:password@host:5432/database. It is a secret and is never shown.",
    )
