"""Traces that show a derived memory go when its source is forgotten."""

import pytest

from memory_core.memory.traces import Trace
from memory_core.recall.results import Candidate, Form, Recall, Recalled
from tests.builders import SPACE
from tests.conftest import MakeRuntime
from tests.memory.derived_scene import observe, remember


@pytest.mark.parametrize("is_exact", [True, False])
def test_trace_of_a_derived_memory_loses_its_words_with_its_source(
    make_runtime: MakeRuntime, is_exact: bool
) -> None:
    runtime = make_runtime()
    source = remember(runtime.memory, "My doctor is nice")
    made = observe(runtime.memory, "A nice doctor.", source)
    memory = runtime.memory.get_record(SPACE, made).memory
    shown = Recalled(candidate=Candidate(memory=memory, score=1.0), form=Form.LINE)
    runtime.traces.add(SPACE, _trace(Recall(kept=(shown,))))
    assert runtime.traces.latest(SPACE)
    (runtime.forget_exactly if is_exact else runtime.forget)(SPACE, [source])
    (trace,) = runtime.traces.latest(SPACE)
    assert trace.is_redacted
    assert "nice doctor" not in repr(trace).casefold()


def _trace(recall: Recall) -> Trace:
    return Trace(
        ts=0.0,
        user=SPACE.user,
        character=SPACE.character,
        conversation="",
        query="Doctor?",
        recall=recall,
    )
