"""Opens the memory of a folder for a Python program."""

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from ... import bootstrap
from ...config import loader
from ...domain.errors import ConfigError
from ...infra import durable_files
from ...infra.plugins import require_members
from ...memory.installation import Installation
from ...memory.runtime import Runtime
from ...providers.llm.base import LanguageModel

_EXTENSION_FOLDER = Path(__file__).absolute().parents[3]
_HERE = "."  # settings, memories and models lie side by side in the folder


class OwnsRuntime:
    """Closes its running memory after use, as a context manager too."""

    runtime: Runtime

    def close(self) -> None:
        """Finishes waiting jobs and closes the files."""
        self.runtime.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_runtime(
    folder: str | Path | None, *settings: Mapping[str, Any], llm: LanguageModel | None = None
) -> Runtime:
    """Returns the running memory of a folder, which is created if it is missing; None means the
    extension's own, which the command line uses, too.

    `settings` have dotted names, or {"llm": {"model": "m"}}; later ones win. They take precedence
    over ltm_config.json in the folder and over the environment. `llm` takes the place of a
    configured language model. Raises ConfigError for a bad setting or model, StorageFailed if the
    folder cannot be made.
    """
    if llm is not None:
        require_members(llm, LanguageModel, name=type(llm).__name__, key="llm")
    wanted = {key: value for given in settings for key, value in _flattened(given)}
    for key, value in wanted.items():
        loader.refuse_bad(key, value)
    home = _installation(folder, wanted)
    loader.require(home.settings()[1])
    runtime = bootstrap.build_runtime(home, llm=llm)
    runtime.start()
    return runtime


def _installation(folder: str | Path | None, settings: Mapping[str, Any]) -> Installation:
    own = Installation(folder=_EXTENSION_FOLDER, environ=os.environ, host_settings=settings)
    return own if folder is None else replace(own, folder=_create_folder(folder), data_folder=_HERE)


def _flattened(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yields the settings by dotted names."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}.{leaf}", item) for leaf, item in value.items())
        else:
            yield name, value


def endpoint_settings(base_url: str, model: str, api_key: str) -> dict[str, str]:
    """Returns the settings of a language model's endpoint, without those that are empty."""
    given = {"llm.base_url": base_url, "llm.model": model, "llm.api_key": api_key}
    return {key: value for key, value in given.items() if value}


def _create_folder(folder: str | Path) -> Path:
    if "\0" in str(folder):
        raise ConfigError("a folder's name cannot have a NUL character", key="folder")
    path = Path(folder).expanduser().absolute()
    found = durable_files.stat_or_none(path)
    if found and not stat.S_ISDIR(found.st_mode):
        raise ConfigError(f"{path} is not a folder", key="folder")
    durable_files.make_folder(path)
    return path
