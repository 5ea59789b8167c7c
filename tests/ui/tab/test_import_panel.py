"""Clicks in the import panel reach the intake, except on a page that several people share."""

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import gradio as gr
import pytest

from memory_core.admin.administration import Administration
from memory_core.admin.backup.writer import write_backup
from memory_core.admin.intake import IntakePhase, IntakeStatus
from memory_core.domain.namespaces import Namespace
from memory_core.host.hooks import Hooks
from memory_core.memory.runtime import Runtime
from memory_core.storage.aliases import Aliases
from memory_core.text.locales import tab_words
from memory_core.ui.tab.common.header import Labels, TabHeader
from memory_core.ui.tab.common.open_chat import NO_CHAT
from memory_core.ui.tab.transfer.import_panel import ImportPanel
from tests.builders import NOW, said
from tests.host.plain_host import PlainHost, hooks_in, opened

MIRA, REI = Namespace("ana", "Mira"), Namespace("ana", "Rei")
NAMES = Aliases(users={"Anon": "ana"})


@pytest.fixture
def host(tmp_path: Path) -> PlainHost:
    return PlainHost(tmp_path)


@pytest.fixture
def hooks(tmp_path: Path, host: PlainHost) -> Iterator[Hooks]:
    yield hooks_in(tmp_path / "other", host)
    while opened:
        opened.pop().close()


async def _panel_of(administration: Administration) -> tuple[TabHeader, ImportPanel]:
    """Builds the panel in a running loop: Gradio would make one of its own and leave it open."""
    with gr.Blocks():
        header = TabHeader(administration, Labels("en"))
        return header, ImportPanel(header)


class Page:
    """The panel of an intake, and its clicks."""

    def __init__(self, hooks: Hooks) -> None:
        administration = Administration(hooks)
        self.intake = administration.intake
        self.header, self.panel = asyncio.run(_panel_of(administration))

    def click(self, name: str, **values: str) -> str:
        given = {
            self.panel.field.box: json.dumps({"name": name, "values": values, "ticked": []}),
            self.header.language: "en",
            self.header.namespace_choice: None,
            self.header.open_chat: NO_CHAT,
        }
        view = self.header.read_selection(given, gr.Request(username="bob"))
        return self.panel._act(view, given)

    def wait(self) -> None:
        thread = self.intake._hooks.runtime._background
        assert thread
        thread.join(30.0)


@pytest.fixture
def page(hooks: Hooks, runtime: Runtime, tmp_path: Path) -> Page:
    """Returns a page with a backup that was examined."""
    runtime.memory.remember(MIRA, "monday", said("I play the cello"))
    shared = Namespace.shared("ana")
    runtime.memory.remember(shared, "", said("I am left-handed"))
    path = tmp_path / "all.zip"
    write_backup(path, runtime.memory.root, [MIRA, shared], now=NOW, aliases=NAMES)
    page = Page(hooks)
    page.intake.begin_reading_backup(path, user="ana")
    page.wait()
    assert page.intake.status.phase is IntakePhase.BACKUP_FOUND
    return page


@pytest.mark.parametrize(("tick", "taken"), [("true", {"Anon": "ana"}), ("false", {})])
def test_tick_decides_whether_the_names_of_a_backup_are_taken_over(
    page: Page, hooks: Hooks, tick: str, taken: dict[str, str]
) -> None:
    page.click("merge", names=tick)
    page.wait()
    assert hooks.runtime.memory.counts(MIRA)["live"] == 1
    assert hooks.runtime.memory.aliases.users == taken


def test_shared_page_can_neither_restore_a_backup_nor_take_its_names(
    page: Page, hooks: Hooks, host: PlainHost
) -> None:
    host.multi_user = True
    for name in ("merge", "replace", "others"):
        assert page.click(name, names="true", confirmation="Mira") == ""
    assert page.intake.status.phase is IntakePhase.BACKUP_FOUND
    assert hooks.runtime.memory.namespaces() == []
    assert hooks.runtime.memory.aliases.users == {}


def test_common_character_is_needed_only_for_files_without_their_own(
    hooks: Hooks, tmp_path: Path
) -> None:
    page, paths = Page(hooks), [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path in paths:
        path.write_text(f"user,assistant\nI like {path.stem},Nice\n", encoding="utf-8")
    page.intake.begin_reading(paths, user="ana")
    page.wait()
    refused = page.click("import_start", **{"character": "", "character-0": "Mira"})
    assert tab_words("en")["becomes_nobody"] in refused
    assert page.intake.status.phase is IntakePhase.CHATS_FOUND
    page.click("import_start", **{"character": "", "character-0": "Mira", "character-1": "Rei"})
    page.wait()
    assert page.intake.status.phase is IntakePhase.IMPORTED
    counts = [hooks.runtime.memory.counts(space)["live"] for space in (MIRA, REI)]
    assert counts == [1, 1]


@pytest.mark.parametrize(("name", "is_foreign"), [("Anon", False), ("bob", True)])
def test_files_of_a_user_under_a_former_name_are_not_somebody_elses(
    hooks: Hooks, host: PlainHost, tmp_path: Path, name: str, is_foreign: bool
) -> None:
    host.profile = "ana"
    hooks.runtime.memory.set_aliases(NAMES)
    chat = tmp_path / "chat.jsonl"
    lines = [
        {"user_name": name, "character_name": "Rei", "create_date": "2024-01-01@10h00m00s"},
        {"name": name, "is_user": True, "mes": "My bike is red", "send_date": 1_700_000_000_000},
        {"name": "Rei", "is_user": False, "mes": "Nice", "send_date": 1_700_000_001_000},
    ]
    chat.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    page = Page(hooks)
    page.intake.begin_reading([chat], user=name)
    page.wait()
    shown = page.click("look")
    assert "They become memories of Rei" in shown
    assert ("will not get these memories" in shown) is is_foreign


def test_second_click_on_an_import_shows_its_progress_without_a_refusal(
    hooks: Hooks, tmp_path: Path
) -> None:
    chats = tmp_path / "logs" / "chat" / "Mira"
    chats.mkdir(parents=True)
    (chats / "20240101-10-00-00.json").write_text('{"internal": [], "visible": []}')
    page = Page(hooks)
    page.intake.status = IntakeStatus(phase=IntakePhase.IMPORTING)
    busy = tab_words("en")("import_busy")
    assert busy not in page.click("host")
    page.intake.status = IntakeStatus()
    goes_on = threading.Event()
    hooks.runtime.in_background("other", goes_on.wait)
    assert busy in page.click("host")
    goes_on.set()
