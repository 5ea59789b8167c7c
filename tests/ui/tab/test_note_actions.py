"""Notes that a person writes: for one character, all of them, and everybody."""

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.text.locales import tab_words
from memory_core.ui.tab.memories import notes
from memory_core.ui.tab.memories.notes import NoteScope
from tests.host.plain_host import PlainHost, hooks_in, opened

ANA, LEO, HERS = Namespace("ana", "Mira"), Namespace("ana", "Leo"), Namespace("bob", "Mira")
WORDS = tab_words("en")
DOG = Exchange(user="My dog is called Bruno", assistant="Aw")


@pytest.fixture
def hooks(tmp_path):
    made = hooks_in(tmp_path / "home", PlainHost(tmp_path))
    for space in (ANA, LEO, HERS):
        made.runtime.memory.remember(space, "c", DOG)
    yield made
    while opened:
        opened.pop().close()


def stands(hooks, space):
    return [note.text for note in hooks.runtime.memory.always_in_prompt(space)]


@pytest.mark.parametrize(
    ("reach", "whose"),
    [(NoteScope.THIS, [ANA]), (NoteScope.SHARED, [ANA, LEO]), (NoteScope.WORLD, [ANA, LEO, HERS])],
)
def test_note_is_in_the_prompts_of_its_scope(hooks, reach, whose):
    told = notes.add_note(hooks, ANA, " Every dog needs a tag ", reach, WORDS)
    assert told.startswith("Saved for")
    for space in (ANA, LEO, HERS):
        assert stands(hooks, space) == (["Every dog needs a tag"] if space in whose else [])
    notes.add_note(hooks, ANA, "Every dog needs a tag", reach, WORDS)
    assert len(stands(hooks, ANA)) == 1


def refusal(hooks, space, text, reach):
    """Returns why a note is refused."""
    with pytest.raises(notes.NoteRefused) as caught:
        notes.add_note(hooks, space, text, reach, WORDS)
    return str(caught.value)


def test_note_without_text_or_namespace_or_with_writing_off_is_not_saved(hooks):
    assert refusal(hooks, ANA, "  ", NoteScope.THIS) == WORDS["note_empty"]
    assert refusal(hooks, None, "text", NoteScope.SHARED) == WORDS["note_nobody"]
    assert refusal(hooks, ANA, "text", "odd") == WORDS["note_nobody"]
    hooks.runtime.save_settings({"ltm_writes.enabled": False})
    assert refusal(hooks, ANA, "text", NoteScope.THIS) == WORDS["note_off"]
    assert stands(hooks, ANA) == []


def test_shared_page_offers_no_note_for_everybody(hooks):
    hooks.host.multi_user = True
    assert NoteScope.WORLD not in notes.offered_scopes(hooks)
    assert refusal(hooks, ANA, "text", NoteScope.WORLD) == WORDS["note_nobody"]
    assert stands(hooks, HERS) == []
