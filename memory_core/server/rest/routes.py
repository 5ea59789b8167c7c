"""The addresses of the memory endpoints."""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from starlette.responses import FileResponse

from ...memory.runtime import Runtime
from ..routes import add_routes
from .health import HealthChecks
from .memories import Memories
from .owners import Owners
from .search import Search
from .transfer import EXPORT_TYPES, Transfer

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


def add_memory_routes(router: APIRouter, runtime: Runtime) -> None:
    """Adds all endpoints that work on memories."""
    owners = Owners(runtime)
    _add_memories(router, Memories(runtime, owners), Search(runtime, owners))
    _add_transfer(router, Transfer(runtime, owners))
    checks = HealthChecks(runtime)
    router.add_api_route("/health/embed", checks.embedder, methods=["GET"], tags=["Health"])
    router.add_api_route("/health/llm", checks.language_model, methods=["GET"], tags=["Health"])


def add_open_routes(router: APIRouter, runtime: Runtime) -> None:
    """Adds the endpoint that needs no key."""
    checks = HealthChecks(runtime)
    router.add_api_route("/health", checks.server, methods=["GET"], tags=["Health"])
    router.add_api_route("/health", checks.server, methods=["HEAD"], include_in_schema=False)


def _add_memories(router: APIRouter, memories: Memories, search: Search) -> None:
    one = "/memories/{memory_id}"
    routes: list[tuple[str, str, Callable[..., Any]]] = [
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
    add_routes(router, routes, tag=_MEMORIES)


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
