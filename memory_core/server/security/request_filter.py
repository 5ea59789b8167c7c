"""Refuses requests from foreign websites and too large ones, and hides faults from clients.

A website can point its own name at this machine (DNS rebinding), so the name in `Host` counts.
"""

import asyncio
import logging
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...domain.errors import LongTermMemoryError
from ...memory.runtime import Runtime
from ...providers.allowed_hosts import is_loopback
from ..chat.stream import error_event
from ..errors import (
    FAILED,
    FORBIDDEN,
    INTERNAL_MESSAGE,
    TOO_LARGE,
    UNAVAILABLE,
    RequestRefused,
    error_body,
    to_refusal,
)
from ..responses import refused
from ..running_requests import RunningRequests, stopping

_log = logging.getLogger("long_term_memory")

_MB = 1 << 20
_MOST_DISCARDED, _DISCARDED_WITHIN_S = 256 * _MB, 5.0
_FIRST_FAULT = 400
_LAST_WORDS_S = 1.0
_BUSY_S = 1
_STREAM = "text/event-stream"


class RequestFilter:
    """ASGI middleware around the whole server. Without `checks_host` any `Host` may be named."""

    def __init__(
        self, app: ASGIApp, *, runtime: Runtime, checks_host: bool, requests: RunningRequests
    ) -> None:
        self._app = app
        self._runtime = runtime
        self._checks_host = checks_host
        self._requests = requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        largest = int(self._runtime.settings.server.max_request_mb * _MB)
        headers = Headers(raw=scope["headers"])
        body = _BoundedBody(receive, largest, is_awaited="expect" not in headers)
        answer = _Answer(send, body)
        try:
            self._check(headers, largest)
            with self._requests.cancellable():
                await self._app(scope, body, answer.send)
        except asyncio.CancelledError:  # the last moment has come for what cannot be cancelled
            await answer.refuse(stopping())
            raise
        except LongTermMemoryError as exc:
            await answer.refuse(to_refusal(exc))
        except Exception as exc:
            if answer.has_begun and isinstance(exc, OSError):
                raise  # the client has left
            self._runtime.report_bug("a request failed", exc)
            await answer.refuse(RequestRefused(INTERNAL_MESSAGE, status=FAILED))

    def _check(self, headers: Mapping[str, str], largest: int) -> None:
        settings = self._runtime.settings.server
        host = headers.get("host", "")
        if self._checks_host and not _is_own_host(host, _names(settings.allowed_hosts)):
            raise RequestRefused(
                f"the host {host!r} is not allowed (server.allowed_hosts)", status=FORBIDDEN
            )
        origin = headers.get("origin")
        if origin and not _is_own_origin(origin, host, _names(settings.allowed_origins)):
            raise RequestRefused(
                f"pages of {origin} may not call this server (server.allowed_origins)",
                status=FORBIDDEN,
            )
        if self._requests.count >= settings.parallel_requests:
            raise _too_many(settings.parallel_requests)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > largest:
            raise _too_large(largest)


class _BoundedBody:
    """Receives a body up to a size, even one without a stated length."""

    def __init__(self, receive: Receive, largest: int, *, is_awaited: bool) -> None:
        """`is_awaited` is False if the client sends the body only when asked for it."""
        self._receive = receive
        self._largest = self._left = largest
        self._is_coming = is_awaited

    async def __call__(self) -> Message:
        event = await self._next()
        self._left -= len(event.get("body", b""))
        if self._left < 0:
            raise _too_large(self._largest)
        return event

    async def discard(self) -> None:
        """Reads what is left. Many clients read no answer before they have sent everything."""
        left = _MOST_DISCARDED
        with anyio.move_on_after(_DISCARDED_WITHIN_S):
            while self._is_coming and left > 0:
                left -= len((await self._next()).get("body", b""))

    async def _next(self) -> Message:
        event = await self._receive()
        self._is_coming = bool(event.get("more_body"))
        return event


class _Answer:
    """Sends the answer, or an error in its place; in a stream that has begun, at its end."""

    def __init__(self, send: Send, body: _BoundedBody) -> None:
        self._send = send
        self._body = body
        self.has_begun = False
        self._is_open_stream = False

    async def send(self, event: Message) -> None:
        if event.get("status", 0) >= _FIRST_FAULT:
            await self._body.discard()
        self.has_begun = True
        if event["type"] == "http.response.start":
            self._is_open_stream = (
                Headers(raw=event["headers"]).get("content-type", "").startswith(_STREAM)
            )
        elif not event.get("more_body"):
            self._is_open_stream = False
        await self._send(event)

    async def refuse(self, exc: RequestRefused) -> None:
        if self._is_open_stream:
            last = {"type": "http.response.body", "body": error_event(error_body(exc))}
            with anyio.move_on_after(_LAST_WORDS_S):  # the client may not read any more
                await self.send(last)
        if self.has_begun:
            return
        await refused(exc)({"type": "http"}, self._body, self.send)


def _too_many(most: int) -> RequestRefused:
    message = (
        f"{most} requests are being answered already (server.parallel_requests): try again soon"
    )
    _log.warning("a request was refused: %s", message)
    return RequestRefused(message, status=UNAVAILABLE, retry_after_s=_BUSY_S)


def _too_large(largest: int) -> RequestRefused:
    message = f"the request is larger than {largest / _MB:g} MB (server.max_request_mb)"
    return RequestRefused(message, status=TOO_LARGE)


def _names(setting: str) -> frozenset[str]:
    names = (name.strip().rstrip("/").lower() for name in setting.split(","))
    return frozenset(name for name in names if name)


def _is_own_host(host: str, allowed: frozenset[str]) -> bool:
    name = _split(f"//{host}").hostname or ""
    return bool(name) and (is_loopback(name) or name in allowed or host.lower() in allowed)


def _is_own_origin(origin: str, host: str, allowed: frozenset[str]) -> bool:
    if origin.lower().rstrip("/") in allowed:
        return True
    parts = _split(origin)
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def _split(url: str) -> SplitResult:
    """Returns the parts of an address, empty ones for a text that is none."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")
