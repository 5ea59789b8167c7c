"""Measures memory's cost per message: the hooks' time, and the unchanged share of the prompt.

A model server reuses its computation for the beginning of a prompt as long as that beginning is
unchanged: `prefix_unchanged` is the share of all prompt tokens of a chat that it need not compute
again. `added_ms` is the prompt hook's time minus that of the host's own builder.
"""

import argparse
import json
import math
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from benchmarks.corpus import Corpus, Told
from benchmarks.standin import StandInHost, Tokens, page_state, tokens_for
from memory_core import bootstrap
from memory_core.bootstrap import build_runtime
from memory_core.config.schema import ContextSettings, InjectionLocation
from memory_core.domain.namespaces import Namespace
from memory_core.host.hooks import Hooks
from memory_core.infra import durable_files
from memory_core.memory.installation import Installation
from memory_core.memory.runtime import Runtime
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.log.events import Event, EventType, pack
from memory_core.storage.log.projection import exchange_fields
from memory_core.text.prompt_fence import HEAD

CONTEXT_LENGTH, MAX_NEW_TOKENS = 8192, 512
CHARACTER_TOKENS, EXCHANGE_TOKENS = 800, 120
TALK = 50  # exchanges of one of the earlier conversations
SPACE = Namespace("default", "Mira")
CONVERSATION = "20300101-08-00-00"
_SEED = 20
_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    memories: int
    turns: int
    injection_location: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(Case):
    added_ms_p50: float
    added_ms_p99: float
    prefix_unchanged: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """A filled folder, and the texts told in its memories."""

    home: Path
    told: Sequence[Told]


