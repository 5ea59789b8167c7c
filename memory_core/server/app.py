"""Assembles the server: `create_app` for a program of its own, `get_router` to mount elsewhere.

All addresses are here, except those of the OpenAPI document (api_docs.py) and of MCP (mcp/http.py).
"""

import importlib.util
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.middleware.cors import CORSMiddleware
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse

from ..memory.runtime import Runtime
from ..version import VERSION
from .api_docs import add_docs_routes
from .chat.backend import BackendSource
from .chat.completions import ChatCompletions
from .chat.turn_recall import TurnRecall
from .chat.turn_storage import TurnStorage
from .chat.turns import NewCharacters
from .chatmemory.endpoints import Endpoints
from .chatmemory.search import SearchEndpoint
from .invalid_requests import refuse_wrong_parameters
from .models import ModelEndpoints
from .openapi import CHAT_ANSWERS, CHAT_BODY, EMBEDDINGS_BODY, ERRORS, KEYS
from .responses import JSON
from .rest.health import HealthChecks
from .rest.memories import Memories
from .rest.owners import Owners
from .rest.search import Search
from .rest.transfer import EXPORT_TYPES, Transfer
from .routes import RefusingRoute, answer_address_error
from .running_requests import RunningRequests
from .security.access import Access
from .security.keys import KeyFile
from .security.request_filter import RequestFilter

if TYPE_CHECKING:
    from .mcp.http import CheckedMCP

Routes = list[tuple[str, str, Callable[..., Any]]]  # method, path, function
_MEMORIES = "Memories"
_FILE_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The memories, in the format asked for.",
        "content": {kind: {} for kind in EXPORT_TYPES.values()},
    }
}
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
        memories = self._guarded(prefix, refuse_wrong_parameters)
        owners, health = Owners(self.runtime), HealthChecks(self.runtime)
        _add_memories(memories, Memories(self.runtime, owners), Search(self.runtime, owners))
        _add_transfer(memories, Transfer(self.runtime, owners))
        models: Routes = [
            ("GET", "/health/embed", health.embedder),
            ("GET", "/health/llm", health.language_model),
        ]
        _add_all(memories, models, tag="Health")
        _add_chatmemory(memories, self.runtime, owners)
        router = APIRouter(prefix=prefix, default_response_class=JSON)  # its routes need no key
        router.add_api_route("/health", health.server, methods=["GET"], tags=["Health"])
        router.add_api_route("/health", health.server, methods=["HEAD"], include_in_schema=False)
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


def _add_memories(router: APIRouter, memories: Memories, search: Search) -> None:
    one = "/memories/{memory_id}"
    routes: Routes = [
        ("POST", "/memories", memories.add),
        ("GET", "/memories", memories.list),
        ("DELETE", "/memories", memories.forget_conversation),
        ("POST", "/memories/search", search.search),
        ("GET", one, memories.get),
        ("PATCH", one, memories.update),
        ("PUT", one, memories.update),
        ("DELETE", one, memories.forget),
        ("POST", f"{one}/restore", memories.restore),
        ("GET", f"{one}/history", memories.history),
        ("POST", "/answer", search.answer),
    ]
    _add_all(router, routes, tag=_MEMORIES)


def _add_transfer(router: APIRouter, transfer: Transfer) -> None:
    router.add_api_route("/namespaces", transfer.namespaces, methods=["GET"], tags=[_MEMORIES])
    router.add_api_route(
        "/export",
        transfer.export,
        methods=["GET"],
        tags=[_MEMORIES],
        response_class=FileResponse,
        responses=_FILES,
    )
    router.add_api_route(
        "/import",
        transfer.import_file,
        methods=["POST"],
        tags=[_MEMORIES],
        openapi_extra=_FILE_BODY,
    )


def _add_chatmemory(router: APIRouter, runtime: Runtime, owners: Owners) -> None:
    own = Endpoints(runtime, owners)
    search = SearchEndpoint(runtime, owners, own)
    routes: Routes = [
        ("POST", "/history", own.add_history),
        ("GET", "/history", own.get_history),
        ("DELETE", "/history", own.delete_history),
        ("GET", "/history/session_ids", own.session_ids),
        ("GET", "/history/sessions", own.list_sessions),
        ("POST", "/summary/create", own.create_summary),
        ("GET", "/summary", own.get_summaries),
        ("DELETE", "/summary", own.delete_summaries),
        ("POST", "/knowledge", own.add_knowledge),
        ("GET", "/knowledge", own.get_knowledge),
        ("DELETE", "/knowledge", own.delete_knowledge),
        ("POST", "/diary", own.upsert_diary),
        ("GET", "/diary", own.get_diary),
        ("DELETE", "/diary", own.delete_diary),
        ("POST", "/search", search.search),
    ]
    _add_all(router, routes, tag="ChatMemory")


def _add_all(router: APIRouter, routes: Routes, *, tag: str) -> None:
    for method, path, endpoint in routes:
        router.add_api_route(path, endpoint, methods=[method], tags=[tag])


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
