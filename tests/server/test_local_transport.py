"""The transport to a model server on this machine behaves as httpx's own does."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import anyio
import httpx
import pytest

from memory_core.server.chat.local_transport import LocalTransport

TRANSPORTS = (LocalTransport, httpx.AsyncHTTPTransport)
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"

Answering = Callable[..., "Scripted"]


class Scripted:
    """Sends these bytes to the one client that connects; keeps what it was sent."""

    def __init__(self, answer: bytes, *, stays_open: bool) -> None:
        self._answer = answer
        self._closing = threading.Event()
        self._stays_open = stays_open
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1/x?y=1"
        self.received = b""
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        client, _ = self._listener.accept()
        with client:
            client.settimeout(10)
            while b'{"a": 1}' not in self.received:
                self.received += client.recv(65536)
            client.sendall(self._answer)
            if self._stays_open:
                self._closing.wait(10)

    def close(self) -> None:
        self._closing.set()
        self._thread.join()
        self._listener.close()


@pytest.fixture
def answering() -> Iterator[Answering]:
    with ExitStack() as servers:

        def start(answer: bytes, *, stays_open: bool = False) -> Scripted:
            server = Scripted(answer, stays_open=stays_open)
            servers.callback(server.close)
            return server

        yield start


def fetch(
    transport: type[httpx.AsyncBaseTransport], url: str, *, read_s: float = 10.0
) -> tuple[int, bytes]:
    async def run() -> tuple[int, bytes]:
        timeout = httpx.Timeout(10, read=read_s)
        async with httpx.AsyncClient(transport=transport(), timeout=timeout) as client:
            headers = {"content-type": "application/json", "x-own": "1"}
            request = client.build_request("POST", url, content=b'{"a": 1}', headers=headers)
            response = await client.send(request, stream=True)
            try:
                pieces = [piece async for piece in response.aiter_bytes()]
            finally:
                await response.aclose()
            return response.status_code, b"".join(pieces)

    return anyio.run(run)


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize(
    "answer",
    [
        CHUNKED + b"5;name=value\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\n\r\n",
        HEAD + b"content-length: 11\r\n\r\nhello world",
        HEAD + b"\r\nhello world",
        b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + b"content-length: 11\r\n\r\nhello world",
    ],
    ids=["chunked", "of a given length", "until the end", "after an interim answer"],
)
def test_body_arrives_whole_however_it_is_framed(
    transport: type[httpx.AsyncBaseTransport], answer: bytes, answering: Answering
) -> None:
    assert fetch(transport, answering(answer).url) == (200, b"hello world")


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_request_arrives_with_its_path_headers_and_body(
    transport: type[httpx.AsyncBaseTransport], answering: Answering
) -> None:
    server = answering(HEAD + b"content-length: 0\r\n\r\n")
    fetch(transport, server.url)
    head, _, body = server.received.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    assert lines[0] == b"post /v1/x?y=1 http/1.1"
    assert {b"x-own: 1", b"content-length: 8", b"content-type: application/json"} < set(lines)
    assert sum(line.startswith(b"host: 127.0.0.1:") for line in lines) == 1
    assert sum(line.startswith(b"connection:") for line in lines) == 1
    assert body == b'{"a": 1}'


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\ncontent-",
        b"this is no HTTP\r\n\r\n",
        CHUNKED + b"5\r\nhel",
        CHUNKED + b"no size\r\nhello\r\n",
        HEAD + b"content-length: 11\r\n\r\nhello",
    ],
)
def test_broken_or_malformed_answer_is_a_protocol_error(
    transport: type[httpx.AsyncBaseTransport], answer: bytes, answering: Answering
) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        fetch(transport, answering(answer).url)


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("answer", [b"", CHUNKED + b"5\r\nhello\r\n"])
def test_silent_server_is_a_read_timeout(
    transport: type[httpx.AsyncBaseTransport], answer: bytes, answering: Answering
) -> None:
    server = answering(answer, stays_open=True)
    with pytest.raises(httpx.ReadTimeout):
        fetch(transport, server.url, read_s=0.05)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_server_that_is_not_running_is_a_connect_error(
    transport: type[httpx.AsyncBaseTransport],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(httpx.ConnectError):
        fetch(transport, f"http://127.0.0.1:{port}/")
