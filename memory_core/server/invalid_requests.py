"""Says in plain words which part of a request is wrong, and what to send instead."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from ..config.fields import name_hint
from .errors import UNPROCESSABLE, RequestRefused, error_body
from .responses import JSON

_NOT_AN_OBJECT = "the body must be a JSON object, with the header content-type: application/json"
_NO_BODY = "the body is missing: send a JSON object, with the header content-type: application/json"
_DAY = "write a day, such as 2025-02-20"
_TIME = "write a day or a time, such as 2025-02-20 or 2025-02-20T09:00:00Z"
_NO_PARAMETER = "there is no such parameter"
_IN_THE_BODY = f"{_NO_PARAMETER}; send it in the body, as JSON"
_REPEATED = "this parameter comes more than once: send it once"
_BLANK = "write a text that is not blank"
_BODY = ("body",)

Error = Mapping[str, Any]


async def refuse_wrong_parameters(request: Request) -> None:
    """Refuses a misspelt parameter: without its filter, a call would delete or return too much.
    Also refuses a repeated one, of which only the last would count.

    Raises RequestValidationError that names the nearest known one. Async, since FastAPI would run
    it in a thread otherwise.
    """
    known = parameters_of(request)
    has_body = bool(request.scope["route"].dependant.body_params)
    for name, count in Counter(name for name, _ in request.query_params.multi_items()).items():
        if name not in known:
            without_any = _IN_THE_BODY if has_body else _NO_PARAMETER
            message = _no_such("parameter", name, known) if known else without_any
            raise _wrong_parameter("unknown", name, message)
        if count > 1:
            raise _wrong_parameter("repeated", name, _REPEATED)


def _wrong_parameter(kind: str, name: str, message: str) -> RequestValidationError:
    error = {"type": f"{kind}_parameter", "loc": ("query", name), "msg": message}
    return RequestValidationError([error])


def parameters_of(request: Request) -> list[str]:
    """Returns the parameters that the address of this call may have."""
    return list(_parameters(request.scope["route"].dependant))


def invalid_answer(exc: RequestValidationError, route: APIRoute) -> JSON:
    """Names the first wrong field in OpenAI's form, and all of them in FastAPI's."""
    details = [_detail(error, route) for error in exc.errors()]
    first = details[0] if details else {"loc": _BODY, "msg": "the request is invalid"}
    field = ".".join(str(part) for part in first["loc"][1:])
    message = f"{field}: {first['msg']}" if field else str(first["msg"])
    refusal = RequestRefused(message, status=UNPROCESSABLE, param=field)
    return JSON({**error_body(refusal), "detail": details}, status_code=refusal.status)


def _detail(error: Error, route: APIRoute) -> dict[str, Any]:
    found = {key: error[key] for key in ("loc", "msg", "type")}
    place, kind = tuple(error["loc"]), str(error["type"])
    if kind == "json_invalid":
        position = f" at character {place[1]}" if len(place) > 1 else ""
        return {**found, "loc": _BODY, "msg": f"the body is not valid JSON{position}"}
    if kind == "extra_forbidden":
        return {**found, "msg": _unknown_field(place, route)}
    for prefix, explain in _EXPLANATIONS.items():
        if kind.startswith(prefix):
            return {**found, "msg": explain(place, str(found["msg"]))}
    return {**found, "msg": str(found["msg"]).removeprefix("Value error, ")}


def _not_an_object(place: tuple[Any, ...], _: str) -> str:
    return _NOT_AN_OBJECT if place == _BODY else "write a JSON object"


def _missing(place: tuple[Any, ...], _: str) -> str:
    return _NO_BODY if place == _BODY else "this field is missing"


_EXPLANATIONS: Mapping[str, Callable[[tuple[Any, ...], str], str]] = {
    "model_attributes_type": _not_an_object,
    "missing": _missing,
    "string_pattern": lambda *_: _BLANK,
    "date_": lambda *_: _DAY,
    "datetime_": lambda *_: _TIME,
}


def _unknown_field(place: tuple[Any, ...], route: APIRoute) -> str:
    known = list(_body_fields(route)) if len(place) == len(_BODY) + 1 else []
    return _no_such("field", str(place[-1]), known)


def _no_such(kind: str, name: str, known: Sequence[str]) -> str:
    hint = f"; {name_hint(name, known)}" if known else ""
    return f"there is no such {kind}{hint}"


def _parameters(dependant: Any) -> Iterator[str]:  # noqa: ANN401  (FastAPI keeps its class private)
    yield from (field.alias for field in dependant.query_params)
    for inner in dependant.dependencies:
        yield from _parameters(inner)


def _body_fields(route: APIRoute) -> Iterable[str]:
    for field in route.dependant.body_params:
        yield from getattr(field.field_info.annotation, "model_fields", ())
