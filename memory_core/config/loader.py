"""Settings come in layers: code < ltm_config.json < environment < the host's settings.yaml.

A wrong entry is reported as a Problem, and all other entries still count.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..domain.errors import ConfigError
from .fields import API_KEY_NAME, SettingField, setting_fields
from .json_file import rewrite
from .layers import (
    SAFE_EFFECT,
    ConfigLayers,
    Problem,
    display_value,
    suggest_key,
    suggest_value,
)
from .schema import Settings

__all__ = ["Problem", "describe", "display_value", "load", "require", "save"]

_REPAIR = "Repair the file, or give it another name to go on with the default settings."
_NO_ENTRIES: Mapping[str, Any] = MappingProxyType({})


def load(
    path: Path,
    *,
    environ: Mapping[str, str],
    host: Mapping[str, Any] = _NO_ENTRIES,
    copy: Path | None = None,
) -> tuple[Settings, tuple[Problem, ...]]:
    """Returns the merged settings and the problems. Never raises for bad content or a missing file.

    `host`: the entries of the host's settings.yaml, without the prefix of the extension's folder.
    `copy`: path of the last readable copy of the file, used while the file cannot be read.
    """
    layers = ConfigLayers()
    layers.add_file(path, copy)
    layers.add_environment(environ)
    layers.add_host(host)
    layers.add_api_key(environ.get(API_KEY_NAME, ""))
    layers.add_contradictions()
    return layers.settings(), tuple(layers.problems)


def require(problems: Iterable[Problem]) -> None:
    """Raises one ConfigError for all problems except notes. For the command line; chats go on."""
    errors = [problem for problem in problems if not problem.is_note]
    if errors:
        raise ConfigError("\n".join(map(_refusal, errors)), key=errors[0].key)


def _refusal(problem: Problem) -> str:
    """Returns the problem for a program that does not go on with safe settings."""
    if not problem.hides_settings:
        return problem.message
    return problem.message.removesuffix(SAFE_EFFECT) + _REPAIR


def describe() -> tuple[SettingField, ...]:
    """Returns every setting, for the documentation and the tab."""
    return tuple(setting_fields().values())


def save(path: Path, changes: Mapping[str, object]) -> None:
    """Writes these settings (by dotted key) into the file and leaves the rest of it unchanged.

    Raises ConfigError for a bad key, a bad value or a file that is not JSON, and StorageFailed
    for a failed write. In each case nothing is changed.
    """
    for key, value in changes.items():
        refuse_bad(key, value)
    rewrite(path, changes)


def refuse_bad(key: str, value: object) -> None:
    """Raises ConfigError, with advice, unless the setting exists and takes this value."""
    field = setting_fields().get(key)
    if field is None:
        raise ConfigError(f"there is no setting {key}. {suggest_key(key)}", key=key)
    try:
        field.from_json(value)
    except ValueError as exc:
        shown = display_value(key, value)
        near = suggest_value(field, value)
        raise ConfigError(f"{key} = {shown}: allowed is {field.allowed}.{near}", key=key) from exc
