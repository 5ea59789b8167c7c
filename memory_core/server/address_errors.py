"""Answers calls of addresses that do not exist, and names those that may be meant."""

from fastapi import FastAPI, Request
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from .api_docs import PAGE
from .errors import NOT_FOUND, RequestRefused
from .responses import JSON, refused

_OPENAI = "/v1"
_NO_METHOD = 405


def answer_address_error(request: Request, exc: Exception) -> JSON:
    status = exc.status_code if isinstance(exc, HTTPException) else NOT_FOUND
    return refused(RequestRefused(_message(request, exc, status), status=status))


def _message(request: Request, exc: Exception, status: int) -> str:
    path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    methods = _methods(request.app, path)
    if methods:
        return f"{request.method} is not possible at {path}: use {', '.join(sorted(methods))}"
    if status == _NO_METHOD:
        return f"{request.method} is not possible at {path}"
    if status != NOT_FOUND:
        return str(getattr(exc, "detail", exc))
    for other in (f"{_OPENAI}{path}", path.removeprefix(_OPENAI)):
        if _methods(request.app, other):
            return f"there is no {path} here: do you mean {other}?"
    return f"there is no {path} here: {PAGE} lists all addresses"


def _methods(app: FastAPI, path: str) -> set[str]:
    """Returns the methods of the endpoints at a path; none if there is no such path."""
    return {
        method
        for route in app.routes
        if isinstance(route, APIRoute) and route.path_regex.match(path)
        for method in route.methods or ()
    }
