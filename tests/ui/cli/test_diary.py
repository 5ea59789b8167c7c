"""The command `diary`: pages are listed, written, drafted and removed."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memory_core.ui.cli.main import main
from tests.builders import SPACE, open_memory, said

WHO = ("ana", "mira")
DAY = "--day=2026-09-20"


@pytest.fixture
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("LTM_EMBEDDER__KIND", "none")
    monkeypatch.setenv("LTM_LLM__KIND", "none")
    memory = open_memory(tmp_path)
    noon = datetime(2026, 9, 20, 12).timestamp()
    memory.remember(SPACE, "talk", said("I bought a boat today.", ts=noon))
    memory.close()
    return f"--storage={memory.root}"


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict[str, Any]:
    assert main(["diary", *WHO, *arguments, "--json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_written_page_is_listed_by_its_day(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, storage, DAY, "--write", "A calm day.")
    run(capsys, storage, "--day=2026-09-22", "--write", "Rain.")
    pages = run(capsys, storage)["pages"]
    assert [(one["day"], one["text"]) for one in pages] == [
        ("2026-09-22", "Rain."),
        ("2026-09-20", "A calm day."),
    ]
    assert len(run(capsys, storage, "--until=2026-09-21")["pages"]) == 1
    assert main(["diary", *WHO, storage, DAY]) == 0
    assert capsys.readouterr().out == "2026-09-20\nA calm day.\n\n1 page\n"


def test_draft_quotes_without_a_model_and_is_saved_on_request(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    draft = run(capsys, storage, DAY, "--draft")
    assert (draft["text"], draft["saved"]) == ("12:00 I bought a boat today.", False)
    assert run(capsys, storage)["pages"] == []
    assert run(capsys, storage, DAY, "--draft", "--save")["saved"]
    assert run(capsys, storage)["pages"][0]["made_by"] == "extractive"


def test_removed_page_is_not_listed(storage: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, storage, DAY, "--write", "A calm day.")
    assert run(capsys, storage, DAY, "--remove")["removed"]
    assert not run(capsys, storage, DAY, "--remove", code=1)["removed"]


def test_day_without_exchanges_has_no_draft(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, storage, "--day=2020-01-01", "--draft", code=1)["text"] == ""


@pytest.mark.parametrize("work", [("--write", "x"), ("--draft",), ("--remove",)])
def test_work_on_a_page_needs_its_day(
    storage: str, capsys: pytest.CaptureFixture[str], work: tuple[str, ...]
) -> None:
    assert main(["diary", *WHO, storage, *work]) == 2
    assert "--day" in capsys.readouterr().err
