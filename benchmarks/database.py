"""Measures what memories cost in PostgreSQL: bytes in each table, and appends a second.

python -m benchmarks.database [--memories N] [--writers N] [--seconds S] [--folder DIR] [--json]

Starts a server of its own in DIR (default: /tmp), whose disk takes every commit. Fills one
namespace with exchanges and vectors of 384 numbers, and tells the bytes of each table with its
indexes. Then writers in threads append to logs, each to a namespace of its own.
"""

import argparse
import json
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from benchmarks.command import run
from benchmarks.store_fill import filled
from benchmarks.timing import load
from memory_core.storage.log.events import EventType, NewEvent
from memory_core.storage.postgres.database import Database
from memory_core.storage.postgres.table_log import TableLog
from tests.scale.servers import Server, cluster

_SIZES = """
SELECT coalesce(parent.relname, t.relname), sum(pg_total_relation_size(t.oid)),
    sum(pg_indexes_size(t.oid))
FROM pg_class AS t
LEFT JOIN pg_inherits AS part ON part.inhrelid = t.oid
LEFT JOIN pg_class AS parent ON parent.oid = part.inhparent
WHERE t.relnamespace = 'ltm'::regnamespace AND t.relkind = 'r'
GROUP BY 1 ORDER BY 2 DESC
"""
_SENTENCE = "We walked along the river, and talked about what to cook for the guests on Sunday."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--folder", type=Path, default=Path("/tmp"))  # noqa: S108
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with cluster(folder=options.folder) as servers:
        result = measure(servers.servers[0], options)
    print(json.dumps(result) if options.json else json.dumps(result, indent=1))


def measure(server: Server, options: argparse.Namespace) -> dict[str, Any]:
    started = load()
    appended = append_for(server, options.writers, options.seconds)
    empty = sizes(server)
    with tempfile.TemporaryDirectory() as folder:
        cost = filled(Path(folder) / "run", options.memories, clustered=True, dsn=server.dsn())
    server.execute("VACUUM ANALYZE")
    tables = {
        name: {kind: round((total[kind] - empty[name][kind]) / options.memories) for kind in total}
        for name, total in sizes(server).items()
    }
    return {
        "memories": options.memories,
        **cost,
        "appends_per_s": appended,
        "writers": options.writers,
        "bytes_per_memory": sum(table["total"] for table in tables.values()),
        "tables": {name: table for name, table in tables.items() if table["total"]},
        "load": [started, load()],
    }


def sizes(server: Server) -> dict[str, dict[str, int]]:
    """Returns the bytes of each table with its partitions, and of its indexes alone."""
    rows = server.execute(_SIZES)
    return {
        str(name): {"total": int(str(total)), "indexes": int(str(indexes))}
        for name, total, indexes in rows
    }


def append_for(server: Server, writers: int, seconds: float) -> int:
    """Returns the appends a second of all writers together, each acknowledged by a commit."""
    counts, stop = [0] * writers, threading.Event()
    database = Database(server.dsn(), max_connections=writers)
    with database.connection("writer"):
        pass  # makes the tables first

    def write(number: int) -> None:
        log = TableLog(database, f"writer/{number}", Path("none"))
        while not stop.is_set():
            fields = {"user": _SENTENCE, "assistant": _SENTENCE}
            draft = NewEvent(op=EventType.ADD, ts=None, log="talk", fields=fields)
            counts[number] += len(list(log.append_all([draft])))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
    for thread in threads:
        thread.start()
    began = time.monotonic()
    stop.wait(seconds)
    stop.set()
    for thread in threads:
        thread.join()
    took = time.monotonic() - began
    database.close()
    return round(sum(counts) / took)


if __name__ == "__main__":
    run(main)
