"""Consolidation in a running program: begins when nobody chats, stops at once, tells faults."""

import time
from collections.abc import Callable

import pytest

from memory_core.consolidation.audit_log import NAME
from memory_core.consolidation.runner import MOST_FAILED_IN_A_ROW
from memory_core.consolidation.service import Consolidation
from memory_core.consolidation.status import WorkState, WorkStatus
from memory_core.infra.deadlines import time_limit
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.runtime import Runtime
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.text.locales import tab_words
from memory_core.ui.tab.settings.work import consolidation_text
from tests.builders import DAY, SPACE, Clock, said
from tests.consolidation.rounds import (
    PATIENCE_S,
    eventually,
    run_round,
    stories,
    switched_on,
    tell,
)
from tests.consolidation.scenes import make_runner, remember, texts
from tests.consolidation.servers import HeldUp, answers, summarises
from tests.in_time import within
from tests.loopback import Answer, Asked, hangs, says_json, serve

MakeRuntime = Callable[..., Runtime]


def test_consolidation_runs_the_jobs_of_all_namespaces_and_notes_each_call(
    make_runtime: MakeRuntime,
) -> None:
    with serve(summarises) as server:
        runtime = make_runtime(**switched_on(server.url))
        service = Consolidation(runtime)
        tell(runtime, 3)
        run_round(service)
        assert texts(runtime.memory) == stories(3)
        assert runtime.problems() == []
        run_round(service)
        assert len(server.asked) == 3
    log = runtime.installation.folder / "user_data" / "logs" / NAME
    assert len(log.read_text(encoding="utf-8").splitlines()) == 3


def test_consolidation_is_off_until_switched_on(make_runtime: MakeRuntime) -> None:
    with serve(summarises) as server:
        runtime = make_runtime(**switched_on(server.url, enabled=False))
        service = Consolidation(runtime)
        tell(runtime, 1)
        run_round(service)
        assert server.asked == []
        runtime.save_settings({"consolidation.enabled": True})
        run_round(service)
        assert texts(runtime.memory) == stories(1)


def test_consolidation_waits_until_the_chat_has_been_quiet(make_runtime: MakeRuntime) -> None:
    with serve(summarises) as server:
        runtime = make_runtime(**switched_on(server.url, quiet_s=3600.0))
        service = Consolidation(runtime)
        tell(runtime, 1)
        with time_limit(1.0):
            pass
        run_round(service)
        assert server.asked == []
        assert service.run_now()
        service.wait(PATIENCE_S)
        assert texts(runtime.memory) == stories(1)


def test_message_stops_consolidation_at_once_and_it_continues_later(
    make_runtime: MakeRuntime,
) -> None:
    model = HeldUp(at_once=1)
    with serve(model) as server:
        runtime = make_runtime(**switched_on(server.url))
        service = Consolidation(runtime)
        tell(runtime, 4)
        service.start_if_idle()
        eventually(lambda: len(server.asked) == 2)
        with time_limit(1.0), within(PATIENCE_S / 2):
            service.wait(PATIENCE_S)
            assert not service.is_running
        assert len(texts(runtime.memory)) == 1
        model.release()
        run_round(service)
        assert texts(runtime.memory) == stories(4)
        assert runtime.problems() == []


def test_pause_of_consolidation_keeps_the_queue_until_it_ends(make_runtime: MakeRuntime) -> None:
    model = HeldUp(at_once=0)
    with serve(model) as server:
        runtime = make_runtime(**switched_on(server.url))
        service = Consolidation(runtime)
        tell(runtime, 3)
        service.start_if_idle()
        eventually(lambda: len(server.asked) == 1)
        service.pause()
        service.wait(PATIENCE_S)
        run_round(service)
        assert service.is_paused
        assert texts(runtime.memory) == set()
        model.release()
        service.resume()
        run_round(service)
        assert texts(runtime.memory) == stories(3)


def test_hung_model_is_reported_once_and_left_alone(make_runtime: MakeRuntime) -> None:
    with serve(hangs()) as server:
        settings = switched_on(server.url)
        settings["llm"]["background_timeout_s"] = 0.3
        runtime = make_runtime(**settings)
        service = Consolidation(runtime)
        tell(runtime, 3)
        for _ in range(4):
            run_round(service)
        assert len(server.asked) == 2  # the job, and a short question
        (problem,) = runtime.problems()
    assert "did not answer in time" in problem


