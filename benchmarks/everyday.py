"""Measures whether everyday messages get the memory that they want, and others nothing.

Each message goes through the product's own prompt hook, with the default settings, over a stand-in
for the host. *Delivered* is the share of the messages wanting a memory that get a wanted one: as a
replay or line or, if recall found it there, in a session of the system block. `shown` is the share
whose answer can be read in the injected text, as an extract may lack it (0 without marked answers);
`open gate` is what would be delivered if the gate dropped nothing. `first` counts the messages with
a wanted memory in first place, of changed facts the newest version; `precision` is the share of the
injected memories that are wanted (most messages want only one), `small_talk` the share that was
added as such with --small-talk. For the messages that want nothing, it reports the share that got
anything, and the tokens added beside the system block, including the frame. Each message is asked
in its own chat; with --chat all messages of a history follow each other in one chat.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.bounds import add_bounds, exit_if_broken
from benchmarks.command import run
from benchmarks.everyday_data import (
    CROWD,
    FITTED,
    HELD_OUT,
    REPLIES,
    History,
    Probe,
    read_histories,
)
from benchmarks.everyday_report import Given, Outcome, print_table, rows, table
from benchmarks.product import EMBEDDERS, chosen_embedder, injected_by_id
from benchmarks.recall import ungated
from benchmarks.standin import Estimated, StandInHost, page_state
from memory_core import bootstrap
from memory_core.bootstrap import build_runtime
from memory_core.domain.namespaces import Namespace
from memory_core.host.hooks import Hooks
from memory_core.memory.installation import Installation
from memory_core.memory.traces import Trace
from memory_core.providers.embedders.base import Embedder
from memory_core.recall.gate import Gate
from memory_core.recall.pipeline import Pipeline, RecallLimits
from memory_core.recall.rerank import RerankByScore
from memory_core.recall.results import Recall

PATIENCE_S = 60.0  # long, so that a busy machine does not change the results
_CHAT, _ALONE = "all in one chat", "each message alone"
_CONTEXT_LENGTH, _MAX_NEW_TOKENS = 8192, 512


class Bench:
    """A memory with the histories in it, asked through the host's hooks."""

    def __init__(self, folder: Path, *, embedder: Embedder | None) -> None:
        self._now = 0.0
        self._tokens = Estimated()
        home = Installation(folder=folder, environ={"LTM_EMBEDDER__KIND": "none"})
        self._runtime = build_runtime(home, clock=lambda: self._now)
        limits = bootstrap.build_limits(self._runtime.settings)
        self._limits = replace(limits, query_timeout_s=PATIENCE_S)
        self._runtime.memory.reconfigure(
            embedder=embedder,
            pipeline=bootstrap.build_pipeline(self._runtime.settings, None),
            limits=self._limits,
        )
        self.hooks = Hooks(self._runtime, StandInHost(self._tokens))
        self._chats = count()

    def close(self) -> None:
        self._runtime.close()

    def listen(self, gate: Gate) -> None:
        """Sends all candidates through this gate, which records them."""
        memory, sizes = self._runtime.memory, RecallLimits(candidates=30, replay=2, lines=8)
        memory.reconfigure(
            embedder=memory.embedder,
            pipeline=Pipeline(gate=gate, reranker=RerankByScore(), sizes=sizes),
            limits=self._limits,
        )

    def outcomes(self, history: History, *, in_one_chat: bool) -> Iterator[Outcome]:
        """Stores the history and sends each of its messages."""
        space = Namespace("default", history.name)
        places = self._told(space, history)
        self._now = history.now
        chat = _Chat(history, f"chat-{next(self._chats)}")
        for probe in history.probes:
            if not in_one_chat:
                chat = _Chat(history, f"chat-{next(self._chats)}")
            chat.say(*probe.context)
            trace = self._sent(space, probe, chat)
            yield self._outcome(history, probe, trace, places)
            chat.say(probe.text, REPLIES.get(history.language, REPLIES["en"]))

    def _told(self, space: Namespace, history: History) -> dict[str, int]:
        memory = self._runtime.memory
        pairs = zip(history.chats, history.exchanges, strict=True)
        places = {
            memory.remember(space, chat, exchange): index
            for index, (chat, exchange) in enumerate(pairs)
        }
        while memory.derive_pending(space, batch=256):
            pass
        while memory.languages.measure_next(memory.embedder):
            pass
        return places

    def _sent(self, space: Namespace, probe: Probe, chat: "_Chat") -> Trace:
        self.hooks.custom_generate_chat_prompt(probe.text, chat.state, history=chat.rows)
        trace = self._runtime.traces.latest(space)[0]
        assert trace.query == probe.text.strip(), self._runtime.problems()
        return trace

    def _outcome(
        self, history: History, probe: Probe, trace: Trace, places: Mapping[str, int]
    ) -> Outcome:
        found = injected_by_id(trace)
        order = [
            recalled.memory.id for recalled in trace.recall.kept if recalled.memory.id in found
        ]
        given = [
            Given(
                exchange=places[name],
                id=name,
                form=found[name].form,
                text=found[name].text,
                tokens=found[name].tokens,
            )
            for name in order
        ]
        added = trace.injected_text.removeprefix(trace.system_block).strip()
        return Outcome(
            history=history,
            probe=probe,
            given=given,
            open_first=_open_order(trace.recall, places),
            added_tokens=self._tokens.count(added),
            added_letters=len(added),
            text=trace.injected_text,
        )


