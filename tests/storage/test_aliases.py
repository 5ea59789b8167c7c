"""Aliases, merges and renames of namespaces, and notes for all characters and all users."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_core.domain.errors import ConfigError, StorageCorrupt, StorageFailed, UnknownMemory
from memory_core.domain.namespaces import Namespace, encode
from memory_core.domain.records import MemoryKind
from memory_core.storage.aliases import (
    ALIASES,
    Aliases,
    decode_aliases,
    encode_aliases,
    read_aliases,
    write_aliases,
)
from memory_core.storage.log.projection import MemoryStatus
from tests.builders import HOUR, NOW, SPACE, asked, merge, recalled, rename, said, user_sides
from tests.conftest import OpenMemory

OTHER = Namespace("Ana", "Mira")
ODD = Namespace("Ünal\ud800", "../x")
DOG = said("My dog is called Bruno", ts=NOW)
BEES = said("I keep bees near the dog's kennel", ts=NOW + HOUR)


# ---- aliases


def test_aliases_are_read_as_they_were_written(tmp_path: Path) -> None:
    aliases = Aliases().with_user("Anon", "anon").with_namespace(ODD, Namespace.instruct("ana"))
    write_aliases(tmp_path, aliases)
    assert read_aliases(tmp_path) == aliases
    assert read_aliases(tmp_path / "nowhere") == Aliases()


def test_aliases_hold_for_a_user_and_a_character_together() -> None:
    aliases = Aliases().with_user("Anon", "anon").with_namespace(Namespace("anon", "Mira 2"), SPACE)
    assert aliases.resolve(Namespace("Anon", "Mira 2")) == SPACE
    assert aliases.resolve(Namespace("Anon", "Leo")) == Namespace("anon", "Leo")
    assert aliases.without("Anon").resolve(Namespace("Anon", "Leo")).user == "Anon"


def test_alias_of_an_alias_means_the_final_target_in_any_order() -> None:
    a, b, c = (Namespace("ana", name) for name in "abc")
    for aliases in (
        Aliases().with_namespace(a, b).with_namespace(b, c),
        Aliases().with_namespace(b, c).with_namespace(a, b),
    ):
        assert [aliases.resolve(namespace) for namespace in (a, b, c)] == [c, c, c]
    assert Aliases().with_user("x", "y").with_user("y", "z").users == {"x": "z", "y": "z"}


def test_alias_of_a_character_precedes_the_alias_of_its_user() -> None:
    one, other = Namespace("Bob", "X"), Namespace("alice", "Y")
    for aliases in (
        Aliases().with_user("Bob", "alice").with_namespace(one, other),
        Aliases().with_namespace(one, other).with_user("Bob", "alice"),
    ):
        assert aliases.resolve(one) == other
        assert aliases.resolve(Namespace("alice", "X")) == Namespace("alice", "X")


def test_merge_renames_no_chats_of_other_characters() -> None:
    third, name = Namespace("ana", "Mia"), "Main/Mira"
    aliases = Aliases().with_chat(third, "Leo", encode("Main"), name)
    merged = aliases.with_merge(OTHER, SPACE, {encode(name): f"{name}/2"})
    assert merged.chat_name(third, "Leo", "Main") == name
    assert merged.chat_name(SPACE, OTHER.character, name) == f"{name}/2"


NAMES = st.sampled_from("abc")
SPACES = st.builds(Namespace, NAMES, NAMES)
AA, AB, AC, BB, BC = (Namespace(*names) for names in ("aa", "ab", "ac", "bb", "bc"))
CIRCLE = [(AA, AB), (BB, AA), (BC, AA), ("a", "b"), (BB, AC)]  # through the user that another is


@given(st.lists(st.tuples(NAMES, NAMES) | st.tuples(SPACES, SPACES), max_size=6))
@example(CIRCLE)
def test_target_of_an_alias_is_never_an_alias(pairs: list[tuple[Any, Any]]) -> None:
    aliases = Aliases()
    for alias, of in pairs:
        with suppress(ConfigError):
            add = aliases.with_user if isinstance(alias, str) else aliases.with_namespace
            aliases = add(alias, of)
    for space in (Namespace(user, name) for user in "abc" for name in "abc"):
        meant = aliases.resolve(space)
        assert aliases.resolve(meant) == meant
    assert decode_aliases(encode_aliases(aliases), "") == aliases


def test_name_cannot_be_an_alias_of_itself() -> None:
    with pytest.raises(ConfigError, match="itself"):
        Aliases().with_namespace(OTHER, SPACE).with_namespace(SPACE, OTHER)
    with pytest.raises(ConfigError, match="itself"):
        Aliases().with_user("x", "y").with_user("y", "x")


@pytest.mark.parametrize(
    "text", ["", "[]", '{"format": 2}', '{"format": 1, "users": [], "spaces": []}', "\xff"]
)
def test_damaged_alias_file_is_reported_and_left_alone(
    text: str, opened: OpenMemory, tmp_path: Path
) -> None:
    root = opened().root
    root.mkdir(exist_ok=True)
    (root / ALIASES).write_bytes(text.encode("latin-1"))
    with pytest.raises(StorageCorrupt, match=ALIASES):
        read_aliases(root)
    memory = opened()
    assert ALIASES in memory.problems()[0]
    assert memory.resolve(OTHER) == OTHER
    with pytest.raises(StorageFailed, match=ALIASES):
        memory.set_aliases(Aliases())
    assert (root / ALIASES).read_bytes() == text.encode("latin-1")


def test_aliases_of_another_program_hold_at_once_and_are_not_overwritten(
    opened: OpenMemory,
) -> None:
    running, other = opened(), opened()
    assert running.resolve(OTHER) == OTHER
    other.set_aliases(other.aliases.with_namespace(OTHER, SPACE))
    running.remember(OTHER, "a", DOG)
    assert running.namespaces() == [SPACE]
    running.set_aliases(running.aliases.with_user("Anon", "ana"))
    assert other.resolve(OTHER) == SPACE
    assert other.resolve(Namespace("Anon", "mira")) == SPACE


def test_alias_file_that_is_repaired_meanwhile_holds(opened: OpenMemory) -> None:
    memory = opened()
    memory.set_aliases(Aliases().with_namespace(OTHER, SPACE))
    whole = (memory.root / ALIASES).read_bytes()
    (memory.root / ALIASES).write_bytes(b"[]")
    assert memory.problems()
    (memory.root / ALIASES).write_bytes(whole)
    assert not memory.problems()
    assert memory.resolve(OTHER) == SPACE


def test_aliases_stay_while_their_file_is_unreadable(opened: OpenMemory) -> None:
    memory = opened()
    memory.set_aliases(Aliases().with_namespace(OTHER, SPACE))
    (memory.root / ALIASES).unlink()
    (memory.root / ALIASES).mkdir()
    assert memory.resolve(OTHER) == SPACE


# ---- merge and rename


def test_merge_moves_all_memories_and_both_names_find_them(opened: OpenMemory) -> None:
    memory = opened()
    memory.reconcile(OTHER, "a", [DOG], whole=True)
    memory.reconcile(SPACE, "b", [BEES], whole=True)
    dog = next(iter(memory.conversation(OTHER, "a", 9))).id
    memory.pin(OTHER, dog)
    memory.add_note(OTHER, "Ana must not eat nuts", kind=MemoryKind.KNOWLEDGE, pinned=False)
    saved = merge(memory, OTHER, SPACE)
    assert saved.exists()
    for mine in (memory, opened()):
        assert mine.get_record(SPACE, dog).memory.pinned
        assert mine.counts(OTHER)["live"] == mine.counts(SPACE)["live"] == 3
        assert mine.namespaces() == [SPACE]
        found = recalled(mine.recall(OTHER, asked("What is my dog called?")))
        assert DOG.user in found
    memory.reconcile(OTHER, "a", [DOG], whole=True)
    assert memory.counts(SPACE)["live"] == 3, "the chat goes on where it was"


def test_forgotten_memory_stays_forgotten_after_a_merge(opened: OpenMemory) -> None:
    memory = opened()
    memory.reconcile(SPACE, "b", [BEES], whole=True)
    memory.forget(SPACE, [memory.conversation(SPACE, "b", 1)[0].id])
    memory.reconcile(OTHER, "a", [DOG], whole=True)
    dog = memory.conversation(OTHER, "a", 1)[0].id
    memory.forget(OTHER, [dog])
    memory.erase_all_forgotten(OTHER)
    merge(memory, OTHER, SPACE)
    assert memory.get_record(SPACE, dog).status is MemoryStatus.FORGOTTEN
    memory.reconcile(SPACE, "a", [DOG], whole=True)
    memory.reconcile(SPACE, "new", [DOG, BEES], whole=True)
    assert memory.counts(SPACE)["live"] == 0


def test_character_cannot_be_merged_with_itself(opened: OpenMemory) -> None:
    memory = opened()
    memory.reconcile(SPACE, "a", [DOG], whole=True)
    with pytest.raises(ConfigError, match="mean the same"):
        merge(memory, SPACE, SPACE)
    assert memory.counts(SPACE)["live"] == 1


def test_a_renamed_character_keeps_its_memories_under_both_names(opened: OpenMemory) -> None:
    memory = opened()
    memory.reconcile(SPACE, "a", [DOG], whole=True)
    new = Namespace("ana", "Mira the Second")
    rename(memory, SPACE, new)
    for mine in (memory, opened()):
        assert mine.namespaces() == [new]
        assert user_sides(mine.conversation(new, "a", 9)) == [DOG.user]
        assert mine.resolve(SPACE) == new
    rename(memory, new, SPACE)
    assert memory.namespaces() == [SPACE]
    assert memory.resolve(new) == SPACE


def test_rename_does_not_overwrite_a_name_that_has_memories(opened: OpenMemory) -> None:
    memory = opened()
    memory.reconcile(SPACE, "a", [DOG], whole=True)
    memory.reconcile(OTHER, "a", [BEES], whole=True)
    with pytest.raises(ConfigError, match="merge"):
        rename(memory, SPACE, OTHER)
    assert user_sides(memory.conversation(OTHER, "a", 9)) == [BEES.user]


# ---- scopes


def test_shared_and_world_notes_are_recalled_with_a_characters_memories(
    opened: OpenMemory,
) -> None:
    memory = opened()
    memory.reconcile(SPACE, "a", [DOG], whole=True)
    texts = ["The dog's vet is in Graz", "Every dog here needs a tag"]
    for space, text in zip((Namespace.shared("ana"), Namespace.world()), texts, strict=True):
        memory.add_note(space, text, kind=MemoryKind.KNOWLEDGE, pinned=False)
    found = memory.recall(SPACE, asked("my dog"))
    assert sorted(recalled(found)) == sorted([DOG.user, *texts])
    assert [entry.text for entry in memory.always_in_prompt(SPACE)] == texts
    scores = [scored.candidate.score for scored in found.kept]
    assert scores == sorted(scores, reverse=True)


def test_shared_note_stays_with_its_user(opened: OpenMemory) -> None:
    memory = opened()
    memory.add_note(Namespace.shared("ana"), "The dog", kind=MemoryKind.KNOWLEDGE, pinned=False)
    assert recalled(memory.recall(Namespace("ben", "mira"), asked("my dog"))) == []
    assert memory.always_in_prompt(Namespace("ben", "mira")) == []


def test_shared_note_can_be_forgotten_from_any_character(opened: OpenMemory) -> None:
    memory = opened()
    memory.reconcile(SPACE, "a", [DOG], whole=True)
    shared = memory.add_note(
        Namespace.shared("ana"), "The dog bites", kind=MemoryKind.KNOWLEDGE, pinned=False
    )
    of_all = memory.add_note(
        Namespace.world(), "Dogs bark", kind=MemoryKind.KNOWLEDGE, pinned=False
    )
    memory.forget(SPACE, [shared])
    assert [entry.text for entry in memory.always_in_prompt(SPACE)] == ["Dogs bark"]
    with pytest.raises(UnknownMemory):
        memory.forget(SPACE, [of_all])
    assert set(memory.last_seqs(SPACE, [shared, of_all])) == {of_all}
    assert [entry.text for entry in memory.always_in_prompt(Namespace.world())] == ["Dogs bark"]
