"""The "Why?" below an answer, and the sample chats that can be imported."""

import shutil
from pathlib import Path

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.text.locales import tab_words
from memory_core.ui.demo.page import SAMPLE_CHATS, messages
from memory_core.ui.demo.program import Program
from memory_core.ui.demo.session import Session
from memory_core.ui.demo.traced_memories import why_by_message

CAT = "What is my cat called, and where did I find him?"
MIRA = Namespace("Alex", "Mira")
WORDS = tab_words("en")


def asked(program: Program, *texts: str) -> Session:
    session = program.session("Alex", "Mira")
    for text in texts:
        for _ in session.send(text, program.responder(session)):
            pass
    return session


def test_why_quotes_the_memories_of_its_own_answer(program: Program) -> None:
    session = asked(program, CAT, "Which nuts am I allergic to?")
    why = why_by_message(program.hooks, session, WORDS)
    assert "Rua da Rosa" in why[CAT]
    assert "hazelnuts" in why["Which nuts am I allergic to?"]
    assert "hazelnuts" not in why[CAT]


def test_why_stands_below_the_answer(program: Program) -> None:
    session = asked(program, CAT)
    rows = messages(session.history, why_by_message(program.hooks, session, WORDS))
    assert "<details" not in rows[0]["content"]
    assert rows[1]["content"].endswith("</details>")


def test_why_escapes_what_was_said(program: Program) -> None:
    program.hooks.runtime.memory.remember(
        MIRA, "kayaks", Exchange(user="My <i>kayak</i> is called Zoot.", assistant="Fine.", ts=1e9)
    )
    program.runtime.memory.derive_pending(MIRA)
    session = asked(program, "What is my kayak called?")
    why = "".join(why_by_message(program.hooks, session, WORDS).values())
    assert "Zoot" in why
    assert "<i>" not in why


def test_forgotten_memories_leave_the_reasons(program: Program) -> None:
    session = asked(program, CAT)
    trace = program.runtime.traces.latest()[0]
    for result in trace.recall.kept:
        program.hooks.runtime.forget(MIRA, [result.memory.id])
    assert "Rua da Rosa" not in "".join(why_by_message(program.hooks, session, WORDS).values())


def test_sample_chats_can_be_brought_in(program: Program, tmp_path: Path) -> None:
    copy = shutil.copy(SAMPLE_CHATS, tmp_path)  # what is dropped is deleted afterwards
    intake = program.administration.intake
    assert intake.begin_reading([Path(copy)], user="Alex")
    finish(program)
    assert intake.begin_import("Nora")
    finish(program)
    assert program.runtime.memory.counts(Namespace("Alex", "Nora"))["live"] == 4


def finish(program: Program) -> None:
    thread = program.runtime._background
    assert thread
    thread.join(30.0)


def test_why_says_whether_nothing_was_needed_or_recall_was_paused(program: Program) -> None:
    why = why_by_message(program.hooks, asked(program, "thanks!", "/pause recall", CAT), WORDS)
    assert WORDS["answer_given_unneeded"] in why["thanks!"]
    assert "No memories went into this answer" in why[CAT]
    assert "paused" in why[CAT]
