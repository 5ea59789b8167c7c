"""Traces are kept for a while, and never show forgotten memories."""

from pathlib import Path

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Memory, MemoryKind
from memory_core.memory.trace_history import Traces
from memory_core.memory.traces import Injected, Trace, redact
from memory_core.recall.results import Candidate, Dropped, DropReason, Form, Recall, Recalled
from tests.builders import NOW, SPACE

OTHER = Namespace("ben", "mira")
NO_FOLDER = Path("/no/such/folder")


def trace(query: str, recall: Recall | None = None, **more: object) -> Trace:
    made = Trace(
        ts=NOW, user="ana", character="mira", conversation="c", query=query,
        recall=recall or Recall(), **more,  # type: ignore[arg-type]
    )  # fmt: skip
    return made


def candidate(memory_id: str) -> Candidate:
    memory = Memory(id=memory_id, kind=MemoryKind.EXCHANGE, text="secret")
    return Candidate(memory=memory, score=1.0)


def filled(count: int, *, keep: int = 9) -> Traces:
    traces = Traces(keep, lambda: NO_FOLDER)
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


def test_traces_resized_to_fewer_keep_the_newest() -> None:
    traces = filled(4)
    traces.resize(2)
    traces.add(SPACE, trace("new"))
    assert queries(traces) == ["new", "q3"]


def test_no_trace_keeps_the_words_of_a_forgotten_memory() -> None:
    dropped = Dropped(candidate=candidate("gone"), reason=DropReason.GATE)
    kept = Recall(kept=(Recalled(candidate=candidate("gone"), form=Form.LINE),))
    traces = filled(1)
    block = Injected(memory_id="a gone b", form="system", text="secret", tokens=1)
    traces.add(SPACE, trace("kept", kept, injected_text="secret", system_block="secret"))
    traces.add(SPACE, trace("dropped", Recall(dropped=(dropped,))))
    traces.add(SPACE, trace("over budget", dropped=(dropped,)))
    traces.add(SPACE, trace("injected", injected=(block,)))
    traces.redact(SPACE, ["gone"])
    assert "secret" not in repr(traces.latest())
    assert queries(traces) == ["injected", "over budget", "dropped", "kept", "q0"]
    assert [found.is_redacted for found in traces.latest()] == [True] * 4 + [False]


def test_redacted_trace_keeps_the_id_and_the_score_of_the_memory() -> None:
    kept = Recall(kept=(Recalled(candidate=candidate("gone"), form=Form.LINE),))
    (left,) = redact(trace("q", kept), {"gone"}).recall.kept
    assert (left.memory.id, left.memory.text, left.candidate.score) == ("gone", "", 1.0)


def test_drop_all_removes_the_traces_of_one_namespace() -> None:
    traces = filled(2)
    traces.add(OTHER, trace("other"))
    traces.drop_all(SPACE)
    assert queries(traces) == ["other"]


def test_trace_of_the_message_that_was_forgotten_is_dropped() -> None:
    traces = filled(2)
    traces.redact(SPACE, [], {"q1"})
    assert queries(traces) == ["q0"]
