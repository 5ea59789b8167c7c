"""A store must have its three parts, each with all methods."""

from pathlib import Path

import pytest

from memory_core.domain.errors import StoreIncomplete
from memory_core.memory.namespace_memory import NamespaceMemory
from memory_core.storage.index.local import LocalStore
from memory_core.storage.store import MemoryStore, require_complete
from tests.storage.index.in_memory.store import InMemoryStore


class OldStore:
    """A store as it was before it had parts."""

    def positions(self) -> dict[str, int]:
        return {}


class CatalogWithoutSummary:
    def get(self, ids: list[str]) -> dict[str, object]:
        return {}


def test_both_stores_are_complete(tmp_path: Path) -> None:
    stores: list[MemoryStore] = [LocalStore(tmp_path), InMemoryStore()]
    assert [require_complete(store) for store in stores] == stores
    stores[0].close()


def test_store_without_parts_is_refused_with_what_to_implement() -> None:
    with pytest.raises(StoreIncomplete) as raised:
        require_complete(OldStore())
    message = str(raised.value)
    assert f"{__name__}.OldStore lacks catalog, fulltext, vectors, apply, " in message
    assert " positions," not in message
    assert "memory_core/storage/contract.py" in message


def test_missing_method_of_a_part_is_named() -> None:
    store = InMemoryStore()
    store.catalog = CatalogWithoutSummary()
    with pytest.raises(StoreIncomplete, match=r"lacks catalog\.summary, catalog\.live_seqs, "):
        require_complete(store)


def test_namespace_does_not_open_with_an_incomplete_store(tmp_path: Path) -> None:
    with pytest.raises(StoreIncomplete, match="OldStore"):
        NamespaceMemory(tmp_path, open_store=lambda _: OldStore())
