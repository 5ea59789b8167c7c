"""Measures everyday recall with the facts that background work of a language model stores.

    python benchmarks/everyday_facts.py [--embedder …] [--chat] [--share 0.5] [--json]

The facts of four long histories (data/facts) were written by language models that read one exchange
at a time and knew none of the messages. The product's own worker checks and stores them, as it
does with a model's answers. A fact counts as the exchange of which it was made. `--share` uses the
facts of that share of the exchanges, as a weaker model would find fewer. Prints the figures
without facts first; everyday.py explains them.
"""

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from benchmarks.everyday import Bench
from benchmarks.everyday_data import DATA, History, read_histories
from benchmarks.everyday_report import Outcome, table
from benchmarks.product import EMBEDDERS, chosen_embedder
from memory_core.config.consolidation_settings import ConsolidationSettings
from memory_core.consolidation.observations import Observations
from memory_core.domain.errors import BadAnswer
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Turn
from memory_core.memory.derived_memories import DerivedMemories, NewDerived
from memory_core.providers.embedders.base import Embedder

FACTS = Path(__file__).resolve().parent / "data" / "facts"
HISTORIES = DATA / "long"
_SHOWN = ("delivered", "first", "tokens")

Facts = Mapping[int, Sequence[Mapping[str, Any]]]  # of each exchange, by its index


@dataclass(kw_only=True)
class WrittenAnswers:
    """Answers the worker with facts written beforehand, in place of a model."""

    name: str = "written"
    facts: list[dict[str, Any]] = field(default_factory=list)

    def ask(self, turns: Sequence[Turn], *, schema: Mapping[str, Any]) -> dict[str, Any]:
        return {"facts": self.facts}

    def now(self) -> datetime:
        return datetime.now(UTC)


class FactBench(Bench):
    """Stores the facts of a history beside its exchanges."""

    def __init__(self, folder: Path, *, embedder: Embedder | None, facts: Facts) -> None:
        super().__init__(folder, embedder=embedder)
        self._facts = facts

    def _told(self, space: Namespace, history: History) -> dict[str, int]:
        places = super()._told(space, history)
        memory = self._runtime.memory
        derived, model = DerivedMemories(memory), WrittenAnswers()
        worker = Observations(settings=ConsolidationSettings())
        for name, index in list(places.items()):
            with memory.open_namespace(space) as opened:
                task = worker.prepare(opened, name) if index in self._facts else None
            if task is None:
                continue
            model.facts = [dict(fact) for fact in self._facts[index]]
            try:
                made = worker.run(task, model)
            except BadAnswer:
                continue
            for new in made:
                assert isinstance(new, NewDerived)
                places[derived.add(space, new)] = index
        while memory.derive_pending(space, batch=256):
            pass
        return places


def read_facts(path: Path, *, share: float = 1.0, search_words: bool = True) -> Facts:
    """Returns the facts of this share of the exchanges; which ones depends on their index alone."""
    found: dict[int, list[dict[str, Any]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        written = json.loads(line)
        index = written["exchange"]
        if int(hashlib.sha256(str(index).encode()).hexdigest()[:8], 16) < share * 16**8:
            left_out = () if search_words else ("search",)
            found[index] = [
                {name: value for name, value in fact.items() if name not in left_out}
                for fact in written["facts"]
            ]
    return found


def measured(
    history: History, embedder: Embedder | None, facts: Facts, *, in_one_chat: bool = False
) -> list[Outcome]:
    with tempfile.TemporaryDirectory() as folder:
        bench = FactBench(Path(folder), embedder=embedder, facts=facts)
        try:
            return list(bench.outcomes(history, in_one_chat=in_one_chat))
        finally:
            bench.close()


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--embedder", default="none", help=EMBEDDERS)
    parser.add_argument("--chat", action="store_true", help="all messages in one chat")
    parser.add_argument("--share", type=float, default=1.0, help="of the exchanges with facts")
    parser.add_argument("--without-search-words", action="store_true")
    parser.add_argument("--json", action="store_true", help="one JSON object as the last line")
    return parser.parse_args()


def main() -> None:
    asked = _asked()
    embedder = chosen_embedder(asked.embedder)
    figures: dict[str, Any] = {}
    for history in read_histories(HISTORIES, ()):
        path = FACTS / f"{history.name}.jsonl"
        if not path.exists():
            continue
        facts = read_facts(path, share=asked.share, search_words=not asked.without_search_words)
        found = {
            title: table(measured(history, embedder, given, in_one_chat=asked.chat))
            for title, given in (("without", {}), ("with facts", facts))
        }
        figures[history.name] = found
        for title, one in found.items():
            shown = "  ".join(f"{name} {one['delivered'][name]:.3f}" for name in _SHOWN)
            needless = one["nothing_wanted"]["tokens"]
            print(f"{history.name:18} {title:10}  {shown}  needs nothing: {needless:.0f} tokens")
    if asked.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    run(main)
