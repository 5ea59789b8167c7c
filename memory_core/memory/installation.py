"""The extension's folder, and the sources of its settings: file, environment and host."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..config import loader
from ..config.schema import Settings
from ..domain.records import empty_mapping
from ..storage.manifest import list_namespaces

HOST_BACKUPS = "long_term_memory_backups"  # in the host's folder of user data


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """`data_folder` is the name of the subfolder that the program writes to."""

    folder: Path
    data_folder: str = "user_data"
    environ: Mapping[str, str] = field(default_factory=empty_mapping)
    host_settings: Mapping[str, Any] = field(default_factory=empty_mapping)

    @property
    def config_path(self) -> Path:
        return self.folder / "ltm_config.json"

    @property
    def config_copy(self) -> Path:
        return self.folder / self.data_folder / "ltm_config.last.json"

    @property
    def off_record(self) -> Path:
        """The file that says since when Remember is switched off."""
        return self.folder / self.data_folder / "remember_off.json"

    @property
    def models_folder(self) -> Path:
        """The folder of the models that run in this process."""
        return self.folder / self.data_folder / "models"

    @property
    def host_data(self) -> Path | None:
        """The host's folder of user data, derived from the extension's own; None without a host."""
        above = self.folder.parent
        if above.name != "extensions":
            return None
        base = above.parent
        if base.name == "user_data":
            return base
        if (base / "user_data").is_dir():
            return base / "user_data"
        return base if (base / "server.py").is_file() else None  # hosts of before 2025

    def settings(self) -> tuple[Settings, tuple[loader.Problem, ...]]:
        """Returns the current settings, and the problems found in them."""
        settings, problems = loader.load(
            self.config_path,
            environ=self.environ,
            host=self.host_settings,
            copy=self.config_copy,
        )
        return settings, (*problems, *self._former_root_problem(settings))

    def root(self, settings: Settings) -> Path:
        """Returns the storage folder. A relative one is below the extension's folder.

        Older versions put it below the working directory: memories found there stay in use.
        """
        wanted, former = self._configured_root(settings), self._former_root(settings)
        return former if former and not list_namespaces(wanted) else wanted

    def _configured_root(self, settings: Settings) -> Path:
        if settings.storage_dir:
            return self.folder / os.path.expanduser(settings.storage_dir)
        return self.folder / self.data_folder / "memories"

    def _former_root_problem(self, settings: Settings) -> Iterator[loader.Problem]:
        wanted, former = self._configured_root(settings), self._former_root(settings)
        if former is None:
            return
        shown, used = loader.display_value("storage_dir", settings.storage_dir), self.root(settings)
        text = (
            f"storage_dir = {shown} means {wanted}, but there are memories in {former}, where it "
            f"pointed before: {used} is used. Write the whole path of the one you want."
        )
        yield loader.Problem("storage_dir", text)

    def _former_root(self, settings: Settings) -> Path | None:
        """Returns the folder below the working directory if it is a different one with memories."""
        given = os.path.expanduser(settings.storage_dir)
        if not given or os.path.isabs(given):
            return None
        with suppress(OSError):  # the working directory may be gone
            former, wanted = Path.cwd() / given, self._configured_root(settings)
            is_other = os.path.realpath(former) != os.path.realpath(wanted)
            return former if is_other and list_namespaces(former) else None
        return None
