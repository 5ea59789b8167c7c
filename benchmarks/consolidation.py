"""Measures how well recall uses memories that were made of others.

A scripted extractor stores the published observations and session summaries of LoCoMo's
conversations beside the exchanges, so that the figures do not depend on a model. An exchange counts
for both its turns, an observation for the turns that it names, a summary for none. A unit is the
place of one exchange: short observations share one, as they do in recall (recall/pipeline.py). The
units of a question hold no more words than the ten exchanges that recall finds for it without
derived memories. `first_10_memories` counts ten memories, however short.

`supersession` and `fiction_asserted` are those of the workers on golden conversations with recorded
answers (golden_run.py): with the answers as they were given, with a fifth of the fields lost and of
the verdicts wrong (`mediocre`), and broken off.
"""

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from benchmarks.derived_data import Extracted, read_extracted
from benchmarks.golden import GOLDEN, read_golden
from benchmarks.golden_answers import QUALITIES
from benchmarks.golden_run import ANSWERS
from benchmarks.golden_run import figures as golden_figures
from benchmarks.golden_run import measure as measure_golden
from benchmarks.locomo import CATEGORIES, Conversation, Question, TurnId, read_conversations
from benchmarks.product import EMBEDDERS, Product, chosen_embedder
from benchmarks.recall import ranking_settings, ungated
from memory_core.domain.records import Memory, MemoryKind
from memory_core.providers.embedders.base import Embedder

UNITS = 10
MULTI_HOP = CATEGORIES[1]
_ROUNDING = 1e-9
_WORD = re.compile(r"[\u2e80-\U0010ffff]|[^\s\u2e80-\U0010ffff]+")  # without blanks: a character


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One question: the share of its evidence turns in the counted units, and the units' words.

    `derived` is the number of derived memories among them; `memories` the share of evidence turns
    among the first ten memories, however short.
    """

    conversation: str
    category: str
    recall: float
    memories: float
    words: int
    derived: int


class Consolidated:
    """The stored exchanges of a conversation and their derived memories, with their turns."""

    def __init__(self, product: Product, conversation: Conversation) -> None:
        self._product = product
        self.conversation = conversation
        self._ids = {place: name for name, place in product.tell(conversation).items()}
        self._turns: dict[str, set[TurnId]] = {name: set() for name in self._ids.values()}
        for turn, place in conversation.places.items():
            self._turns[self._ids[place]].add(turn)

    def add(self, extracted: Extracted) -> None:
        """Stores the extracted memories, and embeds them."""
        for made in extracted.observations:
            named = [turn for turn in made.turns if turn in self.conversation.places]
            name = self._product.add_derived(
                self.conversation,
                MemoryKind.OBSERVATION,
                made.text,
                self._sources_of(named),
                subject=made.subject,
            )
            self._turns.setdefault(name, set()).update(named)
        for session, text in extracted.summaries.items():
            turns = [turn for turn in self.conversation.places if turn[0] == session]
            self._product.add_derived(
                self.conversation, MemoryKind.SUMMARY, text, self._sources_of(turns)
            )
        self._product.embed_derived(self.conversation)

    def _sources_of(self, turns: Sequence[TurnId]) -> list[str]:
        places = (self.conversation.places[turn] for turn in turns)
        return list(dict.fromkeys(self._ids[place] for place in places))

    def ask(self, question: Question) -> list[Memory]:
        """Returns the memories that recall ranks for a question, best first."""
        recall = ungated(self._product.put(self.conversation, question))
        return [recalled.memory for recalled in recall.kept]

    def answer(
        self, question: Question, units: Sequence[Memory], first: Sequence[Memory]
    ) -> Answer:
        return Answer(
            conversation=self.conversation.name,
            category=question.category,
            recall=self._share_found(question, units),
            memories=self._share_found(question, first),
            words=sum(map(word_count, units)),
            derived=sum(unit.exchange is None for unit in units),
        )

    def _share_found(self, question: Question, units: Sequence[Memory]) -> float:
        found = set[TurnId]().union(*(self._turns.get(unit.id, ()) for unit in units))
        return fmean(turn in found for turn in question.turns)


def units_within(ranked: Sequence[Memory], words: int) -> list[Memory]:
    """Returns the first memories that fill UNITS places with at most this number of words.

    An exchange takes a place. A derived memory takes as much of one as its words are of a place's.
    """
    chosen: list[Memory] = []
    places, left = float(UNITS), words
    for memory in ranked:
        count = word_count(memory)
        share = 1.0 if memory.exchange else min(1.0, count * UNITS / max(1, words))
        if share <= places + _ROUNDING and count <= left:
            chosen.append(memory)
            places, left = places - share, left - count
    return chosen


def word_count(memory: Memory) -> int:
    """Counts the words of a memory, without the speakers' names."""
    exchange = memory.exchange
    text = f"{exchange.user} {exchange.assistant}" if exchange else memory.text
    return len(_WORD.findall(text))


