"""Steps in the tab *Bring in and back up*."""

from .visit import Step, Visit


def opens(visit: Visit) -> None:
    visit.tab("Bring in and back up")
    visit.shot("transfer")


STEPS: tuple[Step, ...] = (opens,)
