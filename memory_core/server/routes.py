"""Routes that report their errors to clients in any application that they are mounted in."""

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from ..domain.errors import LongTermMemoryError
from .errors import FAILED, UNPROCESSABLE, RequestRefused, error_body, to_refusal
from .responses import JSON

_log = logging.getLogger("long_term_memory")
_NOT_AN_OBJECT = "the body must be a JSON object, with the header content-type: application/json"

Handle = Callable[[Request], Awaitable[Response]]


class RefusingRoute(APIRoute):
    """A route whose errors are answers in OpenAI's form, with `detail` as FastAPI has it."""

    def get_route_handler(self) -> Any:  # noqa: ANN401  (FastAPI's own type differs by version)
        return _Refusing(super().get_route_handler())


def add_routes(
    router: APIRouter, routes: Iterable[tuple[str, str, Callable[..., Any]]], *, tag: str
) -> None:
    """Adds endpoints, each as its method, its path and its function."""
    for method, path, endpoint in routes:
        router.add_api_route(path, endpoint, methods=[method], tags=[tag])


class _Refusing:
    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    async def __call__(self, request: Request) -> Response:
        try:
            return await self._handle(request)
        except LongTermMemoryError as exc:
            refusal = to_refusal(exc)
            if refusal.status == FAILED:  # clients get no details of faults
                _log.error("%s %s failed: %s", request.method, request.url.path, exc)
            return JSON(error_body(refusal), status_code=refusal.status)
        except RequestValidationError as exc:
            return _invalid(exc)
        except HTTPException as exc:  # FastAPI's own, for a body that is no JSON in UTF-8
            refusal = RequestRefused(str(exc.detail), status=exc.status_code)
            return JSON(error_body(refusal), status_code=refusal.status)


def _invalid(exc: RequestValidationError) -> JSON:
    """Names the first wrong field in OpenAI's form, and all of them in FastAPI's."""
    details = [{key: error[key] for key in ("loc", "msg", "type")} for error in exc.errors()]
    first = details[0] if details else {"loc": (), "msg": "invalid"}
    if first.get("type") == "model_attributes_type" and tuple(first["loc"]) == ("body",):
        first["msg"] = _NOT_AN_OBJECT
    field = ".".join(str(part) for part in first["loc"][1:])
    message = f"{field}: {first['msg']}" if field else str(first["msg"])
    refusal = RequestRefused(message, status=UNPROCESSABLE, param=field)
    return JSON({**error_body(refusal), "detail": details}, status_code=refusal.status)
