"""Tests the storage folder: equal for every program, wherever it was started."""

from pathlib import Path

import pytest

from memory_core.config.schema import Settings
from memory_core.memory.installation import Installation
from tests.builders import SPACE, open_memory, said


@pytest.fixture
def home(tmp_path: Path) -> Installation:
    folder = tmp_path / "extension"
    folder.mkdir()
    return Installation(folder=folder)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Changes to another working directory."""
    found = tmp_path / "elsewhere"
    found.mkdir()
    monkeypatch.chdir(found)
    return found


def root(home: Installation, storage_dir: str) -> Path:
    return home.root(Settings(storage_dir=storage_dir))


def told(home: Installation, storage_dir: str) -> list[str]:
    home.config_path.write_text(f'{{"storage_dir": "{storage_dir}"}}')
    return [setting.message for setting in home.settings()[1]]


def remember_in(folder: Path) -> None:
    memory = open_memory(folder)
    memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    memory.close()


@pytest.mark.usefixtures("elsewhere")
def test_a_relative_folder_is_below_the_extensions(home: Installation) -> None:
    assert root(home, "memories") == home.folder / "memories"
    assert told(home, "memories") == []


@pytest.mark.usefixtures("elsewhere")
def test_absolute_path_and_home_folder_are_used_as_they_are(
    home: Installation, tmp_path: Path
) -> None:
    assert root(home, str(tmp_path / "mine")) == tmp_path / "mine"
    assert root(home, "~/mine") == Path.home() / "mine"
    assert root(home, "~nobody-of-this-name/mine") == home.folder / "~nobody-of-this-name" / "mine"


def test_memories_below_the_working_directory_are_used_and_reported(
    home: Installation, elsewhere: Path
) -> None:
    remember_in(elsewhere)
    assert root(home, "memories") == elsewhere / "memories"
    (problem,) = told(home, "memories")
    assert f"{elsewhere / 'memories'} is used" in problem
    assert "Write the whole path" in problem


def test_memories_in_both_folders_are_reported_and_the_extensions_are_used(
    home: Installation, elsewhere: Path
) -> None:
    remember_in(elsewhere)
    remember_in(home.folder)
    assert root(home, "memories") == home.folder / "memories"
    assert "there are memories in" in told(home, "memories")[0]


def test_one_folder_by_two_names_is_no_conflict(
    home: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember_in(home.folder)
    linked = Installation(folder=tmp_path / "link")
    linked.folder.symlink_to(home.folder, target_is_directory=True)
    monkeypatch.chdir(home.folder)
    assert told(linked, "memories") == []


def test_impossible_folder_name_is_reported_and_ignored(home: Installation) -> None:
    (problem,) = told(home, "a\\u0000b")
    assert "storage_dir" in problem
    assert "the path of a folder" in problem
