"""Erased and deleted memories leave all copies, even if the program is killed meanwhile."""

from collections.abc import Collection
from pathlib import Path

import pytest

from memory_core.admin.backup import rolling
from memory_core.admin.backup.copy_folder import memory_ids
from memory_core.admin.backup.purge import ErasureResult
from memory_core.admin.backup.rolling import recorded_copies
from memory_core.admin.exporters.restore import RestoreMode, restore
from memory_core.admin.names import drop_alias, rename
from memory_core.domain.namespaces import Namespace
from memory_core.storage.pauses import ChatPauses
from tests.admin.rolling.scene import NEEDLES, OTHER, SECRET, Scene, restored
from tests.builders import SPACE, destroy, said
from tests.forensics import leaks
from tests.memory.derived_scene import observe


def test_erased_words_leave_all_copies_and_all_else_stays(scene: Scene, tmp_path: Path) -> None:
    scene.say("My dog is called Bruno")
    told = scene.memory.remember(SPACE, "monday", SECRET)
    scene.pass_by()
    scene.say("My cat is called Minka")
    scene.pass_by()
    assert leaks(scene.folder, NEEDLES) != []
    scene.erase(told)
    assert scene.pass_by(60) == []
    assert leaks(scene.folder, NEEDLES) == []
    again = restored(scene, tmp_path, scene.names()[0])
    assert scene.said_in(again) == ["My cat is called Minka", "My dog is called Bruno"]


def test_erased_while_the_program_was_down_leaves_the_copies_at_the_next_start(
    scene: Scene,
) -> None:
    told = scene.memory.remember(SPACE, "monday", SECRET)
    scene.pass_by()
    scene.erase(told)
    scene.memory.close()
    scene.install(enabled=False)
    assert scene.pass_by(1) == []
    assert leaks(scene.folder, NEEDLES) == []


