"""A small real HTTP server on loopback that answers as a test demands."""

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Asked:
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Loopback:
    url: str
    closing: threading.Event
    asked: list[Asked] = field(default_factory=list)


# Nothing goes on for longer, so that a client without patience of its own fails its test.
_END_S = 60.0

Write = Callable[[BaseHTTPRequestHandler, threading.Event], None]


@dataclass(frozen=True)
class Answer:
    """Writes the answer to one request; the event is set when the server closes."""

    write: Write


Reply = Callable[[Asked], Answer]


@contextmanager
def serve(reply: Reply | Answer) -> Iterator[Loopback]:
    closing = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        disable_nagle_algorithm = True  # or pieces wait 40 ms for an acknowledgement

        def do_POST(self) -> None:
            size = int(self.headers.get("content-length", 0))
            body = json.loads(self.rfile.read(size)) if size else None
            asked = Asked(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            loopback.asked.append(asked)
            with suppress(OSError):
                answer = reply if isinstance(reply, Answer) else reply(asked)
                answer.write(self, closing)

        do_GET = do_POST  # noqa: N815  (the base class calls it so)

        def log_message(self, *args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    loopback = Loopback(f"http://127.0.0.1:{server.server_port}/v1", closing)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield loopback
    finally:
        closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def says(
    text: str | bytes, *, status: int = 200, location: str = "", retry_after: str = ""
) -> Answer:
    body = text.encode() if isinstance(text, str) else text

    def write(handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
        handler.send_response(status)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(body)))
        if location:
            handler.send_header("location", location)
        if retry_after:
            handler.send_header("retry-after", retry_after)
        handler.end_headers()
        handler.wfile.write(body)

    return Answer(write)


def says_json(value: object, *, status: int = 200) -> Answer:
    return says(json.dumps(value), status=status)


def streams(lines: Iterable[str], *, then_hangs: bool = False) -> Answer:
    """Returns server-sent events, a blank line after each; closing the connection ends them."""

    def write(handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        for line in lines:
            handler.wfile.write(f"{line}\n\n".encode())
            handler.wfile.flush()
        if then_hangs:
            _until(closing)

    return Answer(write)


def hangs() -> Answer:
    return Answer(lambda handler, closing: _until(closing))


def drips_body() -> Answer:
    """Headers at once, then a blank every 20 ms."""

    def write(handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
        handler.send_response(200)
        handler.end_headers()
        _drip(handler, closing, b" ")

    return Answer(write)


class Pours:
    """An answer that never ends, as fast as it is read; `sent` counts its bytes."""

    def __init__(
        self, begins: bytes = b"", goes_on: bytes = b" " * 65_536, *, status: int = 200,
        encoding: str = "",
    ) -> None:  # fmt: skip
        self.sent = 0
        self._begins, self._goes_on = begins, goes_on
        self._status, self._encoding = status, encoding

    def write(self, handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
        handler.send_response(self._status)
        if self._encoding:
            handler.send_header("content-encoding", self._encoding)
        handler.end_headers()
        handler.wfile.write(self._begins)
        end = time.monotonic() + _END_S
        while not closing.is_set() and time.monotonic() < end:
            handler.wfile.write(self._goes_on)
            self.sent += len(self._goes_on)


def drips_headers() -> Answer:
    """Sends a header that grows by a letter every 20 ms."""

    def write(handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
        _drip(handler, closing, b"x")

    return Answer(write)


def _until(closing: threading.Event) -> None:
    closing.wait(_END_S)


def _drip(handler: BaseHTTPRequestHandler, closing: threading.Event, byte: bytes) -> None:
    drops = 0
    while not closing.wait(0.02) and drops < _END_S / 0.02:
        handler.wfile.write(byte)
        handler.wfile.flush()
        drops += 1
