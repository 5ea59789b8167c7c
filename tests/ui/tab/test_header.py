"""A handler that fails says why in its only output."""

import asyncio

import gradio as gr
import pytest

from memory_core.admin.administration import Administration
from memory_core.domain.errors import StorageFailed
from memory_core.ui.tab.common.header import Labels, TabHeader
from memory_core.ui.tab.common.open_chat import NO_CHAT
from tests.host.plain_host import PlainHost, hooks_in


def fails(view, given):
    raise StorageFailed("the disk is <full>")


def fails_later(view, given):
    yield "wait"
    raise StorageFailed("the disk is <full>")


async def handled(hooks, act, outputs):
    """Builds the head in a running loop: Gradio would make one of its own and leave it open."""
    with gr.Blocks():
        header = TabHeader(Administration(hooks), Labels("en"))
    handler = header.on(lambda made, *_: made, act, outputs)
    given = {header.language: "en", header.namespace_choice: None, header.open_chat: NO_CHAT}
    return handler(given, gr.Request())


@pytest.mark.parametrize("outputs", [gr.HTML(render=False), [gr.HTML(render=False)]])
def test_failure_is_shown_in_the_only_output(tmp_path, outputs):
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path))
    assert "the disk is &lt;full&gt;" in asyncio.run(handled(hooks, fails, outputs))


def test_failure_after_the_first_step_is_the_last_step(tmp_path):
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path))
    first, last = asyncio.run(handled(hooks, fails_later, gr.HTML(render=False)))
    assert first == "wait"
    assert "the disk is &lt;full&gt;" in last


def test_failure_with_several_outputs_is_left_to_gradio(tmp_path):
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path))
    outputs = [gr.HTML(render=False), gr.HTML(render=False)]
    with pytest.raises(StorageFailed):
        asyncio.run(handled(hooks, fails, outputs))
