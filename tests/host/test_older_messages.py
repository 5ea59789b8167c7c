"""The strategies for what a chat said before the latest messages."""

import json
from itertools import pairwise

import pytest

from memory_core.config.consolidation_settings import ConsolidationSettings
from memory_core.consolidation.runner import Step
from memory_core.consolidation.window_summaries import WindowSummaries
from memory_core.host.older_messages import PART
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.storage.pauses import PauseState
from tests.consolidation.scenes import NEVER, make_runner
from tests.host.one_page import CHAT, MIRA, OnePage
from tests.host.plain_host import history_of, page_state

EARLIER = "earlier in this chat"
QUESTION = "What does Helena keep in Porto?"
OTHER = "20261120-09-00-00"


def page_with(tmp_path, strategy, count=24, **context):
    own = {"strategy": strategy, "recent_turns": 4, **context}
    page = OnePage(tmp_path, {"ltm_context": {"summary_sessions": 0, "tell_today": False, **own}})
    page.rows = [("Helena keeps forty bees in Porto.", "Lovely!")]
    page.rows += [
        (f"On day {number} we planted tree {number}.", "Good.") for number in range(count)
    ]
    page.ask("ok thanks")
    page.save()
    return page


def summarise(page, text="Helena keeps bees; then they planted trees."):
    llm = ScriptedLLM(lambda turns: json.dumps({"summary": text, "keywords": []}))
    worker = WindowSummaries(settings=ConsolidationSettings(summarize_after_messages=8))
    runner = make_runner(page.memory, llm, workers=[worker])
    runner.scan(MIRA, NEVER)
    while runner.step(MIRA, NEVER) is not Step.NOTHING_DUE:
        pass


def earlier(prompt):
    return [line for line in prompt.splitlines() if EARLIER in line]


@pytest.mark.parametrize(
    ("strategy", "sums_up", "recalls"),
    [
        ("sliding_window", False, False),
        ("summarize", True, False),
        ("retrieve", False, True),
        ("combined", True, True),
    ],
)
def test_strategy_decides_what_older_messages_become(tmp_path, strategy, sums_up, recalls):
    page = page_with(tmp_path, strategy)
    summarise(page, "They planted trees.")
    prompt = page.ask(QUESTION)
    assert bool(earlier(prompt)) == sums_up
    assert ("forty bees in Porto" in prompt.replace(QUESTION, "")) == recalls


@pytest.mark.parametrize("strategy", ["sliding_window", "summarize", "retrieve", "combined"])
def test_other_chats_are_recalled_with_every_strategy(tmp_path, strategy):
    page = page_with(tmp_path, strategy)
    page.rows = [("I am new here", "Welcome")]
    assert "forty bees in Porto" in page.ask(QUESTION, chat=OTHER)


def test_older_messages_are_shown_as_the_models_summary(tmp_path):
    page = page_with(tmp_path, "combined")
    summarise(page)
    lines = earlier(page.ask("ok thanks"))
    assert lines
    assert all("Helena keeps bees; then they planted trees." in line for line in lines[:2])
    forms = {part.form for part in page.runtime.traces.latest(MIRA)[0].injected}
    assert "system" in forms


def test_older_messages_are_shown_as_a_marked_extract_without_a_model(tmp_path):
    page = page_with(tmp_path, "summarize")
    lines = earlier(page.ask("ok thanks"))
    assert lines
    assert all("only excerpts" in line for line in lines)
    (trace, *_) = page.runtime.traces.latest(MIRA)
    assert {part.form for part in trace.injected} == {"system_extract"}
    assert all("we planted" in line or "Helena" in line for line in lines)


def test_messages_in_the_window_are_not_summed_up(tmp_path):
    page = page_with(tmp_path, "summarize", count=2)
    assert earlier(page.ask("ok thanks")) == []


def test_summary_changes_only_when_the_window_moves(tmp_path):
    page = page_with(tmp_path, "summarize", recent_turns=None)
    state = {"truncation_length": 900, "max_new_tokens": 24}
    page.rows = [(f"{user} {'We talked on. ' * 8}", answer) for user, answer in page.rows]
    page.save()
    systems, firsts = [], []
    for number in range(12):
        prompt = ask_narrow(page, "ok thanks", **state)
        summarise(page)
        systems.append("\n".join(earlier(prompt)))
        firsts.append(next(line for line in prompt.splitlines() if line.startswith("U: ")))
        page.rows.append((f"New talk {number} {'about the trees. ' * 6}", "Good."))
        page.save()
    assert systems[0]
    assert 1 < len(set(firsts)) < 8
    moved = [now != before for before, now in pairwise(firsts)]
    changed = [now != before for before, now in pairwise(systems)]
    assert all(is_moved for is_moved, is_changed in zip(moved, changed, strict=True) if is_changed)


