import copy
import json
from dataclasses import replace

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.recall.results import DropReason
from memory_core.storage.contract import Page
from tests.host.plain_host import PlainHost, api_state, history_of, hooks_in, page_state

MIRA = Namespace("default", "Mira")
FACT = Exchange(
    user="My sister Helena keeps bees in Porto", assistant="How lovely!", user_name="Ana",
    assistant_name="Mira", ts=1_790_000_000.0,
)  # fmt: skip


@pytest.fixture
def host(tmp_path):
    return PlainHost(tmp_path)


@pytest.fixture
def hooks(tmp_path, host):
    hooks = hooks_in(tmp_path / "home", host, {"ltm_context": {"summary_sessions": 0}})
    hooks.runtime.memory.remember(MIRA, "old", FACT)
    return hooks


def ask(hooks, text, state=None, history=None, **kwargs):
    state = state or page_state()
    history = history or history_of()
    return hooks.custom_generate_chat_prompt(text, state, history=history, **kwargs)


def test_fact_from_another_chat_reaches_the_prompt(hooks):
    assert "Helena keeps bees" in ask(hooks, "What does Helena keep in Porto?")


def test_hosts_own_objects_stay_as_they_are(hooks):
    state, history = page_state(), history_of(("hi", "hello"))
    state["history"] = history
    before = copy.deepcopy((state, history))
    ask(hooks, "What does Helena keep in Porto?", state, history)
    assert (state, history) == before


def test_trace_has_the_injected_memories_with_reasons(hooks):
    ask(hooks, "What does Helena keep in Porto?")
    (trace,) = hooks.runtime.traces.latest(MIRA)
    assert "Helena keeps bees" in trace.injected_text
    assert trace.recall.kept[0].candidate.parts["words"] > 0
    assert trace.injected[-1].tokens > 0


def test_exchange_shown_in_the_chat_is_not_recalled(hooks):
    shown = history_of((FACT.user, FACT.assistant))
    prompt = ask(hooks, "What does Helena keep in Porto?", history=shown)
    assert prompt.count("Helena keeps bees") == 1
    (trace,) = hooks.runtime.traces.latest(MIRA)
    assert trace.recall.dropped[0].reason is DropReason.SHOWN


def test_forgetting_one_copy_takes_the_traces_of_the_other_along(hooks):
    hooks.runtime.memory.remember(MIRA, "branch of old", FACT)
    both = {memory.id for memory in hooks.runtime.memory.latest(MIRA, Page(limit=9))}
    ask(hooks, "What does Helena keep in Porto?")
    (trace,) = hooks.runtime.traces.latest(MIRA)
    (recalled,) = (hit.memory.id for hit in trace.recall.kept)
    trace = replace(trace, query="", recall=replace(trace.recall, dropped=()))
    hooks.runtime.traces.drop_all(MIRA)
    hooks.runtime.traces.add(MIRA, trace)
    (other,) = both - {recalled}
    hooks.runtime.forget(MIRA, [other])
    assert "Helena keeps bees" not in repr(hooks.runtime.traces.latest(MIRA))


def test_forgetting_a_note_takes_the_trace_of_its_command_along(hooks):
    ask(hooks, "/remember my locker is number 4711")
    (note,) = hooks.runtime.memory.always_in_prompt(MIRA)
    assert "4711" in repr(hooks.runtime.traces.latest(MIRA))
    hooks.runtime.forget(MIRA, [note.id])
    assert "4711" not in repr(hooks.runtime.traces.latest(MIRA))


def test_exchange_outside_the_window_is_recalled_in_the_same_chat(hooks, host):
    host.tokens_per_char = 0.3
    rows = [("The code of my bicycle lock is 4711", "I will keep it in mind.")]
    rain = "and rain " * 20
    rows += [(f"Filler number {n} about clouds {rain}", "Indeed. " * 20) for n in range(60)]
    long = history_of(*rows)
    (host.folder / "20261121-10-00-00.json").write_text(json.dumps(long), encoding="utf-8")
    state = page_state(truncation_length=2048, max_new_tokens=24)
    said = [Exchange(user=user.strip(), assistant=answer.strip()) for user, answer in rows]
    hooks.runtime.memory.reconcile(MIRA, "20261121-10-00-00", said, whole=True)
    prompt = ask(hooks, "What is the code of my bicycle lock?", state, long)
    assert "4711" in prompt
    assert prompt.endswith("What is the code of my bicycle lock?")
    assert host.count_tokens(prompt) <= 2048 - 24


