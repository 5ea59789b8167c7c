"""The tab's head: visible namespaces, problems and facts; and the confirmation of a deletion."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.admin.administration import Administration
from memory_core.bootstrap import build_runtime
from memory_core.config.schema import Settings
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.host.hooks import Hooks
from memory_core.memory.installation import Installation
from memory_core.memory.runtime import Runtime
from memory_core.memory.traces import Trace
from memory_core.providers.embedders.built_in import BuiltInEmbedder
from memory_core.storage.pauses import PauseState
from memory_core.text.locales import tab_words
from memory_core.ui.demo.demo_host import DemoHost
from memory_core.ui.tab.common import status, visible_namespaces
from memory_core.ui.tab.settings import danger, health
from tests.cases import for_each
from tests.host.one_page import MIRA, OnePage

WORDS = tab_words("en")
MINE, HERS = Namespace("alice", "Mira"), Namespace("bob", "Mira")


class SharedHost(DemoHost):
    def is_multi_user(self) -> bool:
        return True


class CrowdedHost(DemoHost):
    """Another extension builds the prompts."""

    def owner_before_us(self) -> str:
        return "greedy<i>"


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    made = build_runtime(Installation(folder=tmp_path, environ={"LTM_EMBEDDER__KIND": "none"}))
    for space in (MINE, HERS):
        made.memory.remember(space, "c", Exchange(user="hello", assistant="hi"))
    yield made
    made.close()


def test_own_page_shows_all_namespaces(runtime: Runtime, tmp_path: Path) -> None:
    assert visible_namespaces.visible_namespaces(Hooks(runtime, DemoHost(tmp_path)), None) == [
        MINE,
        HERS,
    ]


@pytest.mark.parametrize(
    ("signed_in", "seen"), [("alice", [MINE]), ("bob", [HERS]), ("eve", []), (None, [])]
)
def test_shared_page_shows_only_the_visitors_namespaces(
    runtime: Runtime, tmp_path: Path, signed_in: str | None, seen: list[Namespace]
) -> None:
    assert (
        visible_namespaces.visible_namespaces(Hooks(runtime, SharedHost(tmp_path)), signed_in)
        == seen
    )


def test_namespace_is_found_only_by_its_exact_key() -> None:
    spaces = [MINE, HERS]
    assert (
        visible_namespaces.namespace_by_key(spaces, visible_namespaces.namespace_key(HERS)) == HERS
    )
    assert visible_namespaces.namespace_by_key(spaces, "gone") is None
    assert visible_namespaces.namespace_by_key(spaces, None) is None


def test_namespaces_with_similar_names_have_different_keys() -> None:
    spaces = [Namespace("a/b", "c"), Namespace("a", "b/c"), Namespace.instruct("a")]
    assert len({visible_namespaces.namespace_key(space) for space in spaces}) == 3
    assert [visible_namespaces.namespace_label(space, WORDS) for space in spaces] == [
        "a/b / c",
        "a / b/c",
        "a / instruct mode",
    ]


@for_each(
    ("writes", "recalls", "said"),
    [
        (False, False, "Memory is switched off"),
        (False, True, "Nothing new is remembered"),
        (True, False, "No memories are brought into chats"),
        (True, True, "Memory is working."),
    ],
)
def test_banner_says_what_is_switched_off(writes: bool, recalls: bool, said: str) -> None:
    wanted = {"ltm_writes": {"enabled": writes}, "recall": {"enabled": recalls}}
    state = status.state_key(Settings.model_validate(wanted), by_words=False)
    shown = status.banner_html([], (), WORDS, state=state)
    assert said in shown
    assert ("ltm-ill" in shown) == (not (writes and recalls))


def test_banner_of_an_incognito_chat_that_recalls_does_not_say_that_it_gets_none() -> None:
    settings = Settings.model_validate({"recall": {"in_incognito": True}})
    state = status.state_key(settings, by_words=False, is_incognito=True)
    shown = status.banner_html([], (), WORDS, state=state)
    assert "nothing here is remembered." in shown
    assert "ltm-ill" in shown


@for_each(
    ("pause", "is_incognito", "said"),
    [
        (PauseState(is_writing_paused=True, is_recall_paused=True), False, "paused in this chat"),
        (PauseState(is_writing_paused=True), False, "not remembered"),
        (PauseState(is_recall_paused=True), False, "gets no memories"),
        (PauseState(), True, "no memories come in"),
    ],
)
def test_banner_never_says_working_in_a_paused_or_incognito_chat(
    pause: PauseState, is_incognito: bool, said: str
) -> None:
    state = status.state_key(Settings(), by_words=False, pause=pause, is_incognito=is_incognito)
    for problems in ([], ["the disk is full"]):
        shown = status.banner_html(problems, (), WORDS, state=state)
        assert said in shown
        assert "ltm-ill" in shown
        assert WORDS["all_well"] not in shown


def test_memory_left_out_of_a_chat_is_no_pause() -> None:
    pause = PauseState(left_out=frozenset({"m1"}))
    assert status.state_key(Settings(), by_words=False, pause=pause) == status.ALL_WELL


def test_banner_and_health_say_since_when_remember_is_off(tmp_path: Path) -> None:
    page = OnePage(tmp_path)
    switch = page.runtime.remember_switch
    assert status.off_since(switch, WORDS) == ""
    page.runtime.save_settings({"ltm_writes.enabled": False})
    text = status.off_since(switch, WORDS)
    assert time.strftime("%Y-%m-%d %H:%M", time.localtime(switch.off_since)) in text
    _, _, in_sight = status.banner_html([], (), WORDS, off=text).partition("</details>")
    assert text in in_sight
    rows = health.rows(Administration(page.hooks), MIRA, WORDS)
    assert [WORDS["plain_remember"], text] in rows


def test_banner_shows_problems_without_a_click() -> None:
    folded, _, in_sight = status.banner_html(["x"], (), WORDS).partition("</details>")
    assert "<li>x</li>" in in_sight
    assert WORDS("health_problems", count=1) in folded


def test_choices_leave_out_the_user_if_all_memories_belong_to_one() -> None:
    spaces = [Namespace("Default", "Mira"), Namespace.instruct("Default"), Namespace.world()]
    choices = visible_namespaces.namespace_choices(spaces, [], WORDS)
    assert [label for label, _ in choices] == ["Mira", "instruct mode", "everybody"]
    assert [key for _, key in choices] == [*map(visible_namespaces.namespace_key, spaces)]


def test_choices_name_the_user_if_the_memories_belong_to_several() -> None:
    choices = visible_namespaces.namespace_choices([MINE, HERS, Namespace.world()], [], WORDS)
    assert [label for label, _ in choices] == ["alice / Mira", "bob / Mira", "everybody"]


def test_tab_opens_on_the_last_active_namespace() -> None:
    traces = [
        Trace(ts=2.0, user="gone", character="Mira", conversation="", query=""),
        Trace(ts=1.0, user="bob", character="Mira", conversation="", query=""),
    ]
    assert visible_namespaces.last_active_key(
        [MINE, HERS], traces
    ) == visible_namespaces.namespace_key(HERS)
    assert visible_namespaces.last_active_key([MINE], traces) is None


def test_problems_name_the_other_extension_and_count_skipped_calls(
    runtime: Runtime, tmp_path: Path
) -> None:
    hooks = Hooks(runtime, CrowdedHost(tmp_path))
    hooks.skipped_calls = 3
    runtime.report("writing", "the disk is full")
    owner, skipped, last = status.problems(hooks, WORDS)
    assert "greedy<i>" in owner
    assert skipped.startswith("3 messages")
    assert last == "the disk is full"


def test_nothing_in_the_banner_or_a_line_is_markup() -> None:
    facts = [("<dl>", "<m>")]
    shown = status.banner_html(["<script>x</script>"], facts, WORDS) + status.paragraph("<b>")
    assert "<script>" not in shown
    assert "&lt;m&gt;" in shown
    assert "&lt;b&gt;" in shown


def test_banner_is_well_only_without_problems() -> None:
    assert WORDS["all_well"] in status.banner_html([], (), WORDS)
    assert "by words only" in status.banner_html([], (), WORDS, state="health_words")
    assert WORDS["all_well"] not in status.banner_html(["x"], (), WORDS)


def test_facts_of_the_head_count_what_its_line_does_not() -> None:
    counts = {"live": 9, "forgotten": 1, "conversations": 2, "vectors": 17, "embedded": 4}
    rows = status.fact_rows(counts, embedder="m", folder=Path("f"), words=WORDS)
    assert ("Can be found by meaning", "24%") in rows
    assert ("Folder", "f") in rows
    assert status.count_line(counts, WORDS, paused="recall") == "9 memories · Paused: recall"


def test_head_without_memories_says_so() -> None:
    assert status.count_line(None, WORDS) == WORDS["no_memories"]


@for_each(("language", "name"), [("en", "built-in model"), ("zh", "内置模型")])
def test_embedder_state_names_the_built_in_model_in_words(language: str, name: str) -> None:
    assert status.embedder_state(BuiltInEmbedder(), tab_words(language)) == name


def test_share_of_embedded_texts_is_left_out_where_there_are_none() -> None:
    counts = {"live": 0, "forgotten": 1, "conversations": 2, "vectors": 0, "embedded": 0}
    rows = dict(status.fact_rows(counts, embedder="m", folder=None, words=WORDS))
    assert "Can be found by meaning" not in rows


def test_embedder_state_without_an_embedder_says_words_only() -> None:
    assert status.embedder_state(None, WORDS) == "words only: no model is chosen"


@for_each(
    ("typed", "name", "ok"),
    [("Mira", "Mira", True), ("mira", "Mira", False), (" Mira", "Mira", False), ("", "", False)],
)
def test_deleting_needs_the_exact_name(typed: str, name: str, ok: bool) -> None:
    assert danger.is_confirmed(typed, name) is ok
