"""A slow server gets more time, a hanging one does not."""

import time
from collections.abc import Sequence

import pytest

from memory_core.domain.errors import LLMRefused, LLMUnavailable
from memory_core.domain.records import Role, Turn
from memory_core.providers.llm.base import LONGEST_WAIT_S, LLMRequest
from memory_core.providers.llm.openai_background import PatienceModel, ReadingPace
from tests.cases import for_each
from tests.in_time import within
from tests.loopback import Answer, hangs, serve
from tests.providers.llm.test_background import FINE, NEVER, model, scripted

SHORT_S = 0.3
ANSWERED_S = 1.5  # in which a busy machine answers, too


def request(words: int, timeout_s: float = SHORT_S) -> LLMRequest:
    turns = (Turn(role=Role.USER, text="word " * words),)
    return LLMRequest(turns=turns, timeout_s=timeout_s)


def after(seconds: float, answer: Answer) -> Answer:
    def write(handler: object, closing: object) -> None:
        time.sleep(seconds)  # the slowness that is tested
        answer.write(handler, closing)

    return Answer(write)


def test_slow_model_that_answers_a_short_question_gets_more_time() -> None:
    asked = request(2_000, ANSWERED_S)
    with serve(scripted(hangs(), after(0.05, FINE), after(1.2 * ANSWERED_S, FINE))) as server:
        assert PatienceModel(model(server)).ask(asked, NEVER).text == "Yes."
        assert len(server.asked) == 3


def test_model_with_a_measured_speed_gets_its_time_at_once() -> None:
    with serve(after(2 * SHORT_S, FINE)) as server:
        slow = model(server)
        slow.pace.note(tokens=10, seconds=1.0)
        assert PatienceModel(slow).ask(request(100), NEVER).text == "Yes."
        assert len(server.asked) == 1


def test_model_that_hangs_at_a_short_question_too_fails_after_it() -> None:
    with serve(hangs()) as server, within(20):
        with pytest.raises(LLMUnavailable, match="in time"):
            PatienceModel(model(server)).ask(request(2_000), NEVER)
        assert len(server.asked) == 2


def test_model_that_is_too_slow_for_one_request_refuses_that_one_alone() -> None:
    answers = scripted(hangs(), after(0.06, FINE), hangs())
    with serve(answers) as server, pytest.raises(LLMRefused, match="too slow"):
        PatienceModel(model(server)).ask(request(80, ANSWERED_S), NEVER)


@for_each(
    ("seconds", "expected"),
    [([], 180.0), ([1.0], 300.0), ([1.0, 0.1], 300.0), ([90.0], LONGEST_WAIT_S)],
)
def test_time_limit_follows_the_slowest_of_the_last_prompts(
    seconds: Sequence[float], expected: float
) -> None:
    pace = ReadingPace()
    for one in seconds:
        pace.note(tokens=10, seconds=one)
    assert pace.time_limit(1_000, least_s=180.0) == pytest.approx(expected)


def test_slow_start_is_forgotten_after_some_answers() -> None:
    pace = ReadingPace()
    for seconds in (90.0, *[0.1] * 5):
        pace.note(tokens=10, seconds=seconds)
    assert pace.time_limit(1_000, least_s=180.0) == 180.0
