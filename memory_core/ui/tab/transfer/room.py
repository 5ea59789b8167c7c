"""The tab *Bring in and back up*: memories that come from elsewhere or go there."""

from ..common.frame import Room, TabHeader
from .export import ExportPanel
from .import_chats import ImportPanel


def build(frame: TabHeader) -> Room:
    """Builds this tab's content in the gr.Tab that is open now."""
    with frame.accordion("import_tab"):
        past = ImportPanel(frame)
    with frame.accordion("export_tab"):
        export = ExportPanel(frame)
    return Room(refreshing=(past, export))
