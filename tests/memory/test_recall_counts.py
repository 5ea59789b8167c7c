"""Counts of recalls: once for each message, kept over a restart, gone with the memory."""

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.memory import recall_counts
from memory_core.memory.recall_counts import FILE, add_counts, read_counts, remove_counts
from memory_core.memory.trace_history import Traces
from memory_core.memory.traces import Injected
from tests.builders import SPACE
from tests.memory.test_trace_history import folder, full_trace  # noqa: F401


def saved(root: Path, *traces: object) -> None:
    history = Traces(9, lambda: root)
    for trace in traces:
        history.add(SPACE, trace)  # type: ignore[arg-type]
        history.save()


def counted(root: Path, namespace: Namespace = SPACE) -> dict[str, int]:
    return dict(read_counts(namespace.folder(root)) or {})


@pytest.mark.usefixtures("folder")
def test_memory_counts_once_for_each_message_that_it_was_recalled_for(tmp_path: Path) -> None:
    saved(tmp_path, full_trace("a", ts=1.0), full_trace("b", ts=2.0), full_trace("b", ts=3.0))
    assert counted(tmp_path) == {"m1": 2}


@pytest.mark.usefixtures("folder")
def test_second_answer_counts_only_memories_that_are_new_in_it(tmp_path: Path) -> None:
    both = replace(full_trace("a", ts=2.0), recall=replace(full_trace("").recall))
    more = replace(
        both,
        recall=replace(
            both.recall,
            kept=(
                *both.recall.kept,
                replace(both.recall.kept[0], candidate=both.recall.dropped[0].candidate),
            ),
        ),
        injected=(Injected(memory_id="m1 m2", form="line", text="x", tokens=1),),
    )
    saved(tmp_path, full_trace("a", ts=1.0), more)
    assert counted(tmp_path) == {"m1": 1, "m2": 1}


@pytest.mark.usefixtures("folder")
def test_memory_that_was_found_but_not_injected_does_not_count(tmp_path: Path) -> None:
    saved(tmp_path, replace(full_trace("a"), injected=()))
    assert counted(tmp_path) == {}


@pytest.mark.usefixtures("folder")
def test_incognito_message_does_not_count(tmp_path: Path) -> None:
    saved(tmp_path, full_trace("a", may_be_saved=False))
    assert counted(tmp_path) == {}


def test_counts_without_an_index_are_none(tmp_path: Path) -> None:
    assert read_counts(SPACE.folder(tmp_path)) is None


def test_only_the_owner_can_read_the_counts(folder: Path) -> None:  # noqa: F811
    add_counts(folder, {"m1": 1})
    assert stat.S_IMODE((folder / FILE).stat().st_mode) == 0o600


def test_truncated_line_spoils_no_other_count(tmp_path: Path, folder: Path) -> None:  # noqa: F811
    add_counts(folder, {"m1": 1, "m2": 2})
    with (folder / FILE).open("ab") as file:
        file.write(b"m2\t")
    add_counts(folder, {"m1": 5})
    assert counted(tmp_path) == {"m1": 6, "m2": 2}


def test_erased_memory_loses_its_count_and_no_other_does(tmp_path: Path, folder: Path) -> None:  # noqa: F811
    add_counts(folder, {"m1": 1, "m2": 2})
    remove_counts(folder, {"m1"})
    assert counted(tmp_path) == {"m2": 2}
    assert b"m1" not in (folder / FILE).read_bytes()


def test_shared_memory_sums_the_counts_of_all_characters(tmp_path: Path) -> None:
    shared, other = Namespace.shared(SPACE.user), Namespace(SPACE.user, "Another")
    for space in (SPACE, other, shared):
        (space.folder(tmp_path) / "index").mkdir(parents=True)
        add_counts(space.folder(tmp_path), {"m1": 2})
    assert counted(tmp_path, shared) == {"m1": 6}
    remove_counts(shared.folder(tmp_path), {"m1"})
    assert (counted(tmp_path), counted(tmp_path, shared)) == ({}, {})


def test_long_file_is_compacted_without_losing_a_count(
    tmp_path: Path,
    folder: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recall_counts, "_COMPACTED_EVERY", 200)
    for _ in range(100):
        add_counts(folder, {"m1": 1, "m2": 3})
    assert counted(tmp_path) == {"m1": 100, "m2": 300}
    assert (folder / FILE).stat().st_size < 220


@pytest.mark.usefixtures("folder")
def test_destroyed_namespace_keeps_no_counts(tmp_path: Path) -> None:
    traces = Traces(9, lambda: tmp_path)
    traces.add(SPACE, full_trace("a"))
    traces.save()
    traces.drop_all(SPACE)
    assert counted(tmp_path) == {}
