"""Measures recall's ranking: the share of a question's evidence among the first exchanges.

Conversations in LoCoMo's format are stored through the product's own API and asked for by its own
recall, with the defaults and room for 60. Candidates that its gate dropped are put back in their
places, so that only the order counts; `gated` has the cost of that gate: recall@10 without them,
the loss, and the share of questions that got anything. An exchange (turns 2j and 2j+1 of a session)
counts for both its turns. recall@1000w is the recall among those first exchanges that have at most
1000 words together. Intervals: 95 %, bootstrap over questions. --chat-turns also asks every
question as a message in the middle of a chat (chat_turns.py). --backend postgres keeps the memories
in a PostgreSQL server that it starts and deletes.
"""

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from heapq import merge
from itertools import accumulate, chain
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.bounds import add_bounds, exit_if_broken
from benchmarks.chat_turns import WAYS, chat_turns
from benchmarks.command import run
from benchmarks.locomo import (
    CATEGORIES,
    CHAT_TURN,
    Conversation,
    Place,
    Question,
    read_conversations,
)
from benchmarks.product import EMBEDDERS, Product, chosen_embedder
from memory_core.config.schema import RecallSettings, Settings, WriteSettings
from memory_core.recall.results import DropReason, Form, Recall, Recalled

RANKS, WORDS, ALL_RANK = (5, 10, 20), (500, 1000, 2000), 10
GATED = "recall@10"
SEEN = 60
ROWS = (*CATEGORIES.values(), CHAT_TURN, *WAYS)
_NAME = 20
_NEVER = sys.maxsize
_RESAMPLES, _SEED = 1000, 20
_WORD = re.compile(r"[\u2e80-\U0010ffff]|[^\s\u2e80-\U0010ffff]+")  # without blanks: a character


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The figures of one question, 0..1 each, and the time of its recall in ms.

    `gated` is recall@10 after the gate; `passed` is whether any candidate passed it.
    """

    category: str
    figures: Mapping[str, float]
    gated: float
    passed: bool
    ms: float


Asking = Callable[[Conversation], Iterable[Question]]


def measure(
    product: Product, conversations: Iterable[Conversation], asking: Sequence[Asking]
) -> Iterator[Answer]:
    """Asks each conversation its own questions; returns their figures."""
    for conversation in conversations:
        places = product.tell(conversation)
        for question in chain.from_iterable(ask(conversation) for ask in asking):
            yield _answer(product, conversation, question, places)


def own_questions(conversation: Conversation) -> Iterable[Question]:
    """Returns the questions of the file, with its chat turns."""
    return (*conversation.questions, *conversation.chat_turns)


def _answer(
    product: Product, conversation: Conversation, question: Question, places: Mapping[str, Place]
) -> Answer:
    started = time.perf_counter()
    recall = product.put(conversation, question)
    ms = (time.perf_counter() - started) * 1000
    return Answer(
        category=question.category,
        figures=figures(question, ungated(recall), places),
        gated=figures(question, recall, places)[GATED],
        passed=bool(recall.kept),
        ms=ms,
    )


def ungated(recall: Recall) -> Recall:
    """Returns the recall of an open gate, with dropped candidates in the order of their scores."""
    dropped = (drop.candidate for drop in recall.dropped if drop.reason is DropReason.GATE)
    back = (Recalled(candidate=drop, form=Form.LINE) for drop in dropped)
    return replace(recall, kept=tuple(merge(recall.kept, sorted(back, key=_order), key=_order)))


def _order(recalled: Recalled) -> float:
    return -recalled.candidate.score


def figures(question: Question, recall: Recall, places: Mapping[str, Place]) -> dict[str, float]:
    """Returns one question's figures; exchanges that were not retrieved have no rank or cost."""
    retrieved = [places[recalled.memory.id] for recalled in recall.kept]
    rank = dict(zip(retrieved, range(1, SEEN + 1), strict=False))
    cost = dict(zip(retrieved, accumulate(map(_words, recall.kept)), strict=True))
    ranks = np.array([rank.get(place, _NEVER) for place in question.evidence])
    costs = np.array([cost.get(place, _NEVER) for place in question.evidence])
    return (
        {f"recall@{most}": float((ranks <= most).mean()) for most in RANKS}
        | {f"hit_all@{ALL_RANK}": float((ranks <= ALL_RANK).all())}
        | {f"recall@{most}w": float((costs <= most).mean()) for most in WORDS}
    )


def _words(recalled: Recalled) -> int:
    """Counts the words of an exchange, without the speakers' names."""
    exchange = recalled.memory.exchange
    return len(_WORD.findall(f"{exchange.user} {exchange.assistant}")) if exchange else 0


def ranking_settings(*, gate: bool) -> Settings:
    """Returns the default settings with many results, and an open gate unless it is wanted."""
    room = RecallSettings(candidate_n=SEEN, retrieve_k=SEEN, lines=SEEN)
    if gate:
        return Settings(recall=room)
    return Settings(
        recall=room.model_copy(update={"min_need": 0.0, "full_need": 0.0, "min_share": 0.0}),
        ltm_writes=WriteSettings(min_message_length=0),
    )


