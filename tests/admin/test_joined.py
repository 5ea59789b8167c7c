"""A merge of two namespaces loses no memory and brings no forgotten one back."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.admin import names as naming
from memory_core.admin.move_namespaces import move_events
from memory_core.domain.errors import StorageFailed
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind, Note
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.namespace_pool import NamespacePool
from memory_core.storage import merge_logs
from memory_core.storage.aliases import ALIASES, Aliases, read_aliases
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.projection import MemoryStatus
from memory_core.storage.pauses import ChatPauses, PauseState
from tests.builders import HOUR, NOW, SPACE, said, user_sides
from tests.conftest import OpenMemory
from tests.forensics import holding

OTHER, THIRD = Namespace("ana", "Leo"), Namespace("ana", "Mia")
DOG, BEES = said("My dog is called Bruno"), said("I keep bees", ts=NOW + HOUR)
CAT = said("My cat is called Tux", ts=NOW + 2 * HOUR)
PATIENCE_S = 20.0
PASSWORD = Note(text="Her password is Kumquat", kind=MemoryKind.OBSERVATION)
WORK = Note(text="He works at Initech", kind=MemoryKind.OBSERVATION)


def merged(memory: LongTermMemory, alias: Namespace, namespace: Namespace = SPACE) -> None:
    naming.merge(memory, ChatPauses(memory.root), alias, namespace)


# ---- two chats of one name


@pytest.fixture
def twins(opened: OpenMemory) -> LongTermMemory:
    """A memory in which both characters have a chat named Main."""
    memory = opened()
    memory.reconcile(OTHER, "Main", [DOG], whole=True)
    memory.reconcile(OTHER, "own", [CAT], whole=True)
    memory.reconcile(SPACE, "Main", [BEES], whole=True)
    return memory


def test_merge_keeps_chats_of_one_name_separate(twins: LongTermMemory) -> None:
    merged(twins, OTHER)
    assert user_sides(twins.conversation(SPACE, "Main", 9)) == [BEES.user]
    twins.reconcile(SPACE, "Main", [BEES, said("One more hive", ts=NOW + 3 * HOUR)], whole=True)
    assert twins.counts(SPACE)["live"] == 4
    name = twins.aliases.chat_name(OTHER, "Leo", "Main")
    assert name == "Main/Leo"
    assert user_sides(twins.conversation(SPACE, name, 9)) == [DOG.user]
    assert twins.aliases.chat_name(SPACE, "mira", "Main") == "Main"
    assert twins.aliases.chat_name(SPACE, "Leo", "own") == "own"
    assert read_aliases(twins.root) == twins.aliases


def test_merge_stores_a_chat_that_continued_under_a_new_name_once(opened: OpenMemory) -> None:
    memory, more = opened(), said("And a hive", ts=NOW + HOUR)
    old, hello = said("Good evening", ts=None), said("Hello", ts=None)
    memory.reconcile(OTHER, "Main", [old, DOG, CAT], whole=True)
    memory.reconcile(OTHER, "undated", [hello, BEES], whole=True)
    memory.reconcile(SPACE, "Main", [old, DOG, CAT, more], whole=True)  # CAT is forgotten here
    memory.reconcile(SPACE, "undated", [hello], whole=True)
    memory.forget(SPACE, [memory.conversation(SPACE, "Main", 9)[2].id])
    merged(memory, OTHER)
    for mine in (memory, opened()):
        assert user_sides(mine.conversation(SPACE, "Main", 9)) == [old.user, DOG.user, more.user]
        assert not mine.conversation(SPACE, "Main/Leo", 9)
        assert user_sides(mine.conversation(SPACE, "undated", 9)) == [hello.user]
        assert user_sides(mine.conversation(SPACE, "undated/Leo", 9)) == [hello.user, BEES.user]


def test_merge_stores_an_exchange_forgotten_in_both_namespaces_once(opened: OpenMemory) -> None:
    memory = opened()
    for namespace in (SPACE, OTHER):
        memory.reconcile(namespace, "Main", [DOG, CAT], whole=True)
        memory.forget(namespace, [memory.conversation(namespace, "Main", 9)[1].id])
    merged(memory, OTHER)
    assert memory.counts(SPACE)["forgotten"] == 1
    assert not memory.reconcile(SPACE, "Main", [DOG, CAT], whole=True)


def test_a_chat_keeps_its_new_name_through_the_next_merge(twins: LongTermMemory) -> None:
    twins.reconcile(THIRD, "Main", [CAT], whole=True)
    twins.reconcile(THIRD, "Main/Leo", [CAT], whole=True)
    merged(twins, OTHER)
    merged(twins, SPACE, THIRD)
    names = {name: twins.aliases.chat_name(THIRD, name, "Main") for name in ("Leo", "mira", "Mia")}
    assert names == {"Leo": "Main/Leo/mira", "mira": "Main/mira", "Mia": "Main"}
    found = {
        person: user_sides(twins.conversation(THIRD, name, 9)) for person, name in names.items()
    }
    assert found == {"Leo": [DOG.user], "mira": [BEES.user], "Mia": [CAT.user]}


def test_merge_of_two_users_joins_the_chat_that_both_had(opened: OpenMemory) -> None:
    memory, anon = opened(), Namespace("Anon", "mira")
    memory.reconcile(anon, "Main", [DOG], whole=True)
    memory.reconcile(SPACE, "Main", [BEES], whole=True)
    merged(memory, anon)
    assert user_sides(memory.conversation(SPACE, "Main", 9)) == [BEES.user, DOG.user]


def test_merge_of_two_users_keeps_shared_exchanges_once(opened: OpenMemory) -> None:
    memory, anon = opened(), Namespace("Anon", "mira")
    old, hello = said("Good evening", ts=None), said("Hello", ts=NOW + HOUR)
    memory.reconcile(anon, "Main", [old, old, DOG, CAT, hello], whole=True)
    memory.reconcile(SPACE, "Main", [old, old, DOG, BEES, hello], whole=True)
    memory.reconcile(SPACE, "other", [CAT], whole=True)
    pinned = next(
        entry for entry in memory.conversation(anon, "Main", 9) if entry.exchange.user == "Hello"
    )
    memory.pin(anon, pinned.id)
    merged(memory, anon)
    for mine in (memory, opened()):
        found = user_sides(mine.conversation(SPACE, "Main", 9))
        once = [old.user, old.user, DOG.user, BEES.user, CAT.user]
        assert sorted(found) == sorted([*once, "Hello", "Hello"])
        assert mine.get_record(SPACE, pinned.id).memory.pinned
        assert mine.counts(SPACE)["live"] == 8


def test_merge_of_two_users_keeps_a_shared_exchange_forgotten(opened: OpenMemory) -> None:
    memory, anon = opened(), Namespace("Anon", "mira")
    again = replace(DOG, ts=NOW + 3 * HOUR)
    memory.reconcile(anon, "Main", [DOG, CAT, again], whole=True)
    memory.reconcile(SPACE, "Main", [DOG, CAT], whole=True)
    memory.forget(SPACE, [memory.conversation(SPACE, "Main", 9)[0].id])
    memory.erase_all_forgotten(SPACE)
    merged(memory, anon)
    found = memory.conversation(SPACE, "Main", 9)
    assert sorted((entry.ts or 0.0, entry.exchange.user) for entry in found if entry.exchange) == [
        (CAT.ts, CAT.user),
        (again.ts, again.user),
    ]


def test_merge_moves_chat_only_notes_and_pauses_to_a_chats_new_name(
    twins: LongTermMemory,
) -> None:
    fact = MemoryKind.KNOWLEDGE
    twins.add_note(OTHER, "Be brief", kind=fact, pinned=False, conversation="Main")
    pauses = ChatPauses(twins.root)
    pauses.set_pause(OTHER, "Main", PauseState(is_writing_paused=True))
    naming.merge(twins, pauses, OTHER, SPACE)
    assert twins.always_in_prompt(SPACE, "Main") == []
    assert [note.text for note in twins.always_in_prompt(SPACE, "Main/Leo")] == ["Be brief"]
    assert ChatPauses(twins.root).paused_chats(SPACE) == {
        "Main/Leo": PauseState(is_writing_paused=True)
    }


# ---- one memory that both have


def test_merge_prefers_the_targets_version_of_a_shared_memory(opened: OpenMemory) -> None:
    memory = opened()
    for space in (OTHER, SPACE):
        memory.add_notes(space, [PASSWORD, WORK])
    memory.forget(SPACE, [PASSWORD.id])
    memory.erase_all_forgotten(SPACE)
    memory.edit(SPACE, WORK.id, {"text": "He works at Globex"})
    memory.pin(SPACE, WORK.id)
    merged(memory, OTHER)
    for mine in (memory, opened()):
        assert mine.get_record(SPACE, PASSWORD.id).status is MemoryStatus.FORGOTTEN
        work = mine.get_record(SPACE, WORK.id).memory
        assert (work.text, work.pinned) == ("He works at Globex", True)
    assert holding(SPACE.folder(memory.root), b"Kumquat") == []


def test_memory_forgotten_during_a_half_done_merge_stays_forgotten(
    opened: OpenMemory,
) -> None:
    memory = opened()
    memory.reconcile(OTHER, "a", [DOG, BEES], whole=True)
    memory.reconcile(SPACE, "b", [CAT], whole=True)
    memory.close()
    path = OTHER.folder(memory.root) / "conversations" / "a.jsonl"
    before = path.read_bytes()
    with memory.shared.begin_swap() as stage:
        move_events(OTHER, SPACE, stage, memory.aliases)
    (memory.root / ALIASES).unlink()  # it also told at the end only
    path.parent.mkdir(parents=True)
    path.write_bytes(before)  # an earlier version moved line by line
    memory = opened()
    dog = memory.conversation(SPACE, "a", 9)[0].id
    memory.forget(SPACE, [dog])
    memory.erase_all_forgotten(SPACE)
    merged(memory, OTHER)
    assert memory.get_record(SPACE, dog).status is MemoryStatus.FORGOTTEN
    assert memory.counts(SPACE)["live"] == 2
    assert holding(SPACE.folder(memory.root), b"Bruno") == []


def test_failed_merge_changes_nothing_and_can_be_repeated(
    twins: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StorageFailed("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(merge_logs, "_write", full)
        with pytest.raises(StorageFailed, match="no space"):
            merged(twins, OTHER)
    assert (twins.counts(OTHER)["live"], twins.counts(SPACE)["live"]) == (2, 1)
    assert not list(twins.root.glob(".restoring-*"))
    merged(twins, OTHER)
    assert twins.counts(SPACE)["live"] == 3
    assert twins.namespaces() == [SPACE]


def test_merge_moves_nothing_when_the_aliases_cannot_be_written(twins: LongTermMemory) -> None:
    (twins.root / ALIASES).mkdir()
    with pytest.raises(StorageFailed, match=ALIASES):
        merged(twins, OTHER)
    assert (twins.counts(OTHER)["live"], twins.counts(SPACE)["live"]) == (2, 1)


# ---- what cannot be read, and what is none of ours


def test_a_namespace_with_a_damaged_line_is_not_merged(opened: OpenMemory) -> None:
    memory = opened()
    memory.reconcile(OTHER, "a", [DOG, BEES], whole=True)
    memory.reconcile(SPACE, "b", [CAT], whole=True)
    memory.close()
    path = OTHER.folder(memory.root) / "conversations" / "a.jsonl"
    path.write_bytes(path.read_bytes().replace(b"Bruno", b"Brun0"))
    memory = opened()
    with pytest.raises(StorageFailed, match="1 lines cannot be read"):
        merged(memory, OTHER)
    assert set(memory.namespaces()) == {OTHER, SPACE}


def test_merge_leaves_files_beside_the_logs_in_place(twins: LongTermMemory) -> None:
    twins.close()
    folder = SPACE.folder(twins.root)
    left = {"notes.jsonl.damaged": "a", "conversations/Main.jsonl.damaged": "b", "my.txt": "c"}
    for name, text in left.items():
        (folder / name).write_text(text)
    merged(twins, OTHER)
    assert {name: (folder / name).read_text() for name in left} == left


def test_merge_removes_the_folder_behind_a_link(twins: LongTermMemory, tmp_path: Path) -> None:
    twins.close()
    folder, far = SPACE.folder(twins.root), tmp_path / "far"
    folder.rename(far)
    folder.symlink_to(far)
    merged(twins, OTHER)
    assert not far.exists()
    assert not folder.exists() or not folder.is_symlink()
    assert twins.counts(OTHER)["live"] == 3


# ---- while somebody talks


def test_caller_waiting_for_a_name_gets_its_new_namespace(tmp_path: Path) -> None:
    known, asked = [Aliases()], threading.Event()

    def aliases() -> Aliases:
        asked.set()
        return known[-1]

    def talk() -> None:
        with spaces.open_namespace(OTHER) as opened:
            opened.remember("talk", DOG)

    spaces = NamespacePool(tmp_path, open_store=LocalStore, aliases=aliases)
    talking = threading.Thread(target=talk)
    with spaces.exclusive(OTHER):
        talking.start()
        assert asked.wait(PATIENCE_S)
        known.append(Aliases(namespaces={OTHER: SPACE}))
    talking.join(PATIENCE_S)
    assert spaces.query(SPACE, lambda store: store.counts())["live"] == 1
    spaces.close()
    assert not (OTHER.folder(tmp_path) / "conversations" / "talk.jsonl").exists()


@pytest.mark.parametrize("act", ["merge", "rename"])
def test_alias_is_known_before_a_merge_releases_the_namespace(
    act: str, twins: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Namespace] = []
    give_back = NamespacePool._release_exclusive

    def shut(spaces: NamespacePool, slot: object) -> None:
        seen.append(twins.resolve(OTHER))
        give_back(spaces, slot)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(NamespacePool, "_release_exclusive", shut)
        change = naming.merge if act == "merge" else naming.rename
        change(twins, ChatPauses(twins.root), OTHER, SPACE if act == "merge" else THIRD)
    assert set(seen) == {SPACE if act == "merge" else THIRD}
