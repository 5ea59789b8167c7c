"""The tab *Import and back up*: imports, backups and exports."""

import gradio as gr

from ..common.frame import Room, TabHeader
from .back_up import BackUpPanel
from .import_panel import ImportPanel


def build(frame: TabHeader) -> Room:
    """Builds this tab's content in the gr.Tab that is open now."""
    with gr.Row(elem_id="ltm-transfer"):
        with gr.Column(scale=3, min_width=340):
            import_panel = ImportPanel(frame)
        with gr.Column(scale=2, min_width=320):
            back_up = BackUpPanel(frame)
    return Room(local=(back_up,), refreshing=(import_panel,))
