"""Background answers of a server: its faults, what it is asked for, and retries."""

import email.utils
import json
import threading
import time
from collections.abc import Iterator, Sequence

import pytest

from memory_core.domain.errors import LLMInterrupted, LLMRefused, LLMUnavailable
from memory_core.domain.records import Role, Turn
from memory_core.providers.llm.base import SERVER_LIMIT, LLMRequest
from memory_core.providers.llm.openai import OpenAILanguageModel
from memory_core.providers.llm.openai_background import OpenAIBackgroundModel
from memory_core.providers.resilient import ResilientLanguageModel, RetryingModel
from tests.builders import Clock
from tests.in_time import within
from tests.loopback import Answer, Asked, Loopback, hangs, says, says_json, serve, streams
from tests.providers.llm.test_llm_contract import WANTED, echoes
from tests.providers.test_refusals import TOO_LONG

NEVER = threading.Event()
HELLO = LLMRequest(turns=(Turn(role=Role.USER, text="Hello"),), timeout_s=5.0)
SOON = LLMRequest(turns=HELLO.turns, timeout_s=0.3)
SCHEMA = {"type": "object", "properties": {"summary": {"type": "string"}}}


def piece(text: str = "", **choice: object) -> str:
    return "data: " + json.dumps({"choices": [{"delta": {"content": text}, **choice}]})


def thought(text: str, key: str) -> str:
    return "data: " + json.dumps({"choices": [{"delta": {key: text}}]})


def usage(prompt: int, completion: int) -> str:
    counts = {"prompt_tokens": prompt, "completion_tokens": completion}
    return "data: " + json.dumps({"choices": [], "usage": counts})


STOP = piece(finish_reason="stop")
DONE = "data: [DONE]"


def model(server: Loopback) -> OpenAIBackgroundModel:
    return OpenAIBackgroundModel(OpenAILanguageModel(base_url=server.url, model="echo"))


def in_turn(*answers: Answer) -> Iterator[Answer]:
    yield from answers
    while True:
        yield answers[-1]


def scripted(*answers: Answer) -> object:
    remaining = in_turn(*answers)
    return lambda asked: next(remaining)


def asked(text: str) -> LLMRequest:
    return LLMRequest(turns=(Turn(role=Role.USER, text=text),), timeout_s=5.0, schema=SCHEMA)


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning_in_a_field_of_its_own_is_left_out(key: str) -> None:
    with serve(streams([thought("Hm.", key), piece("Yes."), STOP, usage(7, 9), DONE])) as server:
        answer = model(server).ask(HELLO, NEVER)
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens) == ("Yes.", 7, 9)


def test_an_answer_of_reasoning_alone_names_the_limit_as_the_cause() -> None:
    cut_off = piece(finish_reason="length")
    answers = streams([thought("Hm.", "reasoning_content"), cut_off, DONE])
    failure = pytest.raises(LLMUnavailable, match=r"only reasoning.*length.*max_tokens")
    with serve(answers) as server, failure:
        model(server).ask(HELLO, NEVER)


def test_an_answer_is_complete_although_the_report_of_usage_is_missing() -> None:
    with serve(streams([piece("Yes."), STOP])) as server:
        answer = model(server).ask(HELLO, NEVER)
    assert answer.text == "Yes."


def test_a_stream_that_breaks_off_is_a_failure() -> None:
    with serve(streams([piece("Ye")])) as server, pytest.raises(LLMUnavailable, match="broke off"):
        model(server).ask(HELLO, NEVER)


def test_a_hanging_server_times_out() -> None:
    with serve(hangs()) as server, within(20), pytest.raises(LLMUnavailable, match="in time"):
        model(server).ask(SOON, NEVER)


def test_schema_and_usage_are_asked_for_and_the_limit_is_left_to_the_server() -> None:
    with serve(echoes) as server:
        model(server).ask(asked("Hi"), NEVER)
        sent = server.asked[0].body
    assert sent["response_format"]["json_schema"]["schema"] == SCHEMA
    assert sent["stream_options"] == {"include_usage": True}
    assert "max_tokens" not in sent
    assert HELLO.max_tokens == SERVER_LIMIT


