"""The MCP server below /mcp of the HTTP server, for the user of the caller's key."""

from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any
from urllib.parse import unquote

from fastapi import FastAPI, Request
from starlette.types import ASGIApp

from ...domain.namespaces import Namespace
from ...memory.runtime import Runtime
from ..errors import RequestRefused
from ..rest.owners import Owners
from ..security.access import Access, caller_of
from .tools import build_server

PATH = "/mcp"
USER_HEADER, CHARACTER_HEADER = "x-memory-user", "x-memory-character"

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]


def _owner_by_headers(owners: Owners, request: Request) -> Namespace:
    """Reads user and character from the request's headers; a key of one user needs none."""
    user, character = (_text(request, name) for name in (USER_HEADER, CHARACTER_HEADER))
    if caller_of(request).memory_user(user) is None:
        message = "the user is missing: whose memories? Send the header X-Memory-User"
        raise RequestRefused(message, param=USER_HEADER)
    return owners.namespace(request, user, character)


def _text(request: Request, name: str) -> str:
    """Returns a header that is UTF-8 or has % escapes; clients differ for names beyond ASCII."""
    received = request.headers.get(name, "").encode("latin-1")
    try:
        return unquote(received.decode("utf-8"))
    except UnicodeDecodeError:
        return unquote(received.decode("latin-1"))


class _CheckedApp:
    """Checks the key of a call before it reaches the application."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        await self._access.check(Request(scope))
        await self._app(scope, receive, send)


def mount(
    app: FastAPI, runtime: Runtime, access: Access
) -> Callable[[], AbstractAsyncContextManager[None]]:
    """Adds the MCP server; returns a function that makes its context while the server runs."""
    server = build_server(runtime, partial(_owner_by_headers, Owners(runtime)))
    app.mount(PATH, _CheckedApp(server.streamable_http_app(), access))
    return server.session_manager.run
