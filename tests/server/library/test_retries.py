"""A chat's request is sent again after a failure that may pass."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from memory_core.domain.errors import LLMUnavailable
from memory_core.domain.records import Turn
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.server.library.opening import open_runtime
from memory_core.server.library.turn_engine import CompletionRequest, Retries, TurnEngine, owner_of
from tests.server.library.conftest import WORDS_ALONE

HELLO = CompletionRequest(
    owner=owner_of("ana"),
    conversation="one",
    messages=[{"role": "user", "content": "Hello there"}],
)


def failure(*, is_transient: bool = True, retry_after_s: float = 0.0) -> LLMUnavailable:
    found = LLMUnavailable("busy")
    found.is_transient, found.retry_after_s = is_transient, retry_after_s
    return found


class BreaksOff(ScriptedLLM):
    """Fails in the middle of each answer."""

    def stream(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> Iterator[str]:
        self.asked.append(tuple(turns))
        yield "Half"
        raise failure()


class Waits:
    """Notes the waits, and lets the time pass."""

    def __init__(self) -> None:
        self.lengths: list[float] = []

    def wait(self, seconds: float) -> None:
        self.lengths.append(seconds)

    def clock(self) -> float:
        return sum(self.lengths)


def answered(
    folder: Path, llm: ScriptedLLM, waits: Waits, *, streams: bool = False, **settings: object
) -> str:
    with closing(open_runtime(folder, {**WORDS_ALONE, **settings}, llm=llm)) as runtime:
        engine = TurnEngine(runtime, retries=Retries(wait=waits.wait, clock=waits.clock))
        turn = engine.prepare(HELLO)
        return "".join(engine.stream(HELLO, turn)) if streams else engine.complete(HELLO, turn)[0]


@pytest.mark.parametrize("streams", [False, True])
def test_busy_model_is_asked_again_and_waits_grow(tmp_path: Path, streams: bool) -> None:
    waits, llm = Waits(), ScriptedLLM([failure(), failure(), "Hi."])
    assert answered(tmp_path, llm, waits, streams=streams) == "Hi."
    assert waits.lengths == [1.0, 2.0]


def test_model_stays_unavailable_after_the_configured_retries(tmp_path: Path) -> None:
    waits, llm = Waits(), ScriptedLLM([failure(), failure(), "Hi."])
    with pytest.raises(LLMUnavailable, match="busy"):
        answered(tmp_path, llm, waits, **{"llm.retries": 1})
    assert len(llm.asked) == 2


def test_lasting_failure_is_reported_at_once(tmp_path: Path) -> None:
    waits, llm = Waits(), ScriptedLLM([failure(is_transient=False), "Hi."])
    with pytest.raises(LLMUnavailable):
        answered(tmp_path, llm, waits)
    assert waits.lengths == []


def test_server_names_the_wait(tmp_path: Path) -> None:
    waits, llm = Waits(), ScriptedLLM([failure(retry_after_s=7.0), "Hi."])
    assert answered(tmp_path, llm, waits) == "Hi."
    assert waits.lengths == [7.0]


def test_wait_beyond_the_time_limit_of_an_answer_is_not_begun(tmp_path: Path) -> None:
    waits, llm = Waits(), ScriptedLLM([failure(retry_after_s=3_600.0), "Hi."])
    with pytest.raises(LLMUnavailable):
        answered(tmp_path, llm, waits)
    assert waits.lengths == []


def test_answer_that_has_begun_is_not_asked_for_again(tmp_path: Path) -> None:
    waits, llm = Waits(), BreaksOff([])
    with pytest.raises(LLMUnavailable):
        answered(tmp_path, llm, waits, streams=True)
    assert (len(llm.asked), waits.lengths) == (1, [])