class _Chat:
    """One chat on the host's page."""

    def __init__(self, history: History, name: str) -> None:
        self._stamp = datetime.fromtimestamp(history.now).strftime("%b %d, %Y %H:%M")
        self.rows: dict[str, Any] = {"internal": [], "visible": [], "metadata": {}}
        self.state = page_state(
            mode="chat",
            name1=history.user,
            name2=history.character,
            character_menu=history.name,
            user_menu="",
            unique_id=name,
            context=f"{history.character} is a good listener.",
            custom_system_message="",
            user_bio="",
            truncation_length=_CONTEXT_LENGTH,
            max_new_tokens=_MAX_NEW_TOKENS,
            history=self.rows,
        )

    def say(self, *pair: str) -> None:
        """Adds the user's message and the character's answer, if any."""
        if pair:
            place = len(self.rows["internal"])
            self.rows["internal"].append(list(pair))
            self.rows["visible"].append(list(pair))
            for side in ("user", "assistant"):
                self.rows["metadata"][f"{side}_{place}"] = {"timestamp": self._stamp}


def _open_order(recall: Recall, places: Mapping[str, int]) -> list[int]:
    return [places[recalled.memory.id] for recalled in ungated(recall).kept]


def measured(
    histories: Sequence[History], embedder: Embedder | None, *, in_one_chat: bool
) -> list[Outcome]:
    """Returns the outcome of every message of these histories."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), embedder=embedder)
        try:
            return [
                outcome
                for history in histories
                for outcome in bench.outcomes(history, in_one_chat=in_one_chat)
            ]
        finally:
            bench.close()


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--data",
        type=Path,
        help=f"a file of histories, or a folder of such; else our own, {FITTED.name} and "
        f"{HELD_OUT.name} apart",
    )
    parser.add_argument("--embedder", default="none", help=EMBEDDERS)
    parser.add_argument("--crowd", type=Path, nargs="*", default=(), help=CROWD)
    parser.add_argument(
        "--small-talk",
        type=int,
        default=0,
        metavar="N",
        help="add so many exchanges of small talk to each history",
    )
    parser.add_argument("--chat", action="store_true", help="all messages in one chat")
    parser.add_argument("--rows", type=Path, help="write here what each message got")
    parser.add_argument("--json", action="store_true", help="one JSON object as the last line")
    add_bounds(parser)
    return parser.parse_args()


def main() -> None:
    asked = _asked()
    embedder = chosen_embedder(asked.embedder)
    parts = {"data": asked.data} if asked.data else {part.name: part for part in (FITTED, HELD_OUT)}
    found: dict[str, Any] = {}
    written: list[dict[str, Any]] = []
    for name, path in parts.items():
        histories = read_histories(path, asked.crowd, small_talk=asked.small_talk)
        outcomes = measured(histories, embedder, in_one_chat=asked.chat)
        found[name] = table(outcomes)
        written += rows(outcomes)
        print_table(
            f"{name}, {_CHAT if asked.chat else _ALONE}, embedder {asked.embedder}", found[name]
        )
    if asked.rows:
        asked.rows.write_text(json.dumps(written, ensure_ascii=False, indent=1), encoding="utf-8")
    if asked.json:
        figures = found["data"] if asked.data else found
        print(json.dumps({"embedder": asked.embedder, "chat": asked.chat} | figures))
    exit_if_broken(asked, found["data"] if asked.data else found)


if __name__ == "__main__":
    run(main)
