"""The panel of names: renames, merges, other names."""

import pytest

from memory_core.domain.errors import ConfigError
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.text.locales import tab_words
from memory_core.ui.tab.common import visible_namespaces
from memory_core.ui.tab.settings import names
from tests.host.plain_host import PlainHost, hooks_in, opened

ANA, LEO, HERS = Namespace("ana", "Mira"), Namespace("ana", "Leo"), Namespace("bob", "Mira")
WORDS = tab_words("en")
DOG = Exchange(user="My dog is called Bruno", assistant="Aw")


@pytest.fixture
def hooks(tmp_path):
    made = hooks_in(tmp_path / "home", PlainHost(tmp_path))
    for space in (ANA, LEO, HERS):
        made.runtime.memory.remember(space, "c", DOG)
    yield made
    while opened:
        opened.pop().close()


def test_rename_reports_both_names_and_needs_a_different_one(hooks):
    assert names.rename_character(hooks, ANA, " ", WORDS) == WORDS["rename_nobody"]
    assert names.rename_character(hooks, ANA, "Mira", WORDS) == WORDS["rename_nobody"]
    assert (
        names.rename_character(hooks, Namespace.shared("ana"), "x", WORDS) == WORDS["rename_nobody"]
    )
    assert names.rename_character(hooks, ANA, "Mia", WORDS).startswith("Mira is now called Mia")
    assert Namespace("ana", "Mia") in hooks.runtime.memory.namespaces()


def test_merge_asks_with_counts_and_names_the_backup(hooks):
    hooks.runtime.memory.remember(ANA, "c", Exchange(user="more", assistant="yes"))
    asked = names.merge_question(hooks, ANA, LEO, WORDS)
    assert asked.startswith("2 memories of ana / Mira will move to ana / Leo, which has 1")
    told = names.merge_characters(hooks, ANA, LEO, WORDS)
    assert told.startswith("2 memories moved")
    assert ".zip" in told
    assert hooks.runtime.memory.counts(ANA)["live"] == 3


def test_merge_targets_exclude_the_namespace_itself_and_unnamed_scopes(hooks):
    spaces = [ANA, LEO, Namespace.shared("ana"), Namespace.world()]
    assert names.merge_targets(spaces, ANA) == [LEO]
    assert names.merge_targets(spaces, Namespace.shared("ana")) == []


def test_other_names_are_listed_and_can_be_taken_back(hooks):
    names.merge_characters(hooks, ANA, LEO, WORDS)
    memory = hooks.runtime.memory
    memory.set_aliases(memory.aliases.with_user("Anon", "bob"))
    found = names.alias_choices(hooks, WORDS)
    assert sorted(found.values()) == ["Anon → bob", "ana / Mira → ana / Leo"]
    for key in found:
        names.drop_alias(hooks, key, WORDS)
    assert (names.alias_choices(hooks, WORDS), memory.resolve(ANA)) == ({}, ANA)
    with pytest.raises(ConfigError):
        names.drop_alias(hooks, "odd", WORDS)


def test_user_who_signs_in_by_an_alias_sees_the_memories_of_its_name(hooks):
    hooks.host.multi_user = True
    memory = hooks.runtime.memory
    memory.set_aliases(memory.aliases.with_user("Anna", "ana"))
    assert (
        visible_namespaces.visible_namespaces(hooks, "Anna")
        == visible_namespaces.visible_namespaces(hooks, "ana")
        == [LEO, ANA]
    )


def test_shared_and_world_namespaces_have_labels_of_their_own():
    labels = [
        visible_namespaces.namespace_label(space, WORDS)
        for space in (Namespace.shared("ana"), Namespace.world())
    ]
    assert labels == ["ana / all characters", "everybody"]
