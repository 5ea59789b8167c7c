import pytest

from memory_core.domain.errors import UnknownUser
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.host.chat.turn_request import hashed_conversation, identify_chat
from tests.host.plain_host import PlainHost, api_state, page_state


def located(state, tmp_path, *, default="", **host):
    return identify_chat(state, PlainHost(tmp_path, **host), api_default_user=default)


def test_page_belongs_to_the_profile_and_the_character_menu(tmp_path):
    identity = located(page_state(user_menu="Ana", character_menu="Mira"), tmp_path)
    assert identity.namespace == Namespace("Ana", "Mira")
    assert identity.conversation == "20261121-10-00-00"


def test_without_a_profile_the_user_is_default(tmp_path):
    assert located(page_state(), tmp_path).namespace == Namespace("default", "Mira")


def test_without_a_character_menu_the_name_decides(tmp_path):
    state = page_state(character_menu=None, name2="Otto")
    assert located(state, tmp_path).namespace == Namespace("default", "Otto")


def test_instruct_mode_has_its_own_namespace(tmp_path):
    assert located(page_state(mode="instruct"), tmp_path).namespace == Namespace.instruct("default")


def test_api_user_differs_from_the_page_user_of_equal_name(tmp_path):
    api = located(api_state(user="Ana"), tmp_path).namespace
    page = located(page_state(user_menu="api:Ana"), tmp_path).namespace
    assert api == Namespace("api:Ana", "Mira")
    assert page != api


def test_api_call_without_a_user_has_no_memory_and_says_so(tmp_path):
    with pytest.raises(UnknownUser, match=r"api\.default_user"):
        located(api_state(user=None), tmp_path)


def test_default_user_serves_api_calls_without_one(tmp_path):
    identity = located(api_state(user=None), tmp_path, default="default")
    assert identity.namespace == Namespace("default", "Mira")


def test_shared_page_without_sign_in_has_no_memory(tmp_path):
    state = page_state(unique_id=None)
    with pytest.raises(UnknownUser, match="nobody is signed in"):
        located(state, tmp_path, multi_user=True)
    alice = located(state, tmp_path, multi_user=True, user="alice")
    assert alice.namespace == Namespace("alice", "Mira")


def test_incognito_chat_is_recognised_and_has_no_file(tmp_path):
    identity = located(page_state(unique_id="incognito-123"), tmp_path)
    assert identity.is_incognito
    assert identity.chat_file is None


def test_equal_first_exchanges_of_two_users_get_two_names():
    first = Exchange(user="hi", assistant="hello")
    one = hashed_conversation(Namespace("api:a", "Mira"), first)
    assert one != hashed_conversation(Namespace("api:b", "Mira"), first)
    assert one == hashed_conversation(Namespace("api:a", "Mira"), first)
