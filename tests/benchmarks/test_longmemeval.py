"""The benchmark on LongMemEval's format: figures, resuming, failures."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.locomo import Place
from benchmarks.longmemeval import figures
from benchmarks.longmemeval_data import BadInstance, read_instance
from tests.benchmarks.conftest import RunBenchmark
from tests.cases import for_each


def record(question_id: str = "q1", **changes: Any) -> dict[str, Any]:
    """Returns an instance of three sessions; the first of them, by date, answers it."""
    cello = [
        {"role": "user", "content": "I bought a cello in Ghent.", "has_answer": True},
        {"role": "assistant", "content": "A lovely instrument."},
        {"role": "user", "content": "It is from 1921."},
    ]
    noise = [
        {"role": "assistant", "content": "Welcome back."},
        {"role": "user", "content": "The printer is out of toner."},
        {"role": "assistant", "content": "Shake the cartridge."},
    ]
    whole = {
        "question_id": question_id,
        "question_type": "single-session-user",
        "question": "Where did I buy my cello?",
        "answer": "Ghent",
        "question_date": "2023/06/01 (Thu) 10:00",
        "haystack_session_ids": ["noise", "cello", "late"],
        "haystack_dates": [
            "2023/05/21 (Sun) 09:30",
            "2023/05/20 (Sat) 02:21",
            "2023/05/30 (Tue) 08:00",
        ],
        "haystack_sessions": [noise, cello, [{"role": "user", "content": "Good morning!"}]],
        "answer_session_ids": ["cello"],
    }
    return whole | changes


def write(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def test_instance_orders_sessions_by_date_and_pairs_turns() -> None:
    instance = read_instance(record())
    assert instance.sessions == {1}
    assert instance.exchanges == {Place(1, 0)}
    said = [(found.user, found.assistant) for found in instance.conversation.exchanges.values()]
    assert said == [
        ("I bought a cello in Ghent.", "A lovely instrument."),
        ("It is from 1921.", ""),
        ("", "Welcome back."),
        ("The printer is out of toner.", "Shake the cartridge."),
        ("Good morning!", ""),
    ]


@for_each("field", ["question_id", "haystack_dates", "haystack_sessions"])
def test_instance_without_a_field_is_refused_by_its_name(field: str) -> None:
    with pytest.raises(BadInstance, match=field):
        read_instance({key: value for key, value in record().items() if key != field})


def test_figures_count_sessions_and_exchanges_among_the_first_k() -> None:
    instance = read_instance(record())
    found = figures(instance, [Place(1, 1), Place(2, 0), Place(1, 0)], (1, 3))
    assert found == {
        "session_any@1": 1.0,
        "session_all@1": 1.0,
        "exchange_any@1": 0.0,
        "exchange_all@1": 0.0,
        "session_any@3": 1.0,
        "session_all@3": 1.0,
        "exchange_any@3": 1.0,
        "exchange_all@3": 1.0,
    }


def test_figures_of_an_unanswerable_question_are_empty() -> None:
    assert figures(read_instance(record("q1_abs")), [Place(1, 0)], (1,)) == {}


def test_run_writes_items_progress_and_summaries(
    tmp_path: Path, run_benchmark: RunBenchmark
) -> None:
    data = write(tmp_path / "data.json", record(), record("q2_abs"))
    options = ("--out", tmp_path / "out", "--k", "1,5", "--json")
    result = run_benchmark("longmemeval", "--data", data, *options)
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout.splitlines()[-1])
    assert found["all"]["questions"] == 2
    assert found["all"]["unanswerable"] == 1
    assert found["all"]["exchange_any@1"] == 1.0
    assert found["all"]["delivered"] == 1.0
    assert len(list((tmp_path / "out" / "items").iterdir())) == 2
    assert len((tmp_path / "out" / "progress.jsonl").read_text().splitlines()) == 2
    with (tmp_path / "out" / "summary.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["type"], row["k"]) for row in rows][:2] == [("all", "1"), ("all", "5")]
    assert rows[0]["session_any"] == "1.0"


def test_run_goes_on_where_it_stopped_and_tries_failures_again(
    tmp_path: Path, run_benchmark: RunBenchmark
) -> None:
    out = tmp_path / "out"
    broken = {key: value for key, value in record("q2").items() if key != "question"}
    data = write(tmp_path / "data.json", record(), broken)
    failed = run_benchmark("longmemeval", "--data", data, "--out", out)
    assert failed.returncode == 1
    assert "errors.jsonl" in failed.stderr
    assert "question" in (out / "errors.jsonl").read_text()
    again = run_benchmark("longmemeval", "--data", data, "--out", out)
    assert again.returncode == 1
    assert len((out / "progress.jsonl").read_text().splitlines()) == 1
    assert len((out / "errors.jsonl").read_text().splitlines()) == 2


def test_run_refuses_a_folder_of_other_options(tmp_path: Path, run_benchmark: RunBenchmark) -> None:
    data = write(tmp_path / "data.json", record())
    command = ("longmemeval", "--data", data, "--out", tmp_path / "out")
    assert run_benchmark(*command).returncode == 0
    other = run_benchmark(*command, "--k", "2")
    assert other.returncode == 1
    assert "other options" in other.stderr


def test_file_of_another_format_is_named(tmp_path: Path, run_benchmark: RunBenchmark) -> None:
    path = tmp_path / "data.json"
    path.write_text('{"questions": []}', encoding="utf-8")
    refused = run_benchmark("longmemeval", "--data", path, "--out", tmp_path / "out")
    assert refused.returncode == 1
    assert "data.json" in refused.stderr
