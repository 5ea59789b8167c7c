"""Damage to files: flipped bits, torn lines, and derived files that vanish or change."""

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_core.admin.doctor.run import DoctorOptions, DoctorReport, examine, repair
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.index.local import LocalStore
from memory_core.storage.index.vectors.segment_list import ChunkSizes
from tests.builders import (
    KIND,
    SPACE,
    Clock,
    asked,
    derive_all,
    open_memory,
    recalled,
    said,
    user_sides,
)
from tests.fuzzing import examples


def fault_lines(report: DoctorReport) -> list[str]:
    return [f"{finding.path}: {finding.problem}" for finding in report.findings if finding.is_fault]


TERMS = DoctorOptions(open_store=LocalStore, undo_s=KIND.undo_forget_s, clock=Clock())
SAYINGS = [f"fact{n} is what I said, 小黑" for n in range(6)]
SMALL = partial(LocalStore, compact_from=8, sizes=ChunkSizes(chunk=8, segment=16, merge=2))
SEALED_TERMS = replace(TERMS, open_store=SMALL)
Found = tuple[list[str], list[str]]


def fill(root: Path) -> None:
    memory = open_memory(root, embedder=FakeEmbedder())
    ids = [memory.remember(SPACE, "talk", said(text)) for text in SAYINGS]
    memory.add_note(SPACE, "Ana must not eat nuts", kind=MemoryKind.KNOWLEDGE, pinned=False)
    memory.forget(SPACE, [ids[3]])
    memory.erase_all_forgotten(SPACE)
    memory.forget(SPACE, [ids[4]])
    derive_all(memory)
    memory.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed storage, to be copied."""
    root = tmp_path_factory.mktemp("whole")
    fill(root)
    return root


def found(memory: LongTermMemory) -> Found:
    talk = memory.conversation(SPACE, "talk", 99)
    return user_sides(talk), user_sides(memory.always_in_prompt(SPACE))


ALL: Found = ([*SAYINGS[:3], SAYINGS[5]], ["Ana must not eat nuts"])


def logs(root: Path) -> list[Path]:
    folder = SPACE.folder(root / "memories")
    return [folder / "conversations" / "talk.jsonl", folder / "notes.jsonl"]


def copied(whole: Path, to: Path) -> Path:
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(whole, to)
    return to


flips = settings(
    max_examples=examples(15),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)


@flips
@given(where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7), notes=st.booleans())
def test_flipped_bit_in_a_log_costs_nothing_while_the_index_exists(
    whole: Path, tmp_path: Path, where: float, bit: int, notes: bool
) -> None:
    root = copied(whole, tmp_path / "copy")
    flip(logs(root)[notes], where, bit)
    assert repair(root / "memories", TERMS).is_sound
    memory = open_memory(root)
    memory.rebuild(SPACE)
    assert found(memory) == ALL
    memory.close()


@flips
@given(where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7), notes=st.booleans())
def test_flipped_bit_in_a_log_costs_at_most_one_line_and_is_reported(
    whole: Path, tmp_path: Path, where: float, bit: int, notes: bool
) -> None:
    root = copied(whole, tmp_path / "copy")
    index = SPACE.folder(root / "memories") / "index"
    shutil.rmtree(index)
    is_last = flip(logs(root)[notes], where, bit)
    memory = open_memory(root)
    talk, standing = found(memory)
    memory.remember(SPACE, "talk", said("life goes on"))
    assert user_sides(memory.conversation(SPACE, "talk", 1)) == ["life goes on"]
    assert len(set(ALL[0]) - set(talk)) + len(set(ALL[1]) - set(standing)) <= 1
    problems = memory.problems()
    memory.close()
    assert problems or is_last  # a last line without its newline may be one being written
    assert repair(root / "memories", TERMS).is_sound


def flip(path: Path, where: float, bit: int) -> bool:
    """Flips a bit; returns whether it was in the last byte."""
    data = bytearray(path.read_bytes())
    index = int(where * len(data))
    data[index] ^= 1 << bit
    path.write_bytes(data)
    return index == len(data) - 1


def test_damaged_newline_loses_no_line_wherever_it_is(whole: Path, tmp_path: Path) -> None:
    """Also damages the last newline, before the next write."""
    data = logs(whole)[0].read_bytes()
    for index in (n for n, byte in enumerate(data) if byte == 10):
        root = copied(whole, tmp_path / "copy")
        shutil.rmtree(SPACE.folder(root / "memories") / "index")
        logs(root)[0].write_bytes(data[:index] + b"\x0b" + data[index + 1 :])
        memory = open_memory(root)
        memory.remember(SPACE, "talk", said("next"))
        memory.rebuild(SPACE)
        assert found(memory)[0] == [*ALL[0], "next"]
        assert "a damaged line was passed over" in memory.problems()[0]
        memory.close()


def test_torn_line_loses_no_acknowledged_one_wherever_it_tears(whole: Path, tmp_path: Path) -> None:
    """Earlier lines stay, and the next write does not merge with the torn line's rest."""
    data = logs(whole)[0].read_bytes()
    begin = data[:-1].rindex(b"\n") + 1
    for size in range(begin, len(data), 23):
        root = copied(whole, tmp_path / "copy")
        logs(root)[0].write_bytes(data[:size])
        memory = open_memory(root)
        assert found(memory)[0] == ALL[0][:-1]
        memory.remember(SPACE, "talk", said("next"))
        memory.rebuild(SPACE)
        assert found(memory)[0] == [*ALL[0][:-1], "next"]
        memory.close()
        assert examine(root / "memories", TERMS).is_sound


