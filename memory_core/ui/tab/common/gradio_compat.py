"""What Gradio 4.37 (the host's) and Gradio 6 (the demo's) call differently."""

import inspect
from typing import Any

import gradio as gr
from gradio.context import Context


def copy_button_options() -> dict[str, Any]:
    """A Textbox with a button that copies its text."""
    return {"buttons": ["copy"]} if _accepts(gr.Textbox, "buttons") else {"show_copy_button": True}


def max_height_options(pixels: int) -> dict[str, Any]:
    """A Dataframe no higher than this."""
    name = "max_height" if _accepts(gr.Dataframe, "max_height") else "height"
    return {name: pixels}


def open_events() -> list[Any]:
    """The events of the page's loading and, inside a tab, of the tab's being selected."""
    root, around = Context.root_block, Context.block
    found = [root.load] if isinstance(root, gr.Blocks) else []
    return found + ([around.select] if isinstance(around, gr.Tab) else [])


def selected_row(event: gr.SelectData, table: list[list[Any]]) -> list[Any]:
    """The row of a Dataframe that was clicked, also after its user has sorted it."""
    row = getattr(event, "row_value", None)
    return list(row) if row else list(table[event.index[0]])


def _accepts(component: type, parameter: str) -> bool:
    return parameter in inspect.signature(component).parameters
