"""Postings agree with counting by hand, whether built, merged, or read from a file."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.domain.errors import StorageCorrupt, StorageFailed
from memory_core.storage.contract import MAX_TERM_COUNT
from memory_core.storage.index.fulltext import (
    postings,
    segment_file,
    segment_merge,
)
from memory_core.storage.index.fulltext.postings import LivePostings, Postings, encoded
from memory_core.storage.index.fulltext.segment_merge import (
    IndexedRow,
    build_postings,
    load_postings,
    merge_postings,
)

WORDS = ["a", "ab", "b", "ba", "狗", "狗叫", "п", "𞤀"]
SAID = st.lists(st.sampled_from(WORDS), max_size=6)
TALKS = st.lists(st.tuples(SAID, SAID), max_size=8)
Talk = list[tuple[list[str], list[str]]]


def indexed_row(row: int, user: Sequence[str], assistant: Sequence[str] = ()) -> IndexedRow:
    time = None if row % 3 == 0 else float(row)
    sides = (" ".join(user), " ".join(assistant))
    return IndexedRow(row, *sides, f"id{row}", time, row, row - 1, row + 1, *vectors(row))


def vectors(row: int) -> tuple[int, int]:
    """Returns vector ids in another order than the rows; some rows lack one for one side."""
    return 1000 - 7 * row, 0 if row % 4 == 0 else (row * 5077) % 1009 + 1_000_000


def talk(texts: Talk, *, first: int = 1, step: int = 1) -> list[IndexedRow]:
    return [indexed_row(first + number * step, *sides) for number, sides in enumerate(texts)]


def content(source: LivePostings | Postings) -> dict[str, dict[int, tuple[int, int]]]:
    """Returns all postings as word → row → count on each side, and checks their columns."""
    source = source if isinstance(source, LivePostings) else LivePostings(source)
    own = source.postings
    found = {}
    for word, term in source.terms([*WORDS, "absent"]).items():
        rows = own.columns.numbers[source.positions_with_term(term)].tolist()
        assert source.document_frequency(term) == len(rows)
        which, positions = source.positions(np.array(rows))
        assert which.tolist() == list(range(len(rows)))
        if term >= 0:
            *_, user, assistant = source.counts([term], positions)
            sides = zip(user.tolist(), assistant.tolist(), strict=True)
            found[word] = dict(zip(rows, sides, strict=True))
    return {word: held for word, held in found.items() if held}


def rows_by_vector(source: LivePostings, ids: Sequence[int]) -> dict[int, int]:
    """Returns vector id → row, for the ids that a live row wants."""
    which, positions = source.positions_with_vectors(np.array(ids, dtype=np.int64))
    rows = source.postings.columns.numbers[positions]
    return dict(zip(np.array(ids)[which].tolist(), rows.tolist(), strict=True))


def counted_by_hand(memories: Sequence[IndexedRow]) -> dict[str, dict[int, tuple[int, int]]]:
    found: dict[str, dict[int, tuple[int, int]]] = {}
    for memory in memories:
        user, assistant = Counter(memory.user.split()), Counter(memory.assistant.split())
        for word in user | assistant:
            found.setdefault(word, {})[memory.row] = (user[word], assistant[word])
    return found


@given(TALKS, st.sets(st.integers(0, 7)), st.booleans())
def test_postings_map_vector_ids_to_memories(texts: Talk, gone: set[int], is_merged: bool) -> None:
    source = LivePostings(build_postings(talk(texts, step=3))).without(
        np.array([1 + 3 * number for number in gone])
    )
    if is_merged:
        source = LivePostings(load_postings(merge_postings([source])))
    lives = [1 + 3 * first for first in range(len(texts)) if first not in gone]
    wanted = {vector_id: row for row in lives for vector_id in vectors(row) if vector_id}
    asked = [*(vector_id for row in range(30) for vector_id in vectors(row)), 5]
    assert rows_by_vector(source, asked) == wanted


@given(TALKS)
def test_postings_count_each_word_of_each_memory(texts: Talk) -> None:
    memories = talk(texts, step=3)
    found = build_postings(memories)
    assert content(found) == counted_by_hand(memories)
    lengths = [len(memory.user.split()) + len(memory.assistant.split()) for memory in memories]
    assert found.columns.lengths.tolist() == lengths
    assert found.columns.ids.tolist() == [memory.id.encode() for memory in memories]
    assert found.columns.after.tolist() == [memory.row + 1 for memory in memories]


@given(TALKS, TALKS, st.sets(st.integers(1, 16)))
def test_merged_postings_hold_the_live_rows_of_all_sources(
    one: Talk, two: Talk, gone: set[int]
) -> None:
    first, second = talk(one, step=2), talk(two, first=2, step=2)
    rows = np.array(sorted(gone), dtype=int)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment_merge, "_TERMS", 2)
        patch.setattr(segment_merge, "_POSTINGS", 3)
        both = load_postings(
            merge_postings(
                [LivePostings(build_postings(part)).without(rows) for part in (first, second)]
            )
        )
    left = sorted(memory for memory in [*first, *second] if memory.row not in gone)
    assert content(both) == counted_by_hand(left)
    assert both.columns.numbers.tolist() == [memory.row for memory in left]
    assert both.terms(0, len(both.ends)) == sorted(map(encoded, counted_by_hand(left)))


@given(TALKS, st.sets(st.integers(1, 8)))
def test_deleted_rows_are_not_counted(texts: Talk, gone: set[int]) -> None:
    memories = talk(texts)
    source = LivePostings(build_postings(memories)).without(np.array(sorted(gone), dtype=int))
    left = [memory for memory in memories if memory.row not in gone]
    assert content(source) == counted_by_hand(left)
    begun = [(word.decode(), held) for word, held in source.terms_with_prefix(b"a")]
    assert begun == sorted(
        (word, len(held)) for word, held in counted_by_hand(left).items() if word[0] == "a"
    )


def test_term_counts_are_capped() -> None:
    assert content(build_postings([indexed_row(1, ["a"] * 300, ["a"])])) == {
        "a": {1: (MAX_TERM_COUNT, 1)}
    }


def test_words_with_equal_hashes_are_distinguished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings, "key_of", lambda word: 7)
    memories = talk([(WORDS, []), (["b"], [])])
    assert content(build_postings(memories)) == counted_by_hand(memories)


def test_peak_is_the_maximum_saturation_of_a_word() -> None:
    memories = talk([(["a"] * 3, []), (["a", *"bbbbbb"], []), (["b"], [])])
    found = build_postings(memories)
    for word in (b"a", b"b"):
        term = found.find([word])[0]
        span = slice(*found.run(term))
        lengths = found.columns.lengths[found.at[span]]
        counts = found.user[span], found.assistant[span]
        all_of_it = postings.saturation(*counts, lengths, found.mean)
        assert found.peaks[term] == pytest.approx(all_of_it.max())


# ---- as files


def sealed(folder: Path, memories: Sequence[IndexedRow]) -> Path:
    return folder / segment_file.write(
        folder, merge_postings([LivePostings(build_postings(memories))])
    )


@given(TALKS)
def test_postings_read_from_a_file_equal_those_written(
    tmp_path_factory: pytest.TempPathFactory, texts: Talk
) -> None:
    path = sealed(tmp_path_factory.mktemp("folder"), talk(texts))
    assert content(segment_file.read(path)) == counted_by_hand(talk(texts))
    segment_file.check(path)


def spoil(path: Path, offset: int, data: bytes) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:offset] + data + whole[offset + len(data) :])


DAMAGE = {
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "empty": lambda path: path.write_bytes(b""),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"x"),
    "a header cut short": lambda path: path.write_bytes(path.read_bytes()[:90]),
    "another header": lambda path: spoil(path, 30, b"9"),
    "foreign": lambda path: path.write_bytes(b"SQLite format 3\0" * 4096),
    "missing": lambda path: path.unlink(),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_damaged_posting_file_is_refused(tmp_path: Path, damage: object) -> None:
    path = sealed(tmp_path, talk([(["a", "b"], ["b"])]))
    assert callable(damage)
    damage(path)
    with pytest.raises(StorageCorrupt, match=path.name):
        segment_file.read(path)


def test_posting_file_of_another_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sealed(tmp_path, talk([(["a"], [])]))
    monkeypatch.setattr(segment_file, "VERSION", segment_file.VERSION + 1)
    with pytest.raises(StorageCorrupt, match="version"):
        segment_file.read(path)


def test_check_detects_any_flipped_bit(tmp_path: Path) -> None:
    path = sealed(tmp_path, talk([(["a", "b"], ["b"]), (["a"], [])]))
    header = path.read_bytes()[:4096].decode().rstrip().rpartition(" ")[0]
    for name, (offset, count, _) in segment_file.json.loads(header)["sections"].items():
        assert count, name
        before = path.read_bytes()
        spoil(path, offset, bytes([before[offset] ^ 4]))
        with pytest.raises(StorageCorrupt, match=name):
            segment_file.check(path)
        path.write_bytes(before)


def test_failed_write_leaves_no_posting_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(segment_file.os, "replace", full)
    with pytest.raises(StorageFailed, match="No space left"):
        sealed(tmp_path, talk([(["a"], [])]))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("short_run", [0, 4_096])
def test_counts_of_several_terms_are_the_same_for_short_and_long_runs(
    short_run: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postings, "_SHORT_RUN", short_run)
    texts: Talk = [(["a", "b", "a"], ["b"]), (["ab"], []), (["b"], ["a"])]
    source = LivePostings(build_postings(talk(texts)))
    terms = source.terms(["b", "absent", "a"])
    asked = np.array([3, 1], dtype=np.int64)  # rows, in another order than they are stored
    rows, columns, user, assistant = source.counts([*terms.values()], source.positions(asked)[1])
    found = zip(rows.tolist(), columns.tolist(), user.tolist(), assistant.tolist(), strict=True)
    assert sorted(found) == [(0, 0, 1, 0), (0, 2, 0, 1), (1, 0, 1, 1), (1, 2, 2, 0)]
    assert [len(part) for part in source.counts([-1], source.positions(asked)[1])] == [0] * 4
