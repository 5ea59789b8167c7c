"""Some turns leave a trace on disk, and some events erase it, with a whole runtime."""

from pathlib import Path

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.memory.trace_history import FILE
from memory_core.storage.pauses import PauseState
from memory_core.ui.demo.program import Program
from memory_core.ui.demo.responder import MemoryResponder

MIRA = Namespace("Alex", "Mira")
CAT = "What is my cat called, and where did I find him?"


def say(program: Program, text: str, unique_id: str = "") -> str:
    session = program.session("Alex", "Mira", unique_id)
    for _ in session.send(text, MemoryResponder()):
        pass
    program.runtime.traces.save()
    return session.unique_id


def on_disk(program: Program) -> str:
    path = MIRA.folder(program.runtime.memory.root) / FILE
    return path.read_text("utf-8") if path.exists() else ""


def test_trace_of_the_last_answer_is_shown_after_a_restart(
    program: Program, tmp_path: Path
) -> None:
    say(program, CAT)
    program.runtime.close()
    again = Program(tmp_path, {})
    (trace,) = again.runtime.traces.latest(MIRA)
    again.runtime.close()
    assert trace.query == CAT
    assert trace.injected
    assert 0 < trace.chat_tokens < trace.limit_tokens


@pytest.mark.parametrize("are_on", [True, False])
@pytest.mark.parametrize("text", [f"/off {CAT}", f"/forget zebra. {CAT}", "/memories cat"])
def test_message_with_a_command_leaves_nothing_on_disk(
    program: Program, text: str, are_on: bool
) -> None:
    program.runtime.save_settings({"commands.enabled": are_on})
    say(program, text)
    assert on_disk(program) == ""


def test_message_in_a_paused_chat_leaves_nothing_on_disk(program: Program) -> None:
    chat = say(program, "Hello there")
    program.runtime.pauses.set_pause(MIRA, chat, PauseState(is_writing_paused=True))
    before = on_disk(program)
    say(program, "My pin is 1234, remember my cat?", chat)
    assert on_disk(program) == before


def test_never_remembered_character_leaves_nothing_on_disk(program: Program) -> None:
    program.runtime.pauses.set_never_remembered(MIRA, wanted=True)
    say(program, CAT)
    assert on_disk(program) == ""


def test_forgetting_removes_the_words_from_the_saved_trace(program: Program) -> None:
    say(program, CAT)
    assert "ginger" in on_disk(program)
    trace = program.runtime.traces.latest(MIRA)[0]
    for recalled in (*trace.recall.kept, *trace.recall.dropped):
        memory = recalled.memory if hasattr(recalled, "memory") else recalled.candidate.memory
        if "ginger" in memory.text:
            program.hooks.runtime.forget(MIRA, [memory.id])
    assert "ginger" not in on_disk(program)


def test_erasing_removes_words_that_a_crash_left_in_the_saved_trace(program: Program) -> None:
    say(program, CAT)
    path = MIRA.folder(program.runtime.memory.root) / FILE
    before = path.read_bytes()
    trace = program.runtime.traces.latest(MIRA)[0]
    doomed = [hit.memory.id for hit in trace.recall.kept]
    doomed += [entry.candidate.memory.id for entry in trace.recall.dropped]
    program.runtime.memory.forget_exactly(MIRA, doomed)
    path.write_bytes(before)
    program.runtime.memory.erase_all_forgotten(MIRA)
    assert "ginger" in before.decode()
    assert "ginger" not in on_disk(program)
