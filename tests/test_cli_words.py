"""What the command line says names what is at fault, and is said on any terminal."""

import io
import sys
from pathlib import Path

import pytest

from memory_core.entrypoints.cli import main
from memory_core.namespaces import Namespace
from tests.builders import open_memory, said

NAMES = ("Mira", "小兰", "caf\udce9")  # the last: how Python reads a name in Latin-1


@pytest.fixture
def storage(tmp_path: Path) -> str:
    memory = open_memory(tmp_path)
    for name in NAMES:
        memory.reconcile(Namespace("ana", name), "a", [said("I keep bees")], whole=True)
    memory.close()
    return f"--storage={memory.root}"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_a_name_that_the_terminal_has_no_letters_for_ends_no_command(
    storage: str, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = {name: io.TextIOWrapper(io.BytesIO(), encoding=encoding) for name in ("out", "err")}
    for name, stream in shown.items():
        monkeypatch.setattr(sys, f"std{name}", stream)
    assert main(["names", "list", storage]) == 0
    assert main(["removed", "ana", "Nobody", storage]) == 2
    for stream in shown.values():
        assert isinstance(stream.buffer, io.BytesIO)
        assert b"ana / caf\\udce9" in stream.buffer.getvalue()
