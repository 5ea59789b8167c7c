"""The tab *Settings and health*: what is remembered, what is recalled, models, storage."""

import gradio as gr

from ..common import status
from ..common.frame import Room, Selection, TabHeader, Updates
from .activity import ActivityPanel
from .advanced import AdvancedPanel
from .danger import DangerPanel
from .doctor import DoctorPanel
from .health import HealthPanel
from .health_line import HealthLinePanel
from .model import ModelPanel
from .names import NamesPanel
from .pauses import PausesPanel
from .plain import FACTS, RECALLED, REMEMBERED, PlainPanel
from .recall_check import RecallCheckPanel
from .usage import UsagePanel
from .work import WorkPanel


class _Heading:
    def __init__(self, key: str) -> None:
        self._key = key
        self.outputs = [gr.HTML()]

    def wire(self) -> None:
        """Has nothing to connect."""

    def show(self, view: Selection) -> Updates:
        return [f'<h3 class="ltm-title">{status.escaped(view.words[self._key])}</h3>']


def build(frame: TabHeader) -> Room:
    """Builds this tab's content in the gr.Tab that is open now."""
    parts = [_build_remembered(frame), _build_recalled(frame)]
    parts += [_build_models(frame), _build_storage(frame)]
    with frame.accordion("advanced_tab"):
        advanced = AdvancedPanel(frame)
    return Room(
        local=tuple(panel for part in parts for panel in part.local),
        refreshing=(*(panel for part in parts for panel in part.refreshing), advanced),
    )


def _build_remembered(frame: TabHeader) -> Room:
    heading = _Heading("settings_remembered")
    plain = PlainPanel(frame, "remembered", REMEMBERED)
    with frame.accordion("switches_tab"):
        pauses = PausesPanel(frame)
    with frame.accordion("names_tab"):
        names = NamesPanel(frame)
    return Room(local=(heading,), refreshing=(plain, pauses, names))


def _build_recalled(frame: TabHeader) -> Room:
    heading = _Heading("settings_recalled")
    plain = PlainPanel(frame, "recalled", RECALLED)
    with frame.accordion("check_tab"):
        check = RecallCheckPanel(frame)
    return Room(local=(heading, check), refreshing=(plain,))


def _build_models(frame: TabHeader) -> Room:
    heading, model = _Heading("settings_models"), ModelPanel(frame)
    facts = PlainPanel(frame, "models", FACTS)
    with frame.accordion("health_work"):
        work = WorkPanel(frame)
    return Room(local=(heading, work), refreshing=(model, facts))


def _build_storage(frame: TabHeader) -> Room:
    heading, line = _Heading("settings_storage"), HealthLinePanel(frame)
    with frame.accordion("activity_tab"):
        activity = ActivityPanel(frame)
    with frame.accordion("health_tab"):
        health, usage = HealthPanel(frame), UsagePanel(frame)
    with frame.accordion("doctor_tab"):
        doctor = DoctorPanel(frame)
    with frame.accordion("danger_tab"):
        danger = DangerPanel(frame)
    return Room(local=(heading, line, activity, health, usage, doctor), refreshing=(danger,))