def test_problem_is_cleared_once_the_model_answers(make_runtime: MakeRuntime) -> None:
    with serve(says_json({}, status=500)) as broken, serve(summarises) as server:
        runtime = make_runtime(**switched_on(broken.url))
        service = Consolidation(runtime)
        tell(runtime, 1)
        run_round(service)
        assert any("HTTP 500" in problem for problem in runtime.problems())
        runtime.save_settings({"llm.base_url": server.url})
        run_round(service)
        assert runtime.problems() == []
        assert texts(runtime.memory) == stories(1)


def test_closing_the_program_stops_the_work_at_once(make_runtime: MakeRuntime) -> None:
    with serve(hangs()) as server:
        runtime = make_runtime(**switched_on(server.url))
        service = Consolidation(runtime)
        tell(runtime, 1)
        service.start_if_idle()
        eventually(lambda: len(server.asked) == 1)
        with within(PATIENCE_S):
            runtime.close()
        assert not service.is_running


def test_consolidation_starts_by_itself_in_a_running_program(make_runtime: MakeRuntime) -> None:
    with serve(summarises) as server:
        runtime = make_runtime(**switched_on(server.url))
        Consolidation(runtime)
        tell(runtime, 2)
        runtime.start()
        eventually(lambda: texts(runtime.memory) == stories(2))


def test_a_wrong_worker_is_shown_as_a_problem(make_runtime: MakeRuntime) -> None:
    with serve(summarises) as server:
        runtime = make_runtime(**switched_on(server.url, workers="summaries"))
        run_round(Consolidation(runtime))
    assert any("'summaries' is no worker" in problem for problem in runtime.problems())


def test_consolidation_without_a_model_says_so(make_runtime: MakeRuntime) -> None:
    runtime = make_runtime(consolidation={"enabled": True})
    service = Consolidation(runtime)
    run_round(service)
    assert not service.run_now()
    assert any("consolidation.enabled is on" in problem for problem in runtime.problems())


def test_state_and_cost_of_consolidation_are_shown(make_runtime: MakeRuntime) -> None:
    with serve(summarises) as server:
        runtime = make_runtime(**switched_on(server.url))
        service = Consolidation(runtime)
        assert service.status(SPACE) == WorkStatus(state=WorkState.WAITING)
        tell(runtime, 2)
        run_round(service)
        status = service.status(SPACE)
        assert (status.counts.due, status.usage.calls, status.usage.prompt_tokens) == (0, 2, 200)
        service.pause()
        assert service.state() is WorkState.PAUSED
        runtime.save_settings({"consolidation.enabled": False})
        assert service.state() is WorkState.OFF
        runtime.save_settings({"llm.kind": "none"})
        assert service.state() is WorkState.OFF
        runtime.save_settings({"consolidation.enabled": True})
        assert service.state() is WorkState.NO_MODEL


def test_model_with_unusable_answers_rests_and_is_reported(
    make_runtime: MakeRuntime,
) -> None:
    with serve(answers("I am a teapot")) as server:
        runtime = make_runtime(**switched_on(server.url))
        service = Consolidation(runtime)
        tell(runtime, MOST_FAILED_IN_A_ROW + 5)
        for _ in range(3):
            run_round(service)
        assert len(server.asked) == 2 * MOST_FAILED_IN_A_ROW
        (problem,) = runtime.problems()
        assert "may be too small" in problem
        assert service.state() is WorkState.LEFT_ALONE
        lines = consolidation_text(service, SPACE, tab_words("en")).splitlines()
        assert "20 of 20 answers could not be used. The model may be too small" in str(lines)
        assert any("What is to do takes about 1 minute of quiet time" in line for line in lines)
        assert service.run_now()
        service.wait(PATIENCE_S)
        assert len(server.asked) == 4 * MOST_FAILED_IN_A_ROW


