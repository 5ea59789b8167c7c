"""The tab *Last answer*: the last answer, and the memories in its prompt."""

from ..common.frame import Room, TabHeader
from .answer import AnswerPanel
from .first_run import FirstRunPanel


def build(frame: TabHeader) -> Room:
    """Builds this tab's content in the gr.Tab that is open now."""
    first_run = FirstRunPanel(frame)
    return Room(local=(AnswerPanel(frame),), refreshing=(first_run,))
