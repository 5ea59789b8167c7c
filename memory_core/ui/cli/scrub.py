"""The command `scrub`: rewrites the database's files without erased words."""

import argparse
from typing import Any

from ... import bootstrap
from ...config.store_settings import StoreBackend
from ...domain.errors import ConfigError
from . import common
from .common import Terminal, add_command, counted


def add_scrub_command(commands: Any) -> None:  # noqa: ANN401  (argparse keeps its class private)
    add_command(
        commands,
        "scrub",
        "Remove erased words from the files of the database.",
        run,
        description="Rewrite the parts of the PostgreSQL database in which memories were erased: "
        "the server keeps former versions of changed rows until then. Each part is locked while it "
        "is copied. Needs the user who made the tables. Memories in files need none of this.",
    )


def run(args: argparse.Namespace, terminal: Terminal) -> int:
    settings = common.load_settings()
    if settings.store.backend is StoreBackend.LOCAL:
        raise ConfigError(
            "the memories are in files (store.backend is local), where erasing overwrites words at "
            "once; there is nothing to scrub",
            key="store.backend",
        )
    root = common.storage_folder(args, settings)
    engine = bootstrap.open_database(settings, settings.store.dsn, root)
    try:
        parts = engine.scrub()
    finally:
        engine.close()
    terminal.show({"rewritten": parts}, f"{counted(parts, 'part')} of the database rewritten.")
    return 0
