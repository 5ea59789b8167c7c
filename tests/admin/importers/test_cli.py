"""`python -m memory_core import`: what it prints, where it writes, what it refuses."""

import json
import sys
from pathlib import Path

import pytest

from memory_core.admin.importers import formats
from memory_core.domain.namespaces import Namespace
from memory_core.storage.manifest import list_namespaces
from memory_core.ui.cli import common
from memory_core.ui.cli.main import main
from tests import programs
from tests.admin.importers.chats import MIRA, history, save
from tests.admin.importers.test_wawawario_ltm import database

PROJECT = Path(__file__).resolve().parents[3]
TOM = ["My cat is Tom", "Lovely"]


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "EXTENSION_FOLDER", tmp_path / "home")
    monkeypatch.setenv("LTM_EMBEDDER__KIND", "none")


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    save(tmp_path / "host", "chat/Mira/20230601-12-30-00.json", history([TOM]))
    return tmp_path / "host"


def test_chats_are_imported_into_the_extensions_own_folder(
    tmp_path: Path, chats: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", "textgen", str(chats)]) == 0
    assert "1 exchange added" in capsys.readouterr().out
    assert list_namespaces(tmp_path / "home/user_data/memories") == [MIRA]


@pytest.mark.parametrize(("enabled", "added"), [("true", 1), ("false", 2)])
@pytest.mark.parametrize("what", ["auto", "textgen"])
def test_import_adds_chat_only_requests_only_when_commands_are_off(
    chats: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    what: str,
    enabled: str,
    added: int,
) -> None:
    here = ["Remember that my dog is Rex, in this chat only", "I do"]
    save(chats, "chat/Mira/20230601-12-30-00.json", history([TOM, here, ["/off Hi", "Hi"]]))
    monkeypatch.setenv("LTM_COMMANDS__ENABLED", enabled)
    assert main(["import", what, str(chats)]) == 0
    assert f"{added} exchange{'s' * (added > 1)} added" in capsys.readouterr().out


def test_another_folder_and_another_user_can_be_named(tmp_path: Path, chats: Path) -> None:
    assert (
        main(["import", "auto", str(chats), "--user", "ana", "--storage", str(tmp_path / "s")]) == 0
    )
    assert list_namespaces(tmp_path / "s") == [Namespace("ana", "Mira")]


def test_import_result_as_json_is_one_object(
    chats: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (chats / "logs/chat/Mira/broken.json").write_text("{", encoding="utf-8")
    assert main(["import", "textgen", str(chats), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["chats"], found["added"], found["dry_run"]) == (1, 1, False)
    assert "broken.json" in found["failures"][0]["source"]
    assert found["namespaces"] == [
        {"user": "default", "character": "Mira", "scope": "character", "exchanges": 1}
    ]


def test_dry_run_of_an_import_counts_and_writes_nothing(
    tmp_path: Path, chats: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", "textgen", str(chats), "--dry-run"]) == 0
    assert "1 exchange in 1 chat" in capsys.readouterr().out
    assert main(["import", "textgen", str(chats), "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["exchanges"], found["dry_run"], found["embedding_s"]) == (1, True, 0.0)
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("what", ["auto", "textgen"])
def test_import_command_reports_a_file_that_is_no_chat(
    tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", what, str(tmp_path / "nowhere")]) == 1
    assert "nowhere" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert main(["import", what, str(tmp_path / "empty")]) == 1
    assert str(tmp_path / "empty") in capsys.readouterr().err


@pytest.mark.parametrize("what", ["chatgpt", "chatmemory", "mem0", "sillytavern"])
@pytest.mark.parametrize("dry_run", [[], ["--dry-run"]])
def test_a_reader_that_finds_nothing_in_a_file_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str, dry_run: list[str]
) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(history([TOM])), encoding="utf-8")
    assert main(["import", what, str(path), *dry_run]) == 1
    assert f"holds no chats in the format {what}" in capsys.readouterr().err


def test_this_program_is_known_by_its_folder() -> None:
    assert (formats._PROGRAM / "memory_core" / "admin" / "importers" / "formats.py").is_file()


def test_a_folder_around_this_program_that_is_no_host_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "extensions" / "long_term_memory"
    program.mkdir(parents=True)
    (tmp_path / "stray.csv").write_text("user,assistant\nhi,there\n")
    (tmp_path / "stray.jsonl").write_text('{"is_user": true, "mes": "hi", "name": "a"}\n')
    monkeypatch.setattr(formats, "_PROGRAM", program)
    for path in (tmp_path, tmp_path / "extensions"):
        assert main(["import", "auto", str(path)]) == 1
        assert "no user_data of text-generation-webui" in capsys.readouterr().err


def test_a_folder_with_very_much_in_it_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(formats, "_MAX_ENTRIES", 3)
    folder = tmp_path / "much"
    for n in range(3):
        (folder / f"{n}").mkdir(parents=True)
    (folder / "stray.jsonl").write_text('{"is_user": true, "mes": "hi", "name": "a"}\n')
    assert main(["import", "auto", str(folder)]) == 1
    assert "more than 3 files and folders" in capsys.readouterr().err


def test_bad_settings_are_refused_before_anything_is_read(
    chats: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LTM_RECALL__LINES", "many")
    assert main(["import", "textgen", str(chats)]) == 2
    assert "recall.lines" in capsys.readouterr().err


def test_import_command_runs_as_a_program(tmp_path: Path, chats: Path) -> None:
    command = [sys.executable, "-m", "memory_core", "import", "textgen", str(chats), "--json"]
    storage = ["--storage", str(tmp_path / "s")]
    done = programs.run([*command, *storage])
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["added"] == 1


def test_warnings_of_an_import_are_printed_and_in_its_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [("Anon", "hello Rei", "2023-05-06 12:00:00"), ("Rei", "hi", "2023-05-06 12:01:00")]
    path = str(database(tmp_path / "bot_memories", rows))
    assert main(["import", "auto", path, "--dry-run", "--json"]) == 0
    looked = capsys.readouterr()
    assert "warning: " in looked.err
    assert main(["import", "auto", path, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["namespaces"][0]["scope"] == "shared"
    assert found["warnings"] == json.loads(looked.out)["warnings"]
    assert "one database for all characters" in found["warnings"][0]


def test_files_of_another_format_in_the_folder_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [("Anon", "hello Rei", "2023-05-06 12:00:00"), ("Rei", "hi", "2023-05-06 12:01:00")]
    database(tmp_path / "all/rei", rows)
    (tmp_path / "all/mine.csv").write_text("user,assistant\nhi,there\n")
    (tmp_path / "all/notes.txt").write_text("hi")
    assert main(["import", "auto", str(tmp_path / "all"), "--dry-run"]) == 0
    assert "has another format by itself: mine.csv\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("character", "owner"),
    [("_instruct", Namespace.instruct("ana")), ("_shared", Namespace.shared("ana"))],
)
def test_reserved_names_of_namespaces_are_no_characters_in_an_import(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], character: str, owner: Namespace
) -> None:
    log = tmp_path / "old" / "ana" / "conversations" / "c1.jsonl"
    log.parent.mkdir(parents=True)
    row = {"turn_id": 1, "ts": 1_750_000_000.0, "user": "My cat is Tom", "assistant": "Lovely"}
    log.write_text(json.dumps(row) + "\n", encoding="utf-8")
    folder = str(tmp_path / "old")
    assert main(["import", "auto", folder]) == 1
    assert "--character _instruct" in capsys.readouterr().out
    assert main(["import", "auto", folder, "--character", character]) == 0
    assert list_namespaces(tmp_path / "home/user_data/memories") == [owner]
    assert main(["list", "ana", character]) == 0
    assert "My cat is Tom" in capsys.readouterr().out
