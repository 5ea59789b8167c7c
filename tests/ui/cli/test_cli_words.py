"""The messages of the command line name the thing at fault, on any terminal."""

import io
import re
import sys
from contextlib import closing
from pathlib import Path

import pytest

from memory_core.admin.doctor.file_check import check_storage
from memory_core.domain.namespaces import Namespace
from memory_core.ui.cli.common import counted
from memory_core.ui.cli.main import main
from tests.builders import open_memory, said
from tests.cases import for_each

PROJECT = Path(__file__).resolve().parents[3]
MIRA = ("ana", "Mira")
NAMES = ("Mira", "小兰", "caf\udce9")  # the last: how Python reads a name in Latin-1


@pytest.fixture
def storage(tmp_path: Path) -> str:
    memory = open_memory(tmp_path)
    for name in NAMES:
        memory.reconcile(Namespace("ana", name), "a", [said("I keep bees")], whole=True)
    memory.close()
    return f"--storage={memory.root}"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_name_that_the_terminal_cannot_encode_does_not_end_a_command(
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


@pytest.mark.parametrize(
    ("asked", "refusal"),
    [
        (["rename", "ana", "Mira", "--to", "ana", ""], "a name of ana /  is empty"),
        (["rename", "ana", "Mira", "--to", " ", "Mia"], "a name of   / Mia is empty"),
        (["alias", "", "--of", "ana"], "a name is empty"),
        (["alias", "ana", "--of", "ana"], "ana and ana mean the same already"),
        (["alias", *MIRA, "--of", *MIRA], "ana / Mira and ana / Mira mean the same already"),
        (["merge", *MIRA, "--into", *MIRA], "ana / Mira and ana / Mira mean the same already"),
    ],
)
def test_invalid_name_is_refused_with_its_fault(
    storage: str, asked: list[str], refusal: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["names", *asked, storage]) == 2
    assert refusal in capsys.readouterr().err


def test_second_merge_of_a_name_is_refused_with_both_names(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    merge = ["names", "merge", "ana", "小兰", "--into", "ana", "Mira", storage]
    assert main(merge) == 0
    assert main(merge) == 2
    assert "ana / 小兰 and ana / Mira mean the same already" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["export", "removed"])
def test_an_old_name_is_understood_where_memories_are_named(
    storage: str, command: str, tmp_path: Path
) -> None:
    assert main(["names", "rename", "ana", "Mira", "--to", "ana", "Mia", storage]) == 0
    out = {"export": ["--output", str(tmp_path / "all.zip")], "removed": []}[command]
    assert main([command, "ana", "Mira", *out, storage]) == 0


def test_unknown_format_is_refused_with_the_known_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["export", "ana", "Mira", "--format", "xml", "--output", "x"])
    assert "'zip', 'csv', 'jsonl', 'markdown'" in capsys.readouterr().err


def test_doctor_accepts_the_folder_of_a_renamed_user(
    storage: str,
) -> None:
    assert main(["names", "rename", "ana", "Mira", "--to", "ben", "Mira", storage]) == 0
    assert main(["names", "rename", "ben", "Mira", "--to", "ana", "Mira", storage]) == 0
    assert list(check_storage(Path(storage.removeprefix("--storage=")))) == []


def test_restore_over_memories_is_refused_with_the_command_line_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = open_memory(tmp_path)
    memory.reconcile(Namespace.instruct("ana"), "a", [said("I keep bees")], whole=True)
    memory.close()
    root, out = f"--storage={memory.root}", str(tmp_path / "all.zip")
    assert main(["backup", "--output", out, root]) == 0
    assert main(["restore", out, root]) == 2
    refusal = capsys.readouterr().err
    assert all(word in refusal for word in ("ana / _instruct", "--merge", "--replace", "--user"))


@for_each(
    ("number", "shown"), [(0, "0 notes"), (1, "1 note"), (2, "2 notes"), (1200, "1,200 notes")]
)
def test_a_counted_noun_is_singular_for_one_alone(number: int, shown: str) -> None:
    assert counted(number, "note") == shown


COMMANDS = (
    [], ["import"], ["export"], ["backup"], ["restore"], ["names"], ["names", "list"],
    ["names", "rename"], ["names", "merge"], ["names", "alias"], ["names", "unalias"], ["usage"],
    ["doctor"], ["removed"], ["purge-backups"], ["list"], ["show"], ["remember"], ["forget"],
    ["search"], ["answer"], ["chat"], ["sessions"], ["purge"], ["models"],
    ["completion"],
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_help_of_each_command_is_a_sentence(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([*command, "--help"])
    about = capsys.readouterr().out.split("\n\n")[1]
    assert about[0].isupper()
    assert about.endswith(".")


def test_doctor_counts_the_lines_and_characters_that_it_checked(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", storage]) == 0
    assert re.search(r"^\d+ lines of 3 characters checked: all is sound$", capsys.readouterr().out)


def test_doctor_says_that_an_empty_folder_has_no_memories(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", f"--storage={tmp_path}"]) == 0
    assert capsys.readouterr().out == f"there are no memories in {tmp_path}\n"


def test_doctor_counts_the_faults_of_a_folder_without_memories(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "aliases.json").write_text("[")
    assert main(["doctor", f"--storage={tmp_path}"]) == 1
    assert capsys.readouterr().out.endswith(f"there are no memories in {tmp_path}: 2 faults\n")


def test_the_page_of_the_command_line_lists_every_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    commands = re.findall(r"^    ([a-z][a-z-]+)\b", capsys.readouterr().out, re.MULTILINE)
    page = (PROJECT / "docs" / "command-line.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert sorted(commands) == sorted(re.findall(r"`([a-z-]+)`", "".join(rows)))


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "Import past chats" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("called", "shown"),
    [
        ("/venv/bin/long-term-memory", "usage: long-term-memory "),
        ("/project/memory_core/__main__.py", "usage: python -m memory_core "),
    ],
)
def test_usage_names_the_program_as_it_was_called(
    called: str, shown: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [called])
    main([])
    assert capsys.readouterr().err.startswith(shown)


def test_a_folder_without_memories_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["list", "ana", "Mira", f"--storage={tmp_path}"]) == 2
    assert f"there are none at all in {tmp_path} yet" in capsys.readouterr().err


def test_unknown_name_is_answered_with_the_nearest_of_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(open_memory(tmp_path)) as memory:
        for user in ("zed:ana", *(f"bot{number}" for number in range(20))):
            memory.reconcile(Namespace(user, "Mira"), "a", [said("I keep bees")], whole=True)
    assert main(["list", "ana", "mira", f"--storage={memory.root}"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: no memories of ana / mira; there are: zed:ana / Mira, ")
    assert error.endswith(" and 15 more\n")


def test_command_says_that_it_ignores_a_program_folders_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["names", "list", f"--storage={tmp_path}"]
    assert main(arguments) == 0
    assert capsys.readouterr().err == ""
    config = tmp_path / "ltm_config.json"
    config.write_text('{"guard.cards": "skip"}', encoding="utf-8")
    assert main(arguments) == 0
    assert capsys.readouterr().err.startswith(f"note: {config} counts only in Python programs; ")
