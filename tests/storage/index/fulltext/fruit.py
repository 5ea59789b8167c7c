"""Test data of the compaction tests: a talk about fruit, and all queries for it."""

from pathlib import Path

from memory_core.storage.index.fulltext.segment_file import SUFFIX
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.events import Event
from memory_core.text.search_terms import terms
from tests.builders import NOW, added, said
from tests.storage.index.in_memory.store import InMemoryStore

FRUIT = ["apple", "pear", "plum", "fig", "quince"]
ASKED = terms(" ".join([*FRUIT, "number", "secret", "new"]))
COMPACT_FROM = 4


def lines(count: int, *, first: int = 1) -> list[Event]:
    return [
        added(n, f"id{n}", said(f"number n{n} {FRUIT[n % 5]}", FRUIT[n % 3], ts=NOW + n))
        for n in range(first, first + count)
    ]


def seal_all(store: LocalStore) -> int:
    return sum(iter(store.maintain, False))


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{SUFFIX}"))


def answers(store: LocalStore | InMemoryStore, *, count: int = 20) -> dict[str, object]:
    ids = [f"id{n}" for n in range(1, count)]
    passages = store.fulltext.passages(ids, [])
    return {
        "found": [sorted(store.fulltext.search([word], limit=999)) for word in ASKED],
        "corpus": store.fulltext.corpus(ASKED),
        "begun": store.fulltext.terms_with_prefix("p", limit=3),
        "ids": passages.ids,
        "counts": store.fulltext.term_counts(passages, ASKED).tolist(),
        "beside": [passages.before.tolist(), passages.after.tolist()],
        "lengths": passages.lengths.tolist(),
        "said": passages.said_at.tolist(),
    }


def reopened(folder: Path) -> LocalStore:
    return LocalStore(folder, compact_from=COMPACT_FROM)
