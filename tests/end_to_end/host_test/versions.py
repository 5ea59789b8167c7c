"""Installs released hosts, each in its own folder: python -m … .versions --from REPOSITORY

Prints the folders, which `--textgen` takes. Without names it is the newest release of each of the
last three series (4.7, 4.6, 4.5). What is there already is not made again.
"""

import argparse
import hashlib
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Sequence
from itertools import groupby, islice
from pathlib import Path

from packaging.requirements import Requirement

from .sandbox import PROJECT

PINS = "requirements/full/requirements_cpu_only.txt"
PROGRAM = ("server.py", "modules", "js", "css", PINS)
SERIES = 3
TORCH = "torch==2.13.0"  # the wheel without CUDA, where there is one; no host pins it there
_RELEASE = re.compile(r"v(\d+)\.(\d+)(\.\d+)*")
_WHEEL = re.compile(r"https?://\S*/(?P<name>gradio|gradio_client)-(?P<version>[\d.]+)\+\S*")
_LEFT_OUT = ("datasets", "diffusers", "pymupdf", "tensorboard", "torchao", "wandb")


class Repository:
    """A bare copy of the host's history, kept beside the folders made of it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def copied(cls, source: str, folder: Path) -> "Repository":
        """Clones from a folder or an address, or updates an existing copy."""
        if folder.exists():
            _run("git", "-C", folder, "fetch", "--quiet", "--tags", "--force", source)
        else:
            _run("git", "clone", "--quiet", "--bare", source, folder)
        return cls(folder)

    def releases(self) -> list[str]:
        """Returns the releases, newest first."""
        tags = self._git("tag", "--list", "--sort=-version:refname").split()
        return [tag for tag in tags if _RELEASE.fullmatch(tag)]

    def same_program(self, release: str) -> list[str]:
        """Returns the other releases whose program is the same, file by file."""
        wanted = self._program(release)
        others = (it for it in self.releases() if it != release)
        return [other for other in others if self._program(other) == wanted]

    def _program(self, release: str) -> str:
        return self._git("ls-tree", release, *PROGRAM)

    def unpack(self, release: str, folder: Path) -> Path:
        """Unpacks a release without the host's own extensions, which are never run."""
        if folder.exists():
            return folder
        parts = self._git("ls-tree", "-z", "--name-only", release).split("\0")
        wanted = [part for part in parts if part and part != "extensions"]
        part = folder.with_name(f"{folder.name}.part")
        (part / "extensions").mkdir(parents=True, exist_ok=True)
        packed = part.with_suffix(".tar")
        self._git("archive", f"--output={packed}", release, "--", *wanted)
        with tarfile.open(packed) as archive:
            archive.extractall(part, filter="data")
        packed.unlink()
        return part.rename(folder)

    def _git(self, *arguments: str) -> str:
        return _run("git", "-C", self._folder, *arguments)


def newest_of_series(releases: Iterable[str], count: int = SERIES) -> list[str]:
    """Returns the newest release of each series, from releases that come newest first."""
    series = groupby(releases, key=lambda it: it.split(".")[:2])
    return [next(found) for _, found in islice(series, count)]


def pins_of(host: Path) -> list[str]:
    """Returns the packages that this host has its users install, as far as chatting needs them."""
    lines = (line.strip() for line in (host / PINS).read_text(encoding="utf-8").splitlines())
    found = (_on_pypi(line) for line in lines if line and not line.startswith("#"))
    return [entry for entry in found if entry and Requirement(entry).name not in _LEFT_OUT]


def _on_pypi(line: str) -> str:
    """Returns the requirement on PyPI: for the host's Gradio its release, for model runners ""."""
    if wheel := _WHEEL.match(line):
        return f"{wheel['name']}=={wheel['version']}"
    return "" if line.startswith("http") else line


def lacking(pins: Sequence[str], installed: dict[str, str]) -> list[str]:
    """Returns the pins that these packages ({name: version}) do not meet."""
    wanted = [Requirement(pin) for pin in pins]
    needed = [
        requirement
        for requirement in wanted
        if requirement.marker is None or requirement.marker.evaluate()
    ]
    return [str(requirement) for requirement in needed if not _meets(requirement, installed)]


def _meets(wanted: Requirement, installed: dict[str, str]) -> bool:
    version = installed.get(_plain(wanted.name))
    return version is not None and wanted.specifier.contains(version, prereleases=True)


def _installed(python: Path) -> dict[str, str]:
    frozen = _run(python, "-m", "pip", "list", "--format=freeze").splitlines()
    pairs = (line.split("==", 1) for line in frozen if "==" in line)
    return {_plain(name): version for name, version in pairs}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def environment(host: Path, cache: Path, *, lent: Path | None, bridge: Path | None) -> Path:
    """A venv in which this host runs: the lent one if it meets the pins, else one for these pins.

    `bridge` is a Python file that each start of a new venv's python runs first.
    """
    pins = pins_of(host)
    if lent:
        missed = lacking(pins, _installed(lent / "bin" / "python"))
        if not missed:
            return lent
        _tell(f"{host.name} does not run in {lent}, which lacks {', '.join(missed)}")
    known = hashlib.sha256("\n".join(pins).encode()).hexdigest()[:8]
    folder = cache / f"venv-{known}"
    if not (folder / "ready").exists():
        _install(folder, pins, bridge)
        (folder / "ready").touch()
    return folder


def _install(folder: Path, pins: Sequence[str], bridge: Path | None) -> None:
    _tell(f"installing {folder} (torch is large)")
    _run(sys.executable, "-m", "venv", folder)
    python = folder / "bin" / "python"
    for wanted in ([TORCH], pins, ["--requirement", PROJECT / "requirements.txt"]):
        _run(python, "-m", "pip", "install", "--quiet", *wanted)
    if bridge:
        where = "import sysconfig; print(sysconfig.get_path('purelib'))"
        packages = Path(_run(python, "-c", where).strip())
        (packages / bridge.name).write_bytes(bridge.read_bytes())
        (packages / f"{bridge.stem}.pth").write_text(f"import {bridge.stem}\n", encoding="utf-8")


def _run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        shown = " ".join(map(str, command))
        raise SystemExit(f"{shown}\n{done.stderr[-2000:]}")
    return done.stdout


def _tell(text: str) -> None:
    sys.stderr.write(text + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    given = _options(arguments)
    cache = given.into.absolute()
    cache.mkdir(parents=True, exist_ok=True)
    repository = Repository.copied(given.source, cache / "source.git")
    for release in given.releases or newest_of_series(repository.releases()):
        host = repository.unpack(release, cache / release)
        venv = environment(host, cache, lent=given.venv, bridge=given.bridge)
        (host / "venv").unlink(missing_ok=True)
        (host / "venv").symlink_to(venv.absolute(), target_is_directory=True)
        same = ", ".join(repository.same_program(release)) or "no other release"
        _tell(f"{release}: the same program as {same}; runs in {venv}")
        sys.stdout.write(f"{host}\n")
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.end_to_end.host_test.versions", description=__doc__
    )
    parser.add_argument("releases", nargs="*", help="tags of the host, v4.7.3 and the like")
    parser.add_argument("--from", dest="source", required=True, help="a clone of it, or its URL")
    into = PROJECT / "build" / "hosts"
    parser.add_argument("--into", type=Path, default=into, help="where they are kept")
    parser.add_argument("--venv", type=Path, help="an installed host's, used where its pins allow")
    parser.add_argument("--bridge", type=Path, help="what stock Gradio lacks, as a Python file")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
