"""Where the extension lives: its folder, and what decides over its settings beside the file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import config
from .records import nothing
from .settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """`data` is the subfolder for what the program writes."""

    folder: Path
    data: str = "user_data"
    environ: Mapping[str, str] = field(default_factory=nothing)
    host_settings: Mapping[str, Any] = field(default_factory=nothing)

    @property
    def config_path(self) -> Path:
        return self.folder / "ltm_config.json"

    @property
    def config_copy(self) -> Path:
        return self.folder / self.data / "ltm_config.last.json"

    def settings(self) -> tuple[Settings, tuple[config.Problem, ...]]:
        """As they are now, with what is wrong about them."""
        return config.load(
            self.config_path,
            environ=self.environ,
            host=self.host_settings,
            copy=self.config_copy,
        )

    def root(self, settings: Settings) -> Path:
        """The storage folder."""
        if settings.storage_dir:
            return Path(settings.storage_dir).expanduser()
        return self.folder / self.data / "memories"
