"""The host's own model as a background worker: it begins when nobody generates, and gives way."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from memory_core.domain.errors import LLMInterrupted, LLMUnavailable
from memory_core.domain.records import Role, Turn
from memory_core.host.host_model import HostIdleness, HostLanguageModel
from memory_core.infra.deadlines import time_limit
from memory_core.providers.llm.base import LLMRequest
from tests.host.fake_generation import GeneratingHost
from tests.in_time import within

NEVER = threading.Event()
PATIENCE_S = 20.0
IDLE_S = 0.1
CLOCKS_DIFFER_S = 0.01
TURNS = (
    Turn(role=Role.SYSTEM, text="Rules."),
    Turn(role=Role.USER, text="Example?"),
    Turn(role=Role.ASSISTANT, text="Answer."),
    Turn(role=Role.USER, text="Question?"),
)
QUESTION = LLMRequest(turns=TURNS, max_tokens=50)

StartHost = Callable[..., GeneratingHost]


@pytest.fixture
def start_host(monkeypatch: pytest.MonkeyPatch) -> StartHost:
    def start(reply: str = "Yes.", *, letter_s: float = 0.0) -> GeneratingHost:
        host = GeneratingHost(reply, letter_s=letter_s)
        for name, module in host.modules().items():
            monkeypatch.setitem(sys.modules, name, module)
        return host

    return start


def test_host_model_answers_in_the_hosts_template_with_plain_sampling(
    start_host: StartHost,
) -> None:
    host = start_host()
    answer = HostLanguageModel().ask(QUESTION, NEVER)
    assert answer.text == "Yes."
    assert host.prompts == ["S:Rules.\nExample?\nAnswer.\nQuestion?\nA:"]
    state = host.states[0]
    assert (state["do_sample"], state["max_new_tokens"], state["mode"]) == (False, 50, "instruct")
    assert HostLanguageModel().name == "tiny"


def test_host_model_leaves_the_hosts_settings_unchanged(start_host: StartHost) -> None:
    host = start_host()
    HostLanguageModel().ask(QUESTION, NEVER)
    host.states[0]["list"].append(2)
    assert host.shared.settings == {"truncation_length": 8192, "temperature": 0.7, "list": [1]}


def test_host_model_stops_at_the_next_token_when_a_message_is_sent(start_host: StartHost) -> None:
    host = start_host("x" * 500, letter_s=0.01)
    stop = threading.Event()
    host.at_letter = {5: stop.set}
    with within(20), pytest.raises(LLMInterrupted):
        HostLanguageModel().ask(QUESTION, stop)
    assert host.shared.generation_lock.acquire(timeout=PATIENCE_S)
    host.shared.generation_lock.release()
    assert 5 <= host.letters < 500


def test_stop_of_the_host_model_does_not_end_the_users_generation(start_host: StartHost) -> None:
    host = start_host("x" * 100, letter_s=0.005)
    stop = threading.Event()
    host.at_letter = {5: stop.set}
    with pytest.raises(LLMInterrupted):
        HostLanguageModel().ask(QUESTION, stop)
    *_, whole = host.generate_reply("user's own", {})
    assert whole == "x" * 100
    assert host.shared.stop_everything is False


def test_host_model_does_not_wait_behind_the_users_generation(start_host: StartHost) -> None:
    host = start_host()
    with host.shared.generation_lock, pytest.raises(LLMInterrupted, match="is generating"):
        HostLanguageModel().ask(QUESTION, NEVER)
    assert host.prompts == []


def test_stop_button_ends_the_generation_and_the_job_stays(start_host: StartHost) -> None:
    host = start_host("x" * 500, letter_s=0.005)

    def press_stop() -> None:
        host.shared.stop_everything = True

    host.at_letter = {5: press_stop}
    with pytest.raises(LLMInterrupted, match="Stop button"):
        HostLanguageModel().ask(QUESTION, NEVER)


def test_host_model_never_makes_the_host_load_a_model(start_host: StartHost) -> None:
    host = start_host()
    assert HostLanguageModel().is_loaded
    host.shared.model = None
    assert not HostLanguageModel().is_loaded
    with pytest.raises(LLMUnavailable, match="no model is loaded"):
        HostLanguageModel().ask(QUESTION, NEVER)
    assert host.prompts == []


def test_failure_of_the_host_is_a_failure_of_the_model(start_host: StartHost) -> None:
    host = start_host()
    del host.text_generation.generate_reply
    with pytest.raises(LLMUnavailable, match=r"text_generation\.generate_reply"):
        HostLanguageModel().ask(QUESTION, NEVER)
    host.text_generation.generate_reply = host.generate_reply
    host.chat.generate_chat_prompt = lambda *args, **kwargs: 1 / 0
    with pytest.raises(LLMUnavailable, match="ZeroDivisionError"):
        HostLanguageModel().ask(QUESTION, NEVER)


def await_idle(idleness: HostIdleness) -> None:
    """Waits until nobody has generated for a moment."""
    end = time.monotonic() + PATIENCE_S
    while idleness.idle_s() < IDLE_S:
        assert time.monotonic() < end
        time.sleep(IDLE_S / 10)


@contextmanager
def ends_idle_time(idleness: HostIdleness) -> Iterator[None]:
    """Fails unless the idle time begins anew in this block."""
    await_idle(idleness)
    began = time.monotonic()
    yield
    assert idleness.idle_s() <= time.monotonic() - began + CLOCKS_DIFFER_S


def test_generation_of_page_or_api_ends_the_idle_time(start_host: StartHost) -> None:
    host = start_host()
    idleness = HostIdleness(HostLanguageModel())
    with ends_idle_time(idleness), host.shared.generation_lock:
        idleness.poll()
    with ends_idle_time(idleness):
        host.models.active_generation_count = 1  # an API call beside the lock
    host.models.active_generation_count = 0
    with ends_idle_time(idleness):
        host.models.last_generation_time = time.time()


def test_prompt_ends_the_idle_time(start_host: StartHost) -> None:
    start_host()
    idleness = HostIdleness(HostLanguageModel())
    with ends_idle_time(idleness), time_limit(1.0):
        assert idleness.idle_s() == 0.0


def test_generation_of_the_host_model_does_not_end_the_idle_time(start_host: StartHost) -> None:
    host = start_host("x" * 30)
    writes, goes_on = threading.Event(), threading.Event()
    host.at_letter = {3: writes.set, 4: lambda: goes_on.wait(PATIENCE_S)}
    model = HostLanguageModel()
    idleness = HostIdleness(model)
    await_idle(idleness)
    asking = threading.Thread(target=lambda: model.ask(QUESTION, NEVER))
    asking.start()
    assert writes.wait(PATIENCE_S)
    assert model.is_generating
    assert idleness.idle_s() >= IDLE_S
    goes_on.set()
    asking.join()
    assert idleness.idle_s() >= IDLE_S


def test_host_model_outside_the_host_is_refused_with_the_setting(make_runtime: Callable) -> None:
    runtime = make_runtime(llm={"kind": "host"})
    assert any("llm.kind is host" in problem for problem in runtime.problems())
    assert runtime.models.background is None
