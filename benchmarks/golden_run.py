"""Runs observations and contradictions over golden conversations, and counts correct results.

Each history gets its own memory. The exchanges of a session are stored and then processed, as in a
program that is idle after each session. The model's answers were recorded; see
golden_answers.py. Figures: supersession (of the facts that end, the share that is not valid at the
end; of those that still hold, the share that is valid), fiction_asserted (observations that assert
what is only play), recalled (questions whose answer is among the memories, and nothing misleading).
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from benchmarks.golden import GOLDEN, read_golden
from benchmarks.golden_answers import QUALITIES, RecordedModel, write_pending
from benchmarks.golden_values import Fact, History, Place, Session
from memory_core import bootstrap
from memory_core.config.consolidation_settings import ConsolidationSettings
from memory_core.config.schema import Settings
from memory_core.consolidation.contradictions import Contradictions
from memory_core.consolidation.job_model import JobOptions
from memory_core.consolidation.observations import Observations
from memory_core.consolidation.runner import Runner, Step
from memory_core.consolidation.similar_facts import OBSERVATIONS
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, Memory
from memory_core.memory.derived_memories import DerivedMemories
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.recall.query import Query, local_time
from memory_core.storage.contract import DerivedFilter
from memory_core.storage.index.local import LocalStore

ANSWERS = GOLDEN / "answers"
_SPACE = Namespace("golden", "character")
_EXCHANGE_S = 120.0
_NEVER = Event()


@dataclass(slots=True)
class Counts:
    """The correct and the total number for each figure, and the errors for inspection."""

    right: Counter[str] = field(default_factory=Counter)
    all: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def count(self, figure: str, *, is_right: bool, detail: str = "") -> None:
        self.all[figure] += 1
        self.right[figure] += is_right
        if not is_right:
            self.wrong.append(f"{figure}: {detail}")

    def share(self, figure: str) -> float | None:
        return round(self.right[figure] / self.all[figure], 4) if self.all[figure] else None


class GoldenMemory:
    """The memory of one history, with the two workers over a recorded model."""

    def __init__(self, root: Path, history: History, model: RecordedModel) -> None:
        self._history = history
        self._now = 0.0
        settings = Settings()
        self.memory = LongTermMemory(
            root,
            open_store=LocalStore,
            embedder=None,
            pipeline=bootstrap.build_pipeline(settings, None),
            limits=bootstrap.build_limits(settings),
            clock=lambda: self._now,
        )
        options = JobOptions(max_tokens=600, temperature=0.0, timeout_s=60.0, max_attempts=1)
        own = ConsolidationSettings()
        self._runner = Runner(
            self.memory,
            [Observations(settings=own), Contradictions(settings=own)],
            model,
            options=options,
            audit=None,
            clock=lambda: self._now,
        )
        self.derived = DerivedMemories(self.memory)
        self.places: dict[str, Place] = {}

    def tell_all(self) -> None:
        for number, session in enumerate(self._history.sessions):
            self._tell(number, session)
            while self._work():
                pass

    def _tell(self, number: int, session: Session) -> None:
        for index, said in enumerate(session.exchanges):
            self._now = session.started.timestamp() + _EXCHANGE_S * index
            exchange = Exchange(
                user=said.user,
                assistant=said.answer,
                user_name=self._history.user_name,
                assistant_name=self._history.assistant_name,
                ts=self._now,
            )
            memory_id = self.memory.remember(_SPACE, f"session-{number}", exchange)
            self.places[memory_id] = Place(number, index)

    def _work(self) -> int:
        """Runs all due jobs; returns their number."""
        self._runner.scan(_SPACE, _NEVER)
        done = 0
        while (step := self._runner.step(_SPACE, _NEVER)) is not Step.NOTHING_DUE:
            done += step is Step.DONE
        while self.memory.derive_pending(_SPACE):
            pass
        return done

    def observations(self) -> list[Memory]:
        return self.derived.find(_SPACE, DerivedFilter(kinds=OBSERVATIONS))

    def place_of(self, memory: Memory) -> Place | None:
        return next((self.places[one] for one in memory.sources if one in self.places), None)

    def is_valid(self, memory: Memory) -> bool:
        return not self.derived.is_superseded(_SPACE, memory)

    def has_held(self, memory: Memory) -> bool:
        """Returns whether a memory holds, or held for some time instead of being denied."""
        ended = memory.derived.valid_to if memory.derived else None
        return self.is_valid(memory) or ended is None or ended > (memory.ts or 0.0)

    def recalled(self, question: str) -> list[Memory]:
        query = Query(
            text=question, now=local_time(self._now), is_explicit_request=True,
            names=(self._history.user_name, self._history.assistant_name),
        )  # fmt: skip
        return [kept.memory for kept in self.memory.recall(_SPACE, query).kept]


def judge(history: History, memory: GoldenMemory, counts: Counts) -> None:
    """Counts what one history's observations state, and whether they hold."""
    found = memory.observations()
    stated = {fact.id: _stating(fact, found, memory) for fact in history.facts}
    for fact in history.facts:
        counts.count("found", is_right=bool(stated[fact.id]), detail=f"{history.name} {fact.id}")
        if fact.superseded_by and stated[fact.id]:
            _judge_ended(fact, history, stated, memory, counts)
    for group in _groups(history):
        observed = [one for id_ in group for one in stated[id_]]
        if observed:
            holds = any(map(memory.is_valid, observed))
            counts.count("kept", is_right=holds, detail=f"{history.name} {group}")
    _judge_fiction(history, found, memory, counts)
    counts.count(
        "sourced", is_right=all(memory.place_of(one) for one in found), detail=history.name
    )


