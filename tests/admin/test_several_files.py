"""Several files dropped at once have one preview, and it is told what each of them gave."""

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memory_core.admin.administration import Administration
from memory_core.admin.backup.writer import write_backup
from memory_core.admin.exporters.restore import RestoreMode
from memory_core.admin.importers import dropped_files
from memory_core.admin.intake import Intake, IntakePhase
from memory_core.domain.namespaces import Namespace
from memory_core.host.hooks import Hooks
from memory_core.memory.browse import browse
from memory_core.memory.runtime import Runtime
from memory_core.storage.listing import ListQuery
from memory_core.text.locales import tab_words
from memory_core.ui.demo.demo_host import DemoHost
from memory_core.ui.tab.transfer.intake_html import intake_html
from memory_core.ui.tab.transfer.intake_view import IntakeView
from tests.builders import NOW, said

MIRA, REI, UMI = (Namespace("ana", name) for name in ("Mira", "Rei", "Umi"))
WORDS = tab_words("en")


@dataclass(frozen=True)
class Visitor:
    """Somebody who drops files and waits for the result of each step."""

    intake: Intake
    uploads: Path
    user: str = "ana"

    def file(self, name: str, *texts: str) -> Path:
        """Writes a file that mem0 exports: notes of an unnamed character."""
        facts = [{"id": text, "memory": text, "user_id": "ana"} for text in texts]
        path = self.uploads / name
        path.write_text(json.dumps({"results": facts}), encoding="utf-8")
        return path

    def drop(self, *paths: Path) -> str:
        assert self.intake.begin_reading(paths, user="ana")
        return self.wait()

    def wait(self) -> str:
        """Returns the card once the step has ended."""
        thread = self.intake._hooks.runtime._background
        assert thread
        thread.join(30.0)
        view = IntakeView(
            words=WORDS,
            status=self.intake.status,
            failures=self.intake.failures(),
            user=self.user,
        )
        return intake_html(view)


@pytest.fixture
def visitor(runtime: Runtime, tmp_path: Path) -> Visitor:
    uploads = tmp_path / "uploads"
    uploads.mkdir()
    return Visitor(Administration(Hooks(runtime, DemoHost(tmp_path / "host"))).intake, uploads)


