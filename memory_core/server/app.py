"""Assembles the server: `create_app` for a program of its own, `get_router` to mount elsewhere."""

import importlib.util
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.middleware.cors import CORSMiddleware
from starlette.exceptions import HTTPException

from ..memory.runtime import Runtime
from ..version import VERSION
from .api_docs import add_docs_routes
from .chat.backend import BackendSource
from .chat.completions import ChatCompletions
from .chat.turn_recall import TurnRecall
from .chat.turn_storage import TurnStorage
from .chat.turns import NewCharacters
from .chatmemory.routes import add_chatmemory_routes
from .invalid_requests import refuse_unknown_parameters
from .models import ModelEndpoints
from .openapi import CHAT_ANSWERS, CHAT_BODY, EMBEDDINGS_BODY, ERRORS, KEYS
from .responses import JSON
from .rest.routes import add_memory_routes, add_open_routes
from .routes import RefusingRoute, answer_address_error
from .running_requests import RunningRequests
from .security.access import Access
from .security.keys import KeyFile
from .security.request_filter import RequestFilter

if TYPE_CHECKING:
    from .mcp.http import CheckedMCP

_ABOUT = "Long-term memory for chats: an OpenAI-compatible server, and the memories themselves."


class Server:
    """The endpoints over one runtime, which the caller starts and closes."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.backends = BackendSource(runtime)
        self.access = Access(runtime, KeyFile(runtime.memory.root, runtime.memory.shared.files))
        new = NewCharacters(runtime)
        recall, storage = TurnRecall(runtime, new), TurnStorage(runtime, new)
        self.chat = ChatCompletions(recall, storage, self.backends)
        self.models = ModelEndpoints(runtime, self.backends)

    def get_router(self, prefix: str = "") -> APIRouter:
        """Returns all endpoints; all but /health check the caller's key."""
        openai = self._guarded(prefix)
        self._add_openai(openai)
        memories = self._guarded(prefix, refuse_unknown_parameters)
        add_memory_routes(memories, self.runtime)
        add_chatmemory_routes(memories, self.runtime)
        router = APIRouter(prefix=prefix, default_response_class=JSON)
        add_open_routes(router, self.runtime)
        router.routes.extend(openai.routes)  # include_router would build each of them again
        router.routes.extend(memories.routes)
        return router

    def _guarded(self, prefix: str, *checks: Callable[[Request], Awaitable[None]]) -> APIRouter:
        return APIRouter(
            prefix=prefix,
            dependencies=[*KEYS, Depends(self.access.check), *map(Depends, checks)],
            default_response_class=JSON,
            route_class=RefusingRoute,
            responses=ERRORS,
        )

    def _add_openai(self, router: APIRouter) -> None:
        router.add_api_route(
            "/v1/chat/completions",
            self.chat.create,
            methods=["POST"],
            tags=["OpenAI"],
            summary="Chat with memory",
            openapi_extra=CHAT_BODY,
            responses=CHAT_ANSWERS,
        )
        router.add_api_route("/v1/models", self.models.list, methods=["GET"], tags=["OpenAI"])
        router.add_api_route(
            "/v1/models/{model:path}", self.models.retrieve, methods=["GET"], tags=["OpenAI"]
        )
        router.add_api_route(
            "/v1/embeddings",
            self.models.embed,
            methods=["POST"],
            tags=["OpenAI"],
            openapi_extra=EMBEDDINGS_BODY,
        )


def create_app(
    memory: Runtime, *, checks_host: bool = True, requests: RunningRequests | None = None
) -> FastAPI:
    """Returns the server as an ASGI application over this runtime.

    With `checks_host` it may only be addressed by the names of this machine and by those in
    server.allowed_hosts. Unless it only answers this machine, /docs needs a key, too. With
    `requests` the caller can end those that still run when it stops.
    """
    server = Server(memory)
    mcp = _mcp_app(server)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with mcp.running() if mcp else nullcontext():
            yield
        await server.backends.close()

    app = FastAPI(
        title="Long-term memory",
        version=VERSION,
        description=_ABOUT,
        lifespan=lifespan,
        openapi_url=None,  # FastAPI's own routes would ask for no key
    )
    app.router.routes.extend(server.get_router().routes)
    app.add_exception_handler(HTTPException, answer_address_error)
    is_private = checks_host and not memory.settings.server.allowed_hosts
    add_docs_routes(app, server.access, is_private=is_private)
    if mcp:
        app.mount("/mcp", mcp)
    origins = [name.strip() for name in memory.settings.server.allowed_origins.split(",")]
    if any(origins):
        app.add_middleware(
            CORSMiddleware,
            allow_origins=[origin for origin in origins if origin],
            allow_methods=["*"],
            allow_headers=["*"],
        )
    app.add_middleware(
        RequestFilter,
        runtime=memory,
        checks_host=checks_host,
        requests=requests or RunningRequests(),
    )
    return app


def get_router(memory: Runtime, prefix: str = "") -> APIRouter:
    """Returns the endpoints for another FastAPI application, below `prefix`."""
    return Server(memory).get_router(prefix)


def _mcp_app(server: Server) -> "CheckedMCP | None":
    """Returns the MCP server if its package is installed."""
    if importlib.util.find_spec("mcp") is None:
        return None
    from .mcp.http import CheckedMCP

    return CheckedMCP(server.runtime, server.access)
