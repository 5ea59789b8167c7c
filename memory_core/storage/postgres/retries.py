"""Repeats a transaction that the server rolled back because it crossed another one."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from ...domain.errors import StorageFailed

_ATTEMPTS = 4
Given = ParamSpec("Given")
Result = TypeVar("Result")


class RolledBack(StorageFailed):
    """Raised for a deadlock: nothing was written, and another attempt may succeed."""


def repeat_rolled_back(write: Callable[Given, Result]) -> Callable[Given, Result]:
    """Decorates a method that is one transaction as a whole; raises its last RolledBack."""

    @wraps(write)
    def repeated(*given: Given.args, **named: Given.kwargs) -> Result:
        for _ in range(_ATTEMPTS - 1):
            try:
                return write(*given, **named)
            except RolledBack:
                continue  # the server has waited long enough (deadlock_timeout)
        return write(*given, **named)

    return repeated
