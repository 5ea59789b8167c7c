"""Measures a large namespace in PostgreSQL, beside any number of small ones.

Called by store.py --backend postgres. The database must be there; its tables are made.
"""

import json
import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.store_exact import Nearest, parts
from benchmarks.store_fill import conversations, filled, questions_file
from benchmarks.store_talk import SPACE, Opened, Talk, asked, derive_all
from benchmarks.timing import load, spread, times
from memory_core.storage.log.events import Event, EventType
from memory_core.storage.log.projection import exchange_fields
from memory_core.storage.postgres.database import Database
from memory_core.storage.postgres.store import PostgresStore

_CANDIDATES, _K, _WARM, _SMALL = 60, 20, 30, 5
_BYTES = """SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class AS c
    WHERE c.relnamespace = 'ltm'::regnamespace AND c.relkind = 'r'"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerCase:
    """`others`: how many small namespaces stand beside the large one."""

    folder: Path
    dsn: str
    memories: int
    clustered: bool
    samples: int
    others: int


def measured(case: ServerCase) -> dict[str, Any]:
    cost = filled(case.folder, case.memories, clustered=case.clustered, dsn=case.dsn)
    _add_others(case)
    opened = Opened(case.folder, clustered=case.clustered, dsn=case.dsn)
    derive_all(opened.memory)
    found = {"memories": case.memories, "others": case.others, "load_before": load(), **cost}
    found |= _space(case) | _reading(opened, case) | _writing(opened, case)
    opened.close()
    return found | {"load_after": load()}


def _add_others(case: ServerCase) -> None:
    database, talk = Database(case.dsn, time_limit_s=60.0), Talk()
    for number in range(case.others):
        store = PostgresStore(database, f"other{number}/mira")
        if not store.positions():
            said = talk.conversation(1_000_000 + number, _SMALL)
            store.apply([_event(n, one.exchange) for n, one in enumerate(said, 1)], {"talk": 1})
    database.close()


def _event(number: int, exchange: Any) -> Event:  # noqa: ANN401
    return Event(
        seq=number,
        op=EventType.ADD,
        id=f"id{number}",
        ts=exchange.ts,
        fields={**exchange_fields(exchange), "turn_id": number},
        log="talk",
    )


def _space(case: ServerCase) -> dict[str, Any]:
    database = Database(case.dsn)
    with database.owner_connection() as connection:
        (used,) = connection.execute(_BYTES).fetchone()
    database.close()
    stored = case.memories + case.others * _SMALL
    return {"bytes_per_memory": round(int(used) / stored)}


def _reading(opened: Opened, case: ServerCase) -> dict[str, Any]:
    questions = json.loads(questions_file(case.folder).read_text())
    drawn = random.Random(2).choices(questions, k=case.samples)
    memory, store = opened.memory, opened.stores[0]
    for question in drawn[:_WARM]:
        assert memory.recall(SPACE, asked(question)).kept, "nothing was recalled"
    queries = [asked(question) for question in drawn]
    vectors = [opened.embedder.embed_query(question, timeout_s=1.0) for question in drawn]
    words = [query.words for query in queries]
    return {
        **_spread("recall", lambda query: memory.recall(SPACE, query), queries),
        **_spread("lexical", lambda own: store.fulltext.search(own, limit=_CANDIDATES), words),
        **_spread("dense", lambda own: store.vectors.search(own, limit=_CANDIDATES), vectors),
        "dense_recall": _found_share(opened, vectors, case),
    }


def _spread(name: str, use: Callable[[Any], object], values: Iterable[Any]) -> dict[str, Any]:
    """Measures wall time and this process's own CPU time."""
    given = list(values)
    began = time.process_time()
    took = times(use, given)
    cpu = (time.process_time() - began) * 1000 / len(given)
    return {**spread(name, took), f"{name}_client_cpu_ms_mean": round(cpu, 3)}


def _found_share(opened: Opened, vectors: Sequence[Any], case: ServerCase) -> float:
    nearest = Nearest(np.array(vectors), _K)
    for part in parts(opened, case.memories):
        nearest.see(part)
    store = opened.stores[0]
    hits = [set(store.vectors.search(vector, limit=_K)) for vector in vectors]
    shares = [len(hit & own) / len(own) for hit, own in zip(hits, nearest.ids(), strict=True)]
    return round(sum(shares) / len(shares), 4)


def _writing(opened: Opened, case: ServerCase) -> dict[str, Any]:
    *_, (name, number, _) = conversations(case.memories)
    number += len(opened.memory.conversation(SPACE, name, case.memories))
    fresh = [one.exchange for one in Talk().conversation(number, case.samples)]
    took = times(lambda exchange: opened.memory.remember(SPACE, name, exchange), fresh)
    return spread("append", took)
