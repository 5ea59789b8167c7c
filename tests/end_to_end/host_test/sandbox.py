"""A temporary folder for everything that the host reads or writes, so that it stays unchanged."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from . import talk

PROJECT = Path(__file__).resolve().parents[3]
EXTENSION = "long_term_memory"
MODEL = "tiny"
WINDOW = 2048  # what both make_model.py and the host are told
MAX_NEW = 24
_SETTINGS = f"""\
truncation_length: {WINDOW}
max_new_tokens: {MAX_NEW}
auto_max_new_tokens: false
"""
_STOCK = (
    "characters",
    "grammars",
    "instruction-templates",
    "presets",
    "tools",
    "training",
    "users",
)
_NOT_COPIED = shutil.ignore_patterns(
    ".git", "user_data", "installer_files", "venv", "portable_env", "__pycache__", EXTENSION
)


class Route(StrEnum):
    """The folder of the extension. The host loads each in another way."""

    ABSENT = "no extension"
    USER_DATA = "user_data/extensions"
    EXTENSIONS = "extensions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """A copy of the host's program with a fresh user_data folder."""

    route: Route
    folder: Path

    @property
    def program(self) -> Path:
        return self.folder / "host"

    @property
    def user_data(self) -> Path:
        """The host's default, which it names by a relative path."""
        return self.program / "user_data"

    @property
    def scripted(self) -> Path:
        """The scripted model's replies and its log of prompts."""
        return self.folder / "scripted"

    @property
    def extension(self) -> Path:
        parent = self.program if self.route is Route.EXTENSIONS else self.user_data
        return parent / "extensions" / EXTENSION

    @property
    def storage(self) -> Path:
        return self.extension / "user_data" / "memories"

    def prompts(self) -> list[str]:
        """The exact prompts that reached the model, oldest first."""
        return self._logged("prompts.jsonl")

    def background_prompts(self) -> list[str]:
        """The prompts of background work, oldest first."""
        return self._logged("background.jsonl")

    def _logged(self, name: str) -> list[str]:
        log = self.scripted / name
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return [json.loads(line)["prompt"] for line in lines]


def make_sandbox(folder: Path, *, host: Path, route: Route, models: Path) -> Sandbox:
    made = Sandbox(route=route, folder=folder)
    shutil.copytree(host, made.program, ignore=_NOT_COPIED)
    _fill_user_data(made.user_data, host / "user_data", models)
    made.scripted.mkdir()
    (made.scripted / "replies.json").write_text(json.dumps(talk.REPLIES), encoding="utf-8")
    if route is not Route.ABSENT:
        _copy_extension(made.extension)
    return made


def _fill_user_data(user_data: Path, stock: Path, models: Path) -> None:
    for name in _STOCK:
        if (stock / name).is_dir():
            shutil.copytree(stock / name, user_data / name)
    (user_data / "models").symlink_to(models, target_is_directory=True)
    scripted = Path(__file__).parent / "scripted_model"
    shutil.copytree(scripted, user_data / "extensions" / "scripted_model")
    settings = (
        f"truncation_length: {WINDOW}\nmax_new_tokens: {MAX_NEW}\nauto_max_new_tokens: false\n"
    )
    (user_data / "settings.yaml").write_text(settings, encoding="utf-8")


def _copy_extension(target: Path) -> None:
    """Copies the files that a user would get: those that git tracks or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607
        cwd=PROJECT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (PROJECT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(PROJECT / name, target / name)
