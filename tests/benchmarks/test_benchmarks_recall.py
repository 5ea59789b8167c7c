"""The benchmarks of recall run, print their figures, and fail beyond their bounds."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.locomo import Place, Question, read_conversations, turn_ids
from benchmarks.product import Product
from benchmarks.recall import figures, own_questions, ranking_settings, ungated
from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.recall.results import Candidate, Form, Recall, Recalled
from tests.benchmarks.conftest import Ended, RunBenchmark
from tests.cases import for_each

PROJECT = Path(__file__).resolve().parents[2]
DATA = PROJECT / "benchmarks" / "data"
MEANS = {f"recall@{it}" for it in (5, 10, 20, "500w", "1000w", "2000w")} | {"hit_all@10"}
SAID = (
    "My sister moved to Lisbon.",
    "The sea is near, then.",
    "The printer is out of toner.",
    "Shake the cartridge.",
    "We painted the kitchen yellow.",
)


def sample() -> dict[str, Any]:
    """Returns one session of three exchanges, the last without an answer."""
    turns = [
        {"speaker": ("Ana", "Mira")[index % 2], "dia_id": f"D1:{index + 1}", "text": text}
        for index, text in enumerate(SAID)
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


def last(ended: Ended) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return found


@for_each(
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
    said = [(exchange.user, exchange.assistant) for exchange in conversation.exchanges.values()]
    assert said == [SAID[:2], SAID[2:4], (SAID[4], "")]
    evidence = [(question.category, question.evidence) for question in conversation.questions]
    assert evidence == [
        ("multi-hop", (Place(1, 0), Place(1, 2))),
        ("single-hop", (Place(1, 1),)),
    ]
    assert [chat_turn.evidence for chat_turn in conversation.chat_turns] == [(Place(1, 2),)]


def recalled(number: int) -> Recalled:
    """Returns a memory of a hundred words; even ones consist of Chinese characters."""
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
def test_the_recall_benchmark_reports_every_figure(
    data: Path, run_benchmark: RunBenchmark, embedder: str
) -> None:
    ended = run_benchmark("recall", "--json", "--data", data, "--embedder", embedder)
    assert ended.returncode == 0, ended.stderr
    found = last(ended)
    assert found["embedder"] == embedder
    assert list(found["by_category"]) == ["multi-hop", "single-hop"]
    for part in (found, *found["by_category"].values(), found["chat_turns"]):
        assert MEANS == set(part["intervals"]) <= set(part)
        assert list(part["gated"]) == ["recall@10", "loss", "passed"]
    assert found["questions"] == 2
    assert found["by_category"]["single-hop"]["recall@5"] == 1.0
    assert 0 < found["query_ms_p50"] <= found["query_ms_p95"]


def recalls(root: Path, *, gate: bool) -> list[Recall]:
    """For everything that is asked of our own English data."""
    (conversation,) = read_conversations(DATA / "companion_en.json")
    with Product(root, settings=ranking_settings(gate=gate), embedder=None) as product:
        product.tell(conversation)
        return [
            product.put(conversation, own_question) for own_question in own_questions(conversation)
        ]


def test_ungated_recall_puts_dropped_candidates_back_in_score_order(tmp_path: Path) -> None:
    shipped = recalls(tmp_path / "shipped", gate=True)
    opened = recalls(tmp_path / "open", gate=False)
    texts = [[recalled.memory.text for recalled in ungated(recall).kept] for recall in shipped]
    wanted = [[recalled.memory.text for recalled in recall.kept] for recall in opened]
    assert list(map(sorted, texts)) == list(map(sorted, wanted))
    firsts = [(set(own[:10]), set(other[:10])) for own, other in zip(texts, wanted, strict=True)]
    assert sum(own == other for own, other in firsts) > 0.9 * len(firsts)
    assert sum(map(len, texts)) > sum(len(recall.kept) for recall in shipped) > 0


def test_recall_benchmark_reports_the_cost_of_the_gate(
    data: Path, run_benchmark: RunBenchmark
) -> None:
    small = json.loads(data.read_text(encoding="utf-8"))
    small[0]["qa"] = [
        {"question": "Is the printer out of toner?", "evidence": ["D1:3"], "category": 4},
        {"question": "lol kitchen", "evidence": ["D1:5"], "category": 4},
    ]
    data.write_text(json.dumps(small), encoding="utf-8")
    found = last(run_benchmark("recall", "--json", "--data", data))
    assert found["recall@10"] == 1.0
    assert found["gated"] == {"recall@10": 0.5, "loss": 0.5, "passed": 0.5}


def test_a_figure_below_its_floor_fails_the_benchmark_by_name(
    data: Path, run_benchmark: RunBenchmark
) -> None:
    floors = ("--floor", "by_category.single-hop.recall@5=1", "--floor", "recall@5=1.01")
    ended = run_benchmark("recall", "--json", "--data", data, *floors)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("recall@5 is ")
    assert "single-hop" not in ended.stderr


def test_unavailable_embedder_is_reported_in_plain_words(
    data: Path, run_benchmark: RunBenchmark
) -> None:
    ended = run_benchmark("recall", "--data", data, "--embedder", "nowhere:Nothing")
    assert ended.returncode == 1
    assert "cannot import 'nowhere'" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_small_talk_counts_in_the_language_of_the_history_alone_and_in_context(
    data: Path, tmp_path: Path, run_benchmark: RunBenchmark
) -> None:
    messages = [
        {"text": "Do you remember when we painted the kitchen?", "lang": "en", "kind": "reminder"},
        {"text": "lol", "lang": "en", "kind": "reaction", "batch": "later"},
        {"text": "哈哈", "lang": "zh", "kind": "reaction"},
    ]
    asked = tmp_path / "messages.json"
    asked.write_text(json.dumps(messages), encoding="utf-8")
    options = ("--json", "--data", asked, "--history", data, "--ceiling", "injected.all=0.4")
    ended = run_benchmark("smalltalk", *options)
    found = last(ended)
    assert found["asked"] == 2
    assert found["injected"] == {"en": 0.5, "all": 0.5}
    assert set(found["in_context"]) == {"en", "all"}
    assert found["other_language"] == {"zh": 0.0, "all": 0.0}
    assert found["by_batch"] == {"first": {"en": 1.0, "all": 1.0}, "later": {"en": 0.0, "all": 0.0}}
    assert found["by_kind"] == {"reminder": 1.0, "reaction": 0.0}
    assert found["by_history"] == {"small": 0.5}
    assert ended.returncode == 1
    assert "injected.all is 0.500, above its ceiling of 0.400" in ended.stderr


def test_unseen_small_talk_is_not_among_the_training_examples() -> None:
    rows = json.loads((DATA / "smalltalk.json").read_text(encoding="utf-8"))
    unseen = {plain(row["text"]) for row in rows if row.get("batch") == "unseen"}
    assert len(unseen) > 150
    files = [path.read_text(encoding="utf-8") for path in DATA.glob("wording/*.tsv")]
    learned = [line.split("\t")[2] for text in files for line in text.splitlines()]
    assert len(learned) > 10_000
    assert not [text for text in learned if plain(text) in unseen]


def plain(text: str) -> str:
    """Letters and digits; of a message without any, all of it."""
    return "".join(it for it in text.casefold() if it.isalnum()) or text.strip()
