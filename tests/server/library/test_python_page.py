"""The examples of docs/python.md, docs/zh.md and docs/server-api.md run as they stand there."""

import re
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from tests.loopback import serve
from tests.server.conftest import ServeWith
from tests.server.live_server import Scripted, completion

DOCS = Path(__file__).resolve().parents[3] / "docs"
MODEL, SERVER = "http://127.0.0.1:8000/v1", "http://127.0.0.1:8010/v1"


def examples(page: str) -> list[str]:
    return re.findall(r"(?ms)^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"))


LIBRARY = [*examples("python.md"), *examples("zh.md")]
OPENAI, APPLICATION, CHATMEMORY = examples("server-api.md")


def run(example: str, address: str, url: str) -> dict[str, Any]:
    """Runs an example with this address in place of its own; returns its names."""
    assert example.count(f'"{address}"') == 1
    names: dict[str, Any] = {}
    exec(compile(example.replace(address, url), "example", "exec"), names)  # noqa: S102
    return names


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LTM_EMBEDDER__KIND", "none")


@pytest.mark.parametrize("example", LIBRARY)
def test_example_of_the_library_runs(example: str, capsys: pytest.CaptureFixture[str]) -> None:
    with serve(Scripted()) as backend:
        run(example, MODEL, backend.url)
    assert "All right." in capsys.readouterr().out


def test_python_pages_have_an_example_of_each_class() -> None:
    assert len(LIBRARY) == 6


def test_example_with_the_openai_package_runs(
    serve_with: ServeWith, capsys: pytest.CaptureFixture[str]
) -> None:
    run(OPENAI, SERVER, f"{serve_with().client.base_url}/v1")
    answer, retrieved = capsys.readouterr().out.splitlines()
    assert answer == "All right."
    assert "'stored': True" in retrieved


@pytest.mark.parametrize(
    ("example", "prefix", "close"),
    [(APPLICATION, "/memory", "api"), (CHATMEMORY, "", "cm")],
    ids=["own", "chatmemory"],
)
def test_example_of_an_application_answers(example: str, prefix: str, close: str) -> None:
    async def ask(app: Any) -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            body = {"messages": [{"role": "user", "content": "Hi"}], "user": "ana"}
            return await client.post(f"{prefix}/v1/chat/completions", json=body, timeout=60)

    with serve(Scripted()) as backend:
        names = run(example, MODEL, backend.url)
        answer = anyio.run(ask, names["app"])
        names[close].close()
    assert answer.json()["choices"] == completion("All right.")["choices"]
    assert answer.json()["retrieved"]["stored"] is True