def zipped(path: Path, files: Sequence[Path]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for file in files:
            archive.write(file, f"all/{file.name}")
    return path


def test_preview_and_outcome_have_a_line_for_each_file(visitor: Visitor) -> None:
    one = visitor.file("one.json", "Has a cat", "Plays the cello")
    two = visitor.file("two.json", "Lives in Porto")
    card = visitor.drop(one, two)
    assert WORDS("each_file_holds", count=2) in card
    assert "<li>one.json: 2 notes</li><li>two.json: 1 note</li>" in card
    visitor.intake.begin_import("Mira")
    card = visitor.wait()
    assert WORDS("each_file_gave", count=2) in card
    assert "<li>one.json: 2 new memories</li><li>two.json: 1 new memory</li>" in card
    journal = visitor.intake._hooks.runtime.journal
    assert [entry.count for entry in journal.latest(MIRA)] == [3], "notes count as memories"
    visitor.drop(visitor.file("one.json", "Has a cat"), visitor.file("new.json", "Sings"))
    visitor.intake.begin_import("Mira")
    assert "<li>one.json: nothing new</li><li>new.json: 1 new memory</li>" in visitor.wait()


def test_memories_of_two_users_are_told_apart_and_a_foreign_user_is_named(
    visitor: Visitor,
) -> None:
    bob = replace(visitor, user="bob")
    table = visitor.uploads / "talk.csv"
    table.write_text("role,content\nuser,I sing\nassistant,Nice\n", encoding="utf-8")
    files = [visitor.file("one.json", "Has a cat"), table]
    assert bob.intake.begin_reading(files, user="bob")
    assert "name ana as the person who chats. You chat here as bob" in bob.wait()
    bob.intake.begin_import("Mira")
    card = bob.wait()
    assert "ana / Mira: 1" in card
    assert "bob / Mira: 1" in card
    assert "person who chats" not in visitor.drop(visitor.file("two.json", "Has a dog"))


def test_single_file_has_no_list_of_files(visitor: Visitor) -> None:
    card = visitor.drop(visitor.file("one.json", "Has a cat"))
    assert "one.json: " not in card


def test_files_that_name_no_character_can_each_get_their_own(
    visitor: Visitor, runtime: Runtime
) -> None:
    names = ("a.json", "b.json", "c.json")
    card = visitor.drop(*(visitor.file(name, f"Likes {name}") for name in names))
    assert [f'name="character-{number}"' in card for number in range(4)] == [True] * 3 + [False]
    assert visitor.intake.status.unnamed == [*names]
    visitor.intake.begin_import("Mira", {"b.json": "Rei", "c.json": "Umi"})
    visitor.wait()
    pages = [browse(runtime.memory, space, ListQuery()) for space in (MIRA, REI, UMI)]
    found = [memory.text for page in pages for memory in page.memories]
    assert found == ["Likes a.json", "Likes b.json", "Likes c.json"]


def test_zip_of_files_tells_what_each_gave_and_how_many_were_skipped(visitor: Visitor) -> None:
    picture = visitor.uploads / "me.png"
    picture.write_bytes(b"\x89PNG")
    table = visitor.uploads / "talk.csv"
    table.write_text("role,content\nuser,I sing\nassistant,Nice\n", encoding="utf-8")
    files = [visitor.file("one.json", "Has a cat"), table, picture]
    card = visitor.drop(zipped(visitor.uploads / "all.zip", files))
    assert "all.zip: one.json: 1 note" in card
    assert "all.zip: talk.csv: 1 message with its answer in 1 chat" in card
    assert "1 message with its answer in 1 chat. 1 note." in card
    assert WORDS("skipped_files", name="all.zip", count=1) in card


def test_files_beside_backups_wait_and_are_looked_at_afterwards(
    visitor: Visitor, runtime: Runtime
) -> None:
    saved = []
    for space in (REI, UMI):
        runtime.memory.remember(space, "monday", said(f"I like {space.character}"))
        path = visitor.uploads / f"{space.character}.memories.zip"
        write_backup(path, runtime.memory.root, [space], now=NOW)
        saved.append(path)
    card = visitor.drop(
        zipped(visitor.uploads / "both.zip", saved), visitor.file("a.json", "Sings")
    )
    assert visitor.intake.status.phase is IntakePhase.BACKUP_FOUND
    assert visitor.intake.status.postponed == ("Umi.memories.zip", "a.json")
    assert WORDS["postponed_run"] in card
    visitor.intake.begin_restore(RestoreMode.MERGE)
    assert WORDS["postponed_run"] in visitor.wait()
    assert visitor.intake.begin_postponed()
    visitor.wait()
    plan = visitor.intake.status.plan
    assert plan is not None
    assert plan.parts[0].source == UMI
    assert visitor.intake.begin_postponed()
    assert "Found in a.json" in visitor.wait()
    visitor.intake.begin_import("Mira")
    assert "1 new memory" in visitor.wait()
    assert not visitor.intake.begin_postponed()


def test_files_beside_a_damaged_backup_are_not_lost(visitor: Visitor, runtime: Runtime) -> None:
    runtime.memory.remember(REI, "monday", said("I play the cello"))
    path = visitor.uploads / "all.zip"
    write_backup(path, runtime.memory.root, [REI], now=NOW)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data.replace(b"cello", b"cella"))
    card = visitor.drop(path, visitor.file("a.json", "Sings"))
    assert visitor.intake.status.phase is IntakePhase.FAILED
    assert WORDS["postponed_run"] in card
    assert visitor.intake.begin_postponed()
    assert "Found in a.json" in visitor.wait()


