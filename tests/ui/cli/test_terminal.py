"""The command line in trouble: Ctrl-C, closed pipes, missing folders, control characters."""

import _strptime  # noqa: F401  (a user without rights may not read the interpreter's folder later)
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.ui.cli.main import main
from tests import programs
from tests.admin.importers.chats import history, save
from tests.builders import SPACE, open_memory, said, user_sides
from tests.damage import open_to_all, without_rights

PROJECT = Path(__file__).resolve().parents[3]
POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals and modes")
OUT = "OUT"  # stands for a file that may be written
COMMANDS = {
    "list": ["names", "list"],
    "alias": ["names", "alias", "ann", "--of", "ana"],
    "unalias": ["names", "unalias", "Anon"],
    "rename": ["names", "rename", "ana", "mira", "--to", "ana", "mia"],
    "merge": ["names", "merge", "ana", "mira", "--into", "ana", "leo"],
    "usage": ["usage"],
    "doctor": ["doctor"],
    "repair": ["doctor", "--repair"],
    "export": ["export", "ana", "mira", "-o", OUT],
    "csv": ["export", "ana", "mira", "--format=csv", "-o", OUT],
    "backup": ["backup", "-o", OUT],
    "removed": ["removed", "ana", "mira"],
    "forget": ["removed", "ana", "mira", "--forget"],
    "purge": ["purge-backups"],
}
FILLING = {"import": ["import", "textgen", "CHATS"], "restore": ["restore", "SAVED", "--merge"]}
TEXTS = ["I keep bees", "I have a dog"]


def filled(folder: Path) -> Path:
    """A storage with two characters, a saved copy and chats to import beside it."""
    memory = open_memory(folder)
    for space in (SPACE, Namespace("ana", "leo")):
        memory.reconcile(space, "talk", [said(text) for text in TEXTS], whole=True)
    memory.set_aliases(memory.aliases.with_user("Anon", "ana"))
    memory.close()
    assert main(["backup", "-o", str(folder / "saved.zip"), f"--storage={memory.root}"]) == 0
    save(folder / "host", "chat/Mira/20230601-12-30-00.json", history([["My cat is Tom", "Oh"]]))
    return memory.root


def arguments(name: str, folder: Path, storage: Path) -> list[str]:
    places = {OUT: folder / "out", "CHATS": folder / "host", "SAVED": folder / "saved.zip"}
    words = [str(places.get(word, word)) for word in (COMMANDS | FILLING)[name]]
    return [*words, f"--storage={storage}"]


def run(
    words: Sequence[str], *, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "memory_core", *words],
        cwd=PROJECT,
        env={**os.environ, "LTM_EMBEDDER__KIND": "none", **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )


# ---- folders


