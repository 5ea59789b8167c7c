"""Would the host's update wizard, installing our requirements, change a package of the host?

Installs .ci/host_pins.txt into a fresh environment, runs the wizard's command there as a dry run
and fails if pip would replace anything or bring torch, CUDA or gradio. Then it does so with the
packages of the extras that a person may install beside the host. Needs PyPI.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

CI = Path(__file__).resolve().parent
HOST_PINS = CI / "host_pins.txt"
REQUIREMENTS = CI.parent / "requirements.txt"
PROJECT = CI.parent / "pyproject.toml"
EXTRAS = ("server", "mcp", "cli")
PYTHONS = (sys.executable, "python3.13")
PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
NEVER = re.compile(r"torch.*|nvidia-.*|triton|gradio.*")

Packages = dict[str, str]


def run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def usable_pythons() -> Iterator[str]:
    """One for each version: a shim may be there without its Python, or be the same twice."""
    versions: set[str] = set()
    of_pyenv = map(str, sorted(PYENV.glob("versions/3.1[123].*/bin/python")))
    for name in (*PYTHONS, *of_pyenv):
        version = version_of(shutil.which(name) or name)
        if not version:
            sys.stdout.write(f"{name} is not here: not checked\n")
        elif version not in versions:
            versions.add(version)
            yield name


def version_of(python: str) -> str:
    if shutil.which(python) is None:
        return ""
    code = "import platform; print(platform.python_version())"
    asked = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
    return asked.stdout.strip()


def name_of(package: str) -> str:
    return re.sub("[-_.]+", "-", package).lower()


def installed(python: Path) -> Packages:
    listed = json.loads(run(python, "-m", "pip", "list", "--format", "json"))
    return {name_of(package["name"]): package["version"] for package in listed}


def wanted() -> dict[str, list[str]]:
    """Returns what pip is told to install, by a name for it."""
    extras = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    wizard = {"requirements.txt": ["-r", str(REQUIREMENTS), "--upgrade"]}
    return wizard | {
        f"extras {', '.join(EXTRAS)}": [package for name in EXTRAS for package in extras[name]]
    }


def planned(python: Path, report: Path, packages: list[str]) -> Packages:
    """Returns the versions that pip would install for these packages."""
    install = (python, "-m", "pip", "install", *packages)
    run(*install, "--dry-run", "--quiet", "--report", report)
    entries = json.loads(report.read_text(encoding="utf-8"))["install"]
    found = [entry["metadata"] for entry in entries]
    return {name_of(package["name"]): package["version"] for package in found}


def fault(package: str, before: Packages) -> str:
    if package in before:
        return f"REPLACES {before[package]}"
    return "MUST NOT COME" if NEVER.fullmatch(package) else ""


def check(python: str, folder: Path) -> int:
    """Prints the table for one Python; the number of faults."""
    environment = folder / "venv"
    run(python, "-m", "venv", environment)
    inside = environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run(inside, "-m", "pip", "install", "--quiet", "-r", HOST_PINS)
    before = installed(inside)
    sys.stdout.write(f"\n{run(inside, '--version').strip()}: {len(before)} packages of the host\n")
    return sum(check_one(inside, folder, before, name) for name in wanted())


def check_one(inside: Path, folder: Path, before: Packages, name: str) -> int:
    """Prints the table for one thing to install; the number of faults."""
    new = planned(inside, folder / "report.json", wanted()[name])
    faults = {package: fault(package, before) for package in sorted(new)}
    sys.stdout.write(f" {name}\n")
    for package, said in faults.items():
        sys.stdout.write(f"  {package:<24} {new[package]:<14} {said or 'new'}\n")
    return sum(map(bool, faults.values()))


def main() -> None:
    total = 0
    for python in usable_pythons():
        with tempfile.TemporaryDirectory() as folder:
            total += check(python, Path(folder))
    sys.exit(f"packages of the host that would change: {total}" if total else 0)


if __name__ == "__main__":
    main()
