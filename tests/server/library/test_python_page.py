"""The examples of docs/python.md run as they stand there."""

import re
from pathlib import Path

import pytest

from tests.loopback import serve
from tests.server.live_server import Scripted

PAGE = Path(__file__).resolve().parents[3] / "docs" / "python.md"
EXAMPLES = re.findall(r"(?ms)^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("example", EXAMPLES)
def test_example_of_the_python_page_runs(
    example: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LTM_EMBEDDER__KIND", "none")
    with serve(Scripted()) as backend:
        exec(compile(example, str(PAGE), "exec"), {"BASE_URL": backend.url})  # noqa: S102
    assert "All right." in capsys.readouterr().out


def test_python_page_has_an_example_of_each_class() -> None:
    assert len(EXAMPLES) == 5
