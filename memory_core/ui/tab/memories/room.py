"""The tab *Memories*: search, read and correct all of them."""

from ..common.frame import Room, TabHeader
from .browser import BrowserPanel
from .deleted import DeletedPanel


def build(frame: TabHeader) -> Room:
    """Builds this tab's content in the gr.Tab that is open now."""
    browser = BrowserPanel(frame)
    with frame.accordion("deleted_tab"):
        deleted = DeletedPanel(frame)
    return Room(local=(browser,), refreshing=(deleted,))
