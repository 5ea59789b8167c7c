"""The tab *Last answer*: the last answer, and the memories in its prompt."""

from ..common.frame import Room, TabHeader
from .answer import AnswerPanel


def build(frame: TabHeader) -> Room:
    """Builds this tab's content in the gr.Tab that is open now."""
    return Room(local=(AnswerPanel(frame),))
