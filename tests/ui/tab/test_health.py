"""The tab's health: all of it for the owner, little of it on a shared page."""

import json

import pytest

from memory_core.admin.administration import Administration
from memory_core.admin.self_test import SelfTestStep
from memory_core.domain.errors import StorageFailed
from memory_core.domain.namespaces import Namespace
from memory_core.domain.private_parts import GuardAction, GuardRules, PrivatePart
from memory_core.domain.records import Exchange
from memory_core.host.activity import SkipReason
from memory_core.infra import work_queues
from memory_core.recall.languages import all_probes
from memory_core.storage.pauses import PauseState
from memory_core.text.locales import LANGUAGES, tab_words
from memory_core.ui.tab.common.markup import pairs_table
from memory_core.ui.tab.settings import health
from tests.builders import KIND, pipeline
from tests.cases import for_each
from tests.host.plain_host import PlainHost, api_state, history_of, hooks_in, page_state
from tests.recall.languages import Linguist

WORDS = tab_words("en")
MIRA = Namespace("default", "Mira")


class Crowded(PlainHost):
    def owner_before_us(self):
        return "greedy"

    def builders_behind_us(self):
        return ["tail", "last"]

    def features(self):
        return {"shared.args": True, "extensions.iterator": False}


def shown(hooks, namespace=MIRA):
    found = {}
    for what, value in health.rows(Administration(hooks), namespace, WORDS):
        assert isinstance(value, str)
        found[what] = value
    return found


def value(hooks, key, namespace=MIRA):
    return shown(hooks, namespace)[WORDS[key]]


def say(hooks, text="Do you remember?", state=None):
    history = history_of(("hi", "hello"))
    return hooks.custom_generate_chat_prompt(text, state or page_state(), history=history)


@pytest.fixture
def hooks(tmp_path):
    return hooks_in(tmp_path / "home", Crowded(tmp_path))


def test_health_names_the_owner_of_the_prompt_hook_and_the_remedy(hooks):
    assert "“greedy”" in value(hooks, "health_hook")
    assert "--extensions" in value(hooks, "health_hook")
    assert value(hooks, "health_chained") == "tail, last"


def test_health_lists_features_that_the_host_lacks(hooks):
    assert value(hooks, "health_host_lacks") == "extensions.iterator"


def test_health_of_a_usual_host_has_no_rows_about_it(tmp_path):
    found = shown(hooks_in(tmp_path / "home", PlainHost(tmp_path)))
    about_host = {WORDS[f"health_{key}"] for key in ("hook", "chained", "host_lacks")}
    assert about_host.isdisjoint(found)


def test_health_shows_the_last_write_and_recall(hooks):
    assert value(hooks, "health_last_write") == value(hooks, "health_last_read") == "never"
    hooks.runtime.memory.remember(MIRA, "c", Exchange(user="hello", assistant="hi"))
    say(hooks)
    assert value(hooks, "health_last_write").startswith("20")
    assert value(hooks, "health_last_read").startswith("20")


def test_health_counts_waiting_and_failed_writes(hooks):
    def refused():
        raise StorageFailed("the disk is full")

    hooks.runtime.submit(refused, Namespace("default", "Mira"))
    hooks.runtime.run_pending()
    for _ in range(2):
        hooks.runtime.submit(lambda: None)
    assert value(hooks, "health_jobs").startswith("2, and 1 ")


def test_health_counts_lost_writes(hooks):
    assert value(hooks, "health_lost") == "0"
    for _ in range(work_queues.MAX_WAITING + 1):
        hooks.runtime.submit(lambda: None)
    assert value(hooks, "health_lost") == "1"


def test_health_counts_open_namespaces(hooks):
    assert value(hooks, "health_open", None) == "0 of at most 128"
    hooks.runtime.memory.remember(MIRA, "c", Exchange(user="hello", assistant="hi"))
    assert value(hooks, "health_open", None) == "1 of at most 128"


def test_health_shows_the_reason_of_every_skipped_recall(hooks):
    say(hooks, state=page_state(unique_id="incognito-1"))
    say(hooks, state=api_state(user=None))
    hooks.runtime.pauses.set_pause(
        MIRA, page_state()["unique_id"], PauseState(is_recall_paused=True)
    )
    say(hooks)
    say(hooks)
    hooks.runtime.pauses.set_pause(MIRA, page_state()["unique_id"], PauseState())
    say(hooks, "/memories")
    assert hooks.prompt_builder.activity.all_skip_counts() == {
        SkipReason.INCOGNITO: 1,
        SkipReason.NO_API_USER: 1,
        SkipReason.PAUSED: 2,
        SkipReason.COMMAND: 1,
    }  # fmt: skip
    assert f"{WORDS['skip_paused']}: 2" in value(hooks, "health_skips")


def test_health_counts_the_parts_that_the_guard_found(hooks):
    assert value(hooks, "health_guard") == WORDS["health_none"]
    guard = hooks.runtime.memory.guard
    guard.follow(GuardRules(actions={PrivatePart.EMAIL: GuardAction.REDACT}))
    hooks.runtime.memory.remember(MIRA, "one", Exchange(user="a@example.org", assistant="Hm"))
    found = value(hooks, "health_guard")
    assert found == f"{WORDS['guard_redact']}, {WORDS['guard_email']}: 1"


def test_health_counts_a_failed_recall(hooks, monkeypatch):
    def broken(*_, **__):
        raise StorageFailed("the disk is gone")

    monkeypatch.setattr(hooks.runtime.memory, "recall", broken)
    say(hooks)
    assert hooks.prompt_builder.activity.skip_counts(MIRA) == {SkipReason.FAILED: 1}


