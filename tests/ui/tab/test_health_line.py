"""The sentence on health says whether memory works, and what to do if not."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.bootstrap import build_runtime
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.host.hooks import Hooks
from memory_core.memory.installation import Installation
from memory_core.storage.pauses import PauseState
from memory_core.ui.demo.demo_host import DemoHost
from memory_core.ui.tab.common.header import Selection
from memory_core.ui.tab.common.open_chat import OpenChat
from memory_core.ui.tab.settings.health import health_line_html
from tests.cases import for_each

ANA, CHAT = Namespace("Ana", "Mira"), "20261121-07-24-00"


class CrowdedHost(DemoHost):
    def owner_before_us(self) -> str:
        return "greedy<i>"


class SharedHost(CrowdedHost):
    def is_multi_user(self) -> bool:
        return True


@pytest.fixture
def hooks(tmp_path: Path) -> Iterator[Hooks]:
    runtime = build_runtime(Installation(folder=tmp_path, environ={"LTM_EMBEDDER__KIND": "none"}))
    runtime.memory.remember(ANA, CHAT, Exchange(user="My canoe leaks.", assistant="A pity."))
    yield Hooks(runtime, DemoHost(tmp_path))
    runtime.close()


def line(hooks: Hooks, *, language: str = "en", namespace: Namespace | None = ANA) -> str:
    chat = OpenChat(namespace=namespace, conversation=CHAT)
    visible = (namespace,) if namespace else ()
    view = Selection(
        language=language, chosen=namespace, conversation=CHAT, chat=chat, visible=visible
    )
    return health_line_html(hooks, view)


def test_working_memory_is_one_sentence_with_its_number_and_the_way_to_more(hooks: Hooks) -> None:
    assert "Memory is working: 1 memory, found by words only." in line(hooks)
    assert "choose a model" in line(hooks)
    assert "1 条记忆" in line(hooks, language="zh")


def test_without_memories_the_line_says_so(hooks: Hooks) -> None:
    assert "There are no memories yet." in line(hooks, namespace=None)


@for_each("key", ["ltm_writes.enabled", "recall.enabled"])
def test_switch_that_is_off_is_told_with_its_place(hooks: Hooks, key: str) -> None:
    hooks.runtime.save_settings({key: False})
    assert "Memory is working" not in line(hooks)
    assert "You can switch it on again above." in line(hooks)
    hooks.runtime.save_settings({key: True})


def test_paused_chat_and_unwanted_character_are_told_with_their_place(hooks: Hooks) -> None:
    pauses = hooks.runtime.pauses
    pauses.set_pause(ANA, CHAT, PauseState(is_recall_paused=True))
    assert "“Pause a chat, or never remember a character”" in line(hooks)
    pauses.set_pause(ANA, CHAT, PauseState())
    pauses.set_never_remembered(ANA, wanted=True)
    assert "“Pause a chat, or never remember a character”" in line(hooks)
    assert "Memory is working" not in line(hooks)


def test_problem_is_told_with_its_remedy_and_escaped(hooks: Hooks, tmp_path: Path) -> None:
    found = line(Hooks(hooks.runtime, CrowdedHost(tmp_path)))
    assert "1 thing needs attention" in found
    assert "greedy&lt;i&gt;" in found
    assert "--extensions" in found


def test_shared_page_gets_no_names_in_problems(hooks: Hooks, tmp_path: Path) -> None:
    assert "greedy" not in line(Hooks(hooks.runtime, SharedHost(tmp_path)))
