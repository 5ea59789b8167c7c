"""The host's own model does background work, and never makes a message wait."""

import json
import time
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Browser

from . import memory_files
from .page import ChatPage
from .panels import SETTINGS, Case, Person, run_cases
from .report import Report
from .running import Running, until
from .tab import Tab

DONE_S = 180.0
WAIT_S = 5.0  # the slow answer in the background takes longer
SETTINGS_OF_WORK = {
    "llm": {"kind": "host", "idle_minutes": 0},
    "consolidation": {
        "enabled": True,
        "quiet_s": 0,
        "workers": "exchange_summary",  # all else needs JSON, and ten failures pause the work
        "summary_min_letters": 40,
        "max_tokens": 200,
    },
}
TOLD = (
    "The old miller keeps his three geese behind the water wheel and feeds them barley every "
    "single morning before anybody else in the village has even opened a window."
)


class Background:
    def __init__(self, host: Running, browser: Browser, notes: Iterator[int]) -> None:
        self._host = host
        self._browser = browser
        self._person = Person(host, notes)

    def run(self, report: Report) -> None:
        cases: dict[str, Case] = {
            "The host's own model works in the background and gives way": self.gives_way,
        }
        run_cases(cases, self._host, self._browser, report)

    def gives_way(self, page: ChatPage, tab: Tab) -> None:
        """A message sent while the model works is answered at once, and the work is done later."""
        before = self._apply(tab, SETTINGS_OF_WORK)
        page.new_chat()
        usual = self._seconds_of_message(page, TOLD)
        asked = len(self._prompts())
        until(lambda: len(self._prompts()) > asked, within_s=DONE_S, what="the model is asked")
        waited = self._seconds_of_message(page)
        until(self._has_summary, within_s=DONE_S, what="the summary is written")
        self._apply(tab, before)
        assert waited < usual + WAIT_S, f"{waited:.1f} s with background work, else {usual:.1f} s"

    def _seconds_of_message(self, page: ChatPage, text: str = "") -> float:
        began = time.monotonic()
        self._person.say(page, text)
        return time.monotonic() - began

    def _apply(self, tab: Tab, settings: dict[str, Any]) -> dict[str, Any]:
        """Writes these settings into the file; returns those that they replace.

        The file is read again with the next choice in the tab.
        """
        path = self._host.sandbox.extension / "ltm_config.json"
        known = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps(known | settings), encoding="utf-8")
        tab.open(SETTINGS)
        tab.tick("ltm-plain-amount", "Much")
        tab.says("ltm-plain-saved-recalled", "Saved.")
        tab.press_named(tab.at("ltm-plain-saved-recalled"), "Undo")
        tab.says("ltm-plain-saved-recalled", "as it was before")
        tab.leave()
        return {name: known.get(name, {}) for name in settings}

    def _prompts(self) -> list[str]:
        return self._host.sandbox.background_prompts()

    def _has_summary(self) -> bool:
        first, _ = TOLD.split(" behind ")
        found = memory_files.files_with(self._person.storage, first)
        return any(path.name == "notes.jsonl" for path in found)
