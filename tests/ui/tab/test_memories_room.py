"""The tab Memories shows its parts once there is something to use them on."""

import asyncio

import gradio as gr
import pytest

from memory_core.admin.administration import Administration
from memory_core.domain.namespaces import Namespace
from memory_core.text.locales import tab_words
from memory_core.ui.tab.common.header import Labels, Selection, TabHeader
from memory_core.ui.tab.rooms import build_memories
from tests.builders import said
from tests.host.plain_host import PlainHost, hooks_in

MIRA = Namespace("default", "Mira")
WORDS = tab_words("en")


async def visible_parts(hooks, namespace):
    """Builds the room in a running loop: Gradio would make one of its own and leave it open."""
    with gr.Blocks():
        header = TabHeader(Administration(hooks), Labels("en"))
        panels = build_memories(header)
    view = Selection(language="en", chosen=namespace, visible=(namespace,) if namespace else ())
    shown = [
        (part, update)
        for panel in panels
        for part, update in zip(panel.outputs, panel.show(view), strict=True)
    ]
    return {
        getattr(part, "label", None) or part.elem_id
        for part, update in shown
        if isinstance(part, (gr.Row, gr.Accordion)) and update.get("visible")
    }


@pytest.mark.parametrize("has_memories", [False, True])
def test_memories_shows_its_folds_once_there_are_memories(tmp_path, has_memories):
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path))
    if has_memories:
        hooks.runtime.memory.remember(MIRA, "chat", said("My dog is called Bello"))
    found = asyncio.run(visible_parts(hooks, MIRA if has_memories else None))
    folds = {WORDS["review_tab"], WORDS["diary_tab"], WORDS["deleted_tab"]}
    assert found == (folds if has_memories else set())
