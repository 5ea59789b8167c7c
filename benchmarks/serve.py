"""Measures the cost of the server for a chat: first token, chunks, and many streams at once.

python -m benchmarks.serve [--memories N] [--streams N] [--users N] [--json]

Runs a scripted model server, the memory server and the clients as three programs on loopback. A
stream's added time is its first token's time minus that of the same stream without memory. Model
server and clients use plain HTTP: they represent other machines and must use little CPU here.
"""

import argparse
import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx

from benchmarks.command import run

PROJECT = Path(__file__).resolve().parents[1]
CHUNKS = 120  # lasts longer than the ramp, so that all streams run at the same time
CHUNKS_PER_S = 10
ROUNDS = 40
_WORDS = (
    "river", "garden", "window", "letter", "summer", "doctor", "violin", "market", "winter", "isle",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stream:
    """One stream as its client saw it; times in ms."""

    first_ms: float
    gaps_ms: tuple[float, ...]
    text: str
    is_stored: bool


def main() -> None:
    asked = arguments()
    if asked.role == "backend":
        run_backend(asked.port, asked.chunks)
        return
    result = measure(asked)
    if asked.json:
        print(json.dumps(result))
    else:
        print("\n".join(f"{name:22} {value}" for name, value in result.items()))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000, help="memories of each first user")
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument(
        "--ramp-s", type=float, default=10.0, help="the streams begin within this time; 0: at once"
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="single streams measured")
    parser.add_argument("--chunks", type=int, default=CHUNKS, help="pieces of an answer")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--role", choices=("measure", "backend"), default="measure")
    parser.add_argument("--port", type=int, default=0)
    return parser.parse_args()


def measure(asked: argparse.Namespace) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as programs:
        root = Path(folder) / "memories"
        fill(root, asked.memories)
        backend = free_port()
        role = ("--role", "backend", "--port", str(backend), "--chunks", str(asked.chunks))
        start(programs, backend, "benchmarks.serve", *role)
        server = free_port()  # another one, as the model listens by now
        options = ("--port", str(server), "--backend", f"http://127.0.0.1:{backend}/v1")
        options = (*options, "--storage", str(root))
        program = start(programs, server, "memory_core", "serve", *options)
        return asyncio.run(clients(asked, backend, server, program.pid))


def fill(root: Path, count: int) -> None:
    """Stores `count` exchanges of the user u0, and derives the index."""
    from memory_core import bootstrap
    from memory_core.config.schema import Settings
    from memory_core.domain.namespaces import Namespace
    from memory_core.domain.records import Exchange
    from memory_core.memory.factories import Models

    memory = bootstrap.build(Settings(), Models(embedder=None, llm=None), root=root)
    space = Namespace.instruct("api:u0")
    for start_at in range(0, count, 500):
        numbers = range(start_at, min(count, start_at + 500))
        said = [Exchange(user=sentence(n), assistant="I see.", ts=1.7e9 + n) for n in numbers]
        memory.reconcile(space, f"old-{start_at}", said, whole=True)
    while memory.derive_pending(space):
        pass
    memory.close()


