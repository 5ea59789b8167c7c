"""Measures whether recall drops outdated facts for questions about now, and finds them for then.

The golden conversations mark their facts and the later facts that ended them. A scripted extractor
stores the user's words of each fact as an observation, superseded as marked, so that the figures do
not depend on a model. `wanted` is the share of questions for which the fact asked for is recalled,
in its exchange or its observation; `misled` that of the questions with a misleading fact for which
that one is recalled.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks import locomo
from benchmarks.command import run
from benchmarks.golden import read_golden
from benchmarks.golden_values import Fact, History, Question
from benchmarks.product import EMBEDDERS, Product, chosen_embedder
from memory_core.config.schema import Settings
from memory_core.domain.records import Exchange, MemoryKind
from memory_core.providers.embedders.base import Embedder

_MINUTE, _DAY = 60.0, 86_400.0
DATA = Path(__file__).resolve().parent / "data" / "golden"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One question. `is_misled` is None if nothing misleads; `asks_back` if its fact ended."""

    is_found: bool
    is_misled: bool | None
    asks_back: bool


def conversation_of(history: History) -> locomo.Conversation:
    exchanges = {
        locomo.Place(number, index): Exchange(
            user=said.user,
            assistant=said.answer,
            user_name=history.user_name,
            assistant_name=history.assistant_name,
            ts=session.started.timestamp() + _MINUTE * index,
        )
        for number, session in enumerate(history.sessions)
        for index, said in enumerate(session.exchanges)
    }
    return locomo.Conversation(
        name=history.name,
        speakers=(history.user_name, history.assistant_name),
        exchanges=exchanges,
        questions=(),
        chat_turns=(),
        now=max(session.started.timestamp() for session in history.sessions) + _DAY,
    )


def measure(product: Product, history: History, *, is_derived: bool) -> Iterator[Answer]:
    """Stores one history, with observations or without, and asks its questions."""
    conversation = conversation_of(history)
    places = product.tell(conversation)
    ids = {place: memory_id for memory_id, place in places.items()}
    facts = {fact.id: {ids[locomo.Place(*fact.place)]} for fact in history.facts}
    if is_derived:
        made = {
            fact.id: _observe(product, conversation, history, fact, ids) for fact in history.facts
        }
        for fact in history.facts:
            facts[fact.id].add(made[fact.id])
            if fact.superseded_by and made[fact.id] != made[fact.superseded_by]:
                product.supersede(conversation, made[fact.id], made[fact.superseded_by])
        product.embed_derived(conversation)
    for question in history.questions:
        recall = product.ask(conversation, question.text)
        kept = {recalled.memory.id for recalled in recall.kept}
        yield _answer(history, question, {name: bool(own & kept) for name, own in facts.items()})


def _observe(
    product: Product,
    conversation: locomo.Conversation,
    history: History,
    fact: Fact,
    ids: dict[locomo.Place, str],
) -> str:
    names = {"user": history.user_name, "assistant": history.assistant_name}
    said = history.exchange(fact.place)
    text = said.answer if fact.about == "assistant" else said.user
    return product.add_derived(
        conversation,
        MemoryKind.OBSERVATION,
        text,
        [ids[locomo.Place(*fact.place)]],
        subject=names.get(fact.about, fact.about),
    )


def _answer(history: History, question: Question, is_kept: dict[str, bool]) -> Answer:
    avoided = question.avoids
    return Answer(
        is_found=is_kept[question.wants],
        is_misled=None if avoided is None else is_kept[avoided],
        asks_back=history.fact(question.wants).superseded_by is not None,
    )


def measure_all(
    histories: Sequence[History], embedder: Embedder | None, *, is_derived: bool
) -> list[Answer]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Product(Path(folder), settings=Settings(), embedder=embedder) as product,
    ):
        return [
            answer
            for history in histories
            for answer in measure(product, history, is_derived=is_derived)
        ]


def report(answers: Sequence[Answer]) -> dict[str, Any]:
    back = [answer.is_found for answer in answers if answer.asks_back]
    misled = [answer.is_misled for answer in answers if answer.is_misled is not None]
    return {
        "wanted": _share([answer.is_found for answer in answers]),
        "wanted_of_before": _share(back),
        "misled": _share(misled),
        "questions": [len(answers), len(back), len(misled)],
    }


def _share(values: Sequence[bool]) -> float:
    return round(fmean(values), 4) if values else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--golden", type=Path, nargs="*", default=sorted(DATA.glob("*.json")))
    parser.add_argument("--embedder", default="none", help=EMBEDDERS)
    parser.add_argument("--json", action="store_true", help="one JSON object as the last line")
    asked = parser.parse_args()
    embedder = chosen_embedder(asked.embedder)
    found: dict[str, Any] = {}
    for path in asked.golden:
        histories = read_golden(path)
        for name, is_derived in (("exchanges alone", False), ("with observations", True)):
            found[f"{path.stem}, {name}"] = report(
                measure_all(histories, embedder, is_derived=is_derived)
            )
    for name, figures in found.items():
        print(f"{name:28} {figures}")
    if asked.json:
        print(json.dumps({"embedder": asked.embedder} | found))


if __name__ == "__main__":
    run(main)
