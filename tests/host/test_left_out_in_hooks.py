"""A memory that one chat does not want stays out of that chat's prompts alone."""

from dataclasses import replace
from pathlib import Path

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, MemoryKind
from memory_core.host.commands.executor import with_pause
from memory_core.memory.traces import Trace
from memory_core.recall.results import DropReason
from memory_core.storage.pauses import ChatPauses, PauseState
from memory_core.text.commands.parser import PauseTarget
from memory_core.ui.demo.program import Program
from memory_core.ui.demo.responder import MemoryResponder

MIRA = Namespace("Alex", "Mira")
CAT = "What is my cat called, and where did I find him?"


def ask(program: Program, unique_id: str = "") -> tuple[str, Trace]:
    session = program.session("Alex", "Mira", unique_id)
    for _ in session.send(CAT, MemoryResponder()):
        pass
    return session.unique_id, program.runtime.traces.latest(MIRA)[0]


def leave_out(program: Program, chat: str, memory_id: str, *, left_out: bool = True) -> None:
    assert program.hooks.command_executor.set_left_out(MIRA, chat, memory_id, left_out=left_out)


def test_memory_left_out_of_a_chat_is_recalled_in_others(program: Program) -> None:
    chat, trace = ask(program)
    best = trace.recall.kept[0].memory.id
    leave_out(program, chat, best)
    _, here = ask(program, chat)
    assert best not in {hit.memory.id for hit in here.recall.kept}
    reasons = {drop.candidate.memory.id: drop.reason for drop in here.recall.dropped}
    assert reasons[best] is DropReason.LEFT_OUT
    _, elsewhere = ask(program)
    assert best in {hit.memory.id for hit in elsewhere.recall.kept}


def test_memory_left_out_of_a_chat_returns_when_that_is_undone(program: Program) -> None:
    chat, trace = ask(program)
    best = trace.recall.kept[0].memory.id
    leave_out(program, chat, best)
    leave_out(program, chat, best, left_out=False)
    _, again = ask(program, chat)
    assert best in {hit.memory.id for hit in again.recall.kept}


def test_copy_with_the_text_of_a_left_out_memory_is_left_out_too(program: Program) -> None:
    chat, trace = ask(program)
    best = trace.recall.kept[0].memory
    assert best.exchange is not None
    twin = Exchange(user=best.exchange.user, assistant=best.exchange.assistant, ts=best.ts)
    program.runtime.memory.remember(MIRA, "branch", twin)
    leave_out(program, chat, best.id)
    _, here = ask(program, chat)
    assert best.key not in {hit.memory.key for hit in here.recall.kept}


def test_note_left_out_of_a_chat_is_not_in_its_system_block(program: Program) -> None:
    note = program.runtime.memory.add_note(
        MIRA, "Alex is allergic to peanuts.", kind=MemoryKind.KNOWLEDGE, pinned=False
    )
    chat, before = ask(program)
    leave_out(program, chat, note)
    _, after = ask(program, chat)
    assert "peanuts" in before.system_block
    assert "peanuts" not in after.system_block


def test_left_out_memories_stay_so_after_pausing_and_resuming(program: Program) -> None:
    executor, pauses = program.hooks.command_executor, program.runtime.pauses
    leave_out(program, "c", "m1")
    executor.set_pause(MIRA, "c", PauseState(is_recall_paused=True))
    executor.set_pause(MIRA, "c", PauseState())
    assert pauses.get(MIRA, "c").left_out == {"m1"}
    assert pauses.paused_chats(MIRA) == {}
    state = with_pause(pauses.get(MIRA, "c"), PauseTarget.WRITING, paused=True)
    assert state == PauseState(is_writing_paused=True, left_out=frozenset({"m1"}))


def test_left_out_memories_stay_so_after_a_restart_and_a_merge(tmp_path: Path) -> None:
    pauses, other = ChatPauses(tmp_path), Namespace("Alex", "Other")
    pauses.set_pause(MIRA, "c", PauseState(left_out=frozenset({"m1"})))
    pauses.set_pause(other, "c", PauseState(is_recall_paused=True, left_out=frozenset({"m2"})))
    pauses = ChatPauses(tmp_path)
    pauses.merge_from(other, MIRA)
    expected = PauseState(is_recall_paused=True, left_out=frozenset({"m1", "m2"}))
    assert pauses.get(MIRA, "c") == expected
    assert replace(expected, left_out=frozenset()).is_paused
