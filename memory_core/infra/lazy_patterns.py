"""Regular expressions that are compiled when they are first used.

Compiling all of them takes half a second, which a program that only lists memories does not need.
"""

import re
from typing import Any, cast

_created: list["_LazyPattern"] = []


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Returns a stand-in for the compiled pattern, for its methods and attributes.

    The functions of `re` do not take it. A faulty pattern raises re.error at its first use.
    """
    _created.append(_LazyPattern(pattern, flags))
    return cast(re.Pattern[str], _created[-1])


def compile_lazy_patterns() -> None:
    """Compiles the patterns that nobody has used, so that no message waits for it."""
    for lazy in _created:
        _ = lazy.flags


class _LazyPattern:
    """Two threads may both compile the pattern; the results are equal."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (one of the compiled pattern)
        if name.startswith("_"):
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        # From now on, Python finds them without this method.
        vars(self).update((key, getattr(compiled, key)) for key in _ATTRIBUTES)
        return getattr(compiled, name)


_ATTRIBUTES = [key for key in dir(re.Pattern) if not key.startswith("_")]
