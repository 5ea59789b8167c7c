"""The MCP server below /mcp of the HTTP server, for the user of the caller's key."""

from functools import partial
from urllib.parse import unquote

from fastapi import Request
from starlette.types import Receive, Scope, Send

from ...domain.namespaces import Namespace
from ...memory.runtime import Runtime
from ..errors import RequestRefused
from ..rest.owners import Owners
from ..security.access import Access, caller_of
from .tools import build_server

USER_HEADER, CHARACTER_HEADER = "x-memory-user", "x-memory-character"


def _owner_by_headers(owners: Owners, request: Request) -> Namespace:
    """Reads user and character from the request's headers; a key of one user needs none."""
    user, character = (_text(request, name) for name in (USER_HEADER, CHARACTER_HEADER))
    if caller_of(request).memory_user(user, field=USER_HEADER) is None:
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


class CheckedMCP:
    """The MCP server as an ASGI application, which checks the key of each call first.

    It answers only inside the context of `running`.
    """

    def __init__(self, runtime: Runtime, access: Access) -> None:
        server = build_server(runtime, partial(_owner_by_headers, Owners(runtime)))
        self._access, self._app = access, server.streamable_http_app()
        self.running = server.session_manager.run

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._access.check(Request(scope))
        await self._app(scope, receive, send)