@pytest.mark.parametrize("name", COMMANDS)
def test_command_refuses_a_storage_folder_that_does_not_exist(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "missing"
    assert main(arguments(name, tmp_path, missing)) == 2
    assert f"the folder {missing} does not exist" in capsys.readouterr().err
    assert not missing.exists()


@pytest.mark.parametrize("name", [*COMMANDS, *FILLING])
def test_command_refuses_a_file_as_the_storage_folder(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    filled(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    assert main(arguments(name, tmp_path, tmp_path / "file")) == 2
    assert f"{tmp_path / 'file'} is not a folder" in capsys.readouterr().err


def test_missing_storage_folder_of_the_settings_is_refused_by_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LTM_STORAGE_DIR", str(tmp_path / "missing"))
    assert main(["doctor"]) == 2
    assert "check storage_dir" in capsys.readouterr().err


@POSIX
@pytest.mark.parametrize("name", [*COMMANDS, *FILLING])
@pytest.mark.parametrize("closed", ["memories", "memories/ana"])
def test_command_reports_an_unreadable_folder(
    name: str, closed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_to_all() as folder:
        storage = filled(folder)
        words = arguments(name, folder, storage)
        (folder / closed).chmod(0)
        try:
            with without_rights():
                code = main(words)
        finally:
            (folder / closed).chmod(0o700)
    assert code in (1, 2)
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize("name", ["export", "csv", "backup"])
def test_command_reports_an_output_path_that_is_too_long(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    storage = filled(tmp_path)
    words = arguments(name, tmp_path, storage)
    words[words.index(str(tmp_path / "out"))] = str(tmp_path / ("x" * 300))
    assert main(words) == 1
    assert "File name too long" in capsys.readouterr().err
    assert sorted(os.listdir(tmp_path)) == ["host", "memories", "saved.zip"]


# ---- output


@pytest.mark.slow
@pytest.mark.parametrize("name", [*COMMANDS, *FILLING])
def test_command_with_a_closed_pipe_finishes_without_a_traceback(name: str, tmp_path: Path) -> None:
    storage = filled(tmp_path)
    reader, writer = os.pipe()
    os.close(reader)
    with programs.Program(
        [sys.executable, "-m", "memory_core", *arguments(name, tmp_path, storage)],
        cwd=PROJECT,
        env={**os.environ, "LTM_EMBEDDER__KIND": "none"},
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        os.close(writer)
        _, told = program.communicate(timeout=120)
    assert program.returncode == 141
    assert "Traceback" not in told
    assert "Exception" not in told


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize("closing", [">&-", ">&- 2>&-", "2>&-", "<&-"])
def test_closed_streams_change_no_exit_code(closing: str, tmp_path: Path) -> None:
    storage = filled(tmp_path)
    command = f'exec "$0" -m memory_core doctor --storage="$1" {closing}'
    done = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable, str(storage)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no full disk to lend")
def test_command_reports_a_result_that_cannot_be_printed(tmp_path: Path) -> None:
    storage = filled(tmp_path)
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "memory_core", "usage", f"--storage={storage}"],
            cwd=PROJECT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("error: the command is done, but its result could not be printed")
    assert "Exception" not in done.stderr


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("\x9b2J", "\\x9b2J"),
        ("a\rb\x07", "a\\rb\\x07"),
        ("a\nbob / eve: 9 memories", "a\\nbob / eve: 9 memories"),
        ("\u202egpj", "\\u202egpj"),
    ],
)
def test_control_characters_of_names_and_texts_are_escaped(
    name: str, shown: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = open_memory(tmp_path)
    memory.reconcile(Namespace("ana", name), "talk", [said(f"I say {name}")], whole=True)
    memory.reconcile(Namespace("ana", name), "talk", [], whole=True)
    memory.close()
    storage = f"--storage={memory.root}"
    assert main(["names", "list", storage]) == 0
    assert f"ana / {shown}: " in capsys.readouterr().out
    assert main(["removed", "ana", name, storage]) == 0
    assert main(["removed", "ana", "nobody", storage]) == 2
    assert main(["doctor", storage, "--json"]) == 0
    told = "".join(capsys.readouterr())
    assert not set(told) & {"\x1b", "\x9b", "\r", "\x07", "\u202e"}


# ---- Ctrl-C

# Presses Ctrl-C once, when this event (sys.addaudithook) has come for the n-th time.
PRESSING = """
import os, signal, sys
wanted, left = os.environ["PRESS_AT"], int(os.environ["PRESS_NUMBER"])
def listen(event, args):
    global left
    if event == wanted or f"{event} {args[0] if args else ''}" == wanted:
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(listen)
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
"""


def pressing(folder: Path, event: str, number: int) -> dict[str, str]:
    (folder / "pressing").mkdir(exist_ok=True)
    (folder / "pressing" / "sitecustomize.py").write_text(PRESSING, encoding="utf-8")
    path = os.pathsep.join([str(folder / "pressing"), str(PROJECT)])
    return {"PYTHONPATH": path, "PRESS_AT": event, "PRESS_NUMBER": str(number)}


@POSIX
@pytest.mark.parametrize(
    "module",
    ["argparse", "memory_core.ui.cli.main", "memory_core.memory.long_term_memory", "numpy"],
)
def test_ctrl_c_while_the_program_is_loaded_ends_it_quietly(module: str, tmp_path: Path) -> None:
    done = run(["usage"], env=pressing(tmp_path, f"import {module}", 1))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize("event", ["os.rename", "sqlite3.connect"])
@pytest.mark.parametrize("name", ["rename", "merge", "backup", *FILLING])
def test_ctrl_c_in_a_long_command_leaves_nothing_half_done(
    name: str, event: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    storage = filled(tmp_path)
    code = f"{PRESSING}\nfrom memory_core.__main__ import run\nsys.exit(run())"
    environ = {"LTM_EMBEDDER__KIND": "none", "PRESS_AT": event, "PRESS_NUMBER": "1"}
    command = [sys.executable, "-c", code, *arguments(name, tmp_path, storage)]
    done = programs.run(command, env=os.environ | environ)
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 130)
    capsys.readouterr()
    assert main(["doctor", "--json", f"--storage={storage}"]) == 0
    assert json.loads(capsys.readouterr().out)["sound"]
    assert [path.name for path in storage.glob(".restoring-*")] == []
    memory = open_memory(tmp_path)
    held = [user_sides(memory.conversation(space, "talk", 9)) for space in memory.namespaces()]
    assert TEXTS in held or name == "forget"
    memory.close()
