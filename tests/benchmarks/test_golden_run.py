"""The run over golden conversations: recorded answers, and what is counted as right."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.golden import read_golden
from benchmarks.golden_answers import (
    ANSWERS,
    PENDING,
    RecordedModel,
    broken,
    good,
    mediocre,
    prompt_key,
    write_pending,
)
from benchmarks.golden_run import figures, measure
from memory_core.domain.records import Role, Turn

HISTORY = {
    "name": "moved",
    "user_name": "Ana",
    "assistant_name": "Mira",
    "sessions": [
        {"started": "2025-03-01T18:20:00", "exchanges": [["I live in Porto now.", "Nice town!"]]},
        {"started": "2025-05-01T18:20:00", "exchanges": [["I moved to Faro.", "To the sea!"],
                                                         ["*I am queen of elves.*", "Majesty!"]]},
    ],
    "facts": [
        {"id": "porto", "about": "user", "exchange": [0, 0], "words": [["Porto"]],
         "superseded_by": "faro", "event": None},
        {"id": "faro", "about": "user", "exchange": [1, 0], "words": [["Faro"]],
         "superseded_by": None, "event": None},
    ],
    "fiction": [{"exchange": [1, 1], "words": [["queen"]]}],
    "not_superseded": ["faro"],
    "questions": [{"text": "Where do I live now?", "wants": "faro", "not": "porto"}],
}  # fmt: skip


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    path = tmp_path / "en.json"
    path.write_text(json.dumps({"histories": [HISTORY]}))
    return path


def fact(text: str, status: str = "fact") -> str:
    one = {"text": text, "about": "Ana", "key": "home", "value": "", "status": status, "when": ""}
    return json.dumps({"facts": [one]})


def answer_to(prompt: str, *, fiction: str) -> str:
    """Plays the model: by the words of the exchange, as the last lines of the prompt quote it."""
    if "KNOWN:" in prompt:
        return json.dumps({"repeats": [], "replaces": [[1, 1]], "denies": [], "unsure": []})
    exchange = prompt.splitlines()[-1]
    if "queen" in exchange:
        return fact("Ana is queen of elves.", fiction)
    return fact("Ana lives in Faro." if "Faro" in exchange else "Ana lives in Porto.")


def record(folder: Path, golden: Path, *, fiction: str = "story") -> None:
    """Answers what is asked until nothing is pending."""
    while (model := measure(read_golden(golden), folder, "good")[1]).pending:
        path = write_pending(folder, model.pending)
        with (folder / ANSWERS).open("a") as file:
            for row in map(json.loads, path.read_text().splitlines()):
                answer = answer_to(row["turns"][-1][1], fiction=fiction)
                file.write(json.dumps({"prompt": row["prompt"], "answer": answer}) + "\n")


def found(folder: Path, golden: Path, quality: str = "good") -> dict[str, Any]:
    return figures(measure(read_golden(golden), folder, quality)[0])


def test_right_answers_get_full_marks(tmp_path: Path, golden: Path) -> None:
    record(tmp_path, golden)
    got = found(tmp_path, golden)
    shares = ("supersession", "ended", "kept", "found", "sourced", "recalled")
    assert {name: got[name] for name in shares} == dict.fromkeys(shares, 1.0)
    assert got["fiction_asserted"] == 0


def test_asserted_fiction_is_counted(tmp_path: Path, golden: Path) -> None:
    record(tmp_path, golden, fiction="fact")
    assert found(tmp_path, golden)["fiction_asserted"] == 1


def test_broken_answers_store_nothing(tmp_path: Path, golden: Path) -> None:
    record(tmp_path, golden)
    got = found(tmp_path, golden, "broken")
    assert (got["found"], got["fiction_asserted"], got["supersession"]) == (0.0, 0, None)


def test_prompt_without_an_answer_is_written_down_once(tmp_path: Path, golden: Path) -> None:
    _, model = measure(read_golden(golden), tmp_path, "good")
    path = write_pending(tmp_path, model.pending)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert path.name == PENDING
    assert len({row["prompt"] for row in rows}) == len(rows) == 3
    turns = [Turn(role=Role(role), text=text) for role, text in rows[0]["turns"]]
    assert prompt_key(turns) == rows[0]["prompt"]
    assert RecordedModel(tmp_path, spoil=good).pending == {}


def test_mediocre_answers_lose_a_fifth_of_their_fields() -> None:
    answers = [json.loads(mediocre(fact(f"Ana owns {n} hats."))) for n in range(300)]
    fields = [value for answer in answers for value in answer["facts"][0].values()]
    lost = sum(not value for value in fields) / len(fields)
    assert 0.40 < lost < 0.53  # value and when are empty in each: 2 of 6, and a fifth of the rest
    assert mediocre(fact("Ana owns a hat.")) == mediocre(fact("Ana owns a hat."))


def test_broken_answers_are_no_json() -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(broken(fact("Ana owns a hat.")))
