"""Serves the OpenAPI document and its page, which need the caller's key if others may call.

The start page tells everybody where they are. Below the page, a plain list of all endpoints serves
browsers that cannot load Swagger UI.
"""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse

from .openapi import ERRORS
from .responses import JSON
from .routes import DOCS_PAGE, RefusingRoute
from .security.access import Access

_DOCUMENT = "/openapi.json"
_START = "/"
_PLACE = '<div id="swagger-ui">'
_METHODS = ("get", "post", "put", "patch", "delete")

Document = Mapping[str, Any]


def add_docs_routes(app: FastAPI, access: Access, *, is_private: bool) -> None:
    """Adds the routes. `is_private` means that only programs on this machine can call."""
    router = APIRouter(
        dependencies=[] if is_private else [Depends(access.check)],
        route_class=RefusingRoute,
        include_in_schema=False,
        responses=ERRORS,
    )
    router.add_api_route(_DOCUMENT, _document, response_class=JSON)
    router.add_api_route(DOCS_PAGE, _page, response_class=HTMLResponse)
    app.router.routes.extend(router.routes)
    app.add_api_route(_START, _start, response_class=JSON, include_in_schema=False)


async def _start(request: Request) -> JSON:
    """Names this server and the pages that describe it. Needs no key."""
    root = _root(request)
    addresses = {"docs": DOCS_PAGE, "openapi": _DOCUMENT, "health": "/health", "openai_api": "/v1"}
    paths = {name: root + path for name, path in addresses.items()}
    return JSON({"about": request.app.description, **paths})


async def _document(request: Request) -> JSON:
    document: dict[str, Any] = request.app.openapi()
    root = _root(request)
    return JSON({**document, "servers": [{"url": root}]} if root else document)


async def _page(request: Request) -> HTMLResponse:
    page = get_swagger_ui_html(openapi_url=_root(request) + _DOCUMENT, title=request.app.title)
    plain = f"{_PLACE}{endpoint_list(request.app.openapi())}"  # Swagger UI takes its place
    return HTMLResponse(bytes(page.body).decode().replace(_PLACE, plain, 1))


def _root(request: Request) -> str:
    """Returns the path of another application below which this one may be mounted."""
    return str(request.scope.get("root_path", "")).rstrip("/")


def endpoint_list(document: Document) -> str:
    """Returns the endpoints of an OpenAPI document, each with its parameters and an example."""
    found = "\n".join(
        _endpoint(document, method.upper(), path, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if method in _METHODS
    )
    return f"<h1>{escape(document['info']['title'])}</h1>\n<dl>\n{found}\n</dl>"


def _endpoint(document: Document, method: str, path: str, operation: Document) -> str:
    texts = [str(operation.get("description") or operation.get("summary") or "")]
    names = [str(parameter["name"]) for parameter in operation.get("parameters", ())]
    if names:
        texts.append(f"Parameters: {', '.join(names)}")
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in texts if text)
    bodies = "".join(f"<pre>{escape(body)}</pre>" for body in _bodies(document, operation))
    return f"<dt><code>{method} {escape(path)}</code></dt><dd>{paragraphs}{bodies}</dd>"


def _bodies(document: Document, operation: Document) -> Iterator[str]:
    """Yields the JSON body as an example, else as the names of its fields."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return
    schema = _resolved(document, content.get("schema", {}))
    example = content.get("example") or schema.get("example")
    if example is not None:
        yield json.dumps(example, ensure_ascii=False, indent=1)
    elif fields := schema.get("properties"):
        yield f"{{{', '.join(fields)}}}"


def _resolved(document: Document, schema: Document) -> Document:
    reference = str(schema.get("$ref", ""))
    name = reference.rpartition("/")[2]
    return document["components"]["schemas"][name] if name else schema
