"""Keeps the other fields of a foreign message as they are, as far as JSON can represent them."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...domain.records import EMPTY_MAPPING, Role, Turn
from ...domain.unicode import well_formed
from .base import import_error

METADATA_KEY = "metadata"
_MAX_DEPTH = 32
_TOO_DEEP_ADVICE = "Flatten it or leave it out, and try again"


def parse_metadata(value: object, where: Path | str) -> Mapping[str, Any]:
    """Returns metadata given as an object or as JSON text; wraps any other value as `metadata`.

    Raises ImportFailed if it is nested too deeply to be written.
    """
    found = _parse_cell(value) if isinstance(value, str) else value
    if found in (None, "", {}):
        return EMPTY_MAPPING
    plain = _to_plain_json(found, where, _MAX_DEPTH)
    return plain if isinstance(plain, dict) else {METADATA_KEY: plain}


def merge_metadata(turns: Sequence[Turn]) -> Mapping[str, Any]:
    """Returns the metadata of all messages of an exchange.

    If the sides contradict each other, keeps both, as `user.<key>` and `assistant.<key>`.
    """
    user, assistant = (_of_role(turns, role) for role in (Role.USER, Role.ASSISTANT))
    both = {key for key in user.keys() & assistant.keys() if user[key] != assistant[key]}
    found = {f"{Role.USER}.{key}" if key in both else key: value for key, value in user.items()}
    for key, value in assistant.items():
        found[f"{Role.ASSISTANT}.{key}" if key in both else key] = value
    return found or EMPTY_MAPPING


def _of_role(turns: Sequence[Turn], role: Role) -> dict[str, Any]:
    return {
        key: value for turn in turns if turn.role is role for key, value in turn.metadata.items()
    }


def _parse_cell(text: str) -> object:
    """Returns a cell's JSON value, or its text if it holds none."""
    try:
        return json.loads(text) if text.lstrip()[:1] in ("{", "[") else text.strip()
    except (ValueError, RecursionError):
        return text.strip()


def _to_plain_json(value: object, where: Path | str, depth: int) -> Any:  # noqa: ANN401
    """Returns a value that every JSON parser reads, without lone surrogates, infinities and NaN."""
    if not depth:
        what = f"its {METADATA_KEY} is nested more than {_MAX_DEPTH} levels deep"
        raise import_error(where, what, _TOO_DEEP_ADVICE)
    if isinstance(value, Mapping):
        return {
            well_formed(str(key)): _to_plain_json(item, where, depth - 1)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_to_plain_json(item, where, depth - 1) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return well_formed(value) if isinstance(value, str) else value
