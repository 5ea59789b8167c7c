"""The tab *Memories*: search, read and correct all of them."""

import gradio as gr

from ..common.frame import Room, TabHeader
from .browser import BrowserPanel
from .deleted import DeletedPanel


def build(frame: TabHeader) -> Room:
    """Builds this tab's content in the gr.Tab that is open now."""
    search = frame.labels.bind(gr.Textbox(elem_id="ltm-search", max_lines=1), "label", "search")
    browser = BrowserPanel(frame, search)
    with frame.accordion("deleted_tab"):
        deleted = DeletedPanel(frame)
    return Room(local=(browser,), refreshing=(deleted,))
