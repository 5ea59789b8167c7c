"""Routes that report their errors to clients, and the answer to calls of unknown addresses."""

import logging
from collections.abc import Callable, Iterable
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from ..domain.errors import LongTermMemoryError
from .errors import (
    BAD_GATEWAY,
    FAILED,
    GATEWAY_TIMEOUT,
    NOT_FOUND,
    RequestRefused,
    to_refusal,
)
from .invalid_requests import invalid_answer
from .responses import JSON, refused

_log = logging.getLogger("long_term_memory")

DOCS_PAGE = "/docs"
_OPENAI = "/v1"
_NO_METHOD = 405
_UNREADABLE = "the body cannot be read: send JSON in UTF-8, not nested too deeply"


class RefusingRoute(APIRoute):
    """A route whose errors are answers in OpenAI's form, with `detail` as FastAPI has it.

    FastAPI takes a millisecond to read the function of a route and to build its models. A route
    does this when it is used first: a server starts sooner, and rarely needs all of its routes.
    """

    def __init__(
        self,
        path: str,
        endpoint: Callable[..., Any],
        *,
        methods: Iterable[str] | None = None,
        **options: Any,  # noqa: ANN401  (FastAPI's, which differ by version)
    ) -> None:
        self.path, self.endpoint = path, endpoint
        named = [*(methods or ["GET"])]  # in this order: a set of them may be in another one
        self.methods = set(named)
        self.path_regex, self.path_format, self.param_convertors = compile_path(path)
        self._unbuilt = {"methods": named, **options}

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        """Builds the route when anything else than its address is needed."""
        if (options := vars(self).pop("_unbuilt", None)) is None:
            raise AttributeError(name)
        super().__init__(self.path, self.endpoint, **options)
        return getattr(self, name)

    def get_route_handler(self) -> Any:  # noqa: ANN401  (FastAPI's own type differs by version)
        handle = super().get_route_handler()

        async def refusing(request: Request) -> Response:
            try:
                return await handle(request)
            except LongTermMemoryError as exc:
                return _refused(request, exc)
            except RequestValidationError as exc:
                return invalid_answer(exc, self)
            except HTTPException as exc:  # FastAPI's own, for a body that it could not read
                cause = exc.__cause__
                if isinstance(cause, LongTermMemoryError):
                    return _refused(request, cause)
                is_unreadable = isinstance(cause, ValueError | RecursionError)
                message = _UNREADABLE if is_unreadable else str(exc.detail)
                return _refused(request, RequestRefused(message, status=exc.status_code))

        return refusing


def _refused(request: Request, exc: LongTermMemoryError) -> JSON:
    refusal = to_refusal(exc)
    if refusal.status == FAILED:  # clients get no details of faults
        _log.error("%s %s failed: %s", request.method, request.url.path, exc)
    elif refusal.status in (BAD_GATEWAY, GATEWAY_TIMEOUT):  # no fault of the client's
        _log.warning("%s %s failed: %s", request.method, request.url.path, refusal)
    return refused(refusal)


def answer_address_error(request: Request, exc: Exception) -> JSON:
    """Names the address or the method that may be meant, for a call that no route takes."""
    status = exc.status_code if isinstance(exc, HTTPException) else NOT_FOUND
    return refused(RequestRefused(_message(request, exc, status), status=status))


def _message(request: Request, exc: Exception, status: int) -> str:
    path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    methods = _methods_at(request.app, path)
    if methods:
        return f"{request.method} is not possible at {path}: use {', '.join(sorted(methods))}"
    if status == _NO_METHOD:
        return f"{request.method} is not possible at {path}"
    if status != NOT_FOUND:
        return str(getattr(exc, "detail", exc))
    for other in (f"{_OPENAI}{path}", path.removeprefix(_OPENAI)):
        if _methods_at(request.app, other):
            return f"there is no {path} here: do you mean {other}?"
    return f"there is no {path} here: {DOCS_PAGE} lists all addresses"


def _methods_at(app: FastAPI, path: str) -> set[str]:
    """Returns the methods of the endpoints at a path; none if there is no such path."""
    return {
        method
        for route in app.routes
        if isinstance(route, APIRoute) and route.path_regex.match(path)
        for method in route.methods or ()
    }
