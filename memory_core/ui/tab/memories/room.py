"""The tab *Memories*: ask, search, read, correct and write them."""

from collections.abc import Sequence
from typing import Any

import gradio as gr

from ..common.frame import Room, Selection, TabHeader, Updates
from .ask import AskPanel
from .browser import BrowserPanel
from .deleted import DeletedPanel
from .diary import DiaryPanel
from .notes import NotesPanel
from .review import ReviewPanel


def build(frame: TabHeader) -> Room:
    """Builds this tab's content in the gr.Tab that is open now."""
    ask, review = AskPanel(frame), ReviewPanel(frame)
    with frame.accordion("note_title"):
        notes = NotesPanel(frame)
    browser = BrowserPanel(frame, frame.search)
    review.build_idle()
    with frame.accordion("diary_tab") as diary_fold:
        diary = DiaryPanel(frame)
    with frame.accordion("deleted_tab") as deleted_fold:
        deleted = DeletedPanel(frame)
    folds = FoldsPanel([diary_fold, deleted_fold])
    return Room(local=(ask, review, diary, browser, folds), refreshing=(notes, deleted))


class FoldsPanel:
    """Hides folds as long as there are no memories."""

    def __init__(self, folds: Sequence[Any]) -> None:
        self.outputs = list(folds)

    def wire(self) -> None:
        """Has nothing to connect."""

    def show(self, view: Selection) -> Updates:
        return [gr.update(visible=bool(view.namespace)) for _ in self.outputs]
