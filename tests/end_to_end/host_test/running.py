"""The host as a process: started on free ports, waited for, stopped."""

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPResponse
from pathlib import Path
from typing import Any, cast

from .sandbox import EXTENSION, MODEL, WINDOW, Route, Sandbox

START_S = 180.0
_POLL_S = 0.05
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def until(holds: Callable[[], Any], *, within_s: float, what: str) -> float:
    """Waits for a condition; returns how long it took. Raises AssertionError."""
    began = time.monotonic()
    while not holds():
        waited = time.monotonic() - began
        assert waited < within_s, f"after {within_s:.0f} s still not so: {what}"
        time.sleep(_POLL_S)
    return time.monotonic() - began


def find_python(host: Path) -> Path:
    """Returns the python of an installed host: its installer's, or a venv in or beside it."""
    relative = (
        "installer_files/env/bin/python",
        "installer_files/env/python.exe",
        "portable_env/bin/python3",
        "portable_env/python.exe",
        "venv/bin/python",
        "../venv/bin/python",
        "../venv/Scripts/python.exe",
    )
    found = [host / path for path in relative if (host / path).exists()]
    if not found:
        raise SystemExit(f"no python found in {host}: name it with --python")
    return found[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    sandbox: Sandbox
    process: subprocess.Popen[bytes]
    page_url: str
    api_url: str
    log_path: Path

    def log(self) -> str:
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Sends a request. Raises AssertionError with the host's answer if it fails."""
        with self._open(path, body) as answer:
            return json.load(answer)

    def stream(self, path: str, body: dict[str, Any]) -> list[Any]:
        """Returns all events of a streamed answer."""
        with self._open(path, body) as answer:
            lines = [line.decode().strip() for line in answer]
        data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
        return [json.loads(line) for line in data if line != "[DONE]"]

    def count_tokens(self, text: str) -> int:
        return int(self.post("/v1/internal/token-count", {"text": text})["length"])

    def _open(self, path: str, body: dict[str, Any]) -> HTTPResponse:
        request = urllib.request.Request(  # noqa: S310 - loopback
            f"{self.api_url}{path}",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            return cast(HTTPResponse, _DIRECT.open(request, timeout=60))
        except urllib.error.HTTPError as exc:
            raise AssertionError(f"{path}: HTTP {exc.code} {exc.read()[:500]!r}") from exc


@contextmanager
def running(sandbox: Sandbox, python: Path, *flags: str) -> Iterator[Running]:
    """The host in this sandbox. A second run in the same sandbox finds the files of the first."""
    page_port, api_port = _free_port(), _free_port()
    log_path = _fresh(sandbox.folder / "host.log")
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            [python, *_arguments(sandbox, page_port, api_port), *flags],
            cwd=sandbox.program,
            env=_environment(sandbox),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    host = Running(
        sandbox=sandbox,
        process=process,
        page_url=f"http://127.0.0.1:{page_port}/",
        api_url=f"http://127.0.0.1:{api_port}",
        log_path=log_path,
    )
    try:
        until(lambda: _is_ready(host), within_s=START_S, what=f"the host serves ({log_path})")
        yield host
    finally:
        _stop(process)


def _arguments(sandbox: Sandbox, page_port: int, api_port: int) -> list[str]:
    ours = [] if sandbox.route is Route.ABSENT else [EXTENSION]
    return [
        *("server.py", "--listen-port", str(page_port), "--api", "--api-port", str(api_port)),
        *("--model", MODEL, "--loader", "Transformers", "--cpu", "--ctx-size", str(WINDOW)),
        *("--extensions", *ours, "scripted_model"),
    ]


def _environment(sandbox: Sandbox) -> dict[str, str]:
    """Returns the host's environment, without a path that names another copy of the extension."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return inherited | {
        "SCRIPTED_MODEL": str(sandbox.scripted),
        "GRADIO_ANALYTICS_ENABLED": "False",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _is_ready(host: Running) -> bool:
    ended = host.process.poll()
    assert ended is None, f"the host ended with {ended}:\n{host.log()[-2000:]}"
    if "Running on local URL" not in host.log():
        return False
    with suppress(OSError):
        return bool(_DIRECT.open(f"{host.api_url}/v1/models", timeout=5))
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _fresh(path: Path) -> Path:
    """Returns this path, or the first of its numbered siblings that does not exist."""
    number = 1
    while path.exists():
        number += 1
        path = path.with_name(f"host-{number}.log")
    return path
