"""Owners of chat files that no message announced: no memory reaches the wrong user."""

import pytest

from memory_core.domain.namespaces import Namespace
from tests.builders import rename, said
from tests.host.saved_chats import BEES, CAT, SHEEP

ANNA, BOB, CARL = (Namespace(user, "Mira") for user in ("Anna", "Bob", "Carl"))


@pytest.fixture
def shared(chats):
    """Returns chats of Anna and Bob, who both talked to Mira."""
    chats.talk("annas", BEES, namespace=ANNA)
    chats.talk("bobs", SHEEP, namespace=BOB)
    return chats


def told(chats) -> str:
    return " ".join(chats.runtime.problems())


@pytest.mark.parametrize("owner", [ANNA, BOB, CARL])
def test_uploaded_chat_belongs_to_the_pages_user_even_a_new_one(shared, owner):
    shared.host.profile = owner.user
    shared.save("new", CAT)
    shared.settle()
    found = {user: shared.stored("new", user) for user in (ANNA, BOB, CARL)}
    assert found == {ANNA: [], BOB: [], CARL: []} | {owner: [CAT]}
    assert "their owner is unknown" not in told(shared)


def test_uploaded_chat_without_a_profile_belongs_to_the_only_user(chats):
    chats.talk("annas", BEES, namespace=ANNA)
    chats.save("new", CAT)
    chats.settle()
    assert chats.stored("new", ANNA) == [CAT]


def test_users_of_other_characters_do_not_own_an_uploaded_chat(chats):
    chats.talk("annas", BEES, namespace=ANNA)
    chats.talk("bobs", SHEEP, namespace=Namespace("Bob", "Leo"))
    chats.save("new", CAT)
    chats.settle()
    assert chats.stored("new", ANNA) == [CAT]


def test_uploaded_chat_with_several_candidates_is_reported_until_it_is_known(shared):
    shared.save("new", CAT)
    shared.settle()
    assert shared.stored("new", ANNA) == shared.stored("new", BOB) == []
    assert "1 of the chats in the folder Mira" in told(shared)
    shared.host.profile = "Bob"
    shared.settle()
    assert shared.stored("new", BOB) == [CAT]
    assert "not remembered" not in told(shared)


@pytest.mark.parametrize("profile", ["", "Anna", "Carl"])
def test_renamed_chat_stays_with_its_user(shared, profile):
    shared.host.profile = profile
    shared.path("bobs").rename(shared.path("renamed"))
    shared.settle()
    assert shared.stored("renamed", BOB) == [SHEEP]
    assert shared.stored("renamed", ANNA) == shared.stored("renamed", CARL) == []
    assert shared.live(BOB) == 1


def test_uploaded_chat_of_a_user_alias_belongs_to_the_same_user(shared):
    rename(shared.runtime.memory, BOB, Namespace("Robert", "Mira"))
    shared.restart()
    shared.host.profile = "Bob"
    shared.save("new", CAT)
    shared.settle()
    assert shared.stored("new", Namespace("Robert", "Mira")) == [CAT]


def test_instruct_chats_have_the_same_owners(chats):
    for user in ("Anna", "Bob"):
        chats.runtime.memory.remember(Namespace.instruct(user), "other", said("hello"))
    chats.host.profile = "Carl"
    chats.path("new", "").parent.mkdir(parents=True)
    chats.settle()
    chats.save("new", CAT, character="")
    chats.settle()
    assert chats.stored("new", Namespace.instruct("Carl")) == [CAT]