def ask_narrow(page, text, **state):
    history = history_of(*page.rows)
    return page.hooks.custom_generate_chat_prompt(
        text, page_state(history=history, **state), history=history
    )


def test_forgotten_message_leaves_the_summary_at_once(tmp_path):
    page = page_with(tmp_path, "summarize")
    summarise(page)
    page.ask("ok thanks")
    bees = page.memory.conversation(MIRA, CHAT, 99)[0]
    page.memory.forget(MIRA, [bees.id])
    prompt = page.ask("ok thanks")
    assert "forty bees" not in prompt
    lines = earlier(prompt)
    assert "only excerpts" in lines[0]


def test_edited_message_stands_in_the_extract_until_its_block_is_made_again(tmp_path):
    page = page_with(tmp_path, "summarize")
    summarise(page)
    page.ask("ok thanks")
    page.rows[0] = ("Helena keeps fifty goats in Braga.", "Lovely!")
    page.save()
    assert "only excerpts" in earlier(page.ask("ok thanks"))[0]
    summarise(page)
    page.rows.append(("And so on", "Good."))
    page.save()
    assert "only excerpts" not in earlier(page.ask("ok thanks"))[0]


def test_summary_keeps_to_its_budget_and_can_be_switched_off(tmp_path):
    page = page_with(tmp_path, "summarize", count=200)
    page.ask("ok thanks")
    (trace, *_) = page.runtime.traces.latest(MIRA)
    assert 0 < trace.tokens <= 320
    off = page_with(tmp_path / "off", "summarize", window_summary_max_tokens=0)
    assert earlier(off.ask("ok thanks")) == []


def test_incognito_chats_and_paused_recall_get_no_summary(tmp_path):
    page = page_with(tmp_path, "summarize")
    assert earlier(page.ask("ok thanks", chat="incognito-1")) == []


def test_window_larger_than_the_models_context_is_reported(tmp_path):
    page = page_with(tmp_path, "retrieve", recent_turns=24)
    state = {"truncation_length": 400, "max_new_tokens": 24}
    ask_narrow(page, "ok thanks", **state)
    (problem,) = page.runtime.problems()
    assert "ltm_context.recent_turns" in problem
    assert "376 tokens" in problem
    page.ask("ok thanks")
    assert page.runtime.problems() == []


def test_guard_larger_than_the_models_context_is_reported(tmp_path):
    page = page_with(tmp_path, "combined", recent_turns=None)
    ask_narrow(page, "ok thanks", truncation_length=400, max_new_tokens=24)
    assert any("summarize_after_messages" in one for one in page.runtime.problems())
    page.runtime.clear(PART)
    assert page.runtime.problems() == []


def auto_page(tmp_path, count=24, **backend):
    context = {"summary_sessions": 0, "tell_today": False, "history_message_strategy": "auto"}
    page = OnePage(tmp_path, {"ltm_context": context, "backend": backend})
    page.rows = [("Helena keeps forty bees in Porto.", "Lovely!")]
    page.rows += [
        (f"On day {number} we planted tree {number}.", "Good.") for number in range(1, count)
    ]
    page.ask("ok thanks")  # from now on its file is watched
    page.save()
    return page


def planted(prompt):
    """Returns the numbers of the trees in the chat's own rows, without recalled memories."""
    rows = [line for line in prompt.splitlines() if line.startswith("U: On day")]
    return [int(row.split()[3]) for row in rows]


def test_auto_shows_only_messages_that_are_not_memorised_yet(tmp_path):
    page = auto_page(tmp_path, context_max_messages=40)
    assert planted(page.ask("ok thanks")) == list(range(4, 24))
    summarise(page, "They planted trees.")  # of the first twenty exchanges
    assert planted(page.ask("ok thanks")) == [20, 21, 22, 23]


def test_auto_shows_ten_messages_unless_the_setting_says_more(tmp_path):
    page = auto_page(tmp_path)
    assert planted(page.ask("ok thanks")) == [19, 20, 21, 22, 23]


def test_auto_keeps_the_fewer_of_its_own_and_of_recent_turns(tmp_path):
    page = auto_page(tmp_path)
    page.settings["ltm_context"]["recent_turns"] = 2
    page.restart()
    assert planted(page.ask("ok thanks")) == [22, 23]


def test_auto_shows_the_whole_chat_while_recall_is_paused(tmp_path):
    page = auto_page(tmp_path)
    page.runtime.pauses.set_pause(MIRA, CHAT, PauseState(is_recall_paused=True))
    assert planted(page.ask("ok thanks")) == list(range(1, 24))


def test_memorised_messages_are_still_recalled(tmp_path):
    page = auto_page(tmp_path)
    summarise(page, "They planted trees.")
    prompt = page.ask(QUESTION)
    assert planted(prompt) == [20, 21, 22, 23]
    assert "forty bees" in prompt
