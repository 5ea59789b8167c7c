"""Tables and bars on a terminal, and plain lines wherever nobody would see them."""

import io
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from memory_core.domain.namespaces import Namespace
from memory_core.ui.cli.common import Terminal
from memory_core.ui.cli.main import main
from memory_core.ui.cli.rich_output import progress_on
from tests.builders import NOW, Clock, open_memory, said

MARKUP = "[bold]I keep[/bold] :bee: bees [/] \x1b[2J"
CHINESE = "我在房子后面养蜜蜂" * 9
LIST = ("list", "ana", "Mira")

pytestmark = pytest.mark.usefixtures("no_models")


class Screen(io.TextIOWrapper):
    """A terminal that keeps what is printed."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding, newline="")

    def isatty(self) -> bool:
        return True

    def text(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode(self.encoding)


@pytest.fixture
def storage(tmp_path: Path) -> str:
    memory = open_memory(tmp_path, clock=Clock(NOW))
    for text in (MARKUP, CHINESE):
        exchange = replace(said(text, ts=NOW), channel="web")
        memory.remember(Namespace("ana", "Mira"), "talk", exchange)
    memory.close()
    return f"--storage={memory.root}"


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


def shown(monkeypatch: pytest.MonkeyPatch, screen: Screen, *words: str) -> str:
    monkeypatch.setattr(sys, "stdout", screen)
    assert main(list(words)) == 0
    return screen.text()


def test_table_shows_markup_and_control_characters_as_they_are(
    storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    table = shown(monkeypatch, Screen(), *LIST, storage)
    assert "[bold]I keep[/bold] :bee: bees [/] \\x1b[2J" in table
    assert "\x1b" not in table


@pytest.mark.parametrize("columns", [40, 60, 80, 133])
def test_table_fits_the_terminal_and_loses_no_letter(
    columns: int, storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    table = shown(monkeypatch, Screen(), *LIST, storage)
    assert max(map(cell_len, table.splitlines())) <= columns
    assert "".join(letter for letter in table if letter > "\u3000").startswith(CHINESE)


@pytest.mark.parametrize(
    "words", [LIST, ("sessions",), ("usage",), ("names", "list"), ("search", "ana", "Mira", "bees")]
)
def test_rows_are_a_table_on_a_terminal_alone(
    words: tuple[str, ...],
    storage: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([*words, storage]) == 0
    plain = capsys.readouterr().out
    assert "─" not in plain
    assert "─" in shown(monkeypatch, Screen(), *words, storage)
    for name, value in {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "30"}.items():
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert shown(patch, Screen(), *words, storage) == plain
    assert shown(monkeypatch, Screen(), *words, storage, "--json").startswith("{")


def test_lines_are_plain_where_rich_is_missing(
    storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rich", None)
    assert "─" not in shown(monkeypatch, Screen(), *LIST, storage)


def test_table_is_drawn_with_the_letters_of_the_terminal(
    storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = shown(monkeypatch, Screen("ascii"), *LIST, storage)
    assert "---" in table
    assert "\\u6211" in table


def test_bar_is_drawn_on_a_terminal_and_notes_are_printed_above_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen, notes = Screen(), list[str]()
    monkeypatch.setattr(sys, "stderr", screen)
    terminal = Terminal(print_result=notes.append, print_note=notes.append)
    with progress_on(terminal, note_every_s=0) as progress:
        progress.show("[red]Mira\x1b[2J", 3, 10, "3 of 10")
    assert "3/10" in screen.text()
    assert "[red]Mira\\x1b[2J" in screen.text()
    assert notes == []


def test_progress_is_a_note_where_nobody_sees_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = list[str]()
    terminal = Terminal(print_result=notes.append, print_note=notes.append)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress_on(terminal, note_every_s=0) as progress:
        progress.show("Mira", 3, 10, "3 of 10")
    with progress_on(terminal, note_every_s=3600) as progress:
        progress.show("Mira", 4, 10, "4 of 10")
    assert notes == ["3 of 10"]


@pytest.mark.parametrize("words", [("backup",), ("export", "ana", "Mira"), ("export", "--all")])
def test_backup_shows_a_bar_up_to_its_last_conversation(
    words: tuple[str, ...], storage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    assert main([*words, "-o", str(tmp_path / "all.zip"), storage]) == 0
    assert "conversations written" in screen.text()
    assert "1/1" in screen.text()
