"""Bridges the differences between Gradio 4.37 (the host's) and Gradio 6 (the demo's)."""

import inspect
from collections.abc import Callable
from typing import Any

import gradio as gr
from gradio.context import Context


def copy_button_options() -> dict[str, Any]:
    """Returns the arguments for a Textbox with a copy button."""
    return {"buttons": ["copy"]} if _accepts(gr.Textbox, "buttons") else {"show_copy_button": True}


def quiet() -> dict[str, Any]:
    """Returns the arguments of an event that shows no progress.

    If an event may show some, Gradio 6 searches the whole page for each of its outputs, again at
    each later event. Editing a message and talking in the demo took 59 s of the browser's time,
    and 10 s without.
    """
    hidden: dict[str, Any] = {"show_progress": "hidden"}
    return {**hidden, "show_progress_on": []} if _accepts(gr.on, "show_progress_on") else hidden


def page_waits_for_answers() -> bool:
    """Returns whether the page waits for a handler's answer before it calls it again.

    With `always_last`, Gradio 4's page sometimes calls twice at once, so that the older answer may
    come last.
    """
    return not gr.__version__.startswith("4.")


def open_events() -> list[Any]:
    """Returns the page's load event and, inside a tab, the tab's select event."""
    root, around = Context.root_block, Context.block
    found = [root.load] if isinstance(root, gr.Blocks) else []
    return found + ([around.select] if isinstance(around, gr.Tab) else [])


def _accepts(function: Callable[..., Any], parameter: str) -> bool:
    return parameter in inspect.signature(function).parameters
