"""Settings come in layers: code < ltm_config.json < environment < the host's settings.yaml.

What is wrong in one of them is told as a Problem, and everything else still counts.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..domain.errors import ConfigError
from .fields import API_KEY_NAME, SettingField, setting_fields
from .json_file import rewrite
from .layers import ConfigLayers, Problem, display_value, suggest_key
from .schema import Settings

__all__ = ["Problem", "describe", "display_value", "load", "require", "save"]

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def load(
    path: Path,
    *,
    environ: Mapping[str, str],
    host: Mapping[str, Any] = _NOTHING,
    copy: Path | None = None,
) -> tuple[Settings, tuple[Problem, ...]]:
    """All layers together. Never raises for what stands in them, nor for a missing file.

    `host`: the entries of the host's settings.yaml, without the prefix of the extension's folder.
    `copy`: where the file is kept as it could be read last; it counts while the file cannot be.
    """
    layers = ConfigLayers()
    layers.add_file(path, copy)
    layers.add_environment(environ)
    layers.add_host(host)
    layers.add_api_key(environ.get(API_KEY_NAME, ""))
    return layers.settings(), tuple(layers.problems)


def require(problems: Iterable[Problem]) -> None:
    """Raises one ConfigError for all of them: the command line refuses where the chat goes on.
    Notes are no reason to.
    """
    found = [problem for problem in problems if not problem.is_note]
    if found:
        raise ConfigError("\n".join(problem.message for problem in found), key=found[0].key)


def describe() -> tuple[SettingField, ...]:
    """Every setting, for the documentation and the tab."""
    return tuple(setting_fields().values())


def save(path: Path, changes: Mapping[str, object]) -> None:
    """Writes these settings (by dotted key) into the file and leaves the rest of it as it is.

    Raises ConfigError for a bad key or value and for a file that cannot be read as JSON, and then
    changes nothing; StorageFailed.
    """
    for key, value in changes.items():
        _refuse_bad(key, value)
    rewrite(path, changes)


def _refuse_bad(key: str, value: object) -> None:
    knob = setting_fields().get(key)
    if knob is None:
        raise ConfigError(f"{key} is no setting. {suggest_key(key)}", key=key)
    try:
        knob.from_json(value)
    except ValueError as exc:
        shown = display_value(key, value)
        raise ConfigError(f"{key} = {shown}: allowed is {knob.allowed}.", key=key) from exc
