"""Measures how much longer recall takes for a message that interrupts background work.

The model is a small server in a process of its own that streams summaries all the time. Messages
without and with the work take turns, so that the machine's mood counts for both.
"""

import argparse
import json
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

from memory_core.bootstrap import build_runtime
from memory_core.consolidation.service import Consolidation
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.infra.deadlines import time_limit
from memory_core.memory.runtime import Installation, Runtime
from memory_core.recall.query import Query

SPACE = Namespace("default", "Mira")
_PIECE_S = 0.01
_WORDS = ["Ana", "told", "the", "story", "of", "her", "day", "again."]
_TOPICS = ("garden", "bicycle", "piano", "river", "kitchen", "holiday", "letter", "winter")
_LIMIT_S = 3.0
_BETWEEN_S = 0.2


class Server(BaseHTTPRequestHandler):
    """Streams a summary, a word each 10 ms."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        with suppress(BrokenPipeError, ConnectionResetError):  # the work was stopped
            self._answer()

    def _answer(self) -> None:
        self.send_response(200)
        self.end_headers()
        for piece in ['{"summary": "', *(f"{word} " for word in _WORDS), '"}']:
            time.sleep(_PIECE_S)
            self._send({"choices": [{"delta": {"content": piece}}]})
        self._send({"choices": [{"delta": {}, "finish_reason": "stop"}]})
        self.wfile.write(b"data: [DONE]\n\n")

    def _send(self, event: object) -> None:
        self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *args: object) -> None:
        """Nothing."""


def serve() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    print(server.server_port, flush=True)
    server.serve_forever()


@contextmanager
def model_server() -> Iterator[str]:
    command = [sys.executable, __file__, "--serve"]
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
    """Adds a short exchange, as each message of a chat does, which makes no job."""
    runtime.memory.remember(SPACE, "chat", Exchange(user=f"Hi {number}", assistant="Hey"))
    runtime.memory.derive_pending(SPACE)


def recall_ms(runtime: Runtime, number: int) -> float:
    query = Query(text=f"What was the story of my {_TOPICS[number % 8]} number {number}?")
    started = time.perf_counter()
    with time_limit(_LIMIT_S):  # as the prompt hook sets it
        runtime.memory.recall(SPACE, query)
    return (time.perf_counter() - started) * 1000


def measure(folder: Path, url: str, *, memories: int, messages: int) -> dict[str, float]:
    settings = {
        "embedder": {"kind": "none"},
        "llm": {"base_url": url, "model": "m"},
        "consolidation": {"enabled": True, "summary_min_letters": 30},
    }
    (folder / "ltm_config.json").write_text(json.dumps(settings), encoding="utf-8")
    runtime = build_runtime(Installation(folder=folder))
    fill(runtime, memories)
    service = Consolidation(runtime)
    times: dict[bool, list[float]] = {False: [], True: []}
    for number in range(2 * messages):
        is_busy = bool(number % 2)
        say(runtime, number)
        if is_busy:
            service.run_now()
        time.sleep(_BETWEEN_S)
        times[is_busy].append(recall_ms(runtime, number))
        service.wait(5.0)
    done = runtime.memory.counts(SPACE)["live"] - memories - 2 * messages
    runtime.close()
    return {"summaries_made": done, **_compared(times[False], times[True])}


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
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        serve()
        return
    with tempfile.TemporaryDirectory() as folder, model_server() as url:
        print(
            json.dumps(measure(Path(folder), url, memories=args.memories, messages=args.messages))
        )


if __name__ == "__main__":
    main()
