"""The tab *Bring in and back up*: memories that come from elsewhere or go there."""

from ..common.frame import Room, TabHeader
from .back_up import BackUpPanel
from .bring_in import BringInPanel


def build(frame: TabHeader) -> Room:
    """Builds this tab's content in the gr.Tab that is open now."""
    bring_in = BringInPanel(frame)
    back_up = BackUpPanel(frame)
    return Room(local=(back_up,), refreshing=(bring_in,))
