"""How well recall ranks: the share of a question's evidence turns among the first exchanges.

Conversations in LoCoMo's format are stored through the product's own API and asked for by its own
recall; with the gate open, so that only the order counts. An exchange (turns 2j and 2j+1 of a
session) counts for both its turns. recall@1000w is the recall among those first exchanges that
have at most 1000 words together. Intervals: 95 %, bootstrap over questions.
"""

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.bounds import add_bounds, exit_if_broken
from benchmarks.locomo import CATEGORIES, CHAT_TURN, Place, Question, read_conversations
from benchmarks.product import EMBEDDERS, Product, chosen_embedder
from memory_core.records import Recall, Recalled
from memory_core.settings import RecallSettings, Settings, WriteSettings

RANKS, WORDS, ALL_RANK = (5, 10, 20), (500, 1000, 2000), 10
SEEN = 60
_NEVER = sys.maxsize
_RESAMPLES, _SEED = 1000, 20
_WORD = re.compile(r"[\u2e80-\U0010ffff]|[^\s\u2e80-\U0010ffff]+")  # without blanks: a character


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one question got: its figures, 0..1 each, and the time that recall took."""

    category: str
    figures: Mapping[str, float]
    ms: float


def measure(product: Product, path: Path) -> Iterator[Answer]:
    """Asks every question and chat turn of the file's conversations, each of its own."""
    for conversation in read_conversations(path):
        places = product.tell(conversation)
        for question in (*conversation.questions, *conversation.chat_turns):
            started = time.perf_counter()
            recall = product.ask(conversation, question.text)
            ms = (time.perf_counter() - started) * 1000
            found = figures(question, recall, places)
            yield Answer(category=question.category, figures=found, ms=ms)


def figures(question: Question, recall: Recall, places: Mapping[str, Place]) -> dict[str, float]:
    """One question's figures; what was not retrieved has neither a rank nor a cost in words."""
    retrieved = [places[it.memory.id] for it in recall.kept]
    rank = dict(zip(retrieved, range(1, SEEN + 1), strict=False))
    cost = dict(zip(retrieved, accumulate(map(_words, recall.kept)), strict=True))
    ranks = np.array([rank.get(it, _NEVER) for it in question.evidence])
    costs = np.array([cost.get(it, _NEVER) for it in question.evidence])
    return (
        {f"recall@{most}": float((ranks <= most).mean()) for most in RANKS}
        | {f"hit_all@{ALL_RANK}": float((ranks <= ALL_RANK).all())}
        | {f"recall@{most}w": float((costs <= most).mean()) for most in WORDS}
    )


def _words(recalled: Recalled) -> int:
    """What was said; the names before it do not count."""
    exchange = recalled.memory.exchange
    return len(_WORD.findall(f"{exchange.user} {exchange.assistant}")) if exchange else 0


def ranking_settings(*, gate: bool) -> Settings:
    """The defaults with room for many, and the gate open unless it is asked for."""
    room = RecallSettings(candidate_n=SEEN, retrieve_k=SEEN, lines=SEEN)
    if gate:
        return Settings(recall=room)
    return Settings(
        recall=room.model_copy(update={"min_score": 0.0}),
        ltm_writes=WriteSettings(min_message_length=0),
    )


def summary(answers: Sequence[Answer]) -> dict[str, Any]:
    """Means over questions, and their intervals."""
    table = {name: np.array([it.figures[name] for it in answers]) for name in answers[0].figures}
    means: dict[str, Any] = {name: _rounded(values.mean()) for name, values in table.items()}
    intervals = {name: _interval(values) for name, values in table.items()}
    return {"questions": len(answers)} | means | {"intervals": intervals}


def _interval(values: Any) -> list[float]:  # noqa: ANN401
    random = np.random.default_rng(_SEED)
    drawn = random.integers(len(values), size=(_RESAMPLES, len(values)))
    return [_rounded(it) for it in np.percentile(values[drawn].mean(axis=1), (2.5, 97.5))]


def _rounded(value: float) -> float:
    return round(float(value), 4)


def report(answers: Sequence[Answer]) -> dict[str, Any]:
    """All that is printed as JSON; chat turns count for themselves alone."""
    questions = [it for it in answers if it.category != CHAT_TURN]
    chat_turns = [it for it in answers if it.category == CHAT_TURN]
    p50, p95 = np.percentile([it.ms for it in answers], (50, 95))
    found = summary(questions)
    found["by_category"] = {
        name: summary(own)
        for name in CATEGORIES.values()
        if (own := [it for it in questions if it.category == name])
    }
    if chat_turns:
        found["chat_turns"] = summary(chat_turns)
    return found | {"query_ms_p50": round(p50, 2), "query_ms_p95": round(p95, 2)}


def _print(found: Mapping[str, Any]) -> None:
    names = list(found["intervals"])
    print(f"{'':12}{'n':>5}" + "".join(f"{name:>20}" for name in names))
    rows = found["by_category"] | {"all": found}
    if "chat_turns" in found:
        rows["chat turns"] = found["chat_turns"]
    for name, row in rows.items():
        print(f"{name:12}{row['questions']:5}" + "".join(f"{_cell(row, it):>20}" for it in names))
    print(f"ms per query: p50 {found['query_ms_p50']}, p95 {found['query_ms_p95']}")


def _cell(row: Mapping[str, Any], name: str) -> str:
    low, high = row["intervals"][name]
    return f"{row[name]:.3f} [{low:.2f} {high:.2f}]"


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a file in LoCoMo's format")
    parser.add_argument("--embedder", default="none", help=EMBEDDERS)
    parser.add_argument("--gate", action="store_true", help="leave the gate as it is by default")
    parser.add_argument("--json", action="store_true", help="one JSON object as the last line")
    add_bounds(parser)
    return parser.parse_args()


def main() -> None:
    asked = _asked()
    settings = ranking_settings(gate=asked.gate)
    embedder = chosen_embedder(asked.embedder)
    changed = settings.model_dump(mode="json", exclude_defaults=True)
    print(f"embedder: {asked.embedder}; settings other than the defaults: {changed}")
    with (
        tempfile.TemporaryDirectory() as folder,
        Product(Path(folder), settings=settings, embedder=embedder) as product,
    ):
        found = report(list(measure(product, asked.data)))
    _print(found)
    if asked.json:
        print(json.dumps({"embedder": asked.embedder, "settings": changed} | found))
    exit_if_broken(asked, found)


if __name__ == "__main__":
    main()
