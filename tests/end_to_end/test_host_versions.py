"""The choice of host releases to test, and of the environment for each."""

import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.host_test.versions import PINS, Repository, lacking, newest_of_series, pins_of

REQUIREMENTS = """\
numpy==2.2.*
transformers==5.6.*
audioop-lts<1.0; python_version < "3"
diffusers==0.37.*

# Gradio
https://example.org/gradio/releases/4.37.2-custom.20/gradio-4.37.2+custom.20-py3-none-any.whl
https://example.org/llama/llama_cpp_binaries-0.1+cpu-py3-none-linux.whl; platform_system == "Linux"
"""


def git(folder: Path, *arguments: str) -> None:
    named = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    command = ["git", *named, *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def release(folder: Path, tag: str, **files: str) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "add", "--all")
    git(folder, "commit", "--allow-empty", "--message", tag)
    git(folder, "tag", tag)


@pytest.fixture
def repository(tmp_path):
    source = tmp_path / "host"
    source.mkdir()
    git(source, "init", "--quiet")
    release(source, "v4.6", **{"server.py": "one", "extensions/stock/script.py": "", PINS: ""})
    release(source, "v4.9.1", **{"modules/chat.py": "two"})
    release(source, "v4.10", **{"README.md": "read"})
    release(source, "v4.10.1", **{"desktop/main.js": "window"})
    release(source, "snapshot", **{"server.py": "three"})
    return Repository.copied(str(source), tmp_path / "copy.git")


def test_the_newest_release_of_each_of_the_last_series_is_taken(repository):
    assert repository.releases() == ["v4.10.1", "v4.10", "v4.9.1", "v4.6"]
    assert newest_of_series(repository.releases(), 2) == ["v4.10.1", "v4.9.1"]


def test_releases_with_an_identical_program_are_recognised(repository):
    assert repository.same_program("v4.10.1") == ["v4.10", "v4.9.1"]
    assert repository.same_program("v4.6") == []


def test_a_release_is_unpacked_once_without_the_hosts_own_extensions(repository, tmp_path):
    host = repository.unpack("v4.9.1", tmp_path / "v4.9.1")
    assert (host / "modules" / "chat.py").read_text("utf-8") == "two"
    assert list((host / "extensions").iterdir()) == []
    (host / "mine").touch()
    assert repository.unpack("v4.9.1", tmp_path / "v4.9.1") == host
    assert (host / "mine").exists()


def test_a_copy_is_brought_up_to_date(repository, tmp_path):
    release(tmp_path / "host", "v5.0", **{"server.py": "five"})
    again = Repository.copied(str(tmp_path / "host"), tmp_path / "copy.git")
    assert again.releases()[0] == "v5.0"


def test_the_pins_are_those_of_pypi_that_chatting_needs(tmp_path):
    (tmp_path / PINS).parent.mkdir(parents=True)
    (tmp_path / PINS).write_text(REQUIREMENTS, encoding="utf-8")
    pins = pins_of(tmp_path)
    assert [pin.split(";")[0] for pin in pins] == [
        "numpy==2.2.*", "transformers==5.6.*", "audioop-lts<1.0", "gradio==4.37.2",
    ]  # fmt: skip
    installed = {"numpy": "2.2.6", "transformers": "5.5.4", "gradio": "4.37.2"}
    assert lacking(pins, installed) == ["transformers==5.6.*"]
    assert lacking(pins, installed | {"transformers": "5.6.2"}) == []