def test_files_of_one_name_are_told_apart(visitor: Visitor, runtime: Runtime) -> None:
    paths = []
    for number, name in enumerate(["chat.csv", "chat.csv", "chat (2).csv"]):
        paths.append(visitor.uploads / str(number) / name)
        paths[-1].parent.mkdir()
        paths[-1].write_text(f"user,assistant\nI like {number},Nice\n", encoding="utf-8")
    visitor.drop(*paths)
    names = ["chat.csv", "chat (3).csv", "chat (2).csv"]
    assert visitor.intake.status.unnamed == names == [*visitor.intake.status.names]
    visitor.intake.begin_import("Mira", {"chat (3).csv": "Rei"})
    visitor.wait()
    texts = [memory.text for memory in browse(runtime.memory, REI, ListQuery()).memories]
    assert len(texts) == 1
    assert "I like 1" in texts[0]
    chats = {memory.conversation for memory in browse(runtime.memory, MIRA, ListQuery()).memories}
    assert len(chats) == 2


def test_two_zips_of_one_name_each_tell_what_was_skipped(visitor: Visitor) -> None:
    picture = visitor.uploads / "me.png"
    picture.write_bytes(b"\x89PNG")
    zips = []
    for number in range(2):
        table = visitor.uploads / f"{number}.csv"
        table.write_text("user,assistant\nI sing,Nice\n", encoding="utf-8")
        folder = visitor.uploads / str(number)
        folder.mkdir()
        zips.append(zipped(folder / "all.zip", [table, picture]))
    card = visitor.drop(*zips)
    assert visitor.intake.status.skipped == {"all.zip": 1, "all (2).zip": 1}
    assert WORDS("skipped_files", name="all (2).zip", count=1) in card


@pytest.mark.parametrize("has_notes", [True, False])
def test_zip_of_too_many_files_tells_how_many_were_not_read(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch, has_notes: bool
) -> None:
    monkeypatch.setattr(dropped_files, "_MAX_FILES", 3)
    files = [visitor.file("a.json", "Has a cat")] if has_notes else []
    while len(files) < 5:
        files.append(visitor.uploads / f"b{len(files)}.png")
        files[-1].write_bytes(b"\x89PNG")
    card = visitor.drop(zipped(visitor.uploads / "all.zip", files))
    told = "all.zip: holds 5 files, of which the last 2 by name were not read"
    assert told in card
    assert WORDS("left_out", count=2) in card or not has_notes
    assert visitor.intake.status.skipped == ({"all.zip": 2} if has_notes else {})


def test_unreadable_files_are_told_when_the_files_beside_a_backup_are_looked_at(
    visitor: Visitor, runtime: Runtime
) -> None:
    runtime.memory.remember(REI, "monday", said("I play the cello"))
    backup = visitor.uploads / "Rei.zip"
    write_backup(backup, runtime.memory.root, [REI], now=NOW)
    picture, hostile = visitor.uploads / "me.png", visitor.uploads / "hostile.zip"
    picture.write_bytes(b"\x89PNG")
    with zipfile.ZipFile(hostile, "w") as archive:
        archive.writestr("../a.txt", "a")
    mixed = zipped(visitor.uploads / "all.zip", [visitor.file("a.json", "Sings"), picture])
    visitor.drop(backup, picture, hostile, mixed)
    before = visitor.intake.status
    assert (len(before.refused), before.unknown, before.skipped) == (1, ("me.png",), {"all.zip": 1})
    assert visitor.intake.begin_postponed()
    card = visitor.wait()
    after = visitor.intake.status
    assert (after.refused, after.unknown, after.skipped) == (
        before.refused,
        before.unknown,
        before.skipped,
    )
    assert WORDS("unknown_file", name="me.png") in card
    assert "hostile.zip" in card
