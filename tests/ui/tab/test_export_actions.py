"""The tab's panel for exports: downloads, and their deletion after a while."""

import csv
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.admin.backup.reader import BackupFile
from memory_core.admin.exporters.restore import RestoreMode, restore_for_tab
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.host.hooks import Hooks
from memory_core.memory.runtime import Runtime
from memory_core.text.locales import LANGUAGES, Words, tab_words
from memory_core.ui.demo.demo_host import DemoHost
from memory_core.ui.tab.common import visible_namespaces
from memory_core.ui.tab.common.downloads import Downloads
from memory_core.ui.tab.transfer import back_up, restore_html
from tests.admin.exporters.scene import fill, seen
from tests.builders import SPACE, Clock, said

EN = tab_words("en")


@pytest.fixture
def downloads(tmp_path: Path) -> Iterator[Downloads]:
    made = Downloads(tmp_path / "cache")
    yield made
    made.delete_old(kept_s=0.0)


@pytest.mark.parametrize("words", [*map(tab_words, LANGUAGES.values())], ids=LANGUAGES)
@pytest.mark.parametrize("form", back_up.FORMATS)
def test_every_format_is_offered_in_every_language_and_makes_a_file(
    runtime: Runtime, downloads: Downloads, form: str, words: Words
) -> None:
    fill(runtime.memory)
    path, told = back_up.export(runtime.memory, [SPACE], form, downloads, words)
    assert f"export_{form}" in words
    assert path.stat().st_size > 0
    assert path.name.startswith("mira-")
    assert "4" in told


@pytest.mark.parametrize("form", back_up.FORMATS)
def test_one_file_of_every_format_holds_all_characters(
    runtime: Runtime, downloads: Downloads, form: str
) -> None:
    fill(runtime.memory)
    other = Namespace("bob", "小明")
    runtime.memory.remember(other, "monday", said("My parrot is called Polly"))
    path, told = back_up.export(runtime.memory, [SPACE, other], form, downloads, EN)
    assert path.name.startswith("memories-")
    assert "5" in told
    assert b"Polly" in path.read_bytes()
    assert b"Bruno" in path.read_bytes()
    assert b"Kumquat" not in path.read_bytes()


def test_backup_of_everybody_holds_all_characters(runtime: Runtime, downloads: Downloads) -> None:
    fill(runtime.memory)
    other = Namespace("bob", "小明")
    runtime.memory.remember(other, "monday", said("My parrot is called Polly"))
    aliases = runtime.memory.aliases
    path, told = back_up.back_up(runtime.memory, [SPACE, other], downloads, aliases, EN)
    assert "5" in told
    with BackupFile(path) as file:
        assert {contents.namespace for contents in file.contents} == {SPACE, other}


def test_memories_beside_a_card_hold_one_character_and_nothing_shared(
    runtime: Runtime, downloads: Downloads
) -> None:
    mira, shared = Namespace("ana", "Mi/ra 小"), Namespace.shared("ana")
    runtime.memory.remember(mira, "monday", said("My dog is called Bruno"))
    runtime.memory.add_note(shared, "Is vegan", kind=MemoryKind.KNOWLEDGE, pinned=False)
    path, _ = back_up.save_character(runtime, mira, downloads, EN)
    assert path.name == "Mi_ra 小.memories.zip"
    with BackupFile(path) as file:
        assert [contents.namespace for contents in file.contents] == [mira]
    downloads.delete_old(kept_s=0.0)
    assert not path.exists()


class SharedHost(DemoHost):
    def is_multi_user(self) -> bool:
        return True


@pytest.mark.parametrize(("host", "names"), [(DemoHost, ["ana", "bob"]), (SharedHost, ["ana"])])
def test_a_file_of_all_holds_what_its_visitor_may_see_and_no_more(
    runtime: Runtime, downloads: Downloads, tmp_path: Path, host: type[DemoHost], names: list[str]
) -> None:
    for space in (SPACE, Namespace("ana", "Rei"), Namespace("bob", "Mira")):
        runtime.memory.remember(space, "monday", said(f"I am {space.user}"))
    spaces = visible_namespaces.visible_namespaces(Hooks(runtime, host(tmp_path / "host")), "ana")
    path, _ = back_up.export(runtime.memory, spaces, "csv", downloads, EN)
    with path.open(newline="", encoding="utf-8-sig") as file:
        assert sorted({row["namespace_user"] for row in csv.DictReader(file)}) == names


def test_downloads_and_their_copies_are_deleted_after_half_an_hour(
    tmp_path: Path,
) -> None:
    clock = Clock()
    downloads = Downloads(tmp_path, clock=clock)
    path = downloads.new_path(SPACE, ".zip")
    copy = tmp_path / "a-hash" / path.name
    other = tmp_path / "a-hash" / "somebody-elses.zip"
    copy.parent.mkdir()
    for file in (path, copy, other):
        file.write_bytes(b"memories")
    clock.now += 1799
    downloads.delete_old()
    assert path.exists()
    clock.now += 1
    downloads.delete_old()
    assert (path.parent.exists(), copy.exists()) == (False, False)
    assert other.exists()


def test_leftover_files_of_a_killed_program_are_deleted_when_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    left = Downloads(tmp_path / "cache").new_path(SPACE, ".md")
    copy = tmp_path / "cache" / "a-hash" / left.name
    strange = tmp_path / "temporary" / "ltm-export-mine" / "thesis.md"
    linked = tmp_path / "temporary" / "ltm-export-link"
    for file in (left, copy, strange, tmp_path / "far" / left.name):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("memories")
    linked.symlink_to(tmp_path / "far")
    clock = Clock(left.stat().st_mtime)
    downloads = Downloads(tmp_path / "cache", clock=clock)
    downloads.find_leftovers()
    downloads.delete_old(kept_s=0.0)
    assert left.exists()  # of a program that runs, for all one knows
    clock.now += 1800
    downloads.delete_old()
    assert (left.parent.exists(), copy.exists()) == (False, False)
    assert strange.exists()
    assert (tmp_path / "far" / left.name).exists()


def test_restored_memories_replace_the_live_ones(
    runtime: Runtime, downloads: Downloads, tmp_path: Path
) -> None:
    fill(runtime.memory)
    looks = seen(runtime.memory)
    path, _ = back_up.back_up(runtime.memory, [SPACE], downloads, None, EN)
    runtime.memory.remember(SPACE, "monday", said("I am to be replaced"))
    hooks = Hooks(runtime, DemoHost(tmp_path / "host"))
    done = restore_for_tab(hooks, path, RestoreMode.REPLACE)
    assert seen(runtime.memory) == looks
    told = restore_html.restored_html(done, EN)
    assert ">mira: 4 memories restored" in told
    assert str(done[0].backup) in told
