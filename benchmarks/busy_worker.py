"""Measures how much longer recall takes for a message that comes while background work goes on.

The model is a small server in a process of its own. Messages without and with the work take turns,
so that the machine's mood counts for both. There are two kinds of work. `model_streams`: the model
never finishes before the message comes, so that each message breaks off a running answer.
`work_done`: the model answers at once, so that the messages meet the job in its own part: reading
the queue, checking the answer, writing, embedding. Each makes a summary and an observation of every
exchange that it gets to; `made` counts them.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import quantiles

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from benchmarks.product import EMBEDDERS, chosen_embedder
from memory_core import bootstrap
from memory_core.bootstrap import build_runtime
from memory_core.consolidation.service import Consolidation
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.infra.deadlines import time_limit
from memory_core.memory.installation import Installation
from memory_core.memory.runtime import Runtime
from memory_core.providers.embedders.base import Embedder
from memory_core.recall.query import Query

SPACE = Namespace("default", "Mira")
_PIECE = 20  # letters
_SLOW_S, _FAST_S = 0.1, 0.0  # between two pieces of an answer
_ANSWER = {
    "summary": "They told the story of a long day.",
    "facts": [
        {
            "text": "The user likes to tell long stories.",
            "about": "user",
            "key": "habit",
            "value": "telling stories",
            "status": "fact",
            "when": "",
        }
    ],
}
_WORKERS = "exchange_summary, observations"
_TOPICS = ("garden", "bicycle", "piano", "river", "kitchen", "holiday", "letter", "winter")
_LIMIT_S = 3.0
_BETWEEN_S = 0.2
_ENDING_S = 10.0


class Server(BaseHTTPRequestHandler):
    """Streams the answer to all jobs, some letters at a time."""

    pause_s = _FAST_S

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        with suppress(BrokenPipeError, ConnectionResetError):  # the work was stopped
            self._answer()

    def _answer(self) -> None:
        self.send_response(200)
        self.end_headers()
        answer = json.dumps(_ANSWER)
        for start in range(0, len(answer), _PIECE):
            time.sleep(self.pause_s)
            piece = answer[start : start + _PIECE]
            self._send({"choices": [{"delta": {"content": piece}}]})
        self._send({"choices": [{"delta": {}, "finish_reason": "stop"}]})
        self.wfile.write(b"data: [DONE]\n\n")

    def _send(self, event: object) -> None:
        self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *args: object) -> None:
        """Nothing."""


def serve(pause_s: float) -> None:
    Server.pause_s = pause_s
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    print(server.server_port, flush=True)
    server.serve_forever()


@contextmanager
def model_server(pause_s: float) -> Iterator[str]:
    command = [sys.executable, __file__, "--serve", str(pause_s)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.terminate()
        process.wait()


def fill(runtime: Runtime, count: int) -> None:
    exchanges = [
        Exchange(
            user=f"Today I told the story of my {_TOPICS[n % 8]} number {n}, a long one.",
            assistant=f"What a day! Tell me more of the {_TOPICS[n % 7]}.",
            ts=1_700_000_000.0 + 60 * n,
        )
        for n in range(count)
    ]
    runtime.memory.reconcile(SPACE, "talk", exchanges, whole=True)
    while runtime.memory.derive_pending(SPACE):
        pass


def say(runtime: Runtime, number: int) -> None:
    """Adds a short exchange, like a message of a chat, that makes no job due."""
    runtime.memory.remember(SPACE, "chat", Exchange(user=f"Hi {number}", assistant="Hey"))
    runtime.memory.derive_pending(SPACE)


def recall_ms(runtime: Runtime, number: int) -> float:
    query = Query(text=f"What was the story of my {_TOPICS[number % 8]} number {number}?")
    started = time.perf_counter()
    with time_limit(_LIMIT_S):  # as the prompt hook sets it
        runtime.memory.recall(SPACE, query)
    return (time.perf_counter() - started) * 1000


def _built(folder: Path, url: str, embedder: Embedder | None) -> Runtime:
    settings = {
        "embedder": {"kind": "none"},
        "llm": {"base_url": url, "model": "m"},
        "consolidation": {"enabled": True, "summary_min_letters": 30, "workers": _WORKERS},
    }
    (folder / "ltm_config.json").write_text(json.dumps(settings), encoding="utf-8")
    runtime = build_runtime(Installation(folder=folder))
    runtime.memory.reconfigure(
        embedder=embedder,
        pipeline=bootstrap.build_pipeline(runtime.settings, None),
        limits=bootstrap.build_limits(runtime.settings),
    )
    return runtime


def measure(
    folder: Path, url: str, *, memories: int, messages: int, embedder: Embedder | None
) -> dict[str, float]:
    runtime = _built(folder, url, embedder)
    fill(runtime, memories)
    service = Consolidation(runtime)
    runtime.start()  # its threads embed new memories, as in a running program
    pauses = random.Random(1)
    met, times = 0, {False: list[float](), True: list[float]()}
    for number in range(2 * messages):
        is_busy = bool(number % 2)
        say(runtime, number)
        if is_busy:
            service.run_now()
        time.sleep(_BETWEEN_S * pauses.uniform(0.5, 1.5))
        met += service.is_running
        times[is_busy].append(recall_ms(runtime, number))
        service.wait(_ENDING_S)
    made = runtime.memory.counts(SPACE)["live"] - memories - 2 * messages
    runtime.close()
    return {"made": made, "messages_during_work": met, **_compared(times[False], times[True])}


def _compared(idle: list[float], busy: list[float]) -> dict[str, float]:
    before, after = quantiles(idle, n=20), quantiles(busy, n=20)
    return {
        "idle_p50_ms": round(before[9], 2),
        "busy_p50_ms": round(after[9], 2),
        "added_p50_ms": round(after[9] - before[9], 2),
        "added_p95_ms": round(after[18] - before[18], 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=2_000)
    parser.add_argument("--messages", type=int, default=200)
    parser.add_argument("--embedder", default="fake", help=EMBEDDERS)
    parser.add_argument("--serve", type=float, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve is not None:
        serve(args.serve)
        return
    embedder = chosen_embedder(args.embedder)
    for work, pause_s in (("model_streams", _SLOW_S), ("work_done", _FAST_S)):
        with tempfile.TemporaryDirectory() as folder, model_server(pause_s) as url:
            found = measure(
                Path(folder),
                url,
                memories=args.memories,
                messages=args.messages,
                embedder=embedder,
            )
        print(json.dumps({"work": work, **found, "load": round(os.getloadavg()[0], 1)}))


if __name__ == "__main__":
    run(main)
