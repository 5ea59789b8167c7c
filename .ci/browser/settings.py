"""Steps in the tab *Settings and health*."""

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from .visit import Step, Visit, require


def turns_a_knob(visit: Visit) -> None:
    """A good value lands in the file; a bad one is told and lands nowhere."""
    visit.tab("Settings and health")
    visit.page.locator("button", has_text=re.compile("^Recall")).click()
    lines = visit.at("ltm-knob-recall-lines").locator("input")
    expect(lines).to_have_value("6")
    lines.fill("4")
    visit.at("ltm-save").click()
    visit.says("ltm-saved", "recall.lines")
    require(saved(visit.folder)["recall"] == {"lines": 4}, "lines = 4 is not in the file")
    lines.fill("-1")
    visit.at("ltm-save").click()
    visit.says("ltm-saved", "recall.lines = -1")
    require(saved(visit.folder)["recall"] == {"lines": 4}, "lines = 4 is not in the file")
    visit.shot("settings")
    visit.press("Discard changes")
    expect(lines).to_have_value("4")


def saved(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "ltm_config.json").read_bytes())
    return found


def destroys(visit: Visit) -> None:
    """Only what is named exactly, and with a backup."""
    visit.tab("Settings and health")
    visit.unfold("Reload and delete")
    visit.at("ltm-reload").click()
    name = visit.at("ltm-destroy-name").locator("textarea, input")
    name.fill("mira")
    visit.at("ltm-destroy").click()
    visit.says("ltm-destroyed", "Nothing was deleted")
    visit.shot("destroy")
    expect(name).to_have_value("")  # emptied with the answer
    name.fill("Mira")
    visit.at("ltm-destroy").click()
    visit.says("ltm-destroyed", ".zip")
    backups = list((visit.folder / "backups").glob("*.zip"))
    require(len(backups) == 1, f"not one backup: {backups}")
    visit.says("ltm-destroy-help", "小岚")
    visit.shot("destroyed")


STEPS: tuple[Step, ...] = (turns_a_knob,)
LAST: tuple[Step, ...] = (destroys,)