def summary(answers: Sequence[Answer]) -> dict[str, Any]:
    """Returns means over questions, and their intervals."""
    table = {
        name: np.array([answer.figures[name] for answer in answers]) for name in answers[0].figures
    }
    means: dict[str, Any] = {name: _rounded(values.mean()) for name, values in table.items()}
    intervals = {name: _interval(values) for name, values in table.items()}
    gated = _gated(answers, means[GATED])
    return {"questions": len(answers)} | means | {"gated": gated, "intervals": intervals}


def _gated(answers: Sequence[Answer], ungated: float) -> dict[str, float]:
    left = _rounded(fmean(answer.gated for answer in answers))
    passed = _rounded(fmean(answer.passed for answer in answers))
    return {GATED: left, "loss": _rounded(ungated - left), "passed": passed}


def _interval(values: Any) -> list[float]:  # noqa: ANN401
    random = np.random.default_rng(_SEED)
    drawn = random.integers(len(values), size=(_RESAMPLES, len(values)))
    return [_rounded(it) for it in np.percentile(values[drawn].mean(axis=1), (2.5, 97.5))]


def _rounded(value: float) -> float:
    return round(float(value), 4)


def report(answers: Sequence[Answer]) -> dict[str, Any]:
    """Returns the figures to print as JSON; chat turns are counted separately."""
    groups = {name: [answer for answer in answers if answer.category == name] for name in ROWS}
    rows = {name: summary(own) for name, own in groups.items() if own}
    questions = [answer for answer in answers if answer.category in CATEGORIES.values()]
    found = summary(questions)
    found["by_category"] = {
        category: rows[category] for category in CATEGORIES.values() if category in rows
    }
    if CHAT_TURN in rows:
        found["chat_turns"] = rows[CHAT_TURN]
    if in_chat := {way: rows[way] for way in WAYS if way in rows}:
        found["in_chat"] = in_chat
    p50, p95 = np.percentile(
        [answer.ms for answer in answers if answer.category not in WAYS], (50, 95)
    )
    return found | {"query_ms_p50": round(p50, 2), "query_ms_p95": round(p95, 2)}


def _print(found: Mapping[str, Any]) -> None:
    names = list(found["intervals"])
    gated = list(found["gated"])
    titles = "".join(f"{name:>20}" for name in names) + "".join(f"{name:>10}" for name in gated)
    print(f"{'gated:':>{_NAME + 5 + 20 * len(names) + 10}}")
    print(f"{'':{_NAME}}{'n':>5}{titles}")
    for name, row in _rows(found).items():
        cells = "".join(f"{_cell(row, name):>20}" for name in names)
        cells += "".join(f"{row['gated'][name]:10.3f}" for name in gated)
        print(f"{name:{_NAME}}{row['questions']:5}{cells}")
    print(f"ms per query: p50 {found['query_ms_p50']}, p95 {found['query_ms_p95']}")


def _rows(found: Mapping[str, Any]) -> dict[str, Any]:
    rows = found["by_category"] | {"all": found}
    if "chat_turns" in found:
        rows[CHAT_TURN] = found["chat_turns"]
    return dict(rows | found.get("in_chat", {}))


def _cell(row: Mapping[str, Any], name: str) -> str:
    low, high = row["intervals"][name]
    return f"{row[name]:.3f} [{low:.2f} {high:.2f}]"


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a file in LoCoMo's format")
    parser.add_argument("--embedder", default="none", help=EMBEDDERS)
    parser.add_argument("--backend", choices=["local", "postgres"], default="local")
    parser.add_argument("--chat-turns", action="store_true", help="also as messages of a chat")
    parser.add_argument("--json", action="store_true", help="one JSON object as the last line")
    add_bounds(parser)
    return parser.parse_args()


@contextmanager
def _database(backend: str) -> Iterator[str]:
    """Yields the address of an empty database, "" for files."""
    if backend == "local":
        yield ""
        return
    from tests.scale.servers import cluster  # its programs are an extra: scale-tests

    with cluster() as servers:
        yield servers.servers[0].dsn()


def main() -> None:
    asked = _asked()
    settings = ranking_settings(gate=True)
    asking = (own_questions, chat_turns) if asked.chat_turns else (own_questions,)
    embedder = chosen_embedder(asked.embedder)
    changed = settings.model_dump(mode="json", exclude_defaults=True)
    print(f"embedder: {asked.embedder}; settings other than the defaults: {changed}")
    with (
        tempfile.TemporaryDirectory() as folder,
        _database(asked.backend) as dsn,
        Product(Path(folder), settings=settings, embedder=embedder, dsn=dsn) as product,
    ):
        found = report(list(measure(product, read_conversations(asked.data), asking)))
    _print(found)
    if asked.json:
        print(
            json.dumps(
                {"embedder": asked.embedder, "backend": asked.backend, "settings": changed} | found
            )
        )
    exit_if_broken(asked, found)


if __name__ == "__main__":
    run(main)
