"""The addresses of ChatMemory's 15 endpoints."""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter

from ...memory.runtime import Runtime
from ..rest.owners import Owners
from ..routes import add_routes
from .endpoints import Endpoints
from .search import SearchEndpoint

_TAG = "ChatMemory"


def add_chatmemory_routes(router: APIRouter, runtime: Runtime) -> None:
    owners = Owners(runtime)
    own = Endpoints(runtime, owners)
    search = SearchEndpoint(runtime, owners, own)
    routes: list[tuple[str, str, Callable[..., Any]]] = [
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
    add_routes(router, routes, tag=_TAG)