def test_health_shows_addresses_but_none_with_a_key(tmp_path):
    settings = {
        "embedder": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m",
                     "api_key": "hush"},
        "llm": {"base_url": "http://me:hush@127.0.0.1:9/v1"},
    }  # fmt: skip
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path), settings)
    untried = WORDS["health_untried"]
    assert value(hooks, "health_embedder", None) == f"m · http://127.0.0.1:9/v1 · {untried}"
    assert value(hooks, "health_llm", None) == WORDS["health_bad_address"]
    assert value(hooks, "health_reranker", None) == WORDS["health_not_set"]
    assert "hush" not in json.dumps(shown(hooks, None))


def test_health_shows_the_last_fault_of_an_endpoint(tmp_path):
    settings = {"embedder": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}}
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path), settings)
    hooks.runtime.memory.remember(MIRA, "c", Exchange(user="hello", assistant="hi"))
    with pytest.raises(Exception, match="cannot be reached"):
        hooks.runtime.memory.embedder.embed(["x"])
    assert "last fault: http://127.0.0.1:9/v1 cannot be reached" in value(hooks, "health_embedder")
    assert value(hooks, "health_vectors") == "2"


def test_health_shows_the_trust_in_the_embedder_for_each_language(hooks):
    memory, embedder = hooks.runtime.memory, Linguist("en")
    memory.reconfigure(embedder=embedder, pipeline=pipeline(), limits=KIND)
    assert value(hooks, "health_languages") == "not measured yet"
    long_texts = ["What did I tell you about that locker at the swimming pool?", "你还记得" * 9]
    memory.languages.queue_languages_of(embedder.fingerprint, long_texts)
    while memory.languages.measure_next(embedder):
        pass
    told = value(hooks, "health_languages").split("\n")
    assert told == ["English: 1.00", "Chinese: 0.00, so recall goes mostly by words"]


@for_each("tab", sorted(LANGUAGES.values()))
def test_every_language_with_probes_has_a_name_in_the_tab(tab):
    assert {f"language_{code}" for code in all_probes()} <= tab_words(tab).keys()


def test_trace_notes_that_the_embedder_barely_knows_the_language(hooks):
    memory, embedder = hooks.runtime.memory, Linguist("zh")
    memory.reconfigure(embedder=embedder, pipeline=pipeline(), limits=KIND)
    memory.remember(MIRA, "c", Exchange(user="My locker has the number seven.", assistant="Ok."))
    while memory.derive_pending(MIRA):
        pass
    question = "What was the number of my locker at the swimming pool?"
    say(hooks, question)
    while memory.languages.measure_next(embedder):
        pass
    say(hooks, question)
    later, first = hooks.runtime.traces.latest(MIRA)[:2]
    note = "the embedding model knows little English (0.00): recall goes mostly by words"
    assert note in later.notes
    assert note not in first.notes


def test_health_on_a_shared_page_shows_no_paths_and_no_other_users(hooks, tmp_path):
    bob = Namespace("bob", "Mira")
    hooks.runtime.memory.remember(bob, "c", Exchange(user="hello", assistant="hi"))
    hooks.prompt_builder.activity.record_recall(bob)
    hooks.prompt_builder.activity.record_skip(SkipReason.PAUSED, bob)
    hooks.prompt_builder.activity.record_skip(SkipReason.NOBODY, None)
    hooks.host.multi_user = True
    alice = Namespace("alice", "Mira")
    assert shown(hooks, alice) == {
        WORDS["health_last_write"]: "never",
        WORDS["health_last_read"]: "never",
        WORDS["health_vectors"]: "none",
        WORDS["health_skips"]: "none",
        WORDS["health_limits"]: WORDS["limits_none"],
    }
    assert shown(hooks, None) == {}
    assert f"{WORDS['skip_paused']}: 1" in value(hooks, "health_skips", bob)


def test_health_shows_the_storage_folder_and_its_size(hooks):
    hooks.runtime.memory.remember(MIRA, "c", Exchange(user="hello", assistant="hi"))
    assert value(hooks, "health_folder") == str(hooks.runtime.memory.root)
    assert value(hooks, "health_disk").endswith("B")


def test_self_test_reports_each_step(hooks):
    told = health.run_self_test(hooks, WORDS)
    assert WORDS["test_passed"] in told
    assert all(WORDS[f"step_{step}"] in told for step in SelfTestStep)


@pytest.mark.parametrize("is_shared", [True, False])
def test_failed_self_test_names_the_path_to_its_owner_only(hooks, is_shared):
    hooks.host.multi_user = is_shared
    root = hooks.runtime.memory.root
    root.parent.mkdir(parents=True, exist_ok=True)
    root.write_text("no folder")
    told = health.run_self_test(hooks, WORDS)
    root.unlink()
    assert WORDS["test_failed"] in told
    assert (str(root) in told) is not is_shared


@pytest.mark.parametrize("words", [*map(tab_words, LANGUAGES.values())], ids=LANGUAGES)
def test_skip_reasons_and_self_test_steps_have_words_in_every_language(words):
    assert {f"skip_{reason}" for reason in SkipReason} | {
        f"step_{step}" for step in SelfTestStep
    } <= words.keys()


@for_each(
    ("count", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KB"), (5 * 1024**3, "5.0 GB")]
)
def test_sizes_are_short(count, text):
    assert health.format_size(count) == text


def test_health_table_escapes_what_it_shows():
    drawn = pairs_table([["hook", "<b>greedy</b>"]], label="Health")
    assert "&lt;b&gt;greedy" in drawn
    assert "<b>" not in drawn
