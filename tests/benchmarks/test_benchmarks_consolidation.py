"""The benchmark of derived memories counts units by the words and turns that they hold."""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import job_kills, job_kills_child
from benchmarks.consolidation import UNITS, units_within
from benchmarks.derived_data import read_extracted
from benchmarks.golden import GOLDEN
from memory_core.domain.derivations import Derivation
from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.memory.derived_memories import DerivedMemories, NewDerived
from tests.benchmarks.conftest import RunBenchmark
from tests.benchmarks.test_benchmarks_recall import sample


@pytest.fixture
def derived(tmp_path: Path) -> Path:
    facts = [["Ana's sister lives in Lisbon.", "D1:1"], ["Two turns.", ["D1:1", "D1:2"]]]
    record: dict[str, Any] = {
        "sample_id": "small",
        "observation": {"session_1_observation": {"Ana": [*facts, ["Of nothing.", ""]]}},
        "session_summary": {"session_1_summary": "They talked of a sister and a printer."},
    }
    path = tmp_path / "derived.json"
    path.write_text(json.dumps([record]), encoding="utf-8")
    return path


def _memory(words: int, *, is_derived: bool) -> Memory:
    text = " ".join(["word"] * words)
    return Memory(
        id=text,
        kind=MemoryKind.OBSERVATION if is_derived else MemoryKind.EXCHANGE,
        text=text,
        exchange=None if is_derived else Exchange(user=text, assistant=""),
        derived=Derivation(made_by="m") if is_derived else None,
    )


def test_observations_are_read_with_the_turns_that_they_name(derived: Path) -> None:
    found = read_extracted(derived)["small"]
    assert [(one.subject, one.turns) for one in found.observations] == [
        ("Ana", ((1, 1),)),
        ("Ana", ((1, 1), (1, 2))),
    ]
    assert list(found.summaries) == [1]


def test_short_derived_memories_share_a_unit_and_never_exceed_the_words() -> None:
    short, long = _memory(5, is_derived=True), _memory(10, is_derived=False)
    assert units_within([short] * 30, 10 * UNITS) == [short] * 20
    assert units_within([long] * 30, 10 * UNITS) == [long] * UNITS
    assert units_within([long] * 30, 20 * UNITS) == [long] * UNITS
    assert units_within([long, short], 12) == [long]


def one_golden_history(path: Path) -> Path:
    """Writes the first golden conversation, whose answers are recorded, into a file."""
    histories = json.loads((GOLDEN / "en.json").read_text(encoding="utf-8"))["histories"]
    path.write_text(json.dumps({"histories": histories[:1]}), encoding="utf-8")
    return path


def test_consolidation_prints_recall_beside_that_of_exchanges_alone(
    tmp_path: Path, derived: Path, run_benchmark: RunBenchmark
) -> None:
    data = tmp_path / "data.json"
    data.write_text(json.dumps([sample()]), encoding="utf-8")
    golden = one_golden_history(tmp_path / "golden.json")
    inputs = ("--data", data, "--derived", derived, "--golden", golden)
    done = run_benchmark("consolidation", "--json", *inputs)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert {"multi_hop_recall@10", "recall@10", "exchanges_alone", "by_category"} <= found.keys()
    assert found["words@10"] <= found["exchanges_alone"]["words@10"]


def test_consolidation_names_conversations_without_extracted_memories(
    tmp_path: Path, derived: Path, run_benchmark: RunBenchmark
) -> None:
    data = tmp_path / "data.json"
    data.write_text(json.dumps([sample() | {"sample_id": "other"}]), encoding="utf-8")
    done = run_benchmark("consolidation", "--data", data, "--derived", derived)
    assert done.returncode == 1
    assert "has nothing of other" in done.stderr


@pytest.mark.slow
def test_killed_work_loses_no_job_and_does_none_twice() -> None:
    found = job_kills.measure(12, random.Random(3))
    assert (found["lost"], found["twice"], found["left"], found["repeated"]) == (0, 0, 0, 0), found
    assert isinstance(found["exchanges"], int)
    assert found["exchanges"] > 0


def test_lost_and_doubled_results_are_counted(tmp_path: Path) -> None:
    memory = job_kills_child.open_memory(tmp_path)
    source = memory.remember(
        job_kills_child.SPACE, "talk", Exchange(user="We planted tree 0.", assistant="Nice!")
    )
    seq = memory.get_record(job_kills_child.SPACE, source).seq
    for kind, text in list(job_kills_child.derived_of("0"))[:2]:
        own = Derivation(made_by="m")
        new = NewDerived(kind=kind, text=text, sources={source: seq}, derived=own)
        DerivedMemories(memory).add(job_kills_child.SPACE, new)
    twice = replace(new, text=new.text, sources={}, ts=1.0)
    DerivedMemories(memory).add(job_kills_child.SPACE, twice)
    memory.close()
    counts = job_kills.check(tmp_path, job_kills.Seen(acknowledged={0}))
    assert (counts["lost"], counts["twice"]) == (2, 1)
