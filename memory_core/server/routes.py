"""Routes that report their errors to clients in any application that they are mounted in."""

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from ..domain.errors import LongTermMemoryError
from .errors import FAILED, RequestRefused, to_refusal
from .invalid_requests import invalid_answer
from .responses import JSON, refused

_log = logging.getLogger("long_term_memory")

_UNREADABLE = "the body cannot be read: send JSON in UTF-8, not nested too deeply"
Handle = Callable[[Request], Awaitable[Response]]


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
        return _Refusing(super().get_route_handler(), self)


def add_routes(
    router: APIRouter, routes: Iterable[tuple[str, str, Callable[..., Any]]], *, tag: str
) -> None:
    """Adds endpoints, each as its method, its path and its function."""
    for method, path, endpoint in routes:
        router.add_api_route(path, endpoint, methods=[method], tags=[tag])


class _Refusing:
    def __init__(self, handle: Handle, route: APIRoute) -> None:
        self._handle = handle
        self._route = route

    async def __call__(self, request: Request) -> Response:
        try:
            return await self._handle(request)
        except LongTermMemoryError as exc:
            return _refused(request, exc)
        except RequestValidationError as exc:
            return invalid_answer(exc, self._route)
        except HTTPException as exc:  # FastAPI's own, for a body that it could not read
            cause = exc.__cause__
            if isinstance(cause, LongTermMemoryError):
                return _refused(request, cause)
            is_unreadable = isinstance(cause, ValueError | RecursionError)
            message = _UNREADABLE if is_unreadable else str(exc.detail)
            return _refused(request, RequestRefused(message, status=exc.status_code))


def _refused(request: Request, exc: LongTermMemoryError) -> JSON:
    refusal = to_refusal(exc)
    if refusal.status == FAILED:  # clients get no details of faults
        _log.error("%s %s failed: %s", request.method, request.url.path, exc)
    return refused(refusal)