def _judge_ended(
    fact: Fact,
    history: History,
    stated: Mapping[str, list[Memory]],
    memory: GoldenMemory,
    counts: Counts,
) -> None:
    """Counts whether an ended fact is not valid, if the fact that ended it was found."""
    if not stated.get(fact.superseded_by or ""):
        return
    still = [one.text for one in stated[fact.id] if memory.is_valid(one)]
    counts.count("ended", is_right=not still, detail=f"{history.name} {fact.id}: {still}")


def _judge_fiction(
    history: History, found: Iterable[Memory], memory: GoldenMemory, counts: Counts
) -> None:
    for observation in found:
        flag = observation.derived.flag if observation.derived else None
        place = memory.place_of(observation)
        for fiction in history.fiction:
            if place == fiction.place and flag is None and memory.has_held(observation):
                asserted = fiction.is_asserted_by(observation.text)
                counts.count(
                    "not_asserted",
                    is_right=not asserted,
                    detail=f"{history.name}: {observation.text}",
                )


def _judge_questions(history: History, memory: GoldenMemory, counts: Counts) -> None:
    for question in history.questions:
        recalled = memory.recalled(question.text)
        wanted = history.fact(question.wants)
        has_answer = any(wanted.is_stated_by(one.text) for one in recalled)
        counts.count("recalled", is_right=has_answer, detail=f"{history.name}: {question.text}")


def _stating(fact: Fact, found: Iterable[Memory], memory: GoldenMemory) -> list[Memory]:
    return [
        one for one in found if memory.place_of(one) == fact.place and fact.is_stated_by(one.text)
    ]


def _groups(history: History) -> Iterator[list[str]]:
    """Yields groups of the facts that hold at the end; repetitions share a group."""
    holding = set(history.not_superseded)
    grouped = [group for group in history.repeats if holding & set(group)]
    yield from (list(group) for group in grouped)
    repeated = {id_ for group in grouped for id_ in group}
    yield from ([id_] for id_ in history.not_superseded if id_ not in repeated)


def measure(
    histories: Iterable[History], folder: Path, quality: str
) -> tuple[Counts, RecordedModel]:
    model, counts = RecordedModel(folder, spoil=QUALITIES[quality]), Counts()
    for history in histories:
        with tempfile.TemporaryDirectory() as root:
            golden = GoldenMemory(Path(root), history, model)
            golden.tell_all()
            judge(history, golden, counts)
            _judge_questions(history, golden, counts)
            golden.memory.close()
    return counts, model


def figures(counts: Counts) -> dict[str, Any]:
    judged = counts.all["ended"] + counts.all["kept"]
    right = counts.right["ended"] + counts.right["kept"]
    return {
        "supersession": round(right / judged, 4) if judged else None,
        "ended": counts.share("ended"),
        "kept": counts.share("kept"),
        "found": counts.share("found"),
        "fiction_asserted": counts.all["not_asserted"] - counts.right["not_asserted"],
        "sourced": counts.share("sourced"),
        "recalled": counts.share("recalled"),
        "counts": dict(counts.all),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--golden", type=Path, default=GOLDEN, help="a file or folder of histories")
    parser.add_argument("--answers", type=Path, default=ANSWERS, help="folder of answers.jsonl")
    parser.add_argument("--quality", choices=list(QUALITIES), default="good")
    parser.add_argument("--wrong", action="store_true", help="print what went wrong")
    parser.add_argument("--json", action="store_true", help="one JSON object as the last line")
    asked = parser.parse_args()
    counts, model = measure(read_golden(asked.golden), asked.answers, asked.quality)
    if asked.wrong:
        print("\n".join(counts.wrong))
    if model.pending:
        path = write_pending(asked.answers, model.pending)
        print(f"{len(model.pending)} prompts have no answer yet: {path}", file=sys.stderr)
    found = figures(counts) | {"quality": asked.quality, "unanswered": len(model.pending)}
    print(json.dumps(found, indent=None if asked.json else 2))


if __name__ == "__main__":
    run(main)
