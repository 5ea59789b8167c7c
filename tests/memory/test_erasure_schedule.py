"""Forgotten words are erased in time also where no chat uses the memories any more."""

from pathlib import Path

from memory_core.domain.derivations import EXTRACTIVE, Derivation
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.derived_memories import DerivedMemories, NewDerived
from memory_core.memory.runtime import Runtime
from tests.builders import SPACE, Clock, said
from tests.conftest import MakeRuntime
from tests.forensics import holding

SECRET = "xylophone"
AT_ONCE = {"undo_forget_s": 0}
SHARED = Namespace.shared(SPACE.user)


def run_round(runtime: Runtime) -> list[Namespace]:
    """Runs one idle round, as the deriver does; returns the namespaces that it was due for."""
    for duty in runtime._idle_duties:
        duty()
    due = runtime._round_robin.next()
    for namespace in due:
        runtime._process_namespace(namespace)
    return due


def test_words_forgotten_before_a_restart_are_erased_without_a_chat(
    make_runtime: MakeRuntime, tmp_path: Path
) -> None:
    runtime = make_runtime(ltm_writes=AT_ONCE)
    kept = runtime.memory.remember(SPACE, "monday", said(f"My {SECRET} is old"))
    runtime.memory.remember(Namespace("bob", "mira"), "monday", said("Hello"))
    runtime.forget(SPACE, [kept])
    runtime.close()
    assert holding(tmp_path, SECRET.encode())
    again = make_runtime(ltm_writes=AT_ONCE)
    assert run_round(again) == [SPACE]
    assert holding(tmp_path, SECRET.encode()) == []
    assert run_round(again) == []


def test_forgotten_shared_memory_is_erased_without_a_chat(
    make_runtime: MakeRuntime, tmp_path: Path
) -> None:
    runtime = make_runtime(ltm_writes=AT_ONCE)
    runtime.memory.remember(SPACE, "monday", said("Hello"))
    note = runtime.memory.add_note(
        SHARED, f"Ana has a {SECRET}", kind=MemoryKind.KNOWLEDGE, pinned=False
    )
    run_round(runtime)
    runtime.forget(SPACE, [note])
    assert set(run_round(runtime)) == {SPACE, SHARED}
    assert holding(tmp_path, SECRET.encode()) == []


def test_unreadable_namespace_keeps_no_other_from_being_erased(
    make_runtime: MakeRuntime, tmp_path: Path
) -> None:
    runtime = make_runtime(ltm_writes=AT_ONCE)
    kept = runtime.memory.remember(SPACE, "monday", said(f"My {SECRET} is old"))
    runtime.forget(SPACE, [kept])
    broken = Namespace("aaron", "mira").folder(runtime.memory.root)
    runtime.close()
    (broken / "notes.jsonl").mkdir(parents=True)
    assert SPACE in run_round(make_runtime(ltm_writes=AT_ONCE))
    assert holding(tmp_path, SECRET.encode()) == []


def test_words_of_a_withdrawn_summary_are_erased_without_further_use(
    make_runtime: MakeRuntime, tmp_path: Path
) -> None:
    runtime, clock = make_runtime(ltm_writes={"undo_forget_s": 600}), Clock()
    runtime.memory.now = clock
    kept = runtime.memory.remember(SPACE, "monday", said("I bought something old"))
    seq = runtime.memory.last_seqs(SPACE, [kept])[kept]
    summary = NewDerived(
        kind=MemoryKind.SUMMARY,
        text=f"Ana has a {SECRET}.",
        sources={kept: seq},
        derived=Derivation(made_by=EXTRACTIVE),
    )
    DerivedMemories(runtime.memory).add(SPACE, summary)
    runtime.memory.edit(SPACE, kept, {"user": "I sold something old"})
    runtime.schedule(SPACE)
    run_round(runtime)
    clock.now += 601
    run_later(runtime)
    assert holding(tmp_path, SECRET.encode()) == []


def run_later(runtime: Runtime) -> None:
    """Runs the round that comes some time later."""
    runtime._round_robin._looked_at = float("-inf")
    run_round(runtime)
