"""The tab *Memories*: ask, search, read and correct all of them."""

from ..common.frame import Room, TabHeader
from .ask import AskPanel
from .browser import BrowserPanel
from .deleted import DeletedPanel
from .diary import DiaryPanel
from .review import ReviewPanel


def build(frame: TabHeader) -> Room:
    """Builds this tab's content in the gr.Tab that is open now."""
    ask, review = AskPanel(frame), ReviewPanel(frame)
    browser = BrowserPanel(frame, frame.search)
    review.build_idle()
    with frame.accordion("diary_tab"):
        diary = DiaryPanel(frame)
    with frame.accordion("deleted_tab"):
        deleted = DeletedPanel(frame)
    return Room(local=(ask, review, diary, browser), refreshing=(deleted,))
