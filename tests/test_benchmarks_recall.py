"""The benchmarks of recall run, print what others read from them, and fail beyond their bounds."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.locomo import Place, Question, read_conversations, turn_ids
from benchmarks.recall import figures
from memory_core.records import Candidate, Exchange, Form, Memory, MemoryKind, Recall, Recalled

PROJECT = Path(__file__).resolve().parent.parent
MEANS = {f"recall@{it}" for it in (5, 10, 20, "500w", "1000w", "2000w")} | {"hit_all@10"}
SAID = (
    "My sister moved to Lisbon.",
    "The sea is near, then.",
    "The printer is out of toner.",
    "Shake the cartridge.",
    "We painted the kitchen yellow.",
)


def sample() -> dict[str, Any]:
    """One session of three exchanges, the last without an answer."""
    turns = [
        {"speaker": ("Ana", "Mira")[at % 2], "dia_id": f"D1:{at + 1}", "text": text}
        for at, text in enumerate(SAID)
    ]
    talk = {
        "speaker_a": "Ana",
        "speaker_b": "Mira",
        "session_1_date_time": "12:05 am on 3 March, 2026",
        "session_1": turns,
    }
    asked = [
        {"question": "Where is Ana's sister?", "evidence": ["D1:01; D:1:5"], "category": 1},
        {"question": "Is the toner out?", "evidence": ["D1:3", "D7:7", "D"], "category": 4},
        {"question": "Which one?", "evidence": ["D7:7"], "category": 4},
        {"question": "Was it green?", "evidence": ["D1:5"], "category": 5},
    ]
    chat = [{"context": [], "text": "and the kitchen?", "evidence": ["D1:5"]}]
    return {"sample_id": "small", "conversation": talk, "qa": asked, "chat_queries": chat}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.json"
    path.write_text(json.dumps([sample()]), encoding="utf-8")
    return path


def run(script: str, *options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, f"benchmarks/{script}.py", "--json", *map(str, options)]
    return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)


def last(ended: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (["D8:6; D9:17"], [(8, 6), (9, 17)]),
        (["D:11:26"], [(11, 26)]),
        (["D30:05", "D30:5"], [(30, 5)]),
        (["D"], []),
    ],
)
def test_evidence_is_understood_however_it_is_written(
    written: list[str], meant: list[tuple[int, int]]
) -> None:
    assert turn_ids(written) == meant


def test_turns_become_exchanges_and_questions_without_evidence_are_left_out(data: Path) -> None:
    (conversation,) = read_conversations(data)
    said = [(it.user, it.assistant) for it in conversation.exchanges.values()]
    assert said == [SAID[:2], SAID[2:4], (SAID[4], "")]
    evidence = [(it.category, it.evidence) for it in conversation.questions]
    assert evidence == [
        ("multi-hop", (Place(1, 0), Place(1, 2))),
        ("single-hop", (Place(1, 1),)),
    ]
    assert [it.evidence for it in conversation.chat_turns] == [(Place(1, 2),)]


def recalled(number: int) -> Recalled:
    """A hundred words; in the even ones each is a Chinese character."""
    said = Exchange(user="word " * 60 if number % 2 else "字" * 60, assistant="word " * 40)
    memory = Memory(id=str(number), kind=MemoryKind.EXCHANGE, text="", exchange=said)
    return Recalled(candidate=Candidate(memory=memory, score=1.0), form=Form.REPLAY)


def test_a_question_counts_evidence_by_rank_and_by_the_words_before_it() -> None:
    places = {str(number): Place(1, number) for number in range(1, 13)}
    evidence = (Place(1, 5), Place(1, 6), Place(1, 10), Place(2, 1))
    asked = Question(text="", category="", evidence=evidence)
    found = figures(asked, Recall(kept=tuple(map(recalled, range(1, 13)))), places)
    assert found.pop("hit_all@10") == 0.0
    assert found.pop("recall@5") == found.pop("recall@500w") == 0.25
    assert set(found.values()) == {0.75}


@pytest.mark.parametrize("embedder", ["none", "fake"])
def test_the_recall_benchmark_tells_every_figure(data: Path, embedder: str) -> None:
    ended = run("recall", "--data", data, "--embedder", embedder)
    assert ended.returncode == 0, ended.stderr
    found = last(ended)
    assert found["embedder"] == embedder
    assert list(found["by_category"]) == ["multi-hop", "single-hop"]
    for part in (found, *found["by_category"].values(), found["chat_turns"]):
        assert MEANS == set(part["intervals"]) <= set(part)
    assert found["questions"] == 2
    assert found["by_category"]["single-hop"]["recall@5"] == 1.0
    assert 0 < found["query_ms_p50"] <= found["query_ms_p95"]


def test_a_figure_below_its_floor_fails_the_benchmark_by_name(data: Path) -> None:
    floors = ("--floor", "by_category.single-hop.recall@5=1", "--floor", "recall@5=1.01")
    ended = run("recall", "--data", data, *floors)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("recall@5 is ")
    assert "single-hop" not in ended.stderr


def test_an_embedder_that_cannot_be_had_is_told_in_plain_words(data: Path) -> None:
    ended = run("recall", "--data", data, "--embedder", "nowhere:Nothing")
    assert ended.returncode == 1
    assert "cannot import 'nowhere'" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_small_talk_benchmark_tells_the_share_that_got_a_memory(
    data: Path, tmp_path: Path
) -> None:
    messages = [
        {"text": "painted the kitchen yellow", "lang": "en", "kind": "reminder"},
        {"text": "哈哈", "lang": "zh", "kind": "reaction"},
    ]
    asked = tmp_path / "messages.json"
    asked.write_text(json.dumps(messages), encoding="utf-8")
    ended = run("smalltalk", "--data", asked, "--history", data, "--ceiling", "injected=0.4")
    found = last(ended)
    assert (found["asked"], found["injected"]) == (2, 0.5)
    assert found["by_language"] == found["by_history"]["small"] == {"en": 1.0, "zh": 0.0}
    assert found["by_kind"] == {"reminder": 1.0, "reaction": 0.0}
    assert ended.returncode == 1
    assert "injected is 0.500, above its ceiling of 0.400" in ended.stderr
