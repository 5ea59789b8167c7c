"""Traces that show a derived memory go when its source is forgotten."""

from memory_core.memory.traces import Trace
from memory_core.recall.results import Candidate, Form, Recall, Recalled
from tests.builders import SPACE
from tests.conftest import MakeRuntime
from tests.memory.derived_scene import observe, remember


def test_trace_of_a_derived_memory_is_dropped_with_its_source(make_runtime: MakeRuntime) -> None:
    for forget in ("forget", "forget_exactly"):
        runtime = make_runtime()
        source = remember(runtime.memory, f"My doctor is nice {forget}")
        made = observe(runtime.memory, f"A nice doctor {forget}.", source)
        memory = runtime.memory.get_record(SPACE, made).memory
        shown = Recalled(candidate=Candidate(memory=memory, score=1.0), form=Form.LINE)
        runtime.traces.add(SPACE, _trace(Recall(kept=(shown,))))
        assert runtime.traces.latest(SPACE)
        getattr(runtime, forget)(SPACE, [source])
        assert runtime.traces.latest(SPACE) == []


def _trace(recall: Recall) -> Trace:
    return Trace(
        ts=0.0,
        user=SPACE.user,
        character=SPACE.character,
        conversation="",
        query="Doctor?",
        recall=recall,
    )
