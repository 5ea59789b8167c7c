"""Every file that is read at the start or on a user's request, replaced by something odd."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_core.admin.importers.base import MemoryOwner
from memory_core.admin.importers.formats import READERS, recognise
from memory_core.admin.importers.textgen import chosen_user
from memory_core.bootstrap import build_runtime
from memory_core.config import loader
from memory_core.domain.errors import LongTermMemoryError, StorageFailed
from memory_core.host.chat.chat_file import list_chats, read_rows
from memory_core.host.chat_sync.chat_registry import ChatRegistry
from memory_core.infra.regular_files import NotRegularFileError, read_regular_file
from memory_core.memory.installation import Installation
from memory_core.memory.language_trust import FILE as LANGUAGES
from memory_core.memory.language_trust import LanguageTrust
from memory_core.storage.aliases import ALIASES, Aliases, AliasFile, write_aliases
from memory_core.storage.log.event_log import EventLog
from memory_core.storage.manifest import MANIFEST, list_namespaces, read_manifest, write_manifest
from memory_core.storage.pauses import FILE as SWITCHES
from memory_core.storage.pauses import ChatPauses, PauseState
from tests.builders import SPACE, open_memory, said
from tests.damage import DAMAGES, IRREGULAR, damaged, open_to_all

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without pipes")

USER = {"ltm_reads": {"num_memories_to_fetch": 3}}
CHAT = {"internal": [["Hello", "Hi"]], "visible": [["Hello", "Hi"]], "metadata": {}}


@pytest.fixture(scope="module")
def sound() -> Iterator[dict[str, bytes]]:
    """A storage with all of its files undamaged."""
    with open_to_all() as folder:
        memory = open_memory(folder)
        memory.reconcile(SPACE, "talk", [said("I keep bees")], whole=True)
        memory.forget(SPACE, [memory.remember(SPACE, "talk", said("I had a dog"))])
        memory.close()
        ChatPauses(memory.root).set_pause(SPACE, "talk", PauseState(is_writing_paused=True))
        write_aliases(memory.root, Aliases().with_user("Anon", "ana"))
        registered_owners(memory.root / "chats.sqlite")
        space = SPACE.folder(memory.root)
        write_manifest(SPACE, space)
        stored = {
            ALIASES: memory.root / ALIASES,
            "chats.sqlite": memory.root / "chats.sqlite",
            SWITCHES: space / SWITCHES,
            MANIFEST: space / MANIFEST,
            "notes.jsonl": space / "notes.jsonl",
            "talk.jsonl": space / "conversations" / "talk.jsonl",
        }
        written = {
            "ltm_config.json": json.dumps(USER, indent=1).encode(),
            "ltm_config.last.json": json.dumps(USER, indent=1).encode(),
            LANGUAGES: b'{"probes": "", "models": {}}',
            "chat.json": json.dumps(CHAT, indent=1).encode(),
            "settings.yaml": b"user: Ana\nname1: Ana\n",
            "import.jsonl": b'{"user": "Hello", "assistant": "Hi", "ts": 1700000000}\n',
        }
        yield {name: path.read_bytes() for name, path in stored.items()} | written


def read_log_of(path: Path) -> object:
    """Reads the log at this path like the event log of its folder."""
    folder = path.parents[1] if path.name == "talk.jsonl" else path.parent
    event_log = EventLog(folder)
    return (
        [event_log.read(log) for log in ("", "talk")],
        event_log.logs(),
        event_log.foreign_files(),
    )


def _last(path: Path) -> object:
    return loader.load(path.with_name("broken.json"), environ={}, copy=path)


def _imported(path: Path) -> object:
    reader = recognise(path) or READERS["plain"]
    return list(reader.read(path, MemoryOwner(user="ana", character="mira")))


def _fault(read: Callable[[Path], object], path: Path) -> str:
    try:
        read(path)
    except LongTermMemoryError as exc:
        return str(exc)
    return ""


def registered_owners(path: Path) -> object:
    return ChatRegistry(lambda: path).owners()


READ: dict[str, Callable[[Path], object]] = {
    "ltm_config.json": lambda path: loader.load(path, environ={}),
    "ltm_config.last.json": _last,
    ALIASES: lambda path: AliasFile(path.parent).current,
    "chats.sqlite": registered_owners,
    SWITCHES: lambda path: ChatPauses(path.parents[2]).paused_chats(SPACE),
    MANIFEST: lambda path: (read_manifest(path.parent), list_namespaces(path.parents[2])),
    "notes.jsonl": read_log_of,
    "talk.jsonl": read_log_of,
    LANGUAGES: lambda path: LanguageTrust(path.parent).measured_trust("model"),
    "chat.json": read_rows,
    "settings.yaml": lambda path: chosen_user(path.parent),
    "import.jsonl": _imported,
}
BELOW = {"talk.jsonl": "ana/mira/conversations"} | dict.fromkeys(
    (SWITCHES, MANIFEST, "notes.jsonl"), "ana/mira"
)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", READ)
def test_damaged_file_gives_its_whole_lines_or_a_storage_error(
    name: str, damage: str, sound: dict[str, bytes]
) -> None:
    with open_to_all() as folder:
        path = folder / BELOW.get(name, "") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(sound[name])
        (path.parent / "broken.json").write_text("{", encoding="utf-8")
        with damaged(path, damage):
            assert path.name in (_fault(READ[name], path) or path.name)


@pytest.mark.parametrize("damage", [*IRREGULAR, "empty", "brackets", "nested", "numbers"])
@pytest.mark.parametrize("name", ["ltm_config.json", ALIASES, LANGUAGES, SWITCHES, MANIFEST])
def test_runtime_starts_and_remembers_whatever_replaces_a_file(
    name: str, damage: str, sound: dict[str, bytes], tmp_path: Path
) -> None:
    home = Installation(folder=tmp_path, environ={"LTM_EMBEDDER__KIND": "none"})
    root = home.root(home.settings()[0])
    path = tmp_path / name if name == "ltm_config.json" else root / BELOW.get(name, "") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(sound[name])
    with damaged(path, damage):
        runtime = build_runtime(home)
        try:
            assert runtime.memory.remember(SPACE, "talk", said("I keep bees"))
            is_reported = any(name in problem for problem in runtime.problems())
            assert is_reported or name in (LANGUAGES, SWITCHES, MANIFEST)
        finally:
            runtime.close()


def test_folder_in_place_of_the_alias_file_is_reported_with_advice(tmp_path: Path) -> None:
    (tmp_path / ALIASES).mkdir()
    alias_file = AliasFile(tmp_path)
    assert alias_file.current == Aliases()
    assert "it is a folder where a file belongs: move it away" in alias_file.faults[0]
    with pytest.raises(StorageFailed, match="move it away"):
        alias_file.save(Aliases().with_user("Anon", "ana"))
    (tmp_path / ALIASES).rmdir()
    alias_file.save(Aliases().with_user("Anon", "ana"))
    assert alias_file.faults == []


@pytest.mark.parametrize("damage", IRREGULAR)
def test_namespace_opens_and_names_a_log_that_is_not_a_file(damage: str, tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    memory.reconcile(SPACE, "talk", [said("I keep bees")], whole=True)
    memory.reconcile(SPACE, "other", [said("I have a cat")], whole=True)
    memory.close()
    with damaged(SPACE.folder(memory.root) / "conversations" / "other.jsonl", damage):
        memory = open_memory(tmp_path)
        assert memory.remember(SPACE, "talk", said("I have a dog"))
        assert any("other.jsonl" in problem for problem in memory.problems())
        with pytest.raises(StorageFailed, match=r"other\.jsonl"):
            memory.remember(SPACE, "other", said("I have a fish"))
        memory.close()


@pytest.mark.parametrize("damage", IRREGULAR)
def test_chats_are_listed_although_one_is_not_a_file(damage: str, tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps(CHAT), encoding="utf-8")
    with damaged(tmp_path / "a.json", damage):
        assert [name for name, _ in list_chats(tmp_path)] == ["b.json"]


def test_saving_into_a_config_nested_too_deeply_is_refused_and_changes_nothing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "ltm_config.json"
    DAMAGES["nested"](path)
    before = path.read_bytes()
    with pytest.raises(LongTermMemoryError, match="nested too deeply"):
        loader.save(path, {"recall.lines": 5})
    assert path.read_bytes() == before


def test_content_of_an_endless_or_oversized_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "zero").symlink_to("/dev/zero")
    with pytest.raises(NotRegularFileError, match="a device"):
        read_regular_file(tmp_path / "zero")
    (tmp_path / "large").write_bytes(b"12345")
    with pytest.raises(NotRegularFileError, match="larger than"):
        read_regular_file(tmp_path / "large", largest=4)
    assert read_regular_file(tmp_path / "large", largest=5) == b"12345"
