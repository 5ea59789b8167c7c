"""export, backup and restore on the command line."""

import json
from pathlib import Path

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.ui.cli.main import main
from tests.admin.exporters.scene import fill, seen, unpacked
from tests.builders import SPACE, open_memory


@pytest.fixture
def storage(tmp_path: Path) -> str:
    memory = open_memory(tmp_path)
    fill(memory)
    fill(memory, Namespace.instruct("ana"))
    memory.close()
    return f"--storage={memory.root}"


@pytest.mark.parametrize("form", ["zip", "csv", "jsonl", "markdown"])
def test_every_format_can_be_exported(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    out = tmp_path / "out"
    args = ["export", "ana", "mira", f"--format={form}", "-o", str(out), storage]
    assert main([*args, "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["path"] == str(out)
    assert out.stat().st_size > 0
    assert main([*args, "--force"]) == 0
    assert str(out) in capsys.readouterr().out


def test_a_backup_is_restored_elsewhere(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "all.zip")
    assert main(["backup", "-o", out, storage, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["namespaces"], told["forgotten"]) == (2, 4)
    assert main(["restore", out, f"--storage={tmp_path / 'new' / 'memories'}", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["restored"]) == 2
    one, other = open_memory(tmp_path), open_memory(tmp_path / "new")
    for space in (SPACE, Namespace.instruct("ana")):
        assert seen(other, space) == seen(one, space)
    one.close()
    other.close()


def test_restore_command_over_memories_needs_an_option(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "ana.zip")
    main(["export", "ana", "mira", "-o", out, storage])
    assert main(["restore", out, storage]) == 2
    assert "already" in capsys.readouterr().err
    assert main(["restore", out, storage, "--merge"]) == 0
    assert "0 memories" in capsys.readouterr().out
    assert main(["restore", out, storage, "--replace"]) == 0
    assert "backups" in capsys.readouterr().out
    assert main(["restore", out, storage, "--user=bob", "--character=_instruct"]) == 0
    assert (tmp_path / "memories" / "bob" / "_instruct").is_dir()


def test_export_of_an_unknown_character_names_the_known_ones(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.zip"
    assert main(["export", "ana", "absent", "-o", str(out), storage]) == 2
    assert "ana / _instruct, ana / mira" in capsys.readouterr().err
    assert main(["backup", "-o", str(out), f"--storage={tmp_path / 'empty'}"]) == 2
    assert main(["restore", str(out), storage, "--user=bob"]) == 2
    assert not out.exists()


def test_restore_command_reports_a_broken_file(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = tmp_path / "odd.zip"
    odd.write_bytes(b"odd")
    assert main(["restore", str(odd), storage]) == 1
    assert "no zip file" in capsys.readouterr().err


def test_instruct_mode_is_exported_by_its_name(storage: str, tmp_path: Path) -> None:
    out = tmp_path / "out.zip"
    assert main(["export", "ana", "_instruct", "-o", str(out), storage]) == 0
    assert b'"scope": "instruct"' in unpacked(out)["manifest.json"]


def test_a_foreign_variable_is_noted_and_keeps_no_command_from_its_work(
    storage: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("USERS_DIR", "/data/users")
    assert main(["backup", "-o", str(tmp_path / "all.zip"), storage, "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["namespaces"] == 2
    assert told.err.count("note: environment: USERS_DIR") == 1
    assert "storage_dir" in told.err
