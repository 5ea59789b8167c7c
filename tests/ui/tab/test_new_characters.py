"""Characters without memories can be chosen, as for a note before the first chat."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.text.locales import tab_words
from memory_core.ui.tab.common.visible_namespaces import (
    namespace_choices,
    visible_namespaces,
    without_memories,
)
from tests.builders import said
from tests.host.plain_host import PlainHost, hooks_in, opened

MIRA, NOVA = Namespace("ana", "Mira"), Namespace("ana", "Nova")


@dataclass
class HostWithCharacters(PlainHost):
    names: list[str] = field(default_factory=lambda: ["Mira", "Nova"])

    def characters(self) -> list[str]:
        return self.names


@pytest.fixture
def host(tmp_path: Path) -> Iterator[HostWithCharacters]:
    yield HostWithCharacters(tmp_path, profile="ana")
    while opened:
        opened.pop().close()


def test_characters_of_the_host_without_memories_are_offered_after_the_others(
    tmp_path: Path, host: HostWithCharacters
) -> None:
    hooks = hooks_in(tmp_path / "home", host)
    hooks.runtime.memory.remember(MIRA, "c", said("My dog is called Bello"))
    spaces = visible_namespaces(hooks, None)
    others = without_memories(hooks, None, spaces, None)
    assert (spaces, others) == ([MIRA], [NOVA])
    labels = [label for label, _ in namespace_choices(spaces, others, tab_words("en"))]
    assert labels == ["Mira", "Nova (new)"]


def test_character_of_the_open_chat_is_offered_even_if_the_host_lists_none(
    tmp_path: Path,
) -> None:
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path))
    assert without_memories(hooks, None, [MIRA], NOVA) == [NOVA]
    assert without_memories(hooks, None, [NOVA], NOVA) == []


def test_other_name_of_a_character_is_not_offered_as_a_new_one(
    tmp_path: Path, host: HostWithCharacters
) -> None:
    hooks = hooks_in(tmp_path / "home", host)
    memory = hooks.runtime.memory
    memory.remember(MIRA, "c", said("My dog is called Bello"))
    memory.set_aliases(memory.aliases.with_namespace(NOVA, MIRA))
    assert without_memories(hooks, None, [MIRA], None) == []


def test_shared_page_offers_characters_to_whoever_is_signed_in(
    tmp_path: Path, host: HostWithCharacters
) -> None:
    host.multi_user = True
    hooks = hooks_in(tmp_path / "home", host)
    bobs = [Namespace("bob", "Mira"), Namespace("bob", "Nova")]
    assert without_memories(hooks, "bob", [], NOVA) == bobs
    assert without_memories(hooks, None, [], NOVA) == []


def test_chat_of_a_renamed_user_is_offered_on_a_shared_page(tmp_path: Path) -> None:
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path, multi_user=True))
    memory = hooks.runtime.memory
    memory.set_aliases(memory.aliases.with_user("anna", "ana"))
    assert without_memories(hooks, "anna", [], NOVA) == [NOVA]
    assert without_memories(hooks, "bob", [], NOVA) == []
