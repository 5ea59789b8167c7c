"""The tab *Settings and health*."""

from ..common.frame import Room, TabHeader
from .activity import ActivityPanel
from .advanced import AdvancedPanel
from .danger import DangerPanel
from .doctor import DoctorPanel
from .health import HealthPanel
from .model import ModelPanel
from .names import NamesPanel
from .pauses import PausesPanel
from .plain import PlainPanel
from .recall_check import RecallCheckPanel
from .usage import UsagePanel
from .work import WorkPanel


def build(frame: TabHeader) -> Room:
    """Builds this tab's content in the gr.Tab that is open now."""
    plain, model = PlainPanel(frame), ModelPanel(frame)
    with frame.accordion("advanced_tab"):
        advanced = AdvancedPanel(frame)
    with frame.accordion("switches_tab"):
        pauses = PausesPanel(frame)
    with frame.accordion("names_tab"):
        names = NamesPanel(frame)
    with frame.accordion("check_tab"):
        check = RecallCheckPanel(frame)
    with frame.accordion("activity_tab"):
        activity = ActivityPanel(frame)
    with frame.accordion("health_tab"):
        health, usage = HealthPanel(frame), UsagePanel(frame)
    with frame.accordion("health_work"):
        work = WorkPanel(frame)
    with frame.accordion("doctor_tab"):
        doctor = DoctorPanel(frame)
    with frame.accordion("danger_tab"):
        danger = DangerPanel(frame)
    return Room(
        local=(advanced, check, activity, health, usage, work, doctor),
        refreshing=(plain, model, pauses, names, danger),
    )