def test_regenerating_does_not_recall_the_answer_being_replaced(hooks):
    rows = [Exchange(user="What of Helena's bees?", assistant="They are green.")]
    hooks.runtime.memory.reconcile(MIRA, "20261121-10-00-00", rows, whole=True)
    prompt = ask(hooks, "What of Helena's bees?", history=history_of())
    assert "They are green" not in prompt


def test_two_replays_of_one_minute_keep_the_order_of_their_chat(hooks):
    rows = [
        Exchange(user="Let us talk of Otto the cat.", assistant="Gladly.", ts=FACT.ts),
        Exchange(user="Otto the cat hunts mice in Graz.", assistant="Brave Otto!", ts=FACT.ts),
    ]
    hooks.runtime.memory.reconcile(MIRA, "another", rows, whole=True)
    prompt = ask(hooks, "What does Otto the cat hunt in Graz?")
    assert prompt.index("Let us talk of Otto") < prompt.index("Otto the cat hunts mice")


NAMED = Exchange(
    user="My name is Ana Lopes.",
    assistant="What a name, Ana Lopes! " + "I once knew a sailor who had two such names. " * 6,
    user_name="Ana", assistant_name="Mira", ts=FACT.ts,
)  # fmt: skip


def test_message_below_the_least_length_stays_out_of_every_prompt(tmp_path, host):
    hooks = hooks_in(tmp_path / "strict", host, {"ltm_writes": {"min_message_length": 100}})
    hooks.runtime.memory.remember(MIRA, "old", FACT)
    hooks.runtime.memory.remember(MIRA, "another", NAMED)
    prompt = ask(hooks, "What is my name, is it Lopes?")
    assert "What a name, Ana Lopes!" in prompt
    assert "My name is Ana" not in prompt
    assert "bees" not in ask(hooks, "What does Helena keep in Porto?")


def test_last_sessions_wait_for_the_next_session_if_recall_does(tmp_path, host):
    settings = {"recall": {"visible": "next_session"}}
    first = hooks_in(tmp_path / "waits", host, settings)
    first.runtime.memory.remember(MIRA, "old", replace(FACT, user="I planted forty apple trees."))
    first.runtime.close()
    hooks = hooks_in(tmp_path / "waits", host, settings)
    assert "apple trees" in ask(hooks, "Hi!")
    hooks.runtime.memory.remember(MIRA, "later", replace(FACT, ts=FACT.ts + 9000.0))
    prompt = ask(hooks, "Hi!", page_state(unique_id="20261121-11-00-00"))
    assert "Helena" not in prompt
    assert "apple trees" in prompt
    hooks.runtime.memory.force_reload(MIRA)
    assert "Helena" in ask(hooks, "Hi!", page_state(unique_id="20261121-12-00-00"))


def test_long_term_memory_templates_quote_one_side_in_the_prompt(tmp_path, host):
    context = {
        "injection_location": "BEFORE_NORMAL_CONTEXT",
        "memory_template": '{time_difference}, {memory_name} said:\n"{memory_message}"',
        "system_block_max_tokens": 0,
    }
    hooks = hooks_in(tmp_path / "theirs", host, {"ltm_context": context})
    hooks.runtime.memory.remember(MIRA, "old", FACT)
    hooks.runtime.memory.remember(
        MIRA, "another", replace(FACT, user="And the cat?", assistant="Otto the cat naps.")
    )
    assert 'Ana said:\n"My sister Helena keeps bees in Porto"\n' in ask(hooks, "Helena's bees?")
    prompt = ask(hooks, "What does Otto do?")
    assert 'Mira said:\n"Otto the cat naps."\n' in prompt
    assert "And the cat?" not in prompt


def test_incognito_chat_is_neither_traced_nor_stored_nor_recalled_into(hooks):
    state = page_state(unique_id="incognito-1")
    prompt = ask(hooks, "What does Helena keep in Porto?", state)
    hooks.output_modifier("A secret answer", state, is_chat=True)
    hooks.runtime.run_pending()
    assert "bees" not in prompt
    assert hooks.runtime.traces.latest() == []
    assert hooks.runtime.memory.counts(MIRA)["live"] == 1


def test_api_call_without_a_user_is_counted_and_reported(hooks):
    ask(hooks, "What does Helena keep?", api_state(user=None))
    assert hooks.skipped_calls == 1
    assert any("api.default_user" in problem for problem in hooks.runtime.problems())


