"""Cases of a quick test that run as one test: pytest's work on each would exceed their own.

pytest collects, sets up and reports each case of @pytest.mark.parametrize on its own: about 5 ms
of the processor. @for_each runs all cases in one test, goes on behind one that fails, and names
every one that failed. It is for tests that need no fresh fixture for each case.
"""

import functools
import inspect
import reprlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]

_SHOWN = reprlib.Repr()
_SHOWN.maxstring = _SHOWN.maxother = 200
_FAILURES = (Exception, pytest.fail.Exception)


def for_each(
    names: str | Sequence[str], values: Iterable[Any], *, ids: Iterable[str] | None = None
) -> Callable[[Test], Test]:
    """Runs a test with each of these values of its parameters; as @pytest.mark.parametrize does."""
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    rows = [[value] if len(columns) == 1 and isinstance(names, str) else value for value in values]
    cases = [dict(zip(columns, row, strict=True)) for row in rows]
    labels = [*ids] if ids is not None else [*map(_label, cases)]
    assert len(labels) == len(cases) > 0

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        others = [each for each in signature.parameters.values() if each.name not in columns]

        @functools.wraps(test)
        def run_all(**fixtures: Any) -> None:
            outcomes = [
                _failure(test, fixtures | case, label)
                for case, label in zip(cases, labels, strict=True)
            ]
            if failures := [failure for failure in outcomes if failure]:
                message = f"{len(failures)} of {len(cases)} cases failed"
                raise BaseExceptionGroup(message, failures)

        run_all.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return run_all

    return decorate


def _label(case: dict[str, Any]) -> str:
    return ", ".join(f"{name}={_SHOWN.repr(value)}" for name, value in case.items())


def _failure(test: Test, arguments: dict[str, Any], label: str) -> BaseException | None:
    try:
        test(**arguments)
    except _FAILURES as failure:
        failure.add_note(f"in the case {label}")
        return failure
    return None