def sentence(number: int) -> str:
    words = [_WORDS[(number // 10**place) % 10] for place in range(5)]
    return f"Note {number}: the {words[0]} by the {words[1]}, {words[2]}, {words[3]} {words[4]}."


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


def start(programs: ExitStack, port: int, module: str, *options: str) -> "subprocess.Popen[bytes]":
    """Starts a program, waits for its port, and ends it with the stack."""
    environ = {**os.environ, "PYTHONPATH": str(PROJECT), "LTM_EMBEDDER__KIND": "none"}
    command = [sys.executable, "-m", module, *options]
    program = subprocess.Popen(  # noqa: S603
        command, cwd=PROJECT, env=environ, stdout=subprocess.DEVNULL
    )
    programs.callback(program.wait)
    programs.callback(program.terminate)
    wait_for(port, lambda: program.poll() is not None)
    return program


def wait_for(port: int, has_ended: Callable[[], bool]) -> None:
    """Returns once somebody listens there. Raises OSError if the program ends, or after 60 s."""
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if has_ended() or time.monotonic() > end:
                raise
            time.sleep(0.05)


async def clients(
    asked: argparse.Namespace, backend: int, server: int, pid: int
) -> dict[str, object]:
    alone, through = [], []
    await one(server, "u0", 0, fast=True)  # opens the memory
    for number in range(10_000, 10_000 + asked.rounds):
        alone.append(await one(backend, "u0", number, fast=True))
        through.append(await one(server, "u0", number, fast=True))
    added = [t.first_ms - a.first_ms for t, a in zip(through, alone, strict=True)]
    paced = await one(server, "u0", 9_999, fast=False)
    paced_alone = await one(backend, "u0", 9_999, fast=False)
    many_alone = await many(backend, asked)
    began, cpu_before = time.monotonic(), cpu_seconds(pid)
    many_through = await many(server, asked)
    seconds, cpu = time.monotonic() - began, cpu_seconds(pid) - cpu_before
    stored = await stored_texts(server, asked.users)
    wanted = [text_of(number, asked.chunks) for number in range(asked.streams)]
    baseline = statistics.median(stream.first_ms for stream in many_alone)
    parallel = sorted(stream.first_ms - baseline for stream in many_through)
    return {
        "added_ms_p50": round(statistics.median(added), 2),
        "chunk_ms_p99": round(late_chunk(paced, paced_alone), 2),
        "parallel": len(many_through),
        "crossed": crossed(many_through, wanted, stored, asked.users),
        "lost": lost(many_through, wanted, stored, asked.users),
        "parallel_added_ms_p95": round(parallel[int(0.95 * (len(parallel) - 1))], 2),
        "parallel_added_ms_p50": round(statistics.median(parallel), 2),
        "parallel_s": round(seconds, 1),
        "server_cpu_s": round(cpu, 1),
        "memories": asked.memories,
        "cpus": os.cpu_count(),
    }


async def many(port: int, asked: argparse.Namespace) -> Sequence[Stream]:
    users = (f"u{number % asked.users}" for number in range(asked.streams))
    wait_s = asked.ramp_s / asked.streams
    calls = (later(n * wait_s, one(port, user, n, fast=False)) for n, user in enumerate(users))
    return await asyncio.gather(*calls)


async def later(seconds: float, call: Awaitable[Stream]) -> Stream:
    await asyncio.sleep(seconds)
    return await call


async def one(port: int, user: str, number: int, *, fast: bool) -> Stream:
    """Streams one answer, in which the model repeats the number of its question."""
    body = {
        "model": "fast" if fast else "paced",
        "stream": True,
        "user": user,
        "metadata": {"conversation_id": f"c{number}"},
        "messages": [{"role": "user", "content": f"What about the river garden, {number}?"}],
    }
    began, times, pieces, stored = time.perf_counter(), [], [], False
    async for event in events(port, json.dumps(body).encode()):
        content = event["choices"][0]["delta"].get("content") if event["choices"] else None
        if content:
            times.append((time.perf_counter() - began) * 1000)
            pieces.append(content)
        stored = stored or bool(event.get("retrieved", {}).get("stored"))
    gaps = tuple(b - a for a, b in pairwise(times))
    return Stream(times[0] if times else float("inf"), gaps, "".join(pieces), stored)


async def events(port: int, body: bytes) -> AsyncIterator[dict]:  # type: ignore[type-arg]
    """Yields the events of an answer, each of which arrives within one chunk."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    try:
        writer.write(
            b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        )
        async for line in reader:
            if line.startswith(b"data: {"):
                yield json.loads(line[6:])
    finally:
        writer.close()


def cpu_seconds(pid: int) -> float:
    """Returns the processor time of a program so far; 0 where the system does not tell."""
    path = Path(f"/proc/{pid}/stat")
    if not path.exists():
        return 0.0
    fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def late_chunk(stream: Stream, alone: Stream) -> float:
    """Returns the delay by memory of the 99th percentile of the time between chunks, in ms."""
    usual = statistics.median(alone.gaps_ms)
    late = sorted(gap - usual for gap in stream.gaps_ms)
    return late[int(0.99 * (len(late) - 1))]


async def stored_texts(port: int, users: int) -> list[str]:
    """Returns each user's stored answers as one text, as a client finds them at once."""
    found = []
    async with httpx.AsyncClient(timeout=120, trust_env=False) as client:
        for number in range(users):
            params = {"user_id": f"u{number}", "limit": 1000, "q": "river garden"}
            answer = await client.get(f"http://127.0.0.1:{port}/memories", params=params)
            rows = answer.json()["results"]
            found.append("\n".join(f"{row['user']}|{row['assistant']}" for row in rows))
    return found


def text_of(number: int, chunks: int) -> str:
    return f"[{number}]" * chunks


def crossed(
    streams: Sequence[Stream], wanted: Sequence[str], stored: Sequence[str], users: int
) -> int:
    """Counts answers that another client got, or that are in another user's memories."""
    answers = sum(
        stream.text != text and bool(stream.text)
        for stream, text in zip(streams, wanted, strict=True)
    )
    foreign = sum(
        text in memories
        for number, text in enumerate(wanted)
        for user, memories in enumerate(stored)
        if user != number % users and f"|{text}" in memories
    )
    return answers + foreign


def lost(
    streams: Sequence[Stream], wanted: Sequence[str], stored: Sequence[str], users: int
) -> int:
    """Counts streams that were incomplete, or whose exchange is not stored."""
    return sum(
        stream.text != text or not stream.is_stored or f"|{text}" not in stored[number % users]
        for number, (stream, text) in enumerate(zip(streams, wanted, strict=True))
    )


def run_backend(port: int, chunks: int) -> None:
    """Serves a model that repeats the number in the question, at once or 10 chunks a second."""
    asyncio.run(serve_model(port, chunks))


async def serve_model(port: int, chunks: int) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            body = await read_body(reader)
            number = body["messages"][-1]["content"].rpartition(", ")[2].rstrip("?")
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
            async for event in say(number, body["model"], chunks):
                writer.write(b"%x\r\n%s\r\n" % (len(event), event))
                await writer.drain()
            writer.write(b"0\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", port)
    await server.serve_forever()


async def read_body(reader: asyncio.StreamReader) -> dict[str, Any]:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0])
    body: dict[str, Any] = json.loads(await reader.readexactly(length))
    return body


async def say(number: str, model: str, chunks: int) -> AsyncIterator[bytes]:
    piece = chunk({"content": f"[{number}]"}, None)
    for index in range(chunks):
        if model != "fast" and index:
            await asyncio.sleep(1 / CHUNKS_PER_S)
        yield piece
    yield chunk({}, "stop")
    yield b"data: [DONE]\n\n"


def chunk(delta: dict[str, str], end: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": end}
    event = {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}
    return f"data: {json.dumps(event)}\n\n".encode()


if __name__ == "__main__":
    run(main)
