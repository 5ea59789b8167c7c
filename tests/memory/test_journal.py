"""The journal keeps counts and times, never texts."""

from memory_core.domain.namespaces import Namespace
from memory_core.memory.journal import EntryKind, Journal
from tests.builders import SPACE, Clock

OTHER = Namespace("default", "Otto")


def test_entries_come_newest_first_with_their_times() -> None:
    clock = Clock()
    journal = Journal(clock)
    journal.add(SPACE, EntryKind.REMEMBERED, 1)
    clock.now += 60
    journal.add(SPACE, EntryKind.RECALLED, 3, ms=12.0)
    found = [(entry.kind, entry.count, entry.ts) for entry in journal.latest()]
    assert found == [
        (EntryKind.RECALLED, 3, clock.now),
        (EntryKind.REMEMBERED, 1, clock.now - 60),
    ]


def test_entries_of_another_namespace_are_left_out_and_dropped_with_it() -> None:
    journal = Journal(Clock())
    journal.add(SPACE, EntryKind.NOTED, 1)
    journal.add(OTHER, EntryKind.NOTED, 1)
    assert [entry.namespace for entry in journal.latest(OTHER)] == [OTHER]
    journal.drop_all(OTHER)
    assert [entry.namespace for entry in journal.latest()] == [SPACE]


def test_old_entries_make_room_for_new_ones() -> None:
    journal = Journal(Clock())
    for _ in range(1000):
        journal.add(SPACE, EntryKind.RECALLED, 0)
    assert len(journal.latest()) < 1000
