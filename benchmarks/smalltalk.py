"""How often a message that needs no memory gets one: small talk against histories, gate as shipped.

Each message is asked of each history, with the default settings; `injected` is the share of those
that got a memory. A history in another language than the message shares hardly anything with it,
so look at `by_history` before the mean.
"""

import argparse
import io
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.bounds import add_bounds, exit_if_broken
from benchmarks.locomo import read_conversations
from benchmarks.product import EMBEDDERS, Product, chosen_embedder
from memory_core.records import Recalled
from memory_core.settings import Settings

DATA = Path(__file__).resolve().parent / "data"
HISTORIES = [DATA / "companion_en.json", DATA / "companion_zh.json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """As the data file has it."""

    text: str
    lang: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a message got from one history; nothing, if all is well."""

    message: Message
    history: str
    got: Sequence[Recalled]


def outcomes(
    product: Product, messages: Sequence[Message], histories: Sequence[Path]
) -> Iterator[Outcome]:
    for path in histories:
        for conversation in read_conversations(path):
            product.tell(conversation)
            for message in messages:
                got = product.ask(conversation, message.text).kept
                yield Outcome(message=message, history=conversation.name, got=got)


def report(found: Sequence[Outcome]) -> dict[str, object]:
    histories = _grouped(found, lambda it: it.history)
    return {
        "asked": len(found),
        "injected": _share(found),
        "by_language": _shares(found, lambda it: it.message.lang),
        "by_kind": _shares(found, lambda it: it.message.kind),
        "by_history": {
            name: _shares(own, lambda it: it.message.lang) for name, own in histories.items()
        },
    }


def _grouped(
    found: Sequence[Outcome], key: Callable[[Outcome], str]
) -> Mapping[str, list[Outcome]]:
    groups: dict[str, list[Outcome]] = {}
    for it in found:
        groups.setdefault(key(it), []).append(it)
    return groups


def _shares(found: Sequence[Outcome], key: Callable[[Outcome], str]) -> dict[str, float]:
    return {name: _share(own) for name, own in _grouped(found, key).items()}


def _share(found: Sequence[Outcome]) -> float:
    return round(sum(bool(it.got) for it in found) / len(found), 4)


def _print_examples(found: Sequence[Outcome], most: int) -> None:
    """The best-scored of what should not have come, the worst first."""
    wrong = sorted((it for it in found if it.got), key=lambda it: -it.got[0].candidate.score)
    for it in wrong[:most]:
        best = it.got[0].candidate
        parts = ", ".join(f"{name} {value:.2f}" for name, value in best.parts.items())
        memory = best.memory.text.replace("\n", " / ")
        print(f"  {it.message.text!r} got {len(it.got)} of {it.history}, first ({parts}): {memory}")


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
    messages = [Message(**it) for it in json.loads(asked.data.read_text(encoding="utf-8"))]
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
    main()
