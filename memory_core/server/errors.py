"""Errors of API calls, and the translation of the package's errors for clients."""

from collections.abc import Mapping
from typing import Any

from ..domain.errors import (
    ConfigError,
    ImportFailed,
    LongTermMemoryError,
    LooksPrivate,
    OutsideServiceError,
    StorageBusy,
    StorageLocked,
    UnknownMemory,
)

BAD_REQUEST, NOT_SIGNED_IN, FORBIDDEN, NOT_FOUND = 400, 401, 403, 404
TOO_LARGE, UNPROCESSABLE, TOO_MANY, FAILED = 413, 422, 429, 500
BAD_GATEWAY, UNAVAILABLE, GATEWAY_TIMEOUT = 502, 503, 504

INTERNAL_MESSAGE = "the server failed; its log says more"
_TYPES = {
    NOT_SIGNED_IN: "authentication_error",
    FORBIDDEN: "permission_error",
    NOT_FOUND: "not_found_error",
    TOO_MANY: "rate_limit_error",
}
_STATUSES: Mapping[type[LongTermMemoryError], int] = {
    UnknownMemory: NOT_FOUND,
    ConfigError: BAD_REQUEST,
    ImportFailed: BAD_REQUEST,
    LooksPrivate: UNPROCESSABLE,
    StorageBusy: UNAVAILABLE,
    StorageLocked: UNAVAILABLE,
    OutsideServiceError: BAD_GATEWAY,
}


class RequestRefused(LongTermMemoryError):
    """A call cannot be executed. `status` is the HTTP status, `param` names the field.

    After `retry_after_s` seconds it may be tried again; 0 says nothing about that.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = BAD_REQUEST,
        param: str = "",
        retry_after_s: int = 0,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.param = param
        self.retry_after_s = retry_after_s

    @property
    def headers(self) -> dict[str, str]:
        """Returns the headers of the answer that belong to this error."""
        needs_key = {"www-authenticate": "Bearer"} if self.status == NOT_SIGNED_IN else {}
        wait = {"retry-after": str(self.retry_after_s)} if self.retry_after_s else {}
        return needs_key | wait


def to_refusal(exc: LongTermMemoryError) -> RequestRefused:
    """Returns the error as clients may see it; a fault of the storage names no file."""
    if isinstance(exc, RequestRefused):
        return exc
    for kind, status in _STATUSES.items():
        if isinstance(exc, kind):
            return RequestRefused(str(exc), status=status)
    return RequestRefused(INTERNAL_MESSAGE, status=FAILED)


def error_body(exc: RequestRefused) -> dict[str, Any]:
    """Returns the error in OpenAI's form, and as `detail`, where other clients look."""
    kind = _TYPES.get(exc.status, "invalid_request_error" if exc.status < FAILED else "api_error")
    message = str(exc)
    error = {"message": message, "type": kind, "param": exc.param or None, "code": exc.status}
    return {"error": error, "detail": message}
