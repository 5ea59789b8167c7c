"""Escapes names for PostgreSQL, whose text holds no NUL and no lone surrogates."""

import re
from collections.abc import Iterable, Sequence

_UNSTORABLE = re.compile("[\0%\ud800-\udfff]")
_ESCAPED = re.compile("%([0-9a-f]{4})")


def stored_name(name: str) -> str:
    """Returns the name with NULs, lone surrogates and percent signs as % and four hex digits."""
    if name.isascii() and "%" not in name and "\0" not in name:  # nearly all of them
        return name
    return _UNSTORABLE.sub(lambda found: f"%{ord(found[0]):04x}", name)


def original_name(name: str) -> str:
    """Returns the name that stored_name() was given."""
    if "%" not in name:
        return name
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), name)


def original_names(names: Sequence[str]) -> list[str]:
    """Returns original_name() of each name."""
    if "%" not in "".join(names):  # nearly always
        return list(names)
    return list(map(original_name, names))


def array_of(numbers: Iterable[int]) -> str:
    """Returns integers as PostgreSQL's text form of an array, in a fifth of the driver's time."""
    return f"{{{','.join(map(str, numbers))}}}"


def text_array(names: Iterable[str]) -> str:
    """Returns an array of texts in PostgreSQL's text form."""
    given = list(names)
    joined = "".join(given)
    if "\\" in joined or '"' in joined:
        given = [name.replace("\\", "\\\\").replace('"', '\\"') for name in given]
    return '{"' + '","'.join(given) + '"}' if given else "{}"


def literal(name: str) -> str:
    """Returns a stored name as a constant inside a query that has placeholders."""
    quoted = name.replace("'", "''").replace("%", "%%")
    return f"'{quoted}'"
