"""The tab *Settings and health*."""

from ..common.frame import Room, TabHeader
from .danger import DangerPanel
from .health import HealthPanel
from .names import NamesPanel
from .pauses import PausesPanel
from .settings import SettingsPanel
from .usage import UsagePanel


def build(frame: TabHeader) -> Room:
    """Builds this tab's content in the gr.Tab that is open now."""
    knobs = SettingsPanel(frame)
    with frame.accordion("switches_tab"):
        pauses = PausesPanel(frame)
    with frame.accordion("names_tab"):
        names = NamesPanel(frame)
    with frame.accordion("health_tab"):
        health, usage = HealthPanel(frame), UsagePanel(frame)
    with frame.accordion("danger_tab"):
        danger = DangerPanel(frame)
    return Room(local=(knobs, health, usage), refreshing=(pauses, names, danger))
