"""Dated copies of all memories: when one is made, which stay, and which memories leave them."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.admin.backup import rolling
from memory_core.admin.backup.copy_folder import list_copies, read_contents
from memory_core.admin.backup.copy_state import read_state, write_state
from memory_core.admin.backup.rolling import RollingBackup
from memory_core.admin.exporters.restore import RestoreMode, restore
from memory_core.admin.names import rename
from memory_core.config.schema import RollingBackupSettings
from memory_core.domain.namespaces import Namespace
from memory_core.infra import durable_files
from memory_core.storage.pauses import ChatPauses
from tests.admin.rolling.scene import OTHER, WEEK, Scene, restored
from tests.builders import DAY, SPACE


def test_copy_is_made_at_once_then_weekly_and_only_where_something_changed(scene: Scene) -> None:
    assert scene.rolling.run_due(scene.now) == []
    assert scene.names() == []
    scene.say("My dog is called Bruno")
    scene.pass_by(3600)
    assert len(scene.names()) == 1
    scene.pass_by(3600)
    scene.say("My cat is called Minka")
    scene.pass_by(WEEK - 2 * 3600)
    assert len(scene.names()) == 1
    scene.pass_by(2 * 3600)
    assert len(scene.names()) == 2
    scene.pass_by()
    assert len(scene.names()) == 2


def test_copy_is_restored_with_all_namespaces_other_names_and_pauses(
    scene: Scene, tmp_path: Path
) -> None:
    scene.say("My dog is called Bruno")
    scene.say("I sail", space=OTHER)
    mia = Namespace("ana", "mia")
    rename(scene.memory, ChatPauses(scene.memory.root), OTHER, mia)
    scene.pass_by()
    again = restored(scene, tmp_path, scene.names()[0])
    assert scene.said_in(again) == ["My dog is called Bruno"]
    assert scene.said_in(again, OTHER) == scene.said_in(again, mia) == ["I sail"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_copies_can_be_read_by_their_owner_alone(scene: Scene) -> None:
    scene.say("My dog is called Bruno")
    scene.pass_by()
    assert scene.folder.stat().st_mode & 0o777 == durable_files.FOLDER_MODE
    modes = {path.stat().st_mode & 0o777 for path in scene.folder.iterdir()}
    assert modes == {durable_files.FILE_MODE}


def test_copies_are_not_made_while_switched_off_or_without_a_folder(scene: Scene) -> None:
    scene.say("My dog is called Bruno")
    scene.use(enabled=False)
    assert scene.pass_by() == []
    scene.rolling = RollingBackup(scene.memory.root, None, RollingBackupSettings())
    assert scene.pass_by() == []
    assert not scene.folder.exists()


def test_last_three_copies_stay(scene: Scene) -> None:
    for word in ("one", "two", "three", "four", "five"):
        scene.say(word)
        scene.pass_by()
    assert len(scene.names()) == 3
    assert read_contents(list_copies(scene.folder)[0]).exchanges == 5


def test_old_copy_stays_while_it_holds_a_memory_that_is_in_no_newer_one(scene: Scene) -> None:
    scene.say("My dog is called Bruno")
    scene.pass_by()
    [precious] = scene.names()
    scene.reinstall()
    for word in ("one", "two", "three", "four"):
        scene.say(word)
        scene.pass_by()
    assert len(scene.names()) == 4
    assert scene.names()[-1] == precious
    restore(scene.memory, scene.folder / precious, mode=RestoreMode.MERGE)
    scene.pass_by()
    assert len(scene.names()) == 3
    assert precious not in scene.names()


def test_lost_namespace_keeps_the_copy_that_has_it(scene: Scene) -> None:
    scene.say("My dog is called Bruno")
    scene.say("I sail", space=OTHER)
    scene.pass_by()
    [precious] = scene.names()
    scene.memory.close()
    shutil.rmtree(OTHER.folder(scene.memory.root))
    scene.install()
    for word in ("one", "two", "three", "four"):
        scene.say(word)
        scene.pass_by()
    assert scene.names()[-1] == precious


def test_unreadable_copy_is_left_alone_and_does_not_count(scene: Scene) -> None:
    for word in ("one", "two"):
        scene.say(word)
        scene.pass_by()
    broken = scene.folder / scene.names()[0]
    broken.write_bytes(b"no zip")
    for word in ("three", "four", "five"):
        scene.say(word)
        scene.pass_by()
    assert broken.read_bytes() == b"no zip"
    assert len(scene.names()) == 4


def test_copy_that_cannot_be_read_back_is_no_copy_and_no_older_one_goes(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.use(keep=1)
    scene.say("one")
    scene.pass_by()
    before = scene.names()
    scene.say("two")
    whole = rolling.write_backup

    def save_damaged(path: Path, *args: object, **kwargs: object) -> object:
        saved = whole(path, *args, **kwargs)  # type: ignore[arg-type]
        path.write_bytes(path.read_bytes()[:-40])
        return saved

    monkeypatch.setattr(rolling, "write_backup", save_damaged)
    told = scene.pass_by()
    assert "the new copy is damaged" in told[0]
    assert scene.names() == before
    monkeypatch.undo()
    assert scene.pass_by(60) == told, "it is not tried again at every look"
    assert scene.pass_by(3600) == []
    assert len(scene.names()) == 1 != before


def test_half_written_copy_of_a_killed_program_is_no_copy_and_goes(scene: Scene) -> None:
    scene.say("one")
    scene.folder.mkdir(parents=True)
    half = scene.folder / ".ltm-abc.part"
    half.write_bytes(b"half a zip")
    assert scene.names() == []
    scene.pass_by()
    assert not half.exists()
    assert len(scene.names()) == 1


def test_copy_without_room_on_the_disk_is_reported_and_not_written(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.say("one")
    usage = shutil.disk_usage(scene.memory.root)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1 << 20))
    assert "is almost full" in scene.pass_by()[0]
    assert scene.names() == []


def test_unwritable_folder_of_copies_is_reported_with_its_name(scene: Scene) -> None:
    scene.say("one")
    scene.folder.parent.mkdir(parents=True)
    scene.folder.write_text("a file is in the way")
    [told] = scene.pass_by()
    assert str(scene.folder) in told


def test_record_that_cannot_be_written_makes_no_copy_at_every_look(scene: Scene) -> None:
    scene.say("one")
    scene.memory.root.parent.joinpath("backups").write_text("in the way")
    assert scene.pass_by() != []
    scene.pass_by(3601)
    assert scene.names() == []


def test_copy_is_made_before_the_stored_format_is_updated(scene: Scene) -> None:
    scene.say("one")
    scene.pass_by()
    assert scene.rolling.copy_before_update(scene.now + 1) == []
    assert len(scene.names()) == 1
    state = read_state(scene.folder)
    write_state(scene.folder, replace(state, log_format=0))
    assert scene.rolling.copy_before_update(scene.now + 1) == []
    assert len(scene.names()) == 2
    assert read_state(scene.folder).log_format == state.log_format


def test_clock_that_was_set_back_does_not_end_the_copies(scene: Scene) -> None:
    scene.say("one")
    scene.pass_by(500 * DAY)
    scene.say("two")
    scene.pass_by(-400 * DAY)
    assert len(scene.names()) == 2


def test_copy_is_offered_after_a_reinstallation_until_it_is_decided(scene: Scene) -> None:
    scene.say("My dog is called Bruno")
    scene.pass_by()
    assert scene.rolling.find_offer() is None
    scene.reinstall()
    found = scene.rolling.find_offer()
    assert found is not None
    assert (found.namespaces, found.exchanges) == ((SPACE,), 1)
    scene.say("said before anybody looked into the tab")
    scene.pass_by(1)
    again = scene.rolling.find_offer()
    assert again is not None
    assert again.copy == found.copy
    scene.rolling.dismiss_offers()
    assert scene.rolling.find_offer() is None


def test_copy_is_offered_where_only_the_memories_are_gone(scene: Scene) -> None:
    scene.say("My dog is called Bruno")
    scene.pass_by()
    scene.memory.close()
    shutil.rmtree(scene.memory.root)
    scene.install()
    found = scene.rolling.find_offer()
    assert found is not None
    assert found.namespaces == (SPACE,)


def test_unreadable_copy_is_not_offered_but_the_one_before_it(scene: Scene) -> None:
    for word in ("one", "two"):
        scene.say(word)
        scene.pass_by()
    (scene.folder / scene.names()[0]).write_bytes(b"no zip")
    scene.reinstall()
    found = scene.rolling.find_offer()
    assert found is not None
    assert found.copy.path.name == scene.names()[1]


@pytest.mark.parametrize("damage", [b"", b"[]", b'{"newest": 1}', json.dumps([[]] * 9).encode()])
def test_damaged_state_and_record_cost_a_copy_at_most(scene: Scene, damage: bytes) -> None:
    scene.say("one")
    scene.pass_by()
    (scene.folder / "state.json").write_bytes(damage)
    (scene.memory.root.parent / "backups" / "copies.json").write_bytes(damage)
    assert scene.pass_by(3601) == []
    assert len(scene.names()) == 2
    scene.pass_by(3601)
    assert len(scene.names()) == 2
