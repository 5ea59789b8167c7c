"""Lookup of rows by id, in one part and in several joined."""

import numpy as np

from memory_core.storage.index.vectors.id_lookup import IdLookup


def _lookup(ids: list[int], first: int) -> IdLookup:
    return IdLookup.from_ids(np.array(ids, dtype=np.int64), first=first)


def test_joined_parts_find_each_id_in_the_row_where_its_part_has_it():
    parts = [_lookup([30, 10, 0], first=0), _lookup([20, 40, 0], first=3)]
    joined = IdLookup.joined(parts)
    sought = np.array([10, 20, 30, 40, 50, 0], dtype=np.int64)
    assert joined.rows(sought).tolist() == [1, 3, 0, 4, -1, -1]
    assert not joined.has_twins


def test_joined_lookup_reports_an_id_in_two_parts():
    assert IdLookup.joined([_lookup([7, 8], first=0), _lookup([8, 9], first=2)]).has_twins


def test_lookup_joined_of_no_parts_is_empty():
    joined = IdLookup.joined([])
    assert joined.rows(np.array([1, 2], dtype=np.int64)).tolist() == [-1, -1]
    assert not joined.has_twins
