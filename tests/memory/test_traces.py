"""Traces are kept for a while, and never show forgotten memories."""

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Memory, MemoryKind
from memory_core.memory.traces import Injected, Trace, Traces
from memory_core.recall.results import Candidate, Dropped, DropReason, Form, Recall, Recalled
from tests.builders import NOW, SPACE

OTHER = Namespace("ben", "mira")


def trace(query: str, recall: Recall | None = None, **more: object) -> Trace:
    made = Trace(
        ts=NOW, user="ana", character="mira", conversation="c", query=query,
        recall=recall or Recall(), **more,  # type: ignore[arg-type]
    )  # fmt: skip
    return made


def candidate(memory_id: str) -> Candidate:
    memory = Memory(id=memory_id, kind=MemoryKind.EXCHANGE, text="x")
    return Candidate(memory=memory, score=1.0)


def filled(count: int, *, keep: int = 9) -> Traces:
    traces = Traces(keep)
    for n in range(count):
        traces.add(SPACE, trace(f"q{n}"))
    return traces


def queries(traces: Traces, space: Namespace | None = None) -> list[str]:
    return [memory.query for memory in traces.latest(space)]


def test_traces_keep_the_newest_and_return_them_first() -> None:
    assert queries(filled(4, keep=3)) == ["q3", "q2", "q1"]


def test_latest_returns_the_traces_of_one_namespace() -> None:
    traces = filled(1)
    traces.add(OTHER, trace("other"))
    assert queries(traces, SPACE) == ["q0"]
    assert queries(traces) == ["other", "q0"]


def test_a_smaller_size_keeps_the_newest() -> None:
    traces = filled(4)
    traces.resize(2)
    traces.add(SPACE, trace("new"))
    assert queries(traces) == ["new", "q3"]


def test_every_trace_that_mentions_a_forgotten_memory_is_dropped() -> None:
    dropped = Dropped(candidate=candidate("gone"), reason=DropReason.GATE)
    kept = Recall(kept=(Recalled(candidate=candidate("gone"), form=Form.LINE),))
    traces = filled(1)
    traces.add(SPACE, trace("kept", kept))
    traces.add(SPACE, trace("dropped", Recall(dropped=(dropped,))))
    traces.add(SPACE, trace("over budget", dropped=(dropped,)))
    block = Injected(memory_id="a gone b", form="block", text="x", tokens=1)
    traces.add(SPACE, trace("injected", injected=(block,)))
    traces.add(OTHER, trace("another's", kept))
    traces.drop_mentions(SPACE, ["gone"])
    assert queries(traces) == ["another's", "q0"]


def test_drop_all_removes_the_traces_of_one_namespace() -> None:
    traces = filled(2)
    traces.add(OTHER, trace("other"))
    traces.drop_all(SPACE)
    assert queries(traces) == ["other"]


def test_trace_of_the_turn_that_created_a_forgotten_memory_is_dropped() -> None:
    traces = filled(2)
    traces.drop_mentions(SPACE, [], {"q1"})
    assert queries(traces) == ["q0"]
