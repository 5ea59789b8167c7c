"""Measures how often small talk, which needs no memory, gets one with the default gate.

Each message is sent to each history, with the default settings. `injected` is the share that got a
memory from histories in its own language; `other_language` is separate, because hardly any of its
words occur there. `in_context` is that share with an exchange just before, as in a running chat:
one of the history, drawn with a fixed seed, which the prompt shows.
"""

import argparse
import io
import json
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.bounds import add_bounds, exit_if_broken
from benchmarks.command import run
from benchmarks.locomo import Conversation, Question, read_conversations
from benchmarks.product import EMBEDDERS, Product, chosen_embedder
from memory_core.config.schema import Settings
from memory_core.domain.records import Exchange
from memory_core.recall.languages import language_shares
from memory_core.recall.results import Recalled

DATA = Path(__file__).resolve().parent / "data"
HISTORIES = [DATA / "companion_en.json", DATA / "companion_zh.json"]
_SEED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message of the data file. `batch` separates messages added later from the first ones."""

    text: str
    lang: str
    kind: str
    batch: str = "first"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The memories that a message got from one history; none if all is well."""

    message: Message
    history: str
    lang: str
    in_context: bool
    got: Sequence[Recalled]


def outcomes(
    product: Product, messages: Sequence[Message], histories: Sequence[Path]
) -> Iterator[Outcome]:
    """Sends every message to every history; in its own language also a second time, in context."""
    for conversation in chain.from_iterable(map(read_conversations, histories)):
        product.tell(conversation)
        lang = language(conversation)
        for message in messages:
            alone = Question(text=message.text, category=message.kind, evidence=())
            asked = [alone]
            if message.lang == lang:
                asked.append(alone.after(_just_said(conversation, message)))
            for question in asked:
                yield Outcome(
                    message=message,
                    history=conversation.name,
                    lang=lang,
                    in_context=bool(question.context),
                    got=product.put(conversation, question).kept,
                )


def language(conversation: Conversation) -> str:
    """Returns the language of most messages: Chinese or English."""
    exchanges = conversation.exchanges.values()
    shares = language_shares(f"{exchange.user} {exchange.assistant}" for exchange in exchanges)
    return "zh" if shares.get("zh", 0.0) > shares.get("en", 0.0) else "en"


def _just_said(conversation: Conversation, message: Message) -> Exchange:
    """Returns a random exchange, drawn separately for each message."""
    exchanges = list(conversation.exchanges.values())
    return random.Random(f"{_SEED} {message.text}").choice(exchanges)


def report(found: Sequence[Outcome]) -> dict[str, object]:
    """Returns the shares of messages that got a memory; those in another language are left out."""
    own = [outcome for outcome in found if outcome.lang == outcome.message.lang]
    alone = [outcome for outcome in own if not outcome.in_context]
    batches = _grouped(alone, lambda outcome: outcome.message.batch)
    histories = _grouped(alone, lambda outcome: outcome.history)
    return {
        "asked": len(alone),
        "injected": _by_language(alone),
        "in_context": _by_language([outcome for outcome in own if outcome.in_context]),
        "other_language": _by_language(
            [outcome for outcome in found if outcome.lang != outcome.message.lang]
        ),
        "by_batch": {name: _by_language(them) for name, them in batches.items()},
        "by_kind": _shares(alone, lambda outcome: outcome.message.kind),
        "by_history": {name: _share(them) for name, them in histories.items()},
    }


def _by_language(found: Sequence[Outcome]) -> dict[str, float]:
    """Returns the share by language, and that of all messages as `all`."""
    shares = _shares(found, lambda outcome: outcome.message.lang)
    return shares | ({"all": _share(found)} if found else {})


def _grouped(
    found: Sequence[Outcome], key: Callable[[Outcome], str]
) -> Mapping[str, list[Outcome]]:
    groups: dict[str, list[Outcome]] = {}
    for outcome in found:
        groups.setdefault(key(outcome), []).append(outcome)
    return groups


def _shares(found: Sequence[Outcome], key: Callable[[Outcome], str]) -> dict[str, float]:
    return {name: _share(own) for name, own in _grouped(found, key).items()}


def _share(found: Sequence[Outcome]) -> float:
    return round(sum(bool(entry.got) for entry in found) / len(found), 4)


def _print_examples(found: Sequence[Outcome], most: int) -> None:
    """Prints the highest-scored memories that should not have come, worst first."""
    wrong = sorted(
        (outcome for outcome in found if outcome.got),
        key=lambda outcome: -outcome.got[0].candidate.score,
    )
    for outcome in wrong[:most]:
        best = outcome.got[0].candidate
        parts = ", ".join(f"{name} {value:.2f}" for name, value in best.parts.items())
        memory = best.memory.text.replace("\n", " / ")
        asked = f"{outcome.message.text!r}{' in context' if outcome.in_context else ''}"
        print(f"  {asked} got {len(outcome.got)} of {outcome.history}, first ({parts}): {memory}")


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA / "smalltalk.json")
    parser.add_argument("--history", type=Path, nargs="+", default=HISTORIES)
    parser.add_argument("--embedder", default="none", help=EMBEDDERS)
    parser.add_argument("--examples", type=int, default=10, help="how many to list")
    parser.add_argument("--json", action="store_true", help="one JSON object as the last line")
    add_bounds(parser)
    return parser.parse_args()


def main() -> None:
    asked = _asked()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a console may know no Chinese
    embedder = chosen_embedder(asked.embedder)
    messages = [Message(**record) for record in json.loads(asked.data.read_text(encoding="utf-8"))]
    with (
        tempfile.TemporaryDirectory() as folder,
        Product(Path(folder), settings=Settings(), embedder=embedder) as product,
    ):
        found = list(outcomes(product, messages, asked.history))
    figures = report(found)
    print(f"embedder: {asked.embedder}; settings: the defaults")
    _print_examples(found, asked.examples)
    for name, value in figures.items():
        print(f"{name}: {value}")
    if asked.json:
        print(json.dumps({"embedder": asked.embedder} | figures))
    exit_if_broken(asked, figures)


if __name__ == "__main__":
    run(main)
