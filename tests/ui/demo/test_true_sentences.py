"""The demo's answers are true: about pauses, about commands, and about what is no memory."""

from memory_core.ui.demo.program import Program


def answers(program: Program, *texts: str) -> list[str]:
    session = program.session("Alex", "Mira")
    session.new_chat()
    found = []
    for text in texts:
        *_, history = session.send(text, program.responder(session))
        found.append(str(history["internal"][-1][1]))
    return found


def test_list_of_memories_is_printed_whole(program: Program) -> None:
    (said,) = answers(program, "/memories")
    assert "44 memories in all" in said
    assert all(f"\n{number}. " in said for number in range(1, 9))
    assert "What Mira remembers of Alex" not in said


def test_remembering_is_not_promised_while_writing_is_paused(program: Program) -> None:
    _, paused, promised = answers(program, "Hello!", "/pause", "Zyx qwv plugh.")
    assert "Writing is now paused" in paused
    assert "I will remember" not in promised
    assert "I will not remember" in promised


def test_remembering_is_promised_while_writing_is_on(program: Program) -> None:
    assert "I will remember" in answers(program, "Zyx qwv plugh.")[0]


def test_words_around_memories_are_never_quoted(program: Program) -> None:
    for said in answers(program, "What day is today?", "What does Mira remember from before?"):
        assert "Today is" not in said
        assert "from before:" not in said
