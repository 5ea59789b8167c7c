"""The tab follows the chat that is open on the page, not the one messaged last."""

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.ui.demo.program import Program
from memory_core.ui.demo.responder import MemoryResponder
from memory_core.ui.tab.common.open_chat import (
    NO_CHAT,
    OpenChat,
    conversation_of,
    page_components,
    read_open_chat,
)
from memory_core.ui.tab.common.visible_namespaces import namespace_key

MIRA, XIAOLAN = Namespace("Alex", "Mira"), Namespace("Alex", "小岚")
PARTS = {name: name for name in ("mode", "user_menu", "character_menu", "unique_id")}


def shown(character: str, unique_id: str) -> dict[str, object]:
    return {
        "mode": "chat",
        "user_menu": "Alex",
        "character_menu": character,
        "unique_id": unique_id,
    }


def test_page_without_known_components_identifies_no_chat(program: Program) -> None:
    assert page_components(program.hooks) == {}
    assert read_open_chat(program.hooks, {}, {}) == NO_CHAT


def test_open_chat_has_the_character_and_the_name_of_the_chat(program: Program) -> None:
    found = read_open_chat(program.hooks, PARTS, shown("小岚", "20261121-07-24-00"))
    assert found == OpenChat(namespace=XIAOLAN, conversation="20261121-07-24-00")


def test_incognito_chat_has_no_name_here(program: Program) -> None:
    found = read_open_chat(program.hooks, PARTS, shown("Mira", "incognito-20261121"))
    assert found == OpenChat(namespace=MIRA, is_incognito=True)


def test_another_character_than_the_open_one_shows_its_last_chat(program: Program) -> None:
    session = program.session("Alex", "Mira")
    for _ in session.send("hello", MemoryResponder()):
        pass
    hooks, chat = program.hooks, OpenChat(namespace=XIAOLAN, conversation="c")
    assert conversation_of(hooks, chat, XIAOLAN) == "c"
    assert conversation_of(hooks, chat, MIRA) == session.unique_id
    assert conversation_of(hooks, chat, None) == ""


def test_renamed_character_is_found_under_its_new_name(program: Program) -> None:
    memory = program.runtime.memory
    memory.remember(Namespace("Alex", "New"), "c", Exchange(user="hi", assistant="ho"))
    memory.set_aliases(
        memory.aliases.with_namespace(Namespace("Alex", "Old"), Namespace("Alex", "New"))
    )
    found = read_open_chat(program.hooks, PARTS, shown("Old", "c"))
    assert found.key == namespace_key(Namespace("Alex", "New"))
