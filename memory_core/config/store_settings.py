"""Settings of the engine that keeps the memories."""

from enum import StrEnum

from pydantic import Field

from .section import Section


class StoreBackend(StrEnum):
    """The engine that keeps the memories: files below the storage folder, or a database."""

    LOCAL = "local"
    POSTGRES = "postgres"


class StoreSettings(Section):
    """Where memories are kept."""

    backend: StoreBackend = Field(
        default=StoreBackend.LOCAL,
        description="local: files below storage_dir. postgres: the database of store.dsn, which "
        "many programs can use at once. After a change start anew; copy the memories before with "
        "`python -m memory_core move`.",
    )
    dsn: str = Field(
        default="",
        repr=False,
        description="The PostgreSQL database for store.backend postgres, such as "
        "postgresql://user:password@host:5432/ltm. Several hosts: docs/scale.md.",
    )
