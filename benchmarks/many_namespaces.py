"""Measures one namespace alone in PostgreSQL, and among thousands of others.

    python -m benchmarks.many_namespaces [--others 10000] [--memories 10000] [--samples 200]

Starts a server and fills a database through the product. A copy of it gets the other namespaces, of
20 memories with 40 vectors each, their rows in no order of theirs. Recall and append are timed in
turn in both databases: in the namespace of --memories, and in a small one of 20.

The figures: sides.py. "bytes_per_other_memory": what the copy grew by.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from benchmarks.sides import Side, figures, in_turn
from benchmarks.store_fill import filled, questions_file
from benchmarks.store_talk import SPACE, Opened, Talk, asked, derive_all
from benchmarks.timing import load
from memory_core.domain.namespaces import Namespace
from tests.scale.servers import DATABASE, Server, cluster

SMALL = Namespace("bob", "Mira")
SMALL_COUNT = 20
_WARM = 10
_COLUMNS = """SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
    WHERE attrelid = 'ltm.{}'::regclass AND attnum > 1 AND NOT attisdropped"""
_COPY = """INSERT INTO ltm.{table} (namespace, {columns})
    SELECT 'other' || n || '/mira', {columns} FROM ltm.{table}, generate_series(1, {others}) AS n
    WHERE namespace = '{own}' ORDER BY {order}"""
_TABLES = {
    "namespaces": "n",
    "log_heads": "n",
    "log_ends": "n",
    "log_positions": "n",
    "log_lines": "start, n",
    "memories": "row, n",
    "places": "row, n",
    "derivation_refs": "row, n",
    "mentioned_times": "row, n",
    "lengths": "block, n",
    "postings": "term, n",
    "wanted_vectors": "row, n",
    "vectors": "vector_id, n",
}


def measured(given: argparse.Namespace) -> dict[str, Any]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(cluster(settings={"shared_buffers": "1GB"})).servers[0]
        alone = folder / "filled"
        filled(alone, given.memories, clustered=True, dsn=server.dsn())
        _add_small(alone, server)
        server.execute(f"CREATE DATABASE among TEMPLATE {DATABASE}", database="postgres")
        before = _size(server)
        _add_others(server, given.others)
        added = (_size(server) - before) / (given.others * SMALL_COUNT or 1)
        sides = {
            "alone": Side(_opened(stack, alone, server.dsn()), server.dsn()),
            "among": Side(_opened(stack, alone, server.dsn("among")), server.dsn("among")),
        }
        questions = json.loads(questions_file(alone).read_text())
        _measure(sides, random.Random(2).choices(questions, k=given.samples))
        return {
            "memories": given.memories,
            "others": given.others,
            "load": load(),
            "bytes_per_other_memory": round(added),
            **figures(sides),
        }


def _opened(stack: ExitStack, folder: Path, dsn: str) -> Opened:
    opened = Opened(folder, clustered=True, dsn=dsn)
    stack.callback(opened.close)
    return opened


def _add_small(folder: Path, server: Server) -> None:
    opened = Opened(folder, clustered=True, dsn=server.dsn())
    said = [one.exchange for one in Talk().conversation(1_000_000, SMALL_COUNT)]
    opened.memory.reconcile(SMALL, "talk", said, whole=True)
    derive_all(opened.memory, SMALL)
    opened.close()


def _add_others(server: Server, others: int) -> None:
    """Copies the rows of the small namespace."""
    own = server.execute("SELECT namespace FROM ltm.namespaces ORDER BY live LIMIT 1")[0][0]
    for table, order in _TABLES.items():
        ((columns,),) = server.execute(_COLUMNS.format(table), database="among")
        values = {"table": table, "columns": columns, "order": order, "own": own}
        server.execute(_COPY.format(others=others, **values), database="among")
    server.execute("VACUUM ANALYZE", database="among")


def _size(server: Server) -> int:
    ((found,),) = server.execute("SELECT pg_database_size('among')", database="postgres")
    return int(str(found))


def _measure(sides: dict[str, Side], questions: Sequence[str]) -> None:
    for side in sides.values():
        for question in questions[:_WARM]:
            assert side.opened.memory.recall(SPACE, asked(question)).kept, "nothing was recalled"
            side.opened.memory.recall(SMALL, asked(question))
        side.find_processes()
    for question in questions:
        for side in in_turn(sides):
            side.time("recall", side.opened.memory.recall, SPACE, asked(question))
            side.time("small_recall", side.opened.memory.recall, SMALL, asked(question))
    for one in Talk().conversation(2_000_000, len(questions)):
        for side in in_turn(sides):
            side.time("append", side.opened.memory.remember, SPACE, "new", one.exchange)
            side.time("small_append", side.opened.memory.remember, SMALL, "new", one.exchange)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--others", type=int, default=10_000, help="namespaces beside")
    parser.add_argument("--memories", type=int, default=10_000, help="of the large namespace")
    parser.add_argument("--samples", type=int, default=200, help="of each that is timed")
    print(json.dumps(measured(parser.parse_args()), indent=2))


if __name__ == "__main__":
    run(main)
