"""Loads classes of the user's own, named in the settings as `package.module:Class`."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager

from ..domain.errors import ConfigError, LongTermMemoryError
from .redaction import redact


def load_class(spec: str, *, key: str) -> type:
    """Imports the class that `spec` names. Raises ConfigError, which names the setting `key`."""
    module_name, _, class_name = spec.partition(":")
    if not (module_name and class_name.isidentifier()):
        shown = redact(spec)
        raise ConfigError(f"{key}: {shown!r} is not of the form package.module:Class", key=key)
    try:
        module = importlib.import_module(module_name)
    except Exception as exc:  # a user's module may raise anything when imported
        raise ConfigError(f"{key}: cannot import {module_name!r}: {exc!r}", key=key) from exc
    found = getattr(module, class_name, None)
    if not isinstance(found, type):
        raise ConfigError(f"{key}: {module_name!r} has no class {class_name!r}", key=key)
    return found


def build_plugin(spec: str, *, key: str, settings: object, protocol: type) -> object:
    """Returns `Class(settings=settings)`, checked to have every member of `protocol`.

    Raises ConfigError.
    """
    plugin_class = load_class(spec, key=key)
    try:
        built = plugin_class(settings=settings)
    except Exception as exc:  # a user's constructor may raise anything
        raise ConfigError(
            f"{key}: {spec}(settings=...) failed with {type(exc).__name__}: {exc}", key=key
        ) from exc
    require_members(built, protocol, name=spec, key=key)
    return built


def require_members(given: object, protocol: type, *, name: str, key: str) -> None:
    """Raises ConfigError, which names what the object lacks of the protocol."""
    if missing := [member for member in _members(protocol) if not hasattr(given, member)]:
        raise ConfigError(f"{key}: {name} lacks {', '.join(missing)}", key=key)


@contextmanager
def translate_errors(name: str, error: type[LongTermMemoryError]) -> Iterator[None]:
    """Turns every error of a user's class into `error`; an `error` that it raises itself stays."""
    try:
        yield
    except error:
        raise
    except Exception as exc:  # a user's class does not know our errors
        raise error(f"{name}: {type(exc).__name__}: {exc}") from exc


def _members(protocol: type) -> list[str]:
    own = [
        name
        for name, member in vars(protocol).items()
        if name[0] != "_" and (callable(member) or isinstance(member, property))
    ]
    return [*protocol.__annotations__, *own]
