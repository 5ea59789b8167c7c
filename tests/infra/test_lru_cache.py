"""LRUCache keeps the latest few entries within its size; cached_property never waits for others."""

import threading
from dataclasses import dataclass, field

from memory_core.infra.lru_cache import LRUCache, cached_property

LONG_S = 30.0


@dataclass(frozen=True)
class LinkedObject:
    """An object whose value is computed only while another object computes its own."""

    own: threading.Event = field(default_factory=threading.Event)
    other: threading.Event = field(default_factory=threading.Event)

    @cached_property
    def has_met(self) -> bool:
        """True once the other object computes its value, too."""
        self.own.set()
        return self.other.wait(LONG_S)


def test_value_is_computed_while_another_object_computes_its_own() -> None:
    first = LinkedObject()
    second = LinkedObject(own=first.other, other=first.own)
    thread = threading.Thread(target=lambda: first.has_met)
    thread.start()
    assert second.has_met
    thread.join()
    assert first.has_met, "the lock of functools held the second one back"


def test_value_is_computed_once() -> None:
    calls = []

    class Counted:
        @cached_property
        def value(self) -> int:
            calls.append(self)
            return len(calls)

    one, other = Counted(), Counted()
    assert [one.value, one.value, other.value, one.value] == [1, 1, 2, 1]
    assert isinstance(Counted.value, cached_property)


def test_least_recently_used_entry_is_evicted_first():
    kept: LRUCache[str, int] = LRUCache(2)
    for name in ("a", "b"):
        kept.put(name, 1)
    kept.get("a")
    kept.put("c", 1)
    assert [name for name, _ in kept.items()] == ["a", "c"]


def test_sizes_add_up_to_no_more_than_allowed():
    kept: LRUCache[str, str] = LRUCache(10, size=len, max_size=6)
    for name in ("aa", "bbb", "cc"):
        kept.put(name, name)
    assert [name for name, _ in kept.items()] == ["bbb", "cc"]


def test_replaced_value_frees_its_size():
    kept: LRUCache[str, str] = LRUCache(10, size=len, max_size=6)
    for text in ("aaaa", "bbbb", "cccc"):
        kept.put("one", text)
    kept.put("two", "dd")
    assert kept.items() == [("one", "cccc"), ("two", "dd")]


def test_dropped_entry_frees_its_size():
    kept: LRUCache[str, str] = LRUCache(10, size=len, max_size=6)
    kept.put("one", "aaaa")
    kept.drop_where(lambda name: name == "one")
    kept.put("two", "bbb")
    kept.put("three", "ccc")
    assert [name for name, _ in kept.items()] == ["two", "three"]


def test_the_latest_is_kept_however_large_it_is():
    kept: LRUCache[str, str] = LRUCache(10, size=len, max_size=3)
    kept.put("small", "a")
    kept.put("large", "a" * 100)
    assert [name for name, _ in kept.items()] == ["large"]