def test_copies_are_read_again_only_where_something_else_was_erased(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []
    plain = rolling.erase_ids_from_backups

    def reading(paths: Collection[Path], ids: Collection[str], *, now: float) -> ErasureResult:
        read.extend(paths)
        return plain(paths, ids, now=now)

    monkeypatch.setattr(rolling, "erase_ids_from_backups", reading)
    told = scene.memory.remember(SPACE, "monday", SECRET)
    scene.pass_by()
    scene.pass_by(60)
    assert read == []
    scene.erase(told)
    scene.pass_by(60)
    assert len(read) == 1
    scene.say("more")
    scene.pass_by()
    scene.pass_by(60)
    assert (len(read), len(scene.names())) == (1, 2)


def test_words_erased_one_after_the_other_leave_the_copies(scene: Scene) -> None:
    ids = [scene.memory.remember(SPACE, "monday", said(f"Zyxquorvath {n}")) for n in range(4)]
    scene.pass_by()
    for told in ids:
        scene.say("and more is said meanwhile")
        scene.erase(told)
        assert scene.pass_by(30) == []
    assert leaks(scene.folder, NEEDLES) == []


def test_words_erased_after_a_restore_leave_the_copies_of_the_earlier_installation(
    scene: Scene,
) -> None:
    told = scene.memory.remember(SPACE, "monday", SECRET)
    scene.pass_by()
    scene.reinstall()
    restore(scene.memory, scene.folder / scene.names()[0], mode=RestoreMode.MERGE)
    scene.erase(told)
    scene.pass_by(60)
    assert leaks(scene.folder, NEEDLES) == []


def test_copies_in_a_folder_used_before_lose_what_is_erased(scene: Scene) -> None:
    told = scene.memory.remember(SPACE, "monday", SECRET)
    scene.pass_by()
    before, scene.folder = scene.folder, scene.folder.with_name("another")
    scene.use()
    scene.erase(told)
    scene.pass_by()
    assert leaks(before, NEEDLES) == leaks(scene.folder, NEEDLES) == []
    assert {path.parent for path in recorded_copies(scene.memory.root)} == {before, scene.folder}


def test_unreadable_copy_is_reported_while_words_are_erased(scene: Scene) -> None:
    told = scene.memory.remember(SPACE, "monday", SECRET)
    scene.pass_by()
    [name] = scene.names()
    (scene.folder / name).write_bytes(b"no zip")
    scene.erase(told)
    problems = scene.pass_by(60)
    assert name in problems[0]
    assert str(scene.folder) in problems[0]
    assert scene.pass_by(60) == problems
    (scene.folder / name).unlink()
    scene.pass_by(60)


def test_destroyed_namespace_leaves_all_copies_and_the_others_stay(
    scene: Scene, tmp_path: Path
) -> None:
    scene.say("My dog is called Bruno")
    scene.memory.remember(OTHER, "monday", SECRET)
    scene.pass_by()
    mia = Namespace("ana", "mia")
    rename(scene.memory, ChatPauses(scene.memory.root), OTHER, mia)
    scene.say("My cat is called Minka")
    scene.pass_by()
    scene.rolling.mark_deleted(mia, scene.now)
    destroy(scene.memory, mia)
    assert scene.pass_by(1) == []
    assert leaks(scene.folder, NEEDLES) == []
    assert len(scene.names()) == 2
    again = restored(scene, tmp_path, scene.names()[0])
    assert again.namespaces() == [SPACE]


def test_copy_of_nothing_but_a_destroyed_namespace_goes(scene: Scene) -> None:
    scene.memory.remember(SPACE, "monday", SECRET)
    scene.pass_by()
    scene.rolling.mark_deleted(SPACE, scene.now)
    destroy(scene.memory, SPACE)
    scene.pass_by(1)
    assert scene.names() == []


def test_program_killed_while_destroying_leaves_the_copies_to_the_next_start(
    scene: Scene,
) -> None:
    scene.memory.remember(SPACE, "monday", SECRET)
    scene.pass_by()
    scene.rolling.mark_deleted(SPACE, scene.now)
    destroy(scene.memory, SPACE)
    scene.memory.close()
    scene.install()
    scene.say("new words under the same name")
    scene.pass_by(1)
    assert leaks(scene.folder, NEEDLES) == []
    assert len(scene.names()) == 1, "what was said since is copied"


def test_namespace_that_was_not_destroyed_after_all_stays_in_the_copies(scene: Scene) -> None:
    scene.memory.remember(SPACE, "monday", SECRET)
    scene.pass_by()
    scene.rolling.mark_deleted(SPACE, scene.now)
    scene.rolling.unmark_deleted(SPACE)
    scene.pass_by(1)
    assert leaks(scene.folder, NEEDLES) != []


def test_forgotten_words_are_in_no_new_copy(scene: Scene) -> None:
    told = scene.memory.remember(SPACE, "monday", SECRET)
    scene.memory.forget(SPACE, [told])
    scene.pass_by()
    assert leaks(scene.folder, NEEDLES) == []
    assert memory_ids(scene.folder / scene.names()[0]) == {told}


def test_words_of_a_derived_memory_leave_all_copies_with_its_source(scene: Scene) -> None:
    told = scene.say("My therapist is nice")
    observe(scene.memory, "The therapist is Zyxquorvath of Umbrastelle.", told)
    scene.pass_by()
    assert leaks(scene.folder, NEEDLES) != []
    scene.erase(told)
    scene.pass_by(60)
    assert leaks(scene.folder, NEEDLES) == []


def test_destroyed_namespace_leaves_copies_that_know_it_by_a_former_name(
    scene: Scene, tmp_path: Path
) -> None:
    scene.memory.remember(SPACE, "monday", SECRET)
    scene.say("My cat is called Minka", space=OTHER)
    scene.pass_by()
    new = Namespace(SPACE.user, "maya")
    switches = ChatPauses(scene.memory.root)
    rename(scene.memory, switches, SPACE, new)
    drop_alias(scene.memory, SPACE)
    with scene.rolling.deleting(new, scene.now):
        destroy(scene.memory, new)
    assert scene.pass_by(60) == []
    assert leaks(scene.folder, NEEDLES) == []
    again = restored(scene, tmp_path, scene.names()[0])
    assert again.namespaces() == [OTHER]
    assert scene.said_in(again, OTHER) == ["My cat is called Minka"]


def test_deleted_copy_of_a_namespace_takes_nothing_from_the_original(
    scene: Scene, tmp_path: Path
) -> None:
    scene.say("My dog is called Bruno")
    scene.pass_by()
    twin = Namespace(SPACE.user, "twin")
    restore(scene.memory, scene.folder / scene.names()[0], to=twin)
    with scene.rolling.deleting(twin, scene.now):
        destroy(scene.memory, twin)
    assert scene.pass_by(60) == []
    again = restored(scene, tmp_path, scene.names()[0])
    assert scene.said_in(again) == ["My dog is called Bruno"]
