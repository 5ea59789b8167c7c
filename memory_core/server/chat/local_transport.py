"""Sends requests to a model server on this machine, by plain HTTP/1.1 over asyncio.

It is a custom transport for httpx. It needs a third of the work for each piece of a stream, as it
has no pool, no proxies and no TLS. Each request has its own connection.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import h11
import httpx

_PIECE = 1 << 16


class LocalTransport(httpx.AsyncBaseTransport):
    """Opens a connection per request. Raises the errors of httpx."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        timeouts = request.extensions.get("timeout", {})
        connection = await _connect(request.url, timeouts)
        try:
            await connection.send(request)
            head = await connection.read_head()
        except BaseException:
            connection.close()
            raise
        return httpx.Response(
            head.status_code, headers=list(head.headers.raw_items()), stream=_Body(connection)
        )


@dataclass(slots=True)
class _Connection:
    """One request and its answer; `read_s` is the longest wait for a piece."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    read_s: float | None
    write_s: float | None
    state: h11.Connection

    async def send(self, request: httpx.Request) -> None:
        headers = [(k, v) for k, v in request.headers.raw if k.lower() != b"connection"]
        head = h11.Request(
            method=request.method,
            target=request.url.raw_path,
            headers=[*headers, (b"Connection", b"close")],
        )
        content = await request.aread()
        events = (head, h11.Data(data=content), h11.EndOfMessage())
        with _translated(httpx.WriteError, httpx.WriteTimeout):
            self.writer.write(b"".join(self.state.send(event) or b"" for event in events))
            async with asyncio.timeout(self.write_s):
                await self.writer.drain()

    async def read_head(self) -> h11.Response:
        while True:
            event = await self.next_event()
            if isinstance(event, h11.Response):
                return event
            if not isinstance(event, h11.InformationalResponse):
                raise httpx.RemoteProtocolError("the server closed the connection")

    async def next_event(self) -> Any:  # noqa: ANN401  (h11's events have no common class)
        with _translated(httpx.ReadError, httpx.ReadTimeout):
            while (event := self.state.next_event()) is h11.NEED_DATA:
                async with asyncio.timeout(self.read_s):
                    piece = await self.reader.read(_PIECE)
                if not piece and self.state.their_state is h11.SEND_RESPONSE:
                    raise httpx.RemoteProtocolError("it closed the connection without an answer")
                self.state.receive_data(piece)
        return event

    def close(self) -> None:
        self.writer.close()


class _Body(httpx.AsyncByteStream):
    def __init__(self, connection: _Connection) -> None:
        self._connection = connection

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while isinstance(event := await self._connection.next_event(), h11.Data):
            yield bytes(event.data)

    async def aclose(self) -> None:
        self._connection.close()


async def _connect(url: httpx.URL, timeouts: dict[str, float | None]) -> _Connection:
    with _translated(httpx.ConnectError, httpx.ConnectTimeout):
        async with asyncio.timeout(timeouts.get("connect")):
            reader, writer = await asyncio.open_connection(url.host, url.port or 80)
    return _Connection(
        reader=reader,
        writer=writer,
        read_s=timeouts.get("read"),
        write_s=timeouts.get("write"),
        state=h11.Connection(h11.CLIENT),
    )


@contextmanager
def _translated(
    failure: type[httpx.NetworkError], timeout: type[httpx.TimeoutException]
) -> Iterator[None]:
    """Turns the errors of asyncio and h11 into those of httpx."""
    try:
        yield
    except TimeoutError as exc:
        raise timeout(str(exc)) from exc
    except OSError as exc:
        raise failure(str(exc)) from exc
    except h11.RemoteProtocolError as exc:
        raise httpx.RemoteProtocolError(str(exc)) from exc