def test_api_users_do_not_see_each_other(hooks):
    for user in ("alice", "bob"):
        state = api_state(user=user)
        ask(hooks, f"My bank password is {user}-1234", state)
        hooks.output_modifier("Noted.", state, is_chat=True)
    hooks.runtime.run_pending()
    prompt = ask(hooks, "What is my bank password?", api_state(user="bob"))
    assert "bob-1234" in prompt
    assert "alice-1234" not in prompt


def test_broken_folder_of_one_api_user_does_not_affect_others(hooks):
    for user in ("alice", "bob"):
        state = api_state(user=user)
        ask(hooks, f"I am {user}", state)
        hooks.output_modifier("Hello.", state, is_chat=True)
    alice = Namespace("api:alice", "Mira")
    folder = alice.folder(hooks.runtime.memory.root)
    (folder / "switches.json").write_text("{broken")
    hooks.runtime.pauses.drop(alice)
    hooks.runtime.run_pending()
    (memory,) = hooks.runtime.memory.latest(Namespace("api:bob", "Mira"), _page())
    assert memory.exchange.user == "I am bob"
    assert any("switches.json" in problem for problem in hooks.runtime.problems())


def test_api_answer_is_stored_without_the_hosts_escapes(hooks):
    state = api_state()
    ask(hooks, "Is 1 < 2?", state)
    hooks.output_modifier("Yes, 1 &lt; 2 &amp; always", state, is_chat=True)
    hooks.runtime.run_pending()
    (memory,) = hooks.runtime.memory.latest(Namespace("api:ana", "Mira"), _page())
    assert memory.exchange.assistant == "Yes, 1 < 2 & always"


def test_greeting_that_no_prompt_opened_is_not_stored(hooks):
    hooks.output_modifier("Hello, I am Mira", api_state(), is_chat=True)
    hooks.runtime.run_pending()
    assert hooks.runtime.memory.namespaces() == [MIRA]


def test_template_that_refuses_everything_fails_as_without_the_extension(hooks, host):
    host.fails = True
    with pytest.raises(ValueError, match="refuses everything"):
        ask(hooks, "What does Helena keep?")


def test_broken_storage_folder_costs_the_memories_not_the_chat(tmp_path, host):
    blocked = tmp_path / "a file where a folder should be"
    blocked.write_text("")
    hooks = hooks_in(tmp_path / "home", host, {"storage_dir": str(blocked)})
    assert ask(hooks, "Hello there").endswith("Hello there")
    assert any("without memories" in problem for problem in hooks.runtime.problems())


def test_tool_turn_uses_the_memories_of_its_first_turn(hooks):
    ask(hooks, "What does Helena keep in Porto?")
    hooks.runtime.memory.forget(MIRA, [hooks.runtime.memory.latest(MIRA, _page())[0].id])
    again = ask(hooks, "What does Helena keep in Porto?", page_state(_tool_turn=True))
    assert "Helena keeps bees" in again


def test_nothing_is_injected_for_an_empty_message(hooks):
    assert "bees" not in ask(hooks, "")


def test_bias_string_follows_only_prompts_with_memories(hooks, host):
    seen = []
    plain = host.build_prompt

    def building(*args, **kwargs):
        seen.append(hooks.bot_prefix_modifier("", " *I remember!*"))
        return plain(*args, **kwargs)

    host.build_prompt = building
    ask(hooks, "What does Helena keep in Porto?")
    ask(hooks, "zzzz", page_state(unique_id="other"))
    assert (seen[0], seen[-1]) == (" *I remember!*", "")


def test_prompt_built_without_the_hook_gets_no_bias_string(hooks):
    ask(hooks, "What does Helena keep in Porto?")
    assert hooks.bot_prefix_modifier("", " *I remember!*") == ""


def test_history_argument_is_used_when_the_state_has_none(hooks):
    state = page_state()
    del state["history"]
    assert "keeps bees" in ask(hooks, "What does Helena keep in Porto?", state)


@pytest.mark.parametrize(
    "odd",
    [
        {"internal": [["hi", None]], "metadata": {}},
        {"internal": [["hi", "ho"]], "metadata": {"user_0": "today"}},
    ],
)
def test_message_of_an_unreadable_chat_is_recalled_for_alone(hooks, odd):
    prompt = ask(hooks, "What does Helena keep in Porto?", history=odd)
    assert prompt.endswith("What does Helena keep in Porto?")
    assert "U: hi" in prompt
    assert "Helena keeps bees" in prompt
    (problem,) = hooks.runtime.problems()
    assert "row 0 of the chat" in problem


