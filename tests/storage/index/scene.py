"""Test data of the stores' tests: a talk about a dog, changes to it, and searches."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isnan
from typing import Any

from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.log.events import Event, EventType
from memory_core.storage.store import MemoryStore
from memory_core.text.search_terms import terms
from tests.builders import NOW, added, said

MakeStore = Callable[[], MemoryStore]
FAKE = FakeEmbedder(dim=32)
MIDNIGHT = datetime.fromtimestamp(NOW).replace(hour=0, minute=0, second=0, microsecond=0)

TALK = [
    "My dog is called Bruno and he loves the beach",
    "I work as a beekeeper near Graz",
    "Bruno chased a bee today",
    "我的狗叫小黑，它很喜欢海滩",
    "Tomorrow we drive to the beach with the dog",
]


def change(op: EventType, memory_id: str, *, seq: int = 6, **fields: Any) -> Event:
    log = "talk" if op in (EventType.EDIT, EventType.REMOVE) else ""
    return Event(seq=seq, op=op, id=memory_id, ts=NOW, fields=fields, log=log)


HIDING = {
    "removed": change(EventType.REMOVE, "id1"),
    "forgotten": change(EventType.FORGET, "id1", sealed="5ea1"),
}


@dataclass(frozen=True)
class ReportedMemory:
    """One memory as a store reports it: counts of some words on each side, and its neighbours."""

    counts: list[list[int]]
    length: int
    ts: float | None
    names: tuple[str, str]
    mentioned_times: list[tuple[float, float]]
    session: int
    before: str | None
    after: str | None


def reported(
    store: MemoryStore, memory_id: str, words: Sequence[str] = ()
) -> ReportedMemory | None:
    """Returns a live memory as the store reports it; None for any other."""
    passage = store.fulltext.passages([memory_id], [])
    if not passage.found_count:
        return None
    ids = [*passage.ids, None]
    said = float(passage.said_at[0])
    return ReportedMemory(
        counts=store.fulltext.term_counts(passage, words)[:, 0].tolist(),
        length=int(passage.lengths[0]),
        ts=None if isnan(said) else said,
        names=store.fulltext.speaker_names([memory_id])[memory_id],
        mentioned_times=store.fulltext.mentioned_times(passage).get(memory_id, []),
        session=int(passage.sessions[0]),
        before=ids[passage.before[0]],
        after=ids[passage.after[0]],
    )


def day(ago: int) -> tuple[float, float]:
    """Returns the local day that many days before NOW, as start and end."""
    start = datetime.fromordinal(MIDNIGHT.toordinal() - ago)
    return start.timestamp(), datetime.fromordinal(MIDNIGHT.toordinal() - ago + 1).timestamp()


def spoken(
    store: MemoryStore, *times: float | None, log: str = "talk", seq: int = 1
) -> MemoryStore:
    """Exchanges at these times, in seconds after NOW: id1, id2, …"""
    lines = [
        added(n, f"id{n}", said(f"text {n}", ts=None if ts is None else NOW + ts), log=log)
        for n, ts in enumerate(times, start=seq)
    ]
    store.apply(lines, {})
    return store


def found(store: MemoryStore, text: str) -> list[str]:
    return store.fulltext.search(terms(text), limit=10)


def embed_all(store: MemoryStore, embedder: FakeEmbedder = FAKE) -> None:
    store.vectors.use_model(embedder.fingerprint, embedder.dim)
    while waiting := store.vectors.pending(2):
        store.vectors.add(
            [pending.vector_id for pending in waiting],
            embedder.embed([pending.text for pending in waiting]),
        )


def nearest(store: MemoryStore, text: str, *, limit: int = 10) -> list[str]:
    return store.vectors.search(FAKE.embed_query(text, timeout_s=1), limit=limit)
