"""Serves the OpenAPI document and its page, which need the caller's key if others may call.

The start page tells everybody where they are.
"""

from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse

from .endpoint_list import endpoint_list
from .openapi import ERRORS
from .responses import JSON
from .routes import RefusingRoute
from .security.access import Access

_DOCUMENT = "/openapi.json"
PAGE = "/docs"
_START = "/"
_PLACE = '<div id="swagger-ui">'


def add_docs_routes(app: FastAPI, access: Access, *, is_private: bool) -> None:
    """Adds the routes. `is_private` means that only programs on this machine can call."""
    pages = _DocsPages(app)
    router = APIRouter(
        dependencies=[] if is_private else [Depends(access.check)],
        route_class=RefusingRoute,
        include_in_schema=False,
        responses=ERRORS,
    )
    router.add_api_route(_DOCUMENT, pages.document, response_class=JSON)
    router.add_api_route(PAGE, pages.page, response_class=HTMLResponse)
    app.router.routes.extend(router.routes)
    app.add_api_route(_START, pages.start, response_class=JSON, include_in_schema=False)


class _DocsPages:
    """The document of one application, which may be mounted below a path of another one."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    async def start(self, request: Request) -> JSON:
        """Names this server and the pages that describe it. Needs no key."""
        root = _root(request)
        addresses = {"docs": PAGE, "openapi": _DOCUMENT, "health": "/health", "openai_api": "/v1"}
        paths = {name: root + path for name, path in addresses.items()}
        return JSON({"about": self._app.description, **paths})

    async def document(self, request: Request) -> JSON:
        document: dict[str, Any] = self._app.openapi()
        root = _root(request)
        return JSON({**document, "servers": [{"url": root}]} if root else document)

    async def page(self, request: Request) -> HTMLResponse:
        page = get_swagger_ui_html(openapi_url=_root(request) + _DOCUMENT, title=self._app.title)
        plain = f"{_PLACE}{endpoint_list(self._app.openapi())}"  # Swagger UI takes its place
        return HTMLResponse(bytes(page.body).decode().replace(_PLACE, plain, 1))


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", "")).rstrip("/")
