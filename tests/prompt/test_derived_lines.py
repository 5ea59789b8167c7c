"""Lines of derived memories: dated, and marked where they are no present fact."""

from dataclasses import replace

from memory_core.domain.derivations import Derivation, Flag
from memory_core.domain.records import Memory, MemoryKind
from memory_core.prompt.plan import make_plan
from memory_core.prompt.window import ChatMode, Window
from memory_core.recall.results import Candidate, Form, Recalled
from tests.cases import for_each
from tests.prompt.scenes import material

WINDOW = Window(message="Which dog?", mode=ChatMode.CHAT, name1="Ana", name2="Bot")
MAY = 1_683_115_200.0  # 3 May 2023, 12:00 UTC


def _block(derived: Derivation | None, *, is_outdated: bool = False, **settings: str) -> str:
    memory = Memory(
        id="m1", kind=MemoryKind.OBSERVATION, text="Ana owns a dog.", ts=MAY, derived=derived
    )
    candidate = Candidate(memory=memory, score=1.0, is_outdated=is_outdated)
    kept = (Recalled(candidate=candidate, form=Form.LINE),)
    return make_plan(WINDOW, material(kept=kept, system_lines=(), **settings)).block


@for_each(
    ("derived", "line"),
    [
        (Derivation(made_by="m"), "- 3 May 2023: Ana owns a dog."),
        (Derivation(made_by="m", event_from=MAY - 86_400.0), "- 2 May 2023: Ana owns a dog."),
        (Derivation(flag=Flag.FICTION), "- 3 May 2023: (told as a story, not real) Ana owns"),
        (Derivation(flag=Flag.ROLE_PLAY), "- 3 May 2023: (said in a role-play, not real) Ana"),
        (Derivation(flag=Flag.HYPOTHETICAL), "- 3 May 2023: (only imagined) Ana owns a dog."),
    ],
)
def test_derived_line_has_its_date_and_says_what_is_not_real(
    derived: Derivation, line: str
) -> None:
    assert line in _block(derived)


def test_outdated_line_says_until_when_it_was_so() -> None:
    ended = Derivation(made_by="m", superseded_by="m2", valid_to=MAY + 86_400.0)
    assert "- 3 May 2023: (until 4 May 2023) Ana owns a dog." in _block(ended, is_outdated=True)
    unknown = replace(ended, valid_to=None)
    assert "(no longer so) Ana owns a dog." in _block(unknown, is_outdated=True)
    assert "(until" not in _block(ended)


def test_line_without_a_date_says_so_in_the_language_of_the_chat() -> None:
    memory = Memory(
        id="m1", kind=MemoryKind.OBSERVATION, text="小岚养狗。", derived=Derivation(made_by="m")
    )
    kept = (Recalled(candidate=Candidate(memory=memory, score=1.0), form=Form.LINE),)
    inputs = replace(material(kept=kept, system_lines=()), language="zh")
    assert "- 以前: 小岚养狗。" in make_plan(WINDOW, inputs).block


def test_note_that_was_not_derived_keeps_its_line() -> None:
    assert 'a note: "Ana owns a dog."' in _block(None)


def test_template_of_derived_lines_takes_the_fields_of_other_lines() -> None:
    block = _block(
        Derivation(made_by="m"), derived_template="* {memory_message} ({time_difference})"
    )
    assert "* Ana owns a dog. (" in block
