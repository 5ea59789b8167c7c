"""Renames and aliases lose no memory, on the command line and in backups."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.admin import names as naming
from memory_core.admin.backup.writer import write_backup
from memory_core.admin.exporters.restore import RestoreMode, restore
from memory_core.domain.errors import ConfigError, ImportFailed
from memory_core.domain.namespaces import Namespace
from memory_core.storage.aliases import ALIASES, Aliases
from memory_core.storage.pauses import ChatPauses
from memory_core.ui.cli.main import main
from tests.admin.exporters.scene import packed, unpacked
from tests.builders import NOW, SPACE, destroy, merge, open_memory, said, user_sides

OTHER = Namespace("Ana", "Mira")
DOG, BEES = said("My dog is called Bruno"), said("I keep bees")


@pytest.fixture
def storage(tmp_path: Path) -> str:
    memory = open_memory(tmp_path)
    memory.reconcile(SPACE, "a", [DOG], whole=True)
    memory.reconcile(OTHER, "b", [BEES], whole=True)
    memory.close()
    return f"--storage={memory.root}"


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    found: dict[str, object] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return found


def test_merge_command_names_its_backup_and_lists_the_alias(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["names", "merge", "Ana", "Mira", "--into", "ana", "mira", storage, "--json"]) == 0
    found = told(capsys)
    assert found["memories"] == 1
    assert Path(str(found["backup"])).exists()
    assert main(["names", "list", storage]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ana / mira: 2 memories",
        "Ana / Mira means ana / mira",
    ]


def test_a_rename_keeps_the_old_name_until_it_is_taken_back(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["names", "rename", "ana", "mira", "--to", "ana", "Mia", storage]) == 0
    memory = open_memory(tmp_path)
    assert user_sides(memory.conversation(SPACE, "a", 9)) == [DOG.user]
    memory.close()
    assert main(["names", "unalias", "ana", "mira", storage, "--json"]) == 0
    assert told(capsys)["aliases"] == []
    assert main(["names", "unalias", "ana", "mira", storage]) == 2
    assert "is no alias" in capsys.readouterr().err


def test_a_user_may_have_another_name_but_none_that_hides_memories(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["names", "alias", "Anon", "--of", "ana", storage]) == 0
    assert main(["names", "alias", "ana", "M 2", "--of", "ana", "mira", storage]) == 0
    assert main(["names", "alias", "Ana", "--of", "ana", storage]) == 2
    assert main(["names", "alias", "Ana", "Mira", "--of", "ana", "mira", storage]) == 2
    assert "merge" in capsys.readouterr().err
    assert main(["names", "alias", "Ana", "--of", "ana", "mira", storage]) == 2
    memory = open_memory(tmp_path)
    assert memory.resolve(Namespace("Anon", "M 2")) == SPACE
    assert memory.resolve(OTHER) == OTHER
    memory.close()


def test_shared_scopes_are_neither_renamed_nor_merged(storage: str, tmp_path: Path) -> None:
    assert main(["names", "rename", "ana", "_shared", "--to", "ana", "x", storage]) == 2
    assert main(["names", "merge", "ana", "mira", "--into", "ana", "_shared", storage]) == 2
    assert main(["names", "rename", "ana", "nobody", "--to", "ana", "x", storage]) == 2
    memory = open_memory(tmp_path)
    assert memory.namespaces() == sorted([OTHER, SPACE], key=lambda space: space.user)
    memory.close()


def test_a_whole_backup_brings_other_names_back_but_an_export_has_none(
    storage: str, tmp_path: Path
) -> None:
    whole, one = tmp_path / "all.zip", tmp_path / "one.zip"
    main(["names", "alias", "Anon", "--of", "ana", storage])
    main(["names", "alias", "ana", "M 2", "--of", "ana", "mira", storage])
    assert main(["backup", "-o", str(whole), storage]) == 0
    assert main(["export", "ana", "mira", "-o", str(one), storage]) == 0
    for file, names in ((whole, 2), (one, 0)):
        memory = open_memory(tmp_path / file.stem)
        restore(memory, file)
        known = memory.aliases
        assert len(known.users) + len(known.namespaces) == names
        memory.close()


def test_backup_of_everything_has_the_stored_names_of_chats(tmp_path: Path) -> None:
    memory, whole = open_memory(tmp_path), tmp_path / "all.zip"
    for space, exchange in ((OTHER, DOG), (SPACE, BEES)):
        memory.reconcile(space, "Main", [exchange], whole=True)
    merge(memory, OTHER, SPACE)
    memory.close()
    assert main(["backup", "-o", str(whole), f"--storage={memory.root}"]) == 0
    elsewhere = open_memory(tmp_path / "elsewhere")
    restore(elsewhere, whole)
    assert elsewhere.aliases == memory.aliases
    assert elsewhere.aliases.chat_name(OTHER, "Mira", "Main") == "Main/Mira"


def test_names_in_a_backup_give_way_to_those_here(storage: str, tmp_path: Path) -> None:
    whole = tmp_path / "all.zip"
    for name in ("x", "y"):
        main(["names", "alias", name, "--of", "ana", storage])
    main(["names", "alias", "ana", "new", "--of", "ana", "mira", storage])
    main(["backup", "-o", str(whole), storage])
    memory = open_memory(tmp_path / "elsewhere")
    memory.set_aliases(Aliases().with_user("x", "bob"))
    new = Namespace("ana", "new")
    memory.reconcile(new, "c", [BEES], whole=True)
    restore(memory, whole, mode=RestoreMode.MERGE)
    assert memory.aliases == Aliases(users={"x": "bob", "y": "ana"})
    assert user_sides(memory.conversation(new, "c", 9)) == [BEES.user]
    memory.close()


def test_names_that_contradict_others_or_hide_memories_are_left_out(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    memory.reconcile(SPACE, "a", [DOG], whole=True)
    assert naming.add_consistent_aliases(memory, Aliases(users={SPACE.user: "bob"})) == 0
    memory.set_aliases(Aliases().with_user("a", "b"))
    assert naming.add_consistent_aliases(memory, Aliases(users={"b": "a", "c": "a"})) == 1
    assert memory.aliases.users == {"a": "b", "c": "b"}
    memory.close()


BOB, HELPER = Namespace("api:bob", "mira"), Namespace("api:ana", "helper")
FOREIGN = Aliases().with_user("api:bob", "ana").with_namespace(Namespace("api:eve", "mira"), SPACE)
OWN = Aliases().with_namespace(Namespace("api:ana", "aide"), HELPER)


def file_with(tmp_path: Path, aliases: Aliases) -> Path:
    """Returns a backup of somebody else with memories of `ana` and these names."""
    theirs, path = open_memory(tmp_path / "theirs"), tmp_path / "Mira.memories.zip"
    theirs.reconcile(SPACE, "theirs", [DOG], whole=True)
    write_backup(path, theirs.root, [SPACE], now=NOW, aliases=aliases)
    return path


def test_names_in_a_backup_give_no_client_the_memories_that_were_here(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    memory.reconcile(SPACE, "ours", [BEES], whole=True)
    memory.reconcile(HELPER, "ours", [BEES], whole=True)
    aliases = replace(FOREIGN, namespaces={**FOREIGN.namespaces, **OWN.namespaces})
    restore(memory, file_with(tmp_path, aliases), mode=RestoreMode.MERGE)
    assert memory.resolve(BOB) == BOB
    assert memory.aliases == OWN
    memory.close()


def test_names_in_a_backup_of_a_client_are_restored_to_an_empty_folder(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    restore(memory, file_with(tmp_path, FOREIGN))
    assert memory.aliases == FOREIGN
    memory.close()


def test_a_backup_from_before_a_rename_goes_where_the_memories_are(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = tmp_path / "one.zip"
    main(["export", "ana", "mira", "-o", str(one), storage])
    main(["names", "rename", "ana", "mira", "--to", "ana", "Mia", storage])
    assert main(["restore", str(one), storage]) == 2
    assert "ana / Mia already" in capsys.readouterr().err
    memory = open_memory(tmp_path)
    destroy(memory, SPACE)
    memory.close()
    assert main(["restore", str(one), storage]) == 0
    assert "ana / Mia: 1 memory restored" in capsys.readouterr().out
    memory = open_memory(tmp_path)
    for name in (SPACE, Namespace("ana", "Mia")):
        assert user_sides(memory.conversation(name, "a", 9)) == [DOG.user]
    memory.close()


def test_namespaces_merged_since_the_backup_are_restored_one_by_one(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = tmp_path / "all.zip"
    main(["backup", "-o", str(whole), storage])
    main(["names", "merge", "Ana", "Mira", "--into", "ana", "mira", storage])
    assert main(["restore", str(whole), "--merge", storage]) == 2
    assert "one by one" in capsys.readouterr().err
    names = ["--user", "Ana", "--character", "Mira"]
    assert main(["restore", str(whole), "--merge", *names, storage]) == 0
    assert "ana / mira: 0 memories" in capsys.readouterr().out


def test_a_character_renamed_for_a_user_s_other_name_stays_within_reach(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    memory.reconcile(SPACE, "a", [DOG], whole=True)
    naming.add_user(memory, "Anon", "ana")
    new = Namespace("Anon", "Mia")
    naming.rename(memory, ChatPauses(memory.root), SPACE, new)
    for name in (SPACE, new, Namespace("ana", "Mia")):
        assert user_sides(memory.conversation(name, "a", 9)) == [DOG.user]


def test_invalid_aliases_in_a_backup_restore_nothing(storage: str, tmp_path: Path) -> None:
    whole = tmp_path / "all.zip"
    main(["backup", "-o", str(whole), storage])
    packed(tmp_path / "bad.zip", {**unpacked(whole), ALIASES: b"[]"})
    memory = open_memory(tmp_path / "elsewhere")
    with pytest.raises(ImportFailed, match=ALIASES):
        restore(memory, tmp_path / "bad.zip")
    assert memory.namespaces() == []
    memory.close()


def test_merge_of_a_namespace_with_itself_is_refused(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    memory.reconcile(SPACE, "a", [DOG], whole=True)
    with pytest.raises(ConfigError, match="mean the same already"):
        naming.merge(memory, ChatPauses(memory.root), SPACE, SPACE)
    assert memory.counts(SPACE)["live"] == 1
    memory.close()


@pytest.mark.parametrize(
    "command",
    ["", "import", "export", "backup", "restore", "names"]
    + [f"names {action}" for action in ("list", "rename", "merge", "alias", "unalias")],
)
def test_every_command_says_how_it_is_used(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main([*command.split(), "--help"])
    assert left.value.code == 0
    assert "usage:" in capsys.readouterr().out
