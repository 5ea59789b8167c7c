"""`export --all`: a file for each character or one for all, in every format."""

import csv
import json
import os
import shutil
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from memory_core.admin.exporters.export import file_names
from memory_core.admin.exporters.live_memories import live_memories
from memory_core.admin.importers.base import ImportChat, MemoryOwner
from memory_core.admin.importers.csv_jsonl import TableReader
from memory_core.admin.importers.dropped_files import sort_dropped
from memory_core.admin.importers.engine import import_chats
from memory_core.admin.importers.source import ImportSource
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.storage.contract import Page
from memory_core.ui.cli.main import main
from tests.builders import NOW, open_memory, said, user_sides

ENDINGS = {"zip": ".zip", "csv": ".csv", "jsonl": ".jsonl", "markdown": ".md"}
# Names that some file system, shell or sanitiser takes for the same, for a path or for an option.
ODD = [
    "Mira",
    "mira",
    "Mi/ra",
    "Mi:ra",
    "..",
    "-x",
    "Café",
    "Cafe\u0301",
    "con",
    "a\u202eb",
    "小明",
    "小红",
]
SPACES = [
    *(Namespace("ana", name) for name in (*ODD, "x" * 300, "x" * 301)),
    Namespace.instruct("ana"),
    Namespace.shared("ana"),
    Namespace.world(),
    Namespace("ana", "Mira - b"),
    Namespace("ana - Mira", "b"),
    Namespace("bob", "Mira"),
]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed storage, to be copied."""
    memory = open_memory(tmp_path_factory.mktemp("filled"))
    for number, space in enumerate(SPACES):
        memory.remember(space, "monday", said(f"number {number}", ts=NOW))
    memory.add_note(SPACES[0], "Ana likes tea", kind=MemoryKind.DIARY, pinned=False)
    memory.close()
    return memory.root


@pytest.fixture
def storage(filled: Path, tmp_path: Path) -> str:
    return f"--storage={shutil.copytree(filled, tmp_path / filled.name)}"


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    return dict(json.loads(capsys.readouterr().out))


@pytest.mark.parametrize("form", ENDINGS)
def test_a_folder_gets_a_file_for_each_character_and_none_replaces_another(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    out = tmp_path / "out"
    assert main(["export", "--all", f"--format={form}", "-o", str(out), storage, "--json"]) == 0
    found = told(capsys)
    written = {Path(entry["path"]) for entry in found["files"]}
    assert written == set(out.iterdir())
    assert len(written) == len(SPACES)
    assert (found["memories"], found["failures"]) == (len(SPACES) + 1, [])
    assert all(path.suffix == ENDINGS[form] and path.stat().st_size for path in written)


@pytest.mark.parametrize("form", ENDINGS)
def test_one_file_holds_all_characters(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    out = tmp_path / f"all{ENDINGS[form]}"
    args = ["export", "--all", f"--format={form}", "-o", str(out), storage]
    assert main([*args, "--json"]) == 0
    assert told(capsys)["memories"] == len(SPACES) + 1
    if form == "zip":
        with zipfile.ZipFile(out) as file:
            data = b"".join(map(file.read, file.namelist()))
    else:
        data = out.read_bytes()
    assert all(f"number {number}".encode() in data for number in range(len(SPACES)))


@pytest.mark.parametrize("form", ENDINGS)
@pytest.mark.parametrize("is_folder", [False, True])
def test_export_replaces_an_existing_file_only_with_force(
    storage: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    form: str,
    is_folder: bool,
) -> None:
    out = tmp_path / ("out" if is_folder else f"out{ENDINGS[form]}")
    args = ["export", "--all", f"--format={form}", "-o", str(out), storage]
    assert main(args) == 0
    last = sorted(out.iterdir())[-1] if is_folder else out
    for other in set(out.iterdir()) - {last} if is_folder else ():
        other.unlink()
    last.write_text("mine")
    assert main(args) == 2
    err = capsys.readouterr().err
    assert str(last) in err
    assert "--force" in err
    assert last.read_text() == "mine"
    assert not is_folder or list(out.iterdir()) == [last]
    assert main([*args, "--force"]) == 0
    assert last.read_bytes() != b"mine"


def test_a_file_for_all_is_read_back_to_the_characters_it_came_from(
    storage: str, tmp_path: Path
) -> None:
    for form in ("csv", "jsonl"):
        out = tmp_path / f"all.{form}"
        main(["export", "--all", f"--format={form}", "-o", str(out), storage])
        with closing(open_memory(tmp_path / form)) as other:
            source = ImportSource(
                reader=TableReader(), path=out, owner=MemoryOwner(user="eve", character="Eve")
            )
            assert not import_chats(other, source).failures
            assert set(other.namespaces()) == set(SPACES)
            assert user_sides(live_memories(other, SPACES[0])) == ["number 0", "Ana likes tea"]
            assert user_sides(live_memories(other, SPACES[-1])) == [f"number {len(SPACES) - 1}"]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_folder_of_tables_is_imported_to_the_characters_it_came_from(
    storage: str, tmp_path: Path, form: str
) -> None:
    memory = open_memory(tmp_path)
    memory.forget(SPACES[-1], [memory.latest(SPACES[-1], Page(limit=1))[0].id])
    memory.close()
    out, there = tmp_path / "out", tmp_path / "there/memories"
    assert main(["export", "--all", f"--format={form}", "-o", str(out), storage]) == 0
    assert main(["import", "auto", str(out), f"--storage={there}"]) == 0
    with closing(open_memory(there.parent)) as other:
        assert set(other.namespaces()) == set(SPACES[:-1])
        assert user_sides(live_memories(other, SPACES[0])) == ["number 0", "Ana likes tea"]


def test_a_zipped_folder_of_tables_keeps_its_characters_in_the_tab(
    storage: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert main(["export", "--all", "--format=csv", "-o", str(out), storage]) == 0
    whole = Path(shutil.make_archive(str(tmp_path / "whole"), "zip", out))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    found = sort_dropped([whole], scratch, user="eve")
    (source,) = found.sources
    chats = [chat for chat in source.chats() if isinstance(chat, ImportChat)]
    assert {chat.namespace for chat in chats} == set(SPACES)


@pytest.mark.parametrize("other", ["notes.csv", "picture.png", "sub"])
def test_a_folder_with_more_than_exports_is_not_taken_for_one(
    storage: str, tmp_path: Path, other: str
) -> None:
    out = tmp_path / "out"
    assert main(["export", "--all", "--format=csv", "-o", str(out), storage]) == 0
    assert TableReader().recognises(out)
    if other == "sub":
        (out / other).mkdir()
    else:
        (out / other).write_text("user,assistant\na,b\n")
    assert not TableReader().recognises(out)


def test_import_refuses_a_line_without_a_valid_owner(tmp_path: Path) -> None:
    row = {"user": "a", "assistant": "b", "namespace_user": "ana", "namespace_scope": "nobody"}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row) + "\n")
    source = ImportSource(
        reader=TableReader(), path=path, owner=MemoryOwner(user="eve", character="Eve")
    )
    (failure,) = source.chats()
    assert "a.jsonl, line 1: names no valid owner" in failure.reason


def test_the_characters_of_one_user_can_be_exported(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    args = ["export", "bob", "--all", "--format=csv", "-o", str(out), storage]
    assert main(args) == 0
    assert [path.name for path in out.iterdir()] == ["bob - Mira.csv"]
    with (out / "bob - Mira.csv").open(newline="", encoding="utf-8-sig") as file:
        assert [row["user"] for row in csv.DictReader(file)] == [f"number {len(SPACES) - 1}"]
    assert main([*args[:1], "nobody", *args[2:]]) == 2
    assert "no memories of nobody" in capsys.readouterr().err


@pytest.mark.parametrize("names", [[], ["ana"], ["ana", "Mira", "--all"]])
def test_a_character_or_all_has_to_be_named(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], names: list[str]
) -> None:
    assert main(["export", *names, "-o", str(tmp_path / "out"), storage]) == 2
    assert "or use --all" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("form", "name"), [("csv", "one.jsonl"), ("zip", "all.CSV"), ("markdown", "a.zip")]
)
def test_an_output_named_like_another_format_is_refused(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str, name: str
) -> None:
    out = tmp_path / name
    assert main(["export", "--all", f"--format={form}", "-o", str(out), storage]) == 2
    err = capsys.readouterr().err
    assert f"{name} ends in {out.suffix.lower()}, but --format {form} writes" in err
    assert not out.exists()


def test_an_existing_folder_may_have_the_ending_of_another_format(
    storage: str, tmp_path: Path
) -> None:
    out = tmp_path / "one.jsonl"
    out.mkdir()
    assert main(["export", "--all", "--format=csv", "-o", str(out), storage]) == 0
    assert len(list(out.iterdir())) == len(SPACES)


def test_export_of_an_empty_storage_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "none"
    empty.mkdir()
    args = ["export", "--all", "-o", str(tmp_path / "out"), f"--storage={empty}"]
    assert main(args) == 2
    assert "no memories in" in capsys.readouterr().err


def test_a_character_that_cannot_be_read_keeps_no_other_from_the_export(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    name = "bob - Mira.csv"
    (out / name / "in the way").mkdir(parents=True)
    args = ["export", "--all", "--format=csv", "-o", str(out), storage, "--force", "--json"]
    assert main(args) == 1
    found = told(capsys)
    assert [failure["user"] for failure in found["failures"]] == ["bob"]
    assert len(found["files"]) == len(SPACES) - 1


@pytest.mark.parametrize("ending", ["", ".csv"])
def test_an_output_with_too_long_a_name_is_an_error_that_names_it(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    out = tmp_path / ("x" * 300 + ending)
    assert main(["export", "--all", "--format=csv", "-o", str(out), storage]) == 1
    assert str(out) in capsys.readouterr().err


def test_file_names_are_plain_short_and_distinct_on_every_file_system() -> None:
    names = list(file_names(SPACES, ".csv").values())
    assert len({name.casefold() for name in names}) == len(SPACES)
    assert all(len(os.fsencode(name)) < 255 for name in names)
    assert "ana - Mira.csv" in names
    assert "ana - mira (2).csv" in names
    assert "ana - _instruct.csv" in names
    for name in names:
        assert name.isprintable()
        assert not set(name) & set('<>:"/\\|?*')
        assert not name.startswith((".", "-"))