def test_a_server_without_schemas_is_asked_plainly_from_then_on() -> None:
    def reply(asked: Asked) -> Answer:
        if "response_format" in asked.body or "stream_options" in asked.body:
            return says_json({"error": {"message": "unknown field"}}, status=400)
        return echoes(asked)

    with serve(reply) as server:
        llm = model(server)
        assert [llm.ask(asked(text), NEVER).text for text in ("a", "b")] == ["a", "b"]
        assert ["response_format" in seen.body for seen in server.asked] == [True, False, False]


def test_a_request_that_is_refused_in_every_form_is_told_apart_from_an_outage() -> None:
    too_long = says_json({"error": {"message": "prompt is too long"}}, status=400)
    with serve(too_long) as server, pytest.raises(LLMRefused, match="too long"):
        model(server).ask(HELLO, NEVER)


BUSY = says_json({"error": {"message": "busy"}}, status=429)
BROKEN = says_json({"error": {"message": "oops"}}, status=500)
FINE = streams([piece("Yes."), STOP, DONE])


def patient(server: Loopback, clock: Clock | None = None) -> RetryingModel:
    return RetryingModel(model(server), retries=2, first_wait_s=0.01, clock=clock or Clock())


@pytest.mark.parametrize("faults", [[BUSY], [BROKEN, BUSY]])
def test_a_failure_that_may_pass_is_tried_again(faults: Sequence[Answer]) -> None:
    with serve(scripted(*faults, FINE)) as server:
        assert patient(server).ask(HELLO, NEVER).text == "Yes."


def test_an_unreachable_server_is_tried_again_and_then_left_alone() -> None:
    with serve(FINE) as server:
        pass
    llm = patient(server)
    for message in ("cannot be reached", "tried again in 30 s"):
        with pytest.raises(LLMUnavailable, match=message):
            llm.ask(HELLO, NEVER)
    assert "cannot be reached" in llm.fault


def test_a_model_that_failed_is_asked_again_after_its_pause() -> None:
    clock = Clock(0.0)
    with serve(scripted(BROKEN, BROKEN, BROKEN, FINE)) as server:
        llm = patient(server, clock)
        for _ in range(5):
            with pytest.raises(LLMUnavailable):
                llm.ask(HELLO, NEVER)
        assert len(server.asked) == 3
        clock.now = 31.0
        assert llm.ask(HELLO, NEVER).text == "Yes."
        assert llm.fault == ""


@pytest.mark.parametrize("lasting", [says("<html>"), says_json({}, status=401)])
def test_a_failure_that_will_not_pass_is_not_tried_again(lasting: Answer) -> None:
    with serve(lasting) as server:
        with pytest.raises(LLMUnavailable):
            patient(server).ask(HELLO, NEVER)
        assert len(server.asked) == 1


def test_a_refused_request_does_not_pause_the_model() -> None:
    refusal = says_json({}, status=400)
    with serve(scripted(refusal, refusal, FINE)) as server:
        llm = patient(server)
        with pytest.raises(LLMRefused):
            llm.ask(HELLO, NEVER)
        assert llm.ask(HELLO, NEVER).text == "Yes."


def test_retry_waits_as_long_as_the_server_asks() -> None:
    with serve(scripted(retry_after("1"), FINE)) as server:
        started = time.monotonic()
        assert patient(server).ask(HELLO, NEVER).text == "Yes."
        assert time.monotonic() - started >= 1.0


def test_long_retry_after_pauses_requests_for_that_time() -> None:
    clock = Clock(0.0)
    with serve(scripted(retry_after("600"), FINE)) as server, within(20):
        llm = patient(server, clock)
        for now in (0.0, 31.0, 599.0):
            clock.now = now
            with pytest.raises(LLMUnavailable, match="too busy"):
                llm.ask(HELLO, NEVER)
        assert len(server.asked) == 1
        clock.now = 601.0
        assert llm.ask(HELLO, NEVER).text == "Yes."


