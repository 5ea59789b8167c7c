"""Summaries of sessions: when they are made, of what, and what becomes of them later."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from memory_core.config.consolidation_settings import ConsolidationSettings
from memory_core.consolidation.runner import Runner, Step
from memory_core.consolidation.session_summaries import SessionSummaries
from memory_core.domain.derivations import EXTRACTIVE, Derivation
from memory_core.domain.errors import ConfigError
from memory_core.domain.records import MemoryKind, Turn
from memory_core.memory.derived_memories import DerivedMemories, NewDerived
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.recall.session_groups import SESSION_KEY
from memory_core.text.prompt_files import PromptBook
from memory_core.text.token_counter import estimate_tokens
from tests.builders import DAY, HOUR, NOW, SPACE, Clock, said
from tests.consolidation.scenes import NEVER, folder, make_runner, run_all, summaries, texts

PAUSE = 4 * HOUR
SETTINGS = ConsolidationSettings(session_summary_max_letters=200)


def answer(text: object, *keywords: str) -> str:
    return json.dumps({"summary": text, "keywords": keywords}, ensure_ascii=False)


def runner_at(memory: LongTermMemory, llm: ScriptedLLM, now: float = NOW + DAY) -> Runner:
    worker = SessionSummaries(settings=SETTINGS, pause_s=PAUSE)
    return make_runner(memory, llm, workers=[worker], clock=Clock(now))


def talk(
    memory: LongTermMemory, *user_texts: str, start: float = NOW, chat: str = "talk"
) -> list[str]:
    """Adds an exchange a minute; returns their ids."""
    return [
        memory.remember(SPACE, chat, said(text, "I see, tell me more.", ts=start + 60 * number))
        for number, text in enumerate(user_texts)
    ]


def test_an_ended_session_gets_one_summary_of_all_its_exchanges(memory: LongTermMemory) -> None:
    ids = talk(memory, "I moved to Lisbon.", "My rent is 850.", "Rui helped me.")
    llm = ScriptedLLM([answer("Ana moved to Lisbon and pays 850.", "Lisbon", "rent")], name="small")
    assert run_all(runner_at(memory, llm)) == [Step.DONE]
    (made,) = summaries(memory)
    assert made.text == "Ana moved to Lisbon and pays 850. [Lisbon; rent]"
    assert (made.sources, made.ts, made.derived.made_by) == (tuple(ids), NOW + 120, "small")
    assert (made.derived.key, made.derived.value) == (SESSION_KEY, "Lisbon; rent")
    assert made.derived.event_time == (NOW, NOW + 120)


def test_a_running_session_waits_without_a_failed_attempt(memory: LongTermMemory) -> None:
    talk(memory, "I moved to Lisbon.", "My rent is 850.")
    runner = runner_at(memory, ScriptedLLM([]), now=NOW + HOUR)
    assert run_all(runner) == [Step.SKIPPED]
    counts = runner.scan(SPACE, NEVER)
    assert (counts.due, counts.waiting, counts.later) == (0, 1, 0)
    assert runner.next_time(SPACE) == NOW + 60 + PAUSE
    later = runner_at(memory, ScriptedLLM([answer("Ana moved to Lisbon.")]), now=NOW + 60 + PAUSE)
    assert run_all(later) == [Step.DONE]
    assert texts(memory) == {"Ana moved to Lisbon."}


def test_sessions_of_two_days_and_two_chats_get_their_own_summaries(
    memory: LongTermMemory,
) -> None:
    talk(memory, "I moved to Lisbon.", "My rent is 850.")
    talk(memory, "I bought bees.", "They are calm.", start=NOW + DAY)
    talk(memory, "I read a book.", "It was long.", chat="other")
    llm = ScriptedLLM(lambda turns: answer(_first_words(turns)))
    assert set(run_all(runner_at(memory, llm, now=NOW + 2 * DAY))) == {Step.DONE}
    assert texts(memory) == {"I moved to Lisbon.", "I bought bees.", "I read a book."}


def test_an_extractive_summary_is_replaced_by_the_models(memory: LongTermMemory) -> None:
    ids = talk(memory, "I moved to Lisbon.", "My rent is 850.")
    extract = NewDerived(
        kind=MemoryKind.SUMMARY,
        text="I moved to Lisbon.",
        sources=memory.last_seqs(SPACE, ids),
        derived=Derivation(made_by=EXTRACTIVE, key=SESSION_KEY),
    )
    DerivedMemories(memory).add(SPACE, extract)
    llm = ScriptedLLM([answer("Ana moved to Lisbon and pays 850.")])
    assert run_all(runner_at(memory, llm)) == [Step.DONE]
    assert texts(memory) == {"Ana moved to Lisbon and pays 850."}


def test_a_single_exchange_is_no_session_worth_a_summary(memory: LongTermMemory) -> None:
    talk(memory, "I moved to Lisbon.")
    assert run_all(runner_at(memory, ScriptedLLM([]))) == [Step.SKIPPED]


def test_a_resumed_session_is_summarised_again_in_place_of_the_old_summary(
    memory: LongTermMemory,
) -> None:
    talk(memory, "I moved to Lisbon.", "My rent is 850.")
    run_all(runner_at(memory, ScriptedLLM([answer("Ana moved to Lisbon.")]), now=NOW + DAY))
    more = talk(memory, "I found a job.", start=NOW + HOUR)
    llm = ScriptedLLM([answer("Ana moved to Lisbon and found a job.")])
    assert run_all(runner_at(memory, llm, now=NOW + DAY)) == [Step.DONE]
    (made,) = summaries(memory)
    assert made.text == "Ana moved to Lisbon and found a job."
    assert made.sources[-1] == more[0]


def test_a_summary_made_twice_of_the_same_text_is_kept_once(memory: LongTermMemory) -> None:
    talk(memory, "I moved to Lisbon.", "My rent is 850.")
    llm = ScriptedLLM([answer("Ana moved to Lisbon.")] * 2)
    runner = runner_at(memory, llm)
    run_all(runner)
    (folder(memory) / "jobs.sqlite").unlink()
    assert run_all(runner) == [Step.SKIPPED]
    assert len(llm.asked) == 1
    assert runner.requeue_sessions(SPACE, limit=5) == 1
    assert run_all(runner) == [Step.DONE]
    assert texts(memory) == {"Ana moved to Lisbon."}


@pytest.mark.parametrize("chosen", [0, 1, 2])
def test_an_edited_exchange_takes_the_summary_away_until_it_is_made_again(
    memory: LongTermMemory, chosen: int
) -> None:
    ids = talk(memory, "I moved to Porto.", "My rent is 850.", "It is small.")
    llm = ScriptedLLM([answer("Ana moved to Porto."), answer("Ana moved to Lisbon.")])
    runner = runner_at(memory, llm)
    run_all(runner)
    memory.edit(SPACE, ids[chosen], {"user": "I moved to Lisbon, not Porto."})
    assert texts(memory) == set()
    assert Step.DONE in run_all(runner)
    assert texts(memory) == {"Ana moved to Lisbon."}


def test_a_swiped_answer_takes_the_summary_away(memory: LongTermMemory) -> None:
    talk(memory, "I moved to Porto.", "My rent is 850.")
    runner = runner_at(
        memory, ScriptedLLM([answer("Ana moved to Porto."), answer("Ana pays 850.")])
    )
    run_all(runner)
    shown = [
        said("I moved to Porto.", "I see, tell me more.", ts=NOW),
        said("My rent is 850.", "That is a lot!", ts=NOW + 60),
    ]
    memory.reconcile(SPACE, "talk", shown, whole=True)
    assert texts(memory) == set()
    run_all(runner)
    assert texts(memory) == {"Ana pays 850."}


def test_a_forgotten_source_takes_the_summary_away_and_the_rest_is_summarised(
    memory: LongTermMemory,
) -> None:
    ids = talk(memory, "I moved to Porto.", "My rent is 850.", "It is small.")
    llm = ScriptedLLM([answer("Ana moved to Porto."), answer("Ana pays 850.")])
    runner = runner_at(memory, llm)
    run_all(runner)
    memory.forget(SPACE, [ids[0]])
    assert texts(memory) == set()
    run_all(runner)
    (made,) = summaries(memory)
    assert (made.text, made.sources) == ("Ana pays 850.", tuple(ids[1:]))
    assert "Porto" not in llm.asked[1][-1].text


def test_a_source_that_comes_back_leaves_one_summary(memory: LongTermMemory) -> None:
    ids = talk(memory, "I moved to Porto.", "My rent is 850.", "It is small.")
    llm = ScriptedLLM([answer("Ana moved to Porto."), answer("Ana pays 850.")])
    runner = runner_at(memory, llm)
    run_all(runner)
    memory.forget(SPACE, [ids[0]])
    run_all(runner)
    memory.unforget(SPACE, ids[0])
    run_all(runner)
    assert texts(memory) == {"Ana moved to Porto."}
    assert len(llm.asked) == 2


def test_a_long_session_is_read_in_portions_with_the_summary_so_far(
    memory: LongTermMemory,
) -> None:
    talk(memory, *(f"Story {number}: {'it went on and on. ' * 90}" for number in range(12)))
    llm = ScriptedLLM(
        [answer("Story 1 came first."), answer("Story 1, then Story 5."), answer("Story 11 ended.")]
    )
    run_all(runner_at(memory, llm))
    asked = [turns[-1].text for turns in llm.asked]
    assert len(asked) == 3
    assert "Story 1 came first." in asked[1]
    assert "Story 0:" in asked[0]
    assert "Story 11:" in asked[2]
    assert texts(memory) == {"Story 11 ended."}


def test_portions_of_a_chinese_session_fit_a_small_context(memory: LongTermMemory) -> None:
    talk(memory, *(f"第{number}个故事。{'他们一直走到很远的地方。' * 75}" for number in range(6)))
    llm = ScriptedLLM(lambda _: answer("他们走到很远的地方。"))
    run_all(runner_at(memory, llm))
    prompts = [sum(estimate_tokens(turn.text) for turn in turns) for turns in llm.asked]
    assert len(prompts) == 3
    assert max(prompts) < 4_096 - 600


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("Ana pays 850. She earns 9,000.", "Ana pays 850."),
        ("Ana pays 850. Later Berta came along.", "Ana pays 850."),
        ("Ana pays 850. She moved to Lisbon.", "Ana pays 850. She moved to Lisbon."),
        ("Ana pays 850. In 2031 she leaves.", "Ana pays 850."),
    ],
)
def test_numbers_and_names_of_a_summary_stand_in_its_session(
    memory: LongTermMemory, written: str, stored: str
) -> None:
    talk(memory, "I moved to Lisbon.", "My rent is 850.")
    run_all(runner_at(memory, ScriptedLLM([answer(written)])))
    assert texts(memory) == {stored}


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("Ana pays 950.", "numbers or names"),
        ("Ana likes it. Mira moved to Lisbon.", "of one speaker what the other one said"),
    ],
)
def test_an_invented_summary_is_asked_for_again_and_then_put_off(
    memory: LongTermMemory, written: str, reason: str
) -> None:
    talk(memory, "I moved to Lisbon.", "My rent is 850.")
    llm = ScriptedLLM([answer(written)] * 2)
    assert run_all(runner_at(memory, llm)) == [Step.FAILED]
    assert reason in llm.asked[1][-1].text
    assert texts(memory) == set()


def test_keywords_that_the_session_lacks_are_left_out(memory: LongTermMemory) -> None:
    talk(memory, "I moved to Lisbon.", "My rent is 850.")
    llm = ScriptedLLM([answer("Ana moved.", "Lisbon", "Porto", "a;b", "Lisbon")])
    run_all(runner_at(memory, llm))
    assert texts(memory) == {"Ana moved. [Lisbon]"}


@pytest.mark.parametrize("broken", ['{"summary": 3, "keywords": []}', '{"summary": "x"}', "[]"])
def test_a_broken_answer_stores_nothing(memory: LongTermMemory, broken: str) -> None:
    talk(memory, "I moved to Lisbon.", "My rent is 850.")
    assert run_all(runner_at(memory, ScriptedLLM([broken] * 2))) == [Step.FAILED]
    assert texts(memory) == set()


def test_chinese_sessions_get_the_chinese_prompt(memory: LongTermMemory) -> None:
    talk(memory, "我搬到了深圳。", "房租每月3500。")
    llm = ScriptedLLM([answer("小安搬到了深圳，每月3500。", "深圳")])
    run_all(runner_at(memory, llm))
    assert texts(memory) == {"小安搬到了深圳，每月3500。 [深圳]"}
    assert "只回答一个 JSON 对象" in llm.asked[0][0].text


def test_a_session_that_changes_while_the_model_answers_is_read_again(
    memory: LongTermMemory,
) -> None:
    ids = talk(memory, "I moved to Porto.", "My rent is 850.")
    replies = iter(["Ana moved to Porto.", "Ana pays 850."])

    def reply(turns: object) -> str:
        text = next(replies)
        if "Porto" in text:
            memory.forget(SPACE, [ids[0]])
            memory.unforget(SPACE, ids[0])
        return answer(text)

    runner = runner_at(memory, ScriptedLLM(reply))
    run_all(runner)
    run_all(runner)
    assert texts(memory) == {"Ana pays 850."}


def test_sessions_are_made_again_up_to_a_number_the_latest_first(memory: LongTermMemory) -> None:
    talk(memory, "I moved to Lisbon.", "My rent is 850.")
    talk(memory, "I bought bees.", "They are calm.", start=NOW + DAY)
    runner = runner_at(
        memory,
        ScriptedLLM([answer("Old Lisbon."), answer("Old bees."), answer("New bees.")]),
        now=NOW + 2 * DAY,
    )
    run_all(runner)
    assert runner.requeue_sessions(SPACE, limit=1) == 1
    assert run_all(runner) == [Step.DONE]
    assert texts(memory) == {"Old Lisbon.", "New bees."}


def test_sessions_are_not_made_again_without_their_worker(memory: LongTermMemory) -> None:
    with pytest.raises(ConfigError, match="session_summary"):
        make_runner(memory, ScriptedLLM([])).requeue_sessions(SPACE, limit=1)


def test_the_users_own_prompt_is_used(tmp_path: Path, memory: LongTermMemory) -> None:
    own = tmp_path / "prompts" / "en" / "session_summary.txt"
    own.parent.mkdir(parents=True)
    own.write_text('### user\nMine: {exchanges} "summary" "keywords"', encoding="utf-8")
    talk(memory, "I moved to Lisbon.", "My rent is 850.")
    worker = SessionSummaries(
        settings=SETTINGS, pause_s=PAUSE, prompts=PromptBook(tmp_path / "prompts")
    )
    llm = ScriptedLLM([answer("Ana moved to Lisbon.")])
    run_all(make_runner(memory, llm, workers=[worker], clock=Clock(NOW + DAY)))
    assert llm.asked[0][-1].text.startswith("Mine: ")


def test_other_memories_make_no_session_due(memory: LongTermMemory) -> None:
    memory.add_note(SPACE, "Ana is allergic to nuts.", kind=MemoryKind.KNOWLEDGE, pinned=True)
    assert run_all(runner_at(memory, ScriptedLLM([]))) == []


def _first_words(turns: Sequence[Turn]) -> str:
    line = turns[-1].text.splitlines()[2]
    return str(next(iter(json.loads(line).values())))


@pytest.mark.parametrize(
    "loose",
    [
        '{"summary": "Ana moved to Lisbon."}',
        "{'summary': 'Ana moved to Lisbon.', 'keywords': None}",
        '{"summary": {"text": "Ana moved to Lisbon."}, "keywords": []}',
        '{"summary": ["Ana moved to Lisbon."], "keywords": []}',
    ],
)
def test_an_answer_in_a_loose_form_is_used(memory: LongTermMemory, loose: str) -> None:
    talk(memory, "I moved to Lisbon.", "My rent is 850.")
    assert run_all(runner_at(memory, ScriptedLLM([loose]))) == [Step.DONE]
    assert texts(memory) == {"Ana moved to Lisbon."}


def test_keywords_in_one_text_are_split(memory: LongTermMemory) -> None:
    talk(memory, "I moved to Lisbon.", "My rent is 850.")
    loose = '{"summary": "Ana moved to Lisbon.", "keywords": "Lisbon, rent"}'
    assert run_all(runner_at(memory, ScriptedLLM([loose]))) == [Step.DONE]
    assert texts(memory) == {"Ana moved to Lisbon. [Lisbon; rent]"}


@pytest.mark.parametrize(
    "useless",
    [
        "As an AI I cannot summarise this.",
        "the summary",
        "他们谈到了搬家。",
        "They argued about quantum physics.",
    ],
)
def test_a_refusal_or_invention_is_never_stored(memory: LongTermMemory, useless: str) -> None:
    talk(memory, "I moved to Lisbon.", "My rent is 850.")
    assert run_all(runner_at(memory, ScriptedLLM([answer(useless)] * 2))) == [Step.FAILED]
    assert texts(memory) == set()