def _deleted(path: Path) -> None:
    path.unlink()


def _halved(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _garbage(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * max(1, path.stat().st_size // 256))


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


def _folder(path: Path) -> None:
    path.unlink()
    (path / "inside").mkdir(parents=True)


HARMS = [_deleted, _halved, _garbage, _emptied, _folder]


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A storage with all kinds of derived files."""
    root = tmp_path_factory.mktemp("sealed")
    fill(root)
    memory = open_memory(root, embedder=FakeEmbedder(), open_store=SMALL)
    for n in range(40):
        memory.remember(SPACE, "more", said(f"number{n} is said by the way"))
        derive_all(memory)
    memory.close()
    return root


def derived_files(whole: Path) -> list[str]:
    folder = SPACE.folder(whole / "memories")
    paths = (folder / "index").rglob("*")
    names = sorted(str(path.relative_to(folder)) for path in paths if path.is_file())
    return [next(its) for _, its in groupby(names, key=kind_of)]


def kind_of(name: str) -> str:
    """Returns the name without numbers and hashes: one file of each kind is enough."""
    return re.sub(r"[0-9a-f-]*[0-9][0-9a-f-]*", "#", name)


@pytest.mark.slow
@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__.strip("_"))
def test_damaged_derived_file_loses_no_memory(
    sealed: Path, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    names = derived_files(sealed)
    assert {Path(name).suffix for name in names} >= {
        ".sqlite",
        ".postings",
        ".ivf",
        ".json",
        ".f16",
    }
    for name in names:
        root = copied(sealed, tmp_path / "copy")
        harm(SPACE.folder(root / "memories") / name)
        memory = open_memory(root, embedder=FakeEmbedder(), open_store=SMALL)
        assert found(memory) == ALL, name
        derive_all(memory)
        texts = recalled(memory.recall(SPACE, asked("What about fact2?")))
        assert texts[:1] == [SAYINGS[2]], name
        assert len(memory.conversation(SPACE, "more", 99)) == 40, name
        memory.remember(SPACE, "talk", said("life goes on"))
        assert found(memory)[0][-1] == "life goes on", name
        memory.close()
        left = fault_lines(examine(root / "memories", SEALED_TERMS))
        assert left == [] or (harm is _garbage and "vectors are damaged" in left[0]), name
        assert repair(root / "memories", SEALED_TERMS).is_sound, name


@pytest.mark.parametrize("harm", [_halved, _garbage, _folder], ids=["halved", "garbage", "folder"])
def test_damaged_catalog_is_reported(
    whole: Path, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    root = copied(whole, tmp_path / "copy")
    harm(SPACE.folder(root / "memories") / "index" / "catalogue.sqlite")
    memory = open_memory(root)
    assert found(memory) == ALL
    assert "it was made anew" in memory.problems()[0]
    memory.close()


def test_index_of_another_namespace_is_not_used(whole: Path, tmp_path: Path) -> None:
    root = copied(whole, tmp_path / "copy")
    fill(tmp_path / "other")
    other = open_memory(tmp_path / "other")
    other.remember(SPACE, "talk", said("a stranger's word"))
    assert found(other)[0][-1] == "a stranger's word"
    other.close()
    index = SPACE.folder(root / "memories") / "index"
    shutil.rmtree(index)
    shutil.copytree(SPACE.folder(tmp_path / "other" / "memories") / "index", index)
    assert repair(root / "memories", TERMS).is_sound
    memory = open_memory(root)
    assert found(memory) == ALL
    memory.close()


@pytest.mark.parametrize("name", ["index", "index/catalogue.sqlite"])
def test_doctor_reports_and_repairs_an_index_of_another_type(
    whole: Path, tmp_path: Path, name: str
) -> None:
    root = copied(whole, tmp_path / "copy")
    path = SPACE.folder(root / "memories") / name
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    path.write_text("something else")
    assert not examine(root / "memories", TERMS).is_sound
    assert repair(root / "memories", TERMS).is_sound
    memory = open_memory(root)
    assert found(memory) == ALL
    memory.close()


@pytest.mark.parametrize("newer", ["index", "conversations", "notes.jsonl"])
def test_index_of_another_time_than_the_logs_is_rebuilt(tmp_path: Path, newer: str) -> None:
    """The logs are from after an erasure, the index is from before it."""
    memory = open_memory(tmp_path / "early")
    ids = [memory.remember(SPACE, "talk", said(text)) for text in SAYINGS]
    memory.forget(SPACE, ids[1:3])
    assert found(memory)[0] == [SAYINGS[0], *SAYINGS[3:]]
    memory.close()
    late = copied(tmp_path / "early", tmp_path / "late")
    memory = open_memory(late)
    memory.erase_all_forgotten(SPACE)
    memory.close()
    early = SPACE.folder(tmp_path / "early" / "memories")
    part = SPACE.folder(late / "memories") / newer
    shutil.rmtree(early / newer) if part.is_dir() else (early / newer).unlink()
    shutil.copytree(part, early / newer) if part.is_dir() else shutil.copy(part, early / newer)
    memory = open_memory(tmp_path / "early")
    assert found(memory)[0] == [SAYINGS[0], *SAYINGS[3:]]
    memory.erase_all_forgotten(SPACE)
    memory.close()
    files = [path for path in early.rglob("*") if path.is_file()]
    assert not [path.name for path in files if b"fact1 is what" in path.read_bytes()]
    assert fault_lines(examine(tmp_path / "early" / "memories", TERMS)) == []


def test_erasure_interrupted_after_the_logs_is_completed_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(tmp_path)
    ids = [memory.remember(SPACE, "talk", said(text)) for text in SAYINGS]
    memory.forget(SPACE, ids[1:3])

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(LocalStore, "erase", dies)
    with pytest.raises(KeyboardInterrupt):
        memory.erase_all_forgotten(SPACE)
    monkeypatch.undo()
    memory.close()
    assert fault_lines(examine(tmp_path / "memories", TERMS)) == []
    again = open_memory(tmp_path)
    assert found(again)[0] == [SAYINGS[0], *SAYINGS[3:]]
    assert again.forgotten(SPACE) == []
    again.close()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path.name for path in files if b"fact1 is what" in path.read_bytes()]


@pytest.mark.slow
def test_doctor_repairs_a_flipped_bit_in_any_derived_file(sealed: Path, tmp_path: Path) -> None:
    for name in derived_files(sealed):
        root = copied(sealed, tmp_path / "copy")
        path = SPACE.folder(root / "memories") / name
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 16
        path.write_bytes(data)
        assert repair(root / "memories", SEALED_TERMS).is_sound, name
        memory = open_memory(root, embedder=FakeEmbedder(), open_store=SMALL)
        assert found(memory) == ALL, name
        derive_all(memory)
        texts = recalled(memory.recall(SPACE, asked("What about fact2?")))
        assert texts[:1] == [SAYINGS[2]], name
        memory.close()
