"""The form of a note offers a scope that exists."""

import asyncio

import gradio as gr
import pytest

from memory_core.admin.administration import Administration
from memory_core.domain.namespaces import Namespace
from memory_core.ui.tab.common.header import Labels, Selection, TabHeader
from memory_core.ui.tab.memories.notes import NoteScope, NotesPanel
from tests.host.plain_host import PlainHost, hooks_in

MIRA = Namespace("default", "Mira")


async def chosen_scope(hooks, namespace, visible=()):
    """Builds the panel in a running loop: Gradio would make one of its own and leave it open."""
    with gr.Blocks():
        header = TabHeader(Administration(hooks), Labels("en"))
        panel = NotesPanel(header)
    view = Selection(language="en", chosen=namespace, visible=visible)
    return panel.show(view)[-1]["value"]


@pytest.mark.parametrize(("namespace", "scope"), [(MIRA, NoteScope.THIS), (None, NoteScope.WORLD)])
def test_note_is_for_everybody_as_long_as_there_is_no_character(tmp_path, namespace, scope):
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path))
    assert asyncio.run(chosen_scope(hooks, namespace)) == scope


def test_note_for_a_new_character_beside_others_is_not_for_everybody_by_default(tmp_path):
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path))
    assert asyncio.run(chosen_scope(hooks, None, visible=(MIRA,))) is None