def test_long_pasted_text_is_searched_for_by_its_beginning_and_end(hooks):
    pasted = " ".join(f"word{n}" for n in range(20_000))
    ask(hooks, f"{pasted} What does Helena keep in Porto?", page_state(truncation_length=200_000))
    (trace,) = hooks.runtime.traces.latest(MIRA)
    assert "keeps bees" in trace.injected_text


def test_notebooks_mark_becomes_the_memory(hooks):
    text = "Once Helena went to Porto.\n<|memory|>\nShe"
    expanded = hooks.input_modifier(text, page_state(), is_chat=False)
    assert "keeps bees" in expanded
    assert "<|memory|>" not in expanded


def test_text_without_the_mark_and_chat_input_stay_as_they_are(hooks):
    assert hooks.input_modifier("Helena", page_state(), is_chat=False) == "Helena"
    assert hooks.input_modifier("a <|memory|> b", page_state(), is_chat=True) == "a <|memory|> b"


def _page():
    from memory_core.storage.contract import Page

    return Page(limit=10)


def test_unknown_template_field_is_reported_with_the_known_ones(tmp_path, host):
    wanted = {"ltm_context": {"memory_template": "{when}: {memory_message}"}}
    hooks = hooks_in(tmp_path / "other", host, wanted)
    (told,) = hooks.runtime.problems()
    assert "ltm_context.memory_template: {when} is no field" in told
    assert "{time_difference}" in told


def test_missing_position_in_the_context_is_reported(tmp_path, host):
    place = {"injection_location": "AFTER_NORMAL_CONTEXT_BUT_BEFORE_MESSAGES"}
    hooks = hooks_in(tmp_path / "other", host, {"ltm_context": place})
    hooks.runtime.memory.remember(MIRA, "old", FACT)
    assert "bees" in ask(hooks, "What does Helena keep in Porto?")
    assert any("<START>" in problem for problem in hooks.runtime.problems())


def test_rows_dropped_by_the_exact_token_count_are_recalled_at_once(hooks, host):
    rows = [("The code of my bicycle lock is 4711", "I will keep it in mind.")]
    rows += [(f"Filler {n} {'about clouds ' * 9}", "Indeed. " * 9) for n in range(11)]
    said = [Exchange(user=user.strip(), assistant=answer.strip()) for user, answer in rows]
    hooks.runtime.memory.reconcile(MIRA, "20261121-10-00-00", said, whole=True)
    state = page_state(truncation_length=2048, max_new_tokens=24)
    host.tokens_per_char = 0.3
    assert "Filler 0 " in ask(hooks, "Hm?", state, history_of(*rows))
    host.tokens_per_char = 1.0  # what the estimate cannot know
    fresh = page_state(truncation_length=2048, max_new_tokens=24, unique_id="20261121-11-00-00")
    prompt = ask(hooks, "What is the code of my bicycle lock?", fresh, history_of(*rows))
    assert host.count_tokens(prompt) <= 2048 - 24
    assert "U: Filler 0 " not in prompt
    assert "4711" in prompt


def test_bug_report_contains_no_chat_text(hooks, caplog):
    def fails(asked, *_):
        raise RuntimeError(asked.prompt_window.question)

    hooks.prompt_builder.build = fails
    said = "This is my secret"
    assert ask(hooks, said).endswith(said)
    assert any("RuntimeError" in problem for problem in hooks.runtime.problems())
    assert said not in caplog.text + " ".join(hooks.runtime.problems())


def test_prompt_that_cannot_fit_is_left_to_the_host(hooks):
    state = page_state(truncation_length=512, max_new_tokens=512)
    prompt = ask(hooks, "What does Helena keep in Porto?", state)
    assert prompt.endswith("What does Helena keep in Porto?")
    assert "bees" not in prompt


def test_short_prompt_does_not_change_the_token_scale(hooks, host):
    host.tokens_per_char = 0.3
    state = page_state(truncation_length=2048, max_new_tokens=24)
    plain = host.count_tokens

    def with_overhead(text):
        return plain(text) + 60 if text else 0

    host.count_tokens = with_overhead
    rows = [(f"Row {n} {'about clouds ' * 9}", "Indeed. " * 9) for n in range(60)]
    for upto in (0, 1, 2, 60):
        prompt = ask(hooks, "Hm?", state, history_of(*rows[:upto]))
    assert host.count_tokens(prompt) > 0.6 * (2048 - 24)


def test_host_counts_no_empty_text(hooks, host):
    host.tokens_per_char = 0.3
    counted, plain = [], host.count_tokens
    host.count_tokens = lambda text: counted.append(text) or plain(text)
    ask(hooks, "What does Helena keep in Porto?")
    assert counted
    assert "" not in counted
