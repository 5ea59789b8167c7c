"""The command `move`: copies all memories from files into a database, or back."""

import argparse
import json
from typing import Any

from ... import bootstrap
from ...admin.copy_logs import CopiedLog, copy_logs, copy_small_files
from ...config.schema import Settings
from ...config.server_settings import KEYS_FILE
from ...domain.errors import ConfigError
from ...storage.aliases import ALIASES
from ...storage.engine import OpenLog
from ...storage.log.event_log import EventLog
from ...storage.shared import local_storage
from . import common
from .common import Terminal, add_command, counted

_LOCAL = "local"


def add_move_command(commands: Any) -> None:  # noqa: ANN401  (argparse keeps its class private)
    parser = add_command(
        commands,
        "move",
        "Copy all memories into a database, or back into files.",
        run,
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


def run(args: argparse.Namespace, terminal: Terminal) -> int:
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
