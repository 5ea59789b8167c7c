"""The panels of the tab's four rooms, in their order on the page."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gradio as gr

from .answer.answer import AnswerPanel
from .answer.first_run import FirstRunPanel
from .common.header import Panel, Selection, TabHeader, Updates
from .common.markup import escaped
from .common.recall_check import RecallCheckPanel
from .memories.ask import AskPanel
from .memories.browser import BrowserPanel
from .memories.deleted import deleted_panels
from .memories.diary import DiaryPanel
from .memories.notes import NotesPanel
from .memories.review import ReviewPanel
from .settings.activity import ActivityPanel
from .settings.advanced import AdvancedPanel
from .settings.danger import DangerPanel
from .settings.doctor import DoctorPanel
from .settings.health import HealthLinePanel, HealthPanel
from .settings.model import ModelPanel
from .settings.names import NamesPanel
from .settings.pauses import PausesPanel
from .settings.plain import FACTS, RECALLED, REMEMBERED, PlainPanel
from .settings.usage import UsagePanel
from .settings.work import WorkPanel
from .transfer.back_up import BackUpPanel
from .transfer.import_panel import ImportPanel


class _Heading(Panel):
    def __init__(self, key: str) -> None:
        self._key = key
        self.outputs = [gr.HTML()]

    def show(self, view: Selection) -> Updates:
        return [f'<h3 class="ltm-title">{escaped(view.words[self._key])}</h3>']


class _Folds(Panel):
    """Hides folds as long as there are no memories."""

    def __init__(self, folds: Sequence[Any]) -> None:
        self.outputs = folds

    def show(self, view: Selection) -> Updates:
        return [gr.update(visible=bool(view.namespace)) for _ in self.outputs]


def _build_answer(header: TabHeader) -> list[Panel]:
    return [FirstRunPanel(header), AnswerPanel(header)]


def build_memories(header: TabHeader) -> list[Panel]:
    """Builds the tab *Memories* in the gr.Tab that is open now."""
    ask, review = AskPanel(header), ReviewPanel(header)
    with header.accordion("note_title"):
        notes = NotesPanel(header)
    browser = BrowserPanel(header)
    review.build_idle()
    with header.accordion("diary_tab") as diary_fold:
        diary = DiaryPanel(header)
    with header.accordion("deleted_tab") as deleted_fold:
        deleted = deleted_panels(header)
    return [ask, review, notes, browser, diary, *deleted, _Folds([diary_fold, deleted_fold])]


def _build_transfer(header: TabHeader) -> list[Panel]:
    with gr.Row(elem_id="ltm-transfer"):
        with gr.Column(scale=3, min_width=340):
            import_panel = ImportPanel(header)
        with gr.Column(scale=2, min_width=320):
            return [import_panel, BackUpPanel(header)]


def _build_settings(header: TabHeader) -> list[Panel]:
    panels = [*_build_remembered(header), *_build_recalled(header)]
    panels += [*_build_models(header), *_build_storage(header)]
    with header.accordion("advanced_tab"):
        return [*panels, AdvancedPanel(header)]


def _build_remembered(header: TabHeader) -> list[Panel]:
    panels = [_Heading("settings_remembered"), PlainPanel(header, "remembered", REMEMBERED)]
    return panels + _folded(header, {"switches_tab": PausesPanel, "names_tab": NamesPanel})


def _build_recalled(header: TabHeader) -> list[Panel]:
    panels = [_Heading("settings_recalled"), PlainPanel(header, "recalled", RECALLED)]
    return panels + _folded(header, {"check_tab": RecallCheckPanel})


def _build_models(header: TabHeader) -> list[Panel]:
    panels = [_Heading("settings_models"), ModelPanel(header), PlainPanel(header, "models", FACTS)]
    return panels + _folded(header, {"health_work": WorkPanel})


def _build_storage(header: TabHeader) -> list[Panel]:
    panels = [_Heading("settings_storage"), HealthLinePanel(header)]
    panels += _folded(header, {"activity_tab": ActivityPanel})
    with header.accordion("health_tab"):
        panels += [HealthPanel(header), UsagePanel(header)]
    return panels + _folded(header, {"doctor_tab": DoctorPanel, "danger_tab": DangerPanel})


def _folded(header: TabHeader, makers: Mapping[str, Callable[[TabHeader], Panel]]) -> list[Panel]:
    """Builds each panel in a fold of its own, by the key of the fold's title."""
    panels = []
    for title, make in makers.items():
        with header.accordion(title):
            panels.append(make(header))
    return panels


# The key of a room's label → the function that builds its panels in the gr.Tab that is open now.
ROOMS: Mapping[str, Callable[[TabHeader], list[Panel]]] = {
    "answer_tab": _build_answer,
    "memories_tab": build_memories,
    "transfer_tab": _build_transfer,
    "settings_tab": _build_settings,
}
