"""Reads names from text-generation-webui's settings, user profiles and characters.

Reads only plain, unindented `key: value` lines of their YAML: the host writes names so.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from string import whitespace

from ...infra import regular_files

_SHIPPED_PROFILE = "Default"
_NAME_KEYS = ("name", "bot", "<|bot|>", "char_name")
_COMMENT = re.compile(r"\s#.*")
_COMPLEX_VALUE_MARKS = ("|", ">", "{", "[", "&", "*", "!")
_NON_KEY_STARTS = ("", "#", *whitespace)
_ENDINGS = (".yml", ".yaml", ".json")


def chosen_user(home: Path) -> str:
    """Returns the user profile chosen in the host; empty for hosts without profiles."""
    chosen = _read_fields(home / "settings.yaml").get("user", "")
    if chosen:
        return chosen
    return _SHIPPED_PROFILE if _read_card(home / "users", _SHIPPED_PROFILE) else ""


def user_name(home: Path, profile: str) -> str:
    """Returns the user's name in chats; empty if unknown."""
    named = _read_card(home / "users", profile).get("name", "") if profile else ""
    return named or _read_fields(home / "settings.yaml").get("name1", "")


def character_name(home: Path, character: str) -> str:
    """Returns the name in the character's card, or without a card that of its file."""
    card = _read_card(home / "characters", character)
    return next((card[key] for key in _NAME_KEYS if card.get(key)), character)


def _read_card(folder: Path, name: str) -> Mapping[str, str]:
    found = (_read_fields(folder / f"{name}{ending}") for ending in _ENDINGS)
    return next((fields for fields in found if fields), {})


def _read_fields(path: Path) -> Mapping[str, str]:
    """Returns the file's fields; none if it is missing or cannot be read."""
    try:
        return _parse_file(path, path.stat().st_mtime_ns)
    except (OSError, ValueError, RecursionError):
        return {}


@lru_cache(maxsize=64)
def _parse_file(path: Path, _mtime_ns: int) -> Mapping[str, str]:
    text = regular_files.read_regular_file(path).decode("utf-8-sig")
    if path.suffix == ".json":
        found = json.loads(text)
        pairs = found.items() if isinstance(found, dict) else ()
        return {key: value for key, value in pairs if isinstance(value, str)}
    return dict(_parse_scalars(text))


def _parse_scalars(text: str) -> Iterator[tuple[str, str]]:
    for line in text.split("\n"):
        key, _, rest = line.partition(":")
        value = rest.strip(" \t\r")
        if (
            key[:1] in _NON_KEY_STARTS
            or not value
            or rest[0] not in " \t"
            or value.startswith(_COMPLEX_VALUE_MARKS)
        ):
            continue
        yield _unquote(key.rstrip()), _unquote(value)


def _unquote(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    return _COMMENT.sub("", value)
