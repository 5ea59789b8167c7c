"""A property that is computed once for each object; threads never wait for other objects."""

import threading
from dataclasses import dataclass, field

from memory_core.infra.cached_property import cached_property

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
