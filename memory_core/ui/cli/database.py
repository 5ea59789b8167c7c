"""The commands `move` and `scrub`: memories in a database instead of files."""

import argparse
import json

from ... import bootstrap
from ...admin.copy_logs import CopiedLog, copy_logs, copy_small_files
from ...config.schema import Settings
from ...config.server_settings import KEYS_FILE
from ...config.store_settings import StoreBackend
from ...domain.errors import ConfigError
from ...storage.aliases import ALIASES
from ...storage.engine import OpenLog
from ...storage.log.event_log import EventLog
from ...storage.shared import local_storage
from . import common
from .common import Commands, Terminal, add_command, counted

_LOCAL = "local"


def add_database_commands(commands: Commands) -> None:
    _add_move(commands)
    _add_scrub(commands)


def _add_move(commands: Commands) -> None:
    parser = add_command(
        commands,
        "move",
        "Copy all memories into a database, or back into files.",
        _move,
        description="Copy the logs of all memories into a PostgreSQL database, or back into files, "
        "and compare both by SHA-256; names, pauses and API keys go with them. Nothing is deleted "
        "where they were. Set store.backend afterwards. Run it again if it was cut "
        "off: it goes on.",
    )
    parser.add_argument(
        "--to",
        required=True,
        metavar="TARGET",
        help="A DSN, or store: into the database of store.dsn. local: from there into files.",
    )
    parser.add_argument(
        "--dsn", metavar="DSN", help="With --to local: another database than that of store.dsn."
    )


def _move(args: argparse.Namespace, terminal: Terminal) -> int:
    settings = common.load_settings()
    copied = _copy(args, settings)
    new = [log for log in copied if log.is_new]
    totals = {
        "namespaces": len({log.namespace for log in copied}),
        "logs": len(copied),
        "copied": len(new),
        "events": sum(log.events for log in copied),
        "bytes": sum(log.size for log in copied),
    }
    if args.json:
        sums = [
            {"namespace": log.namespace.label, "log": log.log, "sha256": log.sha256}
            for log in copied
        ]
        terminal.print_result(json.dumps({**totals, "verified": sums}))
    else:
        terminal.print_result(
            f"{counted(totals['events'], 'event')} in {counted(totals['logs'], 'log')} are the "
            f"same in both places; {len(new):,} of the logs were copied now."
        )
        backend = _LOCAL if args.to == _LOCAL else "postgres"
        terminal.print_note(f"Now set store.backend to {backend}, and start the programs anew.")
    return 0


def _copy(args: argparse.Namespace, settings: Settings) -> list[CopiedLog]:
    root = common.storage_folder(args, settings)
    is_named = args.to not in (_LOCAL, "store")
    dsn = args.to if is_named else args.dsn or settings.store.dsn
    if "://" not in dsn and "=" not in dsn:
        raise ConfigError(
            "--to is local, store (the database of store.dsn) or a DSN such as "
            "postgresql://user@host:5432/database; no database is named",
            key="--to",
        )
    engine = bootstrap.open_database(settings, dsn, root)
    logs: tuple[OpenLog, OpenLog] = (EventLog, engine.open_log)
    shared = (local_storage(root), engine.shared)
    if args.to == _LOCAL:
        logs, shared = (logs[1], logs[0]), (shared[1], shared[0])
    try:
        spaces = shared[0].namespaces.all()
        copied = list(copy_logs(root, spaces, source=logs[0], target=logs[1]))
        copy_small_files(root, spaces, (ALIASES, KEYS_FILE), source=shared[0], target=shared[1])
        return copied
    finally:
        engine.close()


def _add_scrub(commands: Commands) -> None:
    add_command(
        commands,
        "scrub",
        "Remove erased words from the files of the database.",
        _scrub,
        description="Rewrite the parts of the PostgreSQL database in which memories were erased: "
        "the server keeps former versions of changed rows until then. Each part is locked while it "
        "is copied. Needs the user who made the tables. Memories in files need none of this.",
    )


def _scrub(args: argparse.Namespace, terminal: Terminal) -> int:
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
