"""A file's content, which a prompt looks at once."""

from pathlib import Path

import pytest

from memory_core.infra.deadlines import time_limit
from memory_core.infra.regular_files import Stamp, WatchedFile, file_stamp

LONG_S = 60.0


def watched(path: Path, looks: list[Path]) -> WatchedFile[str]:
    def stamp(path: Path) -> Stamp | None:
        looks.append(path)
        return file_stamp(path)

    return WatchedFile(path, Path.read_text, stamp)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Returns the path of a file that holds "old"."""
    file = tmp_path / "names"
    file.write_text("old")
    return file


def rewrite(path: Path, text: str) -> None:
    other = path.with_suffix(".new")
    other.write_text(text)
    other.replace(path)


def test_prompt_keeps_to_the_content_that_it_saw(path: Path) -> None:
    looks: list[Path] = []
    file = watched(path, looks)
    assert file.get() == "old"
    with time_limit(LONG_S):
        assert file.get() == "old"
        rewrite(path, "new")
        assert [file.get() for _ in range(9)] == ["old"] * 9
        assert len(looks) == 2, "one look for the prompt"
    assert file.get() == "new"


def test_prompt_sees_what_its_own_command_wrote(path: Path) -> None:
    file = watched(path, [])
    with time_limit(LONG_S):
        assert file.get() == "old"
        rewrite(path, "new")
        file.set_cached("new")
        assert file.get() == "new"


def test_next_prompt_looks_again(path: Path) -> None:
    file = watched(path, [])
    with time_limit(LONG_S):
        assert file.get() == "old"
    rewrite(path, "new")
    with time_limit(LONG_S):
        assert file.get() == "new"