class Bench:
    """Fills folders, and runs chats in copies of them."""

    def __init__(self, folder: Path, *, embedder: str) -> None:
        self._folder = folder
        self._embedder = embedder
        self.tokens: Tokens = tokens_for(_sample())
        self.host = StandInHost(self.tokens)

    def past(self, memories: int) -> Past:
        """Fills a folder with this many exchanges of earlier conversations, a day apart."""
        corpus = Corpus(_SEED, self.tokens.count)
        begun = time.time() - _DAY_S * (1 + memories // TALK)
        moments = (begun + _DAY_S * (n // TALK) + 60.0 * (n % TALK) for n in range(memories))
        told = [corpus.told(EXCHANGE_TOKENS, moment) for moment in moments]
        home = self._folder / f"home-{memories}"
        _write_logs(SPACE.folder(home / "user_data" / "memories"), told)
        self.opened(home).close()
        return Past(home=home, told=told)

    def run(self, past: Past, case: Case) -> Run:
        """Runs a chat of the case's length in a copy of that folder."""
        home = self._folder / "copy"
        shutil.copytree(past.home, home)
        config = {"ltm_context": {"injection_location": case.injection_location}}
        (home / "ltm_config.json").write_text(json.dumps(config), encoding="utf-8")
        runtime = self.opened(home)
        try:
            return self._measured(runtime, past, case)
        finally:
            runtime.close()
            shutil.rmtree(home)

    def opened(self, home: Path) -> Runtime:
        """Opens the memory without threads; their work is called explicitly, outside the timing."""
        runtime = build_runtime(Installation(folder=home, environ={"LTM_EMBEDDER__KIND": "none"}))
        assert not runtime.problems(), runtime.problems()
        if self._embedder == "fake":
            runtime.memory.reconfigure(
                embedder=FakeEmbedder(dim=256),
                pipeline=bootstrap.build_pipeline(runtime.settings, None),
                limits=bootstrap.build_limits(runtime.settings),
            )
        _derive(runtime)
        return runtime

    def _measured(self, runtime: Runtime, past: Past, case: Case) -> Run:
        chat = Chat(runtime, self.host, Corpus(_SEED + 1, self.tokens.count))
        turns = [chat.turn(past.told) for _ in range(case.turns)]
        chat.must_be_remembered()
        added = [turn.added_ms for turn in turns]
        return Run(
            **asdict(case),
            added_ms_p50=round(percentile(added, 50), 2),
            added_ms_p99=round(percentile(added, 99), 2),
            prefix_unchanged=round(unchanged([turn.prompt for turn in turns], self.tokens), 4),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    prompt: str
    added_ms: float


class Chat:
    """A person who asks for an older memory at every message, on the host's page."""

    def __init__(self, runtime: Runtime, host: StandInHost, corpus: Corpus) -> None:
        self._runtime = runtime
        self._host = host
        self._hooks = Hooks(runtime, host)
        self._corpus = corpus
        self._character = _character(corpus)
        self._history: dict[str, Any] = {"internal": [], "visible": [], "metadata": {}}
        self._sent: dict[str, Any] = {}  # the page's state of this turn: one object for all hooks

    def turn(self, told: Sequence[Told]) -> Turn:
        message = self.question(told)
        self._sent = state = self._state()
        history = self._with_message()
        untouched, bare_ms = _timed(
            lambda: self._host.build_prompt(message, state, history=history, continuing=False)
        )
        prompt, hook_ms = _timed(
            lambda: self._hooks.custom_generate_chat_prompt(message, state, history=history)
        )
        self._must_have_injected(prompt, untouched)
        self.answer(message)
        return Turn(prompt=prompt, added_ms=hook_ms - bare_ms)

    def question(self, told: Sequence[Told]) -> str:
        return self._corpus.random.choice(told).question()

    def prompt(self, message: str) -> str:
        """Calls the prompt hook alone."""
        self._sent, history = self._state(), self._with_message()
        return self._hooks.custom_generate_chat_prompt(message, self._sent, history=history)

    def _state(self) -> dict[str, Any]:
        return page_state(
            mode="chat",
            name1="Ana",
            name2="Mira",
            character_menu="Mira",
            user_menu="",
            unique_id=CONVERSATION,
            context=self._character,
            custom_system_message="",
            user_bio="",
            truncation_length=CONTEXT_LENGTH,
            max_new_tokens=MAX_NEW_TOKENS,
            history=self._history,
        )

    def _with_message(self) -> dict[str, Any]:
        """Returns the history as the prompt hook gets it: copied, with the message's time."""
        place = len(self._history["internal"])
        self._history["metadata"][f"user_{place}"] = {"timestamp": _stamp()}
        rows = {side: self._history[side][:] for side in ("internal", "visible")}
        return rows | {"metadata": self._history["metadata"]}

    def _must_have_injected(self, prompt: str, untouched: str) -> None:
        trace = self._runtime.traces.latest(SPACE)[0]
        recalled = [part for part in trace.injected if part.form != "system"]
        assert recalled, f"nothing was injected: {trace.notes}, {self._runtime.problems()}"
        assert prompt != untouched

    def must_be_remembered(self) -> None:
        """Checks that all messages of this chat are remembered."""
        rows = len(self._history["internal"])
        kept = self._runtime.memory.conversation(SPACE, CONVERSATION, rows + 1)
        assert len(kept) == rows, f"{len(kept)} of {rows} rows: {self._runtime.problems()}"

    def answer(self, message: str) -> None:
        """Answers as the model; stores and embeds the exchange, outside the timing."""
        exchange = self._corpus.answered(message, EXCHANGE_TOKENS, time.time()).exchange
        place = len(self._history["internal"])
        for side in ("internal", "visible"):
            self._history[side].append([message, exchange.assistant])
        self._history["metadata"][f"assistant_{place}"] = {"timestamp": _stamp()}
        self._hooks.output_modifier(exchange.assistant, self._sent, is_chat=True)
        self._runtime.run_pending()
        _derive(self._runtime)


def unchanged(prompts: Sequence[str], tokens: Tokens) -> float:
    """Returns the share of tokens at the start that equal those of the previous prompt."""
    split = [tokens.split(prompt) for prompt in prompts]
    kept = sum(len(list(takewhile(_same, zip(*pair, strict=False)))) for pair in pairwise(split))
    return kept / sum(map(len, split))


def _same(pair: tuple[object, object]) -> bool:
    return pair[0] == pair[1]


def percentile(values: Sequence[float], percent: int) -> float:
    """Returns the nearest rank: with 40 values the 99th percentile is the largest."""
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]


def _sample() -> Iterator[str]:
    """Returns sample talk, and the English text that templates put around it."""
    corpus = Corpus(_SEED, len)
    frames = (HEAD, *(str(field.default) for field in ContextSettings.model_fields.values()))
    for _ in range(500):
        told = corpus.told(EXCHANGE_TOKENS * 4, 0.0)  # counted in characters, as above
        yield from (told.exchange.user, told.exchange.assistant, told.question(), *frames)


def _character(corpus: Corpus) -> str:
    """Returns the character's context, with examples of its talk after <START>."""
    examples = CHARACTER_TOKENS // 4
    return f"{corpus.passage(CHARACTER_TOKENS - examples)}\n<START>\n{corpus.passage(examples)}"


def _write_logs(folder: Path, told: Sequence[Told]) -> None:
    """Writes the log's own lines, without a sync after each."""
    durable_files.make_folder(folder / "conversations")
    for first in range(0, len(told), TALK):
        log = f"talk-{first // TALK:04}"
        lines = (_line(n, it, log) for n, it in enumerate(told[first : first + TALK], first))
        (folder / "conversations" / f"{log}.jsonl").write_bytes(b"".join(map(pack, lines)))


def _line(number: int, told: Told, log: str) -> Event:
    place = number % TALK + 1
    fields = {"turn_id": place, "place": float(place)} | exchange_fields(told.exchange)
    return Event(
        seq=number + 1,
        op=EventType.ADD,
        id=f"{number:016x}",
        ts=told.exchange.ts,
        fields=fields,
        log=log,
    )


def _derive(runtime: Runtime) -> None:
    while runtime.memory.derive_pending(SPACE, batch=256):
        pass


def _timed(job: Any) -> tuple[str, float]:  # noqa: ANN401
    started = time.perf_counter()
    result = job()
    return result, (time.perf_counter() - started) * 1000


def _stamp() -> str:
    return datetime.now().strftime("%b %d, %Y %H:%M")


def _runs(bench: Bench, asked: argparse.Namespace) -> Iterator[Run]:
    for memories in asked.memories:
        past = bench.past(memories)
        for turns in asked.turns:
            for location in asked.locations:
                yield bench.run(
                    past, Case(memories=memories, turns=turns, injection_location=location)
                )


def _asked() -> argparse.Namespace:
    places = [location.value for location in InjectionLocation]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--memories", type=int, nargs="+", default=[1000, 10000])
    parser.add_argument("--turns", type=int, nargs="+", default=[40, 200])
    parser.add_argument("--locations", nargs="+", choices=places, default=places)
    parser.add_argument("--embedder", choices=["none", "fake"], default="none")
    parser.add_argument("--json", action="store_true", help="one JSON object as the last line")
    return parser.parse_args()


def main() -> None:
    asked = _asked()
    found: list[Run] = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), embedder=asked.embedder)
        print(f"token counter: {bench.tokens.name}; embedder: {asked.embedder}")
        print("memories  turns  added ms p50    p99  prefix unchanged  injection_location")
        for run in _runs(bench, asked):
            found.append(run)
            print(
                f"{run.memories:8}  {run.turns:5}  {run.added_ms_p50:12.2f}"
                f"  {run.added_ms_p99:5.1f}  {run.prefix_unchanged:16.3f}"
                f"  {run.injection_location}",
                flush=True,
            )
    if asked.json:
        about = {"token_counter": bench.tokens.name, "embedder": asked.embedder}
        print(json.dumps(about | {"runs": [asdict(run) for run in found]}))


if __name__ == "__main__":
    run(main)
