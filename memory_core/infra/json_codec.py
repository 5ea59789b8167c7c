"""JSON by orjson, five times as fast; by Python's own module where the two do not agree."""

import json
from typing import Any

import orjson

_FOREIGN = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
_NULL = b"null"  # also what orjson makes of NaN
_ZEROS = b"0" * 19  # orjson reads an integer of this length as a float
_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)


def dump_json(value: Any) -> bytes:  # noqa: ANN401  (whatever JSON takes)
    """Returns UTF-8 without blanks; a lone surrogate becomes a question mark. Raises TypeError."""
    try:
        data = orjson.dumps(value, option=_FOREIGN)
        if _NULL not in data:
            return data
    except orjson.JSONEncodeError:
        pass
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def load_json(data: bytes) -> Any:  # noqa: ANN401  (whatever JSON gives)
    """Returns the value that json.loads() gives. Raises ValueError, RecursionError."""
    if _ZEROS not in data.translate(_DIGITS):
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError:
            pass
    return json.loads(data)
