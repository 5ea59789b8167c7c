"""Kills the server repeatedly during its streams, and checks the acknowledged exchanges.

python -m benchmarks.serve_kills [--kills N] [--clients N] [--seed N] [--json]

Each client streams one answer after another. At a random moment after the first acknowledged one
the server gets SIGKILL. A new server on the same files has to show every exchange whose stream said
`stored`, once. The servers are forked from a process that has imported everything, which saves
seconds a kill.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import httpx

from benchmarks.command import run
from benchmarks.serve import events, free_port, start, text_of, wait_for

CHUNKS = 4  # with a tenth of a second between them, in half of the streams
LONGEST_S = 1.5
FIRST_WITHIN_S = 60  # for the first acknowledgement, on a machine that does much else
PRELOADED = ("memory_core.server.app", "memory_core.ui.cli.main", "uvicorn")


@dataclass(slots=True)
class Round:
    """The numbers of the questions to one server, asked and acknowledged ones."""

    users: Sequence[str]
    asked: dict[str, list[int]] = field(default_factory=dict)
    acknowledged: dict[str, list[int]] = field(default_factory=dict)
    has_acknowledged: asyncio.Event = field(default_factory=asyncio.Event)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = measure(options)
    print(json.dumps(result) if options.json else result)


def measure(options: argparse.Namespace) -> dict[str, object]:
    began, chance = time.monotonic(), random.Random(options.seed)
    counts: Counter[str] = Counter(asked=0, acknowledged=0, lost=0, twice=0)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as programs:
        backend = free_port()
        role = ("--role", "backend", "--port", str(backend), "--chunks", str(CHUNKS))
        start(programs, backend, "benchmarks.serve", *role)
        last = Round([])
        for number in range(options.kills + 1):
            port = free_port()
            address = ("--port", str(port), "--backend", f"http://127.0.0.1:{backend}/v1")
            program = fork_server(port, *address, "--storage", str(Path(folder) / "memories"))
            try:
                counts.update(check(port, last))
                users = [f"k{number}-{client}" for client in range(options.clients)]
                last = Round(users if number < options.kills else [])
                asyncio.run(
                    stream_until_killed(port, last, program, chance.uniform(0.0, LONGEST_S))
                )
            finally:
                program.kill()
                program.join()
    return {"kills": options.kills, **counts, "seconds": round(time.monotonic() - began, 1)}


def fork_server(port: int, *options: str) -> ForkServerProcess:
    """Returns a server that answers already."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(PRELOADED))
    program = context.Process(target=run_server, args=(options,))
    program.start()
    wait_for(port, lambda: not program.is_alive())
    return program


def run_server(options: Sequence[str]) -> None:
    from memory_core.ui.cli.main import main as run_command

    os.environ["LTM_EMBEDDER__KIND"] = "none"
    with ExitStack() as quiet:
        nowhere = quiet.enter_context(open(os.devnull, "w", encoding="utf-8"))
        quiet.enter_context(redirect_stdout(nowhere))
        quiet.enter_context(redirect_stderr(nowhere))
        run_command(["serve", *options])


async def stream_until_killed(
    port: int, seen: Round, program: ForkServerProcess, seconds: float
) -> None:
    """Streams for all users at the same time, and kills the server meanwhile."""
    streams = [asyncio.create_task(stream(port, user, seen)) for user in seen.users]
    if streams:
        await asyncio.wait_for(seen.has_acknowledged.wait(), timeout=FIRST_WITHIN_S)
        await asyncio.wait(streams, timeout=seconds)
    program.kill()
    await asyncio.gather(*streams)


async def stream(port: int, user: str, seen: Round) -> None:
    asked = seen.asked.setdefault(user, [])
    acknowledged = seen.acknowledged.setdefault(user, [])
    while True:
        number = len(asked)
        asked.append(number)
        body = {
            "model": "fast" if number % 2 else "paced",
            "stream": True,
            "user": user,
            "metadata": {"conversation_id": "c"},
            "messages": [{"role": "user", "content": f"What about the garden, {number}?"}],
        }
        try:
            async for event in events(port, json.dumps(body).encode()):
                if event.get("retrieved", {}).get("stored"):
                    acknowledged.append(number)
                    seen.has_acknowledged.set()
        except (ConnectionError, ValueError):  # gone, perhaps within a line
            return


def check(port: int, seen: Round) -> Counter[str]:
    """Counts acknowledged exchanges that are missing, and exchanges that are stored twice."""
    found: Counter[str] = Counter()
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as client:
        for user in seen.users:
            answer = client.get("/memories", params={"user_id": user, "limit": 1000}).json()
            whole = Counter(f"{row['user']}|{row['assistant']}" for row in answer["results"])
            asked, acknowledged = seen.asked.get(user, []), seen.acknowledged.get(user, [])
            known = {n: f"What about the garden, {n}?|{text_of(n, CHUNKS)}" for n in asked}
            questions = Counter(row["user"] for row in answer["results"])
            found["asked"] += len(asked)
            found["acknowledged"] += len(acknowledged)
            found["lost"] += sum(not whole[known[n]] for n in acknowledged)
            found["twice"] += sum(count > 1 for count in questions.values())
    return found


if __name__ == "__main__":
    run(main)
