"""The tab *Now*: the last answer, and the memories it was given."""

from ..common.frame import Room, TabHeader
from .trace import UsedPanel


def build(frame: TabHeader) -> Room:
    """Builds this tab's content in the gr.Tab that is open now."""
    return Room(local=(UsedPanel(frame),))