def measure(
    product: Product, conversation: Conversation, extracted: Extracted
) -> Iterator[tuple[Answer, Answer]]:
    """Yields each question's answers: by the exchanges alone, and by all memories.

    The second may use no more words than the ten exchanges of the first.
    """
    stored = Consolidated(product, conversation)
    alone = [stored.ask(question)[:UNITS] for question in conversation.questions]
    stored.add(extracted)
    for question, exchanges in zip(conversation.questions, alone, strict=True):
        ranked = stored.ask(question)
        units = units_within(ranked, sum(map(word_count, exchanges)))
        yield (
            stored.answer(question, exchanges, exchanges),
            stored.answer(question, units, ranked[:UNITS]),
        )


def measure_all(
    conversations: Sequence[Conversation],
    extracted: Mapping[str, Extracted],
    embedder: Embedder | None,
) -> list[tuple[Answer, Answer]]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Product(Path(folder), settings=ranking_settings(gate=True), embedder=embedder) as product,
    ):
        parts = (measure(product, one, extracted[one.name]) for one in conversations)
        return list(chain.from_iterable(parts))


def report(answers: Sequence[tuple[Answer, Answer]]) -> dict[str, Any]:
    """Returns the figures with derived memories, then those of the exchanges alone."""
    alone, found = ([pair[which] for pair in answers] for which in (0, 1))
    return _figures(found) | {
        f"derived@{UNITS}": round(fmean(answer.derived for answer in found), 2),
        f"first_{UNITS}_memories": round(fmean(answer.memories for answer in found), 4),
        "by_category": _by(found, "category"),
        "multi_hop_by_conversation": _by(_multi_hop(found), "conversation"),
        "exchanges_alone": _figures(alone)
        | {"multi_hop_by_conversation": _by(_multi_hop(alone), "conversation")},
    }


def _figures(answers: Sequence[Answer]) -> dict[str, Any]:
    return {
        f"multi_hop_recall@{UNITS}": _mean_recall(_multi_hop(answers)),
        f"recall@{UNITS}": _mean_recall(answers),
        f"words@{UNITS}": round(fmean(answer.words for answer in answers), 1),
    }


def _multi_hop(answers: Sequence[Answer]) -> list[Answer]:
    return [answer for answer in answers if answer.category == MULTI_HOP]


def _by(answers: Sequence[Answer], name: str) -> dict[str, float]:
    values = dict.fromkeys(getattr(answer, name) for answer in answers)
    return {
        value: _mean_recall([answer for answer in answers if getattr(answer, name) == value])
        for value in values
    }


def _mean_recall(answers: Sequence[Answer]) -> float:
    return round(fmean(answer.recall for answer in answers), 4) if answers else 0.0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a file in LoCoMo's format")
    parser.add_argument("--derived", type=Path, required=True, help="what was extracted from it")
    parser.add_argument("--embedder", default="none", help=EMBEDDERS)
    parser.add_argument("--json", action="store_true", help="one JSON object as the last line")
    parser.add_argument("--golden", type=Path, default=GOLDEN, help="golden conversations")
    parser.add_argument("--answers", type=Path, default=ANSWERS, help="recorded answers to them")
    return parser.parse_args()


def workers_figures(golden: Path, answers: Path) -> dict[str, Any]:
    """Returns the figures of observations and contradictions, for each quality of answers."""
    histories = read_golden(golden)
    found = {
        quality: golden_figures(measure_golden(histories, answers, quality)[0])
        for quality in QUALITIES
    }
    asserted = max(one["fiction_asserted"] for one in found.values())
    shares = {f"supersession_{quality}": one["supersession"] for quality, one in found.items()}
    return {"supersession": found["good"]["supersession"], "fiction_asserted": asserted} | shares


def main() -> None:
    asked = _asked()
    embedder = chosen_embedder(asked.embedder)
    conversations = read_conversations(asked.data)
    extracted = read_extracted(asked.derived)
    if missing := [one.name for one in conversations if one.name not in extracted]:
        raise SystemExit(f"{asked.derived} has nothing of {', '.join(missing)}")
    found = report(measure_all(conversations, extracted, embedder))
    found |= workers_figures(asked.golden, asked.answers)
    for name, value in found.items():
        print(f"{name:28} {value}")
    if asked.json:
        print(json.dumps({"embedder": asked.embedder} | found))


if __name__ == "__main__":
    run(main)