def test_date_after_which_to_retry_is_understood() -> None:
    later = email.utils.formatdate(time.time() + 600, usegmt=True)
    failed = pytest.raises(LLMUnavailable)
    with serve(retry_after(later)) as server, within(20), failed as caught:
        patient(server).ask(HELLO, NEVER)
    assert 590 < caught.value.retry_after_s <= 600


def retry_after(seconds: str) -> Answer:
    def write(handler: object, closing: threading.Event) -> None:
        handler.send_response(429)
        handler.send_header("retry-after", seconds)
        handler.end_headers()

    return Answer(write)


def test_an_interrupt_ends_the_wait_between_attempts() -> None:
    stop = threading.Event()
    stop.set()
    with serve(retry_after("50")) as server, within(20), pytest.raises(LLMInterrupted):
        patient(server).ask(HELLO, stop)


def test_a_hung_model_costs_its_time_limit_once() -> None:
    clock = Clock(0.0)
    with serve(hangs()) as server:
        llm = ResilientLanguageModel(
            OpenAILanguageModel(base_url=server.url, model="echo"), clock=clock
        )
        llm.prepare()
        wanted = {**WANTED, "timeout_s": 0.3}
        with pytest.raises(LLMUnavailable, match="in time"):
            llm.complete(HELLO.turns, **wanted)
        with within(20), pytest.raises(LLMUnavailable, match="tried again in 30 s"):
            llm.complete(HELLO.turns, **wanted)
        assert "in time" in llm.fault
        clock.now = 31.0
        assert llm.fault == ""
        assert len(server.asked) == 1


def test_answer_of_a_server_that_does_not_stream_is_read() -> None:
    whole = {"choices": [{"message": {"content": "Yes."}, "finish_reason": None}]}
    with serve(says_json(whole)) as server:
        assert model(server).ask(HELLO, NEVER).text == "Yes."


def test_web_page_names_the_address_as_the_cause() -> None:
    page = says("<html><body>Welcome</body></html>")
    with serve(page) as server, pytest.raises(LLMUnavailable, match="base_url") as failed:
        model(server).ask(HELLO, NEVER)
    assert failed.value.is_lasting


def test_job_whose_message_is_refused_lets_other_jobs_run() -> None:
    refusal = says_json({"error": {"message": "your input was flagged"}}, status=403)
    with serve(refusal) as server, pytest.raises(LLMUnavailable) as failed:
        model(server).ask(HELLO, NEVER)
    assert not failed.value.is_lasting


@pytest.mark.parametrize("status", [401, 404])
def test_wrong_key_or_model_is_not_the_fault_of_the_request(status: int) -> None:
    refusal = says_json({"error": {"message": "no such model"}}, status=status)
    with serve(refusal) as server, pytest.raises(LLMUnavailable) as failed:
        model(server).ask(HELLO, NEVER)
    assert failed.value.is_lasting
    assert not isinstance(failed.value, LLMRefused)


@pytest.mark.parametrize(
    "answer",
    [
        *(says_json({"error": {"message": TOO_LONG[0]}}, status=code) for code in (400, 500)),
        streams(["data: " + json.dumps({"error": {"message": TOO_LONG[3]}})]),
    ],
)
def test_prompt_that_exceeds_the_context_is_refused_at_once(answer: Answer) -> None:
    with serve(answer) as server:
        llm = patient(server)
        with pytest.raises(LLMRefused, match="too short a context"):
            llm.ask(asked("Hi"), NEVER)
        assert len(server.asked) == 1
        assert llm.fault == ""


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning_that_repeats_itself_without_end_is_cut(key: str) -> None:
    def endless() -> Iterator[str]:
        yield from (thought("But wait, what did she say? ", key) for _ in range(3_000))
        yield from (piece("Yes."), STOP, DONE)

    failed = pytest.raises(LLMRefused, match="over and over")
    with serve(streams(endless())) as server, within(20), failed:
        model(server).ask(HELLO, NEVER)