def test_clock_set_back_ends_the_rest_of_a_model(make_runtime: MakeRuntime) -> None:
    is_bad, clock = [True], Clock()

    def model(asked: Asked) -> Answer:
        return answers("I am a teapot") if is_bad[0] else summarises(asked)

    with serve(model) as server:
        runtime = make_runtime(**switched_on(server.url))
        runtime.clock = clock
        service = Consolidation(runtime)
        tell(runtime, MOST_FAILED_IN_A_ROW)
        run_round(service)
        assert service.state() is WorkState.LEFT_ALONE
        is_bad[0] = False
        clock.now -= 3650 * DAY
        runtime.memory.remember(SPACE, "talk", said("This is my story number 77."))
        run_round(service)
        assert service.state() is WorkState.WAITING
        assert "Ana told story 77." in texts(runtime.memory)


def test_work_now_asks_a_model_that_was_left_alone_and_tries_failed_jobs_again(
    make_runtime: MakeRuntime,
) -> None:
    is_away = [True]

    def model(asked: Asked) -> Answer:
        return says_json({"error": "away"}, status=500) if is_away[0] else summarises(asked)

    with serve(model) as server:
        runtime = make_runtime(**switched_on(server.url))
        service = Consolidation(runtime)
        tell(runtime, 2)
        run_round(service)
        assert service.state() is WorkState.LEFT_ALONE
        is_away[0] = False
        run_round(service)
        assert texts(runtime.memory) == set()
        assert service.run_now()
        service.wait(PATIENCE_S)
        assert texts(runtime.memory) == stories(2)
        assert service.state() is WorkState.WAITING


def test_work_now_tries_jobs_again_that_a_bad_answer_put_off(make_runtime: MakeRuntime) -> None:
    is_bad = [True]

    def model(asked: Asked) -> Answer:
        return answers("I am a teapot") if is_bad[0] else summarises(asked)

    with serve(model) as server:
        runtime = make_runtime(**switched_on(server.url))
        service = Consolidation(runtime)
        tell(runtime, 1)
        run_round(service)
        is_bad[0] = False
        run_round(service)
        assert texts(runtime.memory) == set()
        assert service.run_now()
        service.wait(PATIENCE_S)
        assert texts(runtime.memory) == stories(1)


def only_good(asked: Asked) -> Answer:
    """Summarises as the model "good" alone does."""
    return summarises(asked) if asked.body["model"] == "good" else answers("I am a teapot")


def test_other_model_tries_resting_jobs_again(make_runtime: MakeRuntime) -> None:
    with serve(only_good) as server:
        runtime = make_runtime(**switched_on(server.url, max_attempts=1))
        service = Consolidation(runtime)
        tell(runtime, 2)
        run_round(service)
        runtime.save_settings({"recall.min_score": 0.1})
        run_round(service)
        assert texts(runtime.memory) == set()
        assert service.status(SPACE).counts.resting == 2
        runtime.save_settings({"llm.model": "good"})
        run_round(service)
        assert texts(runtime.memory) == stories(2)


def test_other_model_set_during_the_work_tries_resting_jobs_again(
    make_runtime: MakeRuntime,
) -> None:
    mends = list[Callable[[], None]]()

    def model(asked: Asked) -> Answer:
        if mends:
            mends.pop()()
        return only_good(asked)

    with serve(model) as server:
        runtime = make_runtime(**switched_on(server.url, max_attempts=1))
        service = Consolidation(runtime)
        tell(runtime, 1)
        mends.append(lambda: runtime.save_settings({"llm.model": "good"}))
        run_round(service)
        assert texts(runtime.memory) == set()
        run_round(service)
        assert texts(runtime.memory) == stories(1)


def test_more_tokens_for_answers_try_resting_jobs_again(make_runtime: MakeRuntime) -> None:
    def model(asked: Asked) -> Answer:
        return summarises(asked) if asked.body["max_tokens"] > 600 else answers('{"summ')

    with serve(model) as server:
        runtime = make_runtime(**switched_on(server.url, max_attempts=1))
        service = Consolidation(runtime)
        tell(runtime, 1)
        run_round(service)
        runtime.save_settings({"consolidation.max_tokens": 2000})
        run_round(service)
        assert texts(runtime.memory) == stories(1)


def test_queue_is_left_alone_while_a_prompt_is_built(
    memory: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory_core.consolidation.runner._YIELD_S", 0.2)
    remember(memory, "This is my story.")
    runner = make_runner(memory, ScriptedLLM([]))
    with time_limit(60.0):
        started = time.monotonic()
        runner.next_time(SPACE)
        assert time.monotonic() - started >= 0.2
